// SPDX-License-Identifier: Apache-2.0

/// The picture that the viewer of a view has been sent.
struct SentPicture {
    /// The sequence of the last change that was sent.
    private(set) var sequence: UInt64 = 0
    /// The size of the content that was sent last.
    private(set) var contentSize = Size.zero
    /// The distance to the edge of the viewport for sticky elements that was sent last.
    private(set) var stickyEdge = 0.0
    /// The elements, section by section, each with its content and its slot.
    private(set) var elements: [ViewElement] = []
    /// Elements whose items were removed, but whose slots are not released yet.
    private(set) var orphans: [ViewElement] = []
    /// Whether the elements are in list order and the list has moved none of them since.
    private(set) var isInOrder = true

    /// Whether the viewer shows nothing.
    var isEmpty: Bool { elements.isEmpty && orphans.isEmpty }

    /// The sections of which elements were sent.
    var handlesInUse: Set<SectionHandle> {
        Set(elements.compactMap(\.key.handle)).union(orphans.compactMap(\.key.handle))
    }

    /// Returns the index in ``elements`` of an element that was sent from the present place of an element of the view.
    ///
    /// - Returns: `nil` if there is none, or if it must be searched for because the list has moved elements.
    /// - Complexity: O(log elements).
    func index(of element: ViewElement) -> Int? {
        guard isInOrder else { return nil }
        let index = elements.partitionPoint { ViewElement.isBefore($0, element) }
        return index < elements.count && elements[index].key == element.key ? index : nil
    }

    /// Advances the picture to the next sequence, with new elements.
    mutating func advance(to elements: [ViewElement], contentSize: Size, stickyEdge: Double) {
        self.elements = elements
        orphans = []
        isInOrder = ViewElement.areInListOrder(elements)
        self.contentSize = contentSize
        self.stickyEdge = stickyEdge
        sequence += 1
    }

    /// Advances the picture to the next sequence, with new contents of some elements.
    mutating func replaceContents(_ changed: [(index: Int, content: ViewElement.Content)]) {
        for change in changed { elements[change.index].content = change.content }
        sequence += 1
    }

    /// Records that there is no difference between the picture and the present elements.
    mutating func recordUnchanged() { isInOrder = ViewElement.areInListOrder(elements) }

    /// Sets the sequence of the last piece of a change that was sent in pieces.
    mutating func setSequence(_ last: UInt64) { sequence = last }

    /// Restores the sequence, the content size and the elements of a resumed view.
    mutating func resume(sequence: UInt64, contentSize: Size, _ elements: [ViewElement], orphans: [ViewElement]) {
        self.sequence = sequence
        self.contentSize = contentSize
        (self.elements, self.orphans, isInOrder) = (elements, orphans, false)
    }

    /// Records that an update has moved sections or items. Elements are moved to the new indexes of their items.
    mutating func forward(_ forwarding: [SectionHandle: PositionMap]) {
        isInOrder = false
        guard !forwarding.isEmpty else { return }
        var hasGone = false
        for index in elements.indices where elements[index].identity == nil {
            let key = elements[index].key
            let new = key.forwarded(by: forwarding)
            guard new != key else { continue }
            elements[index].sentIndex = elements[index].item
            if let new { elements[index].key = new } else { (elements[index].isGone, hasGone) = (true, true) }
        }
        guard hasGone else { return }
        orphans += elements.filter(\.isGone)
        elements.removeAll(where: \.isGone)
    }

    // MARK: The difference

    /// Returns the difference between the picture and the present elements of the view, all with their contents.
    func difference(to present: [ViewElement], contentSize: Size, stickyEdge: Double) -> PictureDifference {
        let isOrdered = isInOrder && ViewElement.areInListOrder(present)
        let places = (isOrdered ? placesInOrder(of: present) : nil) ?? placesByKey(of: present)
        var difference = PictureDifference(present: present)
        var isLeft = [Bool](repeating: true, count: elements.count)
        for (index, place) in places.enumerated() {
            guard let place, let old = elements[place].content, let new = present[index].content,
                old.isReused(like: new)
            else {
                difference.shown.append(index)
                continue
            }
            isLeft[place] = false
            difference.present[index].slot = elements[place].slot
            if !elements[place].isPlaced(like: present[index]) { difference.placed.append((index, place)) }
            if elements[place].travel != present[index].travel { difference.rerouted.append(index) }
            if !old.hasSameFields(as: new) { difference.rebound.append(index) }
        }
        difference.released = orphans
        for place in elements.indices where isLeft[place] { difference.released.append(elements[place]) }
        difference.released.sort { $0.slot < $1.slot }
        difference.isResized = self.contentSize != contentSize || self.stickyEdge != stickyEdge
        return difference
    }

