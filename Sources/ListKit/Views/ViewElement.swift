// SPDX-License-Identifier: Apache-2.0

/// One element of a view: a cell, a header, a footer, or the empty view.
///
/// The layout says where it lies. It gets its content when its item is fetched, and its slot when it is sent.
struct ViewElement {
    var key: ElementKey
    /// The section's position when the element was computed.
    var section: Int
    let frame: Rect
    let z: Int64
    /// The first and the last position along the scroll axis of a sticky element.
    var travel: ClosedRange<Double>?
    /// What the element shows; `nil` before its item was fetched.
    var content: Content?
    /// The slot in which the viewer shows the element; 0 before it is sent.
    var slot: SlotNumber = 0
    /// The index with which the element was sent, if an update has moved its item since.
    var sentIndex: Int?
    /// Whether an update has removed the item since the element was sent.
    var isGone = false

    /// What an element shows. It is an object, so that elements are copied without its texts, and one that was not
    /// fetched anew is known to be equal.
    final class Content: Sendable {
        let item: ListItem
        /// The identifier of the object; empty for the empty view.
        let objectID: String
        /// The fields of the item that the viewer is sent.
        let fields: Fields
        /// The approximate bytes that the element takes in a picture.
        let byteCount: Int

        init(_ item: ListItem, objectID: String, fields: Fields) {
            (self.item, self.objectID, self.fields) = (item, objectID, fields)
            byteCount =
                fields.byteCount + item.reuseIdentifier.utf8.count + objectID.utf8.count + PictureItem.overhead
        }

        /// Returns whether both items have the same identity, or none.
        func hasSameIdentity(as other: Content) -> Bool {
            self === other || item.identity.map { ExactText($0) } == other.item.identity.map { ExactText($0) }
        }

        /// Returns whether a widget may show one item after the other.
        func isReused(like other: Content) -> Bool {
            self === other || ExactText(item.reuseIdentifier) == ExactText(other.item.reuseIdentifier)
        }

        func hasSameFields(as other: Content) -> Bool { self === other || fields == other.fields }
    }

    /// The index of the item as it was sent.
    var item: Int { sentIndex ?? key.index }

    /// The identity of the cell's item; `nil` if the element is identified by its key.
    var identity: String? { key.kind == .cell ? content?.item.identity : nil }

    /// Whether the element is a cell of a section.
    var isCell: Bool { key.kind == .cell && key.handle != nil }

    /// Returns whether the element may be the anchor of a viewport.
    func isAnchor(in viewport: Rect) -> Bool { isCell && frame.intersects(viewport) }

    /// Returns whether both were sent with the same place.
    func isPlaced(like other: ViewElement) -> Bool {
        section == other.section && item == other.item && frame == other.frame && z == other.z
    }
}

/// Identifies an element across scroll steps. A transaction may change the index of the item; see ``forwarded(by:)``.
struct ElementKey: Hashable {
    /// The section; `nil` for the empty view.
    let handle: SectionHandle?
    let kind: ElementKind
    /// The index of the item; 0 for header and footer.
    let index: Int

    /// Returns the key after a transaction, or `nil` if the item was removed.
    func forwarded(by forwarding: [SectionHandle: PositionMap]) -> ElementKey? {
        guard kind == .cell, let handle, let forward = forwarding[handle] else { return self }
        return forward(index).map { ElementKey(handle: handle, kind: kind, index: $0) }
    }

    /// Returns a fast hash, like that of ``SectionHandle``.
    func _rawHashValue(seed: Int) -> Int {
        HandleHash.hash(Int(handle?.raw ?? 0) << 8 | kind.order, index, seed: seed)
    }
}

extension ViewElement {
    /// Orders elements by section, and within a section the header first and the footer last.
    static func isBefore(_ first: ViewElement, _ second: ViewElement) -> Bool {
        (first.section, first.key.kind.order, first.key.index) < (
            second.section, second.key.kind.order, second.key.index
        )
    }

    /// Returns the indexes of the elements of some sections, among elements in list order.
    static func indexes(of sections: Range<Int>, in elements: [ViewElement]) -> Range<Int> {
        let start = elements.partitionPoint { $0.section < sections.lowerBound }
        return start..<elements[start...].partitionPoint { $0.section < sections.upperBound }
    }

    /// Returns whether any element belongs to a section, among elements in list order.
    static func isAny(of section: Int, in elements: [ViewElement]) -> Bool {
        let place = elements.partitionPoint { $0.section < section }
        return place < elements.count && elements[place].section == section
    }

    /// Returns the index of the element with the place and the key of another, among elements in list order.
    static func index(of element: ViewElement, in elements: [ViewElement]) -> Int? {
        let index = elements.partitionPoint { isBefore($0, element) }
        return index < elements.count && elements[index].key == element.key ? index : nil
    }

    /// Returns whether all elements belong to sections and each is before the next one.
    static func areInListOrder(_ elements: [ViewElement]) -> Bool {
        for index in elements.indices {
            guard elements[index].key.handle != nil else { return false }
            guard index == 0 || isBefore(elements[index - 1], elements[index]) else { return false }
        }
        return true
    }
}

extension Range<Int> {
    /// Returns the smallest range with both ranges; an empty one does not count.
    func hull(with other: Range<Int>) -> Range<Int> {
        guard !isEmpty, !other.isEmpty else { return isEmpty ? other : self }
        return Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}

extension ElementKind {
    /// The rank of a kind within a section.
    var order: Int {
        switch self {
        case .header: 0
        case .cell: 1
        case .footer: 2
        }
    }
}

extension PictureItem {
    /// Makes the item of an element with its content.
    init(_ element: ViewElement, _ content: ViewElement.Content) {
        self.init(
            slot: element.slot, objectID: content.objectID, section: element.section, item: element.item,
            kind: element.key.kind, reuseIdentifier: content.item.reuseIdentifier, frame: element.frame, z: element.z,
            content: content.fields)
    }

    /// The sort key of the element in a picture.
    var order: (section: Int, kind: Int, item: Int) { (section, kind.order, item) }
}