    /// Returns for each present element the index of the same one in ``elements``. Both are in list order.
    ///
    /// - Returns: `nil` if an item has another identity than before, so that it may be elsewhere.
    private func placesInOrder(of present: [ViewElement]) -> [Int?]? {
        var places: [Int?] = []
        places.reserveCapacity(present.count)
        var place = 0
        for index in present.indices {
            while place < elements.count, ViewElement.isBefore(elements[place], present[index]) { place += 1 }
            guard place < elements.count, elements[place].key == present[index].key else {
                places.append(nil)
                continue
            }
            if let old = elements[place].content, let new = present[index].content, !old.hasSameIdentity(as: new) {
                return nil
            }
            places.append(place)
            place += 1
        }
        return places
    }

    /// Identifies a cell by the identity of its item.
    private struct Identity: Hashable {
        let handle: SectionHandle?
        let text: ExactText
    }

    /// Returns for each present element the index of the same one in ``elements``: that with the same identity, or if
    /// its item has none, with the same key. Of two items with the same identity, the second one goes by its key.
    private func placesByKey(of present: [ViewElement]) -> [Int?] {
        guard !elements.isEmpty else { return [Int?](repeating: nil, count: present.count) }
        var byKey: [ElementKey: Int] = [:]
        var byIdentity: [Identity: Int] = [:]
        byKey.reserveCapacity(elements.count)
        for (place, element) in elements.enumerated() {
            if let text = element.identity {
                let identity = Identity(handle: element.key.handle, text: ExactText(text))
                if byIdentity[identity] == nil {
                    byIdentity[identity] = place
                    continue
                }
            }
            byKey[element.key] = place
        }
        var seen: Set<Identity> = []
        return present.map { element in
            guard let text = element.identity else { return byKey.removeValue(forKey: element.key) }
            let identity = Identity(handle: element.key.handle, text: ExactText(text))
            guard seen.insert(identity).inserted else { return byKey.removeValue(forKey: element.key) }
            return byIdentity[identity]
        }
    }
}

/// The difference between the picture that a viewer has and the present elements of its view.
struct PictureDifference {
    /// All present elements. New ones have no slot yet.
    var present: [ViewElement]
    /// The elements that were sent and are no longer there, ascending by slot.
    var released: [ViewElement] = []
    /// The indexes in ``present`` of the new elements.
    var shown: [Int] = []
    /// The indexes in ``present`` of the elements with a new place, and in ``SentPicture/elements``.
    var placed: [(index: Int, sent: Int)] = []
    /// The indexes in ``present`` of the elements with new content.
    var rebound: [Int] = []
    /// The indexes in ``present`` of the elements that have another way to go as sticky ones.
    var rerouted: [Int] = []
    /// Whether the size of the content, or the edge for sticky elements, differs.
    var isResized = false

    init(present: [ViewElement]) { self.present = present }

    /// Whether the pictures are equal.
    var isEmpty: Bool {
        released.isEmpty && shown.isEmpty && placed.isEmpty && rebound.isEmpty && rerouted.isEmpty && !isResized
    }

    /// The approximate number of bytes, as counted for the viewer's credit and as encoded in a message.
    var size: (credit: Int, message: Int) {
        var size = (
            credit: 56 * placed.count + 4 * released.count, message: PictureChange.Placement.byteCount * placed.count
        )
        for index in shown {
            guard let content = present[index].content else { continue }
            let bytes = content.fields.byteCount + content.objectID.utf8.count
            size.credit += bytes + 80
            size.message += content.byteCount
        }
        for index in rebound {
            let bytes = present[index].content?.fields.byteCount ?? 0
            size.credit += bytes + 12
            size.message += bytes + PictureChange.Rebinding.overhead
        }
        return size
    }
}
