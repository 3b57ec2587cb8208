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
    /// The sections outside of which the elements are in list order and the list has moved none of them since; `nil` = any
    /// may be elsewhere.
    private var movedSections: Range<Int>? = 0..<0
    /// The edit after which ``elements`` are what was sent; `nil` = they are what was sent. Meanwhile they are what the view
    /// shows, so that view and picture share them.
    private(set) var unsent: ElementEdit?

    /// Whether the elements are what was sent, in list order, and the list has moved none of them since.
    var isInOrder: Bool { movedSections?.isEmpty == true && unsent == nil }

    /// Whether the viewer shows nothing.
    var isEmpty: Bool { elements.isEmpty && orphans.isEmpty }

    /// The sections of which elements were sent.
    var handlesInUse: Set<SectionHandle> {
        let sent = elements + orphans + (unsent?.elements ?? [])
        return Set(sent.compactMap(\.key.handle))
    }

    /// Returns the index in ``elements`` of an element that was sent from the present place of an element of the view.
    ///
    /// - Returns: `nil` if there is none, or if it must be searched for because the list has moved elements.
    /// - Complexity: O(log elements).
    func index(of element: ViewElement) -> Int? {
        isInOrder ? ViewElement.index(of: element, in: elements) : nil
    }

    // MARK: Sharing the elements with the view

    /// Removes and returns the elements, so that they can be changed in place.
    mutating func takeElements() -> [ViewElement] {
        defer { elements = [] }
        return elements
    }

    /// Sets the elements that ``takeElements()`` returned, changed.
    mutating func setElements(_ changed: [ViewElement]) { elements = changed }

    /// Sets the elements that the view shows, some of which the viewer was not sent.
    ///
    /// - Parameters:
    ///   - edit: the edit after which they are what was sent.
    ///   - moved: the sections outside of which the list has moved none.
    mutating func setUnsent(_ shown: [ViewElement], _ edit: ElementEdit, moved: Range<Int>?) {
        (elements, unsent, movedSections) = (shown, edit, moved)
    }

    /// Brings back the elements that were sent, so that they can be compared with others.
    ///
    /// - Complexity: O(elements).
    mutating func recallSent() {
        guard let edit = unsent else { return }
        unsent = nil
        _ = edit.apply(to: &elements)
    }

    /// Records that the viewer has no other elements than the view shows.
    mutating func recordShown() { (unsent, movedSections) = (nil, 0..<0) }

    /// Returns the difference between the elements that were sent and those that the view shows, where they may differ.
    func difference(at indexes: [Int], contentSize: Size, stickyEdge: Double) -> PictureDifference {
        var part = SentPicture()
        part.elements = unsent?.elements ?? []
        (part.contentSize, part.stickyEdge) = (self.contentSize, self.stickyEdge)
        part.movedSections = movedSections?.isEmpty == true ? 0..<0 : nil
        return part.difference(to: indexes.map { elements[$0] }, contentSize: contentSize, stickyEdge: stickyEdge)
    }

    /// Advances the picture to the next sequence, with the elements that the view shows.
    mutating func advanceToShown(contentSize: Size, stickyEdge: Double) {
        recordShown()
        (self.contentSize, self.stickyEdge) = (contentSize, stickyEdge)
        sequence += 1
    }

    // MARK: Changing

    /// Advances the picture to the next sequence, with new elements.
    mutating func advance(to elements: [ViewElement], contentSize: Size, stickyEdge: Double) {
        self.elements = elements
        orphans = []
        recordUnchanged()
        self.contentSize = contentSize
        self.stickyEdge = stickyEdge
        sequence += 1
    }

    /// Advances the picture to the next sequence, with new contents of some elements.
    mutating func advance(withContents changed: [(index: Int, content: ViewElement.Content?)]) {
        setContents(changed)
        sequence += 1
    }

    /// Sets the contents of some elements. Elements that the view shares are not copied if it has set them already.
    mutating func setContents(_ contents: [(index: Int, content: ViewElement.Content?)]) {
        // The compiler may copy a shared array before a loop that changes it, even if the loop changes nothing.
        let new = contents.filter { elements[$0.index].content !== $0.content }
        guard !new.isEmpty else { return }
        for (index, content) in new { elements[index].content = content }
    }

    /// Records that there is no difference between the picture and the present elements.
    mutating func recordUnchanged() { movedSections = ViewElement.areInListOrder(elements) ? 0..<0 : nil }

    /// Sets the sequence of the last piece of a change that was sent in pieces.
    mutating func setSequence(_ last: UInt64) { sequence = last }

    /// Restores the sequence, the content size and the elements of a resumed view.
    mutating func resume(sequence: UInt64, contentSize: Size, _ elements: [ViewElement], orphans: [ViewElement]) {
        self.sequence = sequence
        self.contentSize = contentSize
        (self.elements, self.orphans, movedSections) = (elements, orphans, nil)
    }

    /// Records that an update has moved sections or items. Elements are moved to the new indexes of their items.
    ///
    /// - Parameter sections: the sections with all changes, if all others keep their positions and items.
    mutating func forward(_ forwarding: [SectionHandle: PositionMap], in sections: Range<Int>?) {
        recallSent()
        movedSections = movedSections.flatMap { old in sections.map { old.hull(with: $0) } }
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
        let places = placesInOrder(of: present) ?? placesByKey(of: present[...], among: elements[...])
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

    /// Returns for each present element the index of the same one in ``elements``. Only elements of moved sections are
    /// looked up.
    ///
    /// - Returns: `nil` if elements are not in list order, or if an item has another identity than before, so that it may
    ///   be elsewhere.
    private func placesInOrder(of present: [ViewElement]) -> [Int?]? {
        guard let movedSections, ViewElement.areInListOrder(present) else { return nil }
        let (old, new) = (
            ViewElement.indexes(of: movedSections, in: elements), ViewElement.indexes(of: movedSections, in: present)
        )
        var places: [Int?] = []
        places.reserveCapacity(present.count)
        guard append(&places, of: present[..<new.lowerBound], among: elements[..<old.lowerBound]) else { return nil }
        places += placesByKey(of: present[new], among: elements[old])
        guard append(&places, of: present[new.upperBound...], among: elements[old.upperBound...]) else { return nil }
        return places
    }

    /// Appends for each present element the index of the same one among some elements. Both are in list order.
    ///
    /// - Returns: `false` if an item has another identity than before, so that it may be elsewhere.
    private func append(
        _ places: inout [Int?], of present: ArraySlice<ViewElement>, among elements: ArraySlice<ViewElement>
    ) -> Bool {
        var place = elements.startIndex
        for index in present.indices {
            while place < elements.endIndex, ViewElement.isBefore(elements[place], present[index]) { place += 1 }
            guard place < elements.endIndex, elements[place].key == present[index].key else {
                places.append(nil)
                continue
            }
            if let old = elements[place].content, let new = present[index].content, !old.hasSameIdentity(as: new) {
                return false
            }
            places.append(place)
            place += 1
        }
        return true
    }

    /// Identifies a cell by the identity of its item.
    private struct Identity: Hashable {
        let handle: SectionHandle?
        let text: ExactText
    }

    /// Returns for each present element the index of the same one among some elements: that with the same identity, or if
    /// its item has none, with the same key. Of two items with the same identity, the second one goes by its key.
    private func placesByKey(
        of present: ArraySlice<ViewElement>, among elements: ArraySlice<ViewElement>
    ) -> [Int?] {
        guard !elements.isEmpty else { return [Int?](repeating: nil, count: present.count) }
        var byKey: [ElementKey: Int] = [:]
        var byIdentity: [Identity: Int] = [:]
        byKey.reserveCapacity(elements.count)
        for (place, element) in zip(elements.indices, elements) {
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

/// What updates have changed since the picture that a viewer was sent, as far as it explains the next change.
struct UnsentUpdates {
    /// The maximum number of entries in ``paths``. Above it, single items are not followed any more.
    private static let maximumSize = 16_384

    /// Whether all updates are animated; `nil` if there was none.
    private(set) var isAnimated: Bool?
    /// The new paths of the items that the list had at the picture; `nil` if all kept their paths.
    private var paths: PathForwarding?
    /// Whether there were too many changes to follow single items.
    private var isVague = false
    /// The elements that came into view by an update and were not in the list or in their section before.
    private var fresh: Set<ElementKey> = []
    /// The elements that came into view by an update and kept their index, but not their frame.
    private var moved: Set<ElementKey> = []

    /// Whether the list had an update.
    var isPending: Bool { isAnimated != nil }

    /// Records an update.
    ///
    /// - Parameters:
    ///   - new: the mapping of old to new item paths; `nil` if all items keep their paths.
    ///   - forwarding: the mappings of old to new item indexes.
    mutating func record(
        isAnimated: Bool, _ new: PathForwarding?, forwarding: [SectionHandle: PositionMap] = [:]
    ) {
        self.isAnimated = isAnimated && self.isAnimated != false
        if !forwarding.isEmpty {
            fresh = Set(fresh.compactMap { $0.forwarded(by: forwarding) })
            moved = Set(moved.compactMap { $0.forwarded(by: forwarding) })
        }
        guard !isVague, let new, !new.isIdentity else { return }
        let joined = paths?.followed(by: new) ?? new
        isVague = joined.size > Self.maximumSize
        paths = isVague ? nil : joined
    }

    /// Records the elements that came into view by the update that is being presented.
    ///
    /// - Parameters:
    ///   - appeared: the elements that were not in view before.
    ///   - present: all elements in view.
    ///   - layout: the layout before the update; `nil` if it is not known.
    mutating func record(
        appeared: [ViewElement], among present: [ViewElement], before layout: (any ListLayout)?, _ map: SectionMap
    ) {
        guard isPending else { return }
        if !fresh.isEmpty || !moved.isEmpty {
            let keys = Set(present.map(\.key))
            fresh.formIntersection(keys)
            moved.formIntersection(keys)
        }
        for element in appeared {
            guard let handle = element.key.handle, let old = map.oldPosition(of: handle) else {
                fresh.insert(element.key)
                continue
            }
            guard let layout, old == element.section else {
                if old != element.section { moved.insert(element.key) }
                continue
            }
            let path = IndexPath(section: old, item: element.key.index)
            let before =
                element.key.kind == .cell
                ? layout.attributes(ofItem: path) : layout.attributes(of: element.key.kind, section: old, origin: .zero)
            guard let before else {
                if element.key.kind != .cell { fresh.insert(element.key) }
                continue
            }
            if !before.isAtRest(like: element.frame, element.travel, layout.direction) { moved.insert(element.key) }
        }
    }

    // MARK: Explaining a difference

    /// Returns why the elements of a difference are released, shown and placed; `nil` if the list had no update, so that
    /// they only scrolled.
    ///
    /// - Parameters:
    ///   - sent: the elements as the viewer was sent them.
    ///   - attributes: returns the present place of an element that need not be in view.
    func reasons(
        for difference: PictureDifference, sent: [ViewElement], _ map: SectionMap,
        _ direction: ScrollDirection, attributes: (ElementKind, IndexPath) -> LayoutAttributes?
    ) -> PictureChange.Reasons? {
        guard isPending else { return nil }
        var reasons = PictureChange.Reasons(
            released: difference.released.count, shown: difference.shown.count, placed: difference.placed.count)
        // An item that is released and shown at once was made again.
        var waiting: [Place: Int] = [:]
        for (number, index) in difference.shown.enumerated() {
            let element = difference.present[index]
            waiting[Place(element, at: IndexPath(section: element.section, item: element.item))] = number
        }
        var reinserted: Set<ExactText> = []
        for (index, element) in difference.released.enumerated() {
            let objectID = element.content?.objectID ?? ""
            let isInList = map.position(ofID: objectID) != nil
            guard let path = self.path(of: element), map.itemCount(at: path.section) != nil, !element.isGone else {
                // A section that is not in the list, while an object with its identifier is.
                let isSectionGone = element.key.handle.flatMap { map.position(of: $0) } == nil
                reasons.released[index] = isSectionGone && isInList ? .moved : .deleted
                if isSectionGone, isInList { reinserted.insert(ExactText(objectID)) }
                continue
            }
            if let match = waiting[Place(element, at: path)] {
                (reasons.released[index], reasons.shown[match]) = (.reloaded, .reloaded)
            } else if path != IndexPath(section: element.section, item: element.item) {
                reasons.released[index] = .moved
            } else if element.key.handle != nil {
                let present = attributes(element.key.kind, path)
                let isPastEnd = element.key.kind != .cell || map.itemCount(at: path.section) ?? 0 <= path.item
                let isGone = present == nil && isPastEnd
                let stays = present?.isAtRest(like: element.frame, element.travel, direction) ?? true
                if isGone { reasons.released[index] = .deleted } else if !stays { reasons.released[index] = .moved }
            }
        }
        let origins = paths?.inverted()
        for (number, index) in difference.shown.enumerated() where reasons.shown[number] == .scrolled {
            reasons.shown[number] = reasonToShow(difference.present[index], origins, reinserted)
        }
        for (number, place) in difference.placed.enumerated() {
            let (old, element) = (sent[place.sent], difference.present[place.index])
            let stays =
                old.section == element.section && old.item == element.item && old.z == element.z
                && old.frame.isAtRest(old.travel, like: element.frame, element.travel, direction)
            if !stays { reasons.placed[number] = .moved }
        }
        return reasons
    }

    private func reasonToShow(
        _ element: ViewElement, _ origins: PathForwarding?, _ reinserted: Set<ExactText>
    ) -> PictureChange.Reason {
        let path = IndexPath(section: element.section, item: element.item)
        let origin = isVague || origins == nil ? path : origins?.path(of: path, isCell: element.key.kind == .cell)
        if element.key.handle == nil || origin == nil || fresh.contains(element.key) {
            return reinserted.contains(ExactText(element.content?.objectID ?? "")) ? .moved : .inserted
        }
        return origin != path || moved.contains(element.key) ? .moved : .scrolled
    }

    /// Returns the present path of an element that the viewer was sent; `nil` if its item was removed.
    private func path(of element: ViewElement) -> IndexPath? {
        let path = IndexPath(section: element.section, item: element.item)
        return paths == nil ? path : paths?.path(of: path, isCell: element.key.kind == .cell)
    }

    /// The present place of an element, by which a released element and a shown one are the same.
    private struct Place: Hashable {
        let objectID: ExactText
        let kind: ElementKind
        let path: IndexPath

        init(_ element: ViewElement, at path: IndexPath) {
            (objectID, kind, self.path) = (ExactText(element.content?.objectID ?? ""), element.key.kind, path)
        }
    }
}

extension LayoutAttributes {
    /// Returns whether an element lies at the same place, wherever a sticky one has travelled to.
    fileprivate func isAtRest(like frame: Rect, _ travel: ClosedRange<Double>?, _ direction: ScrollDirection) -> Bool {
        self.frame.isAtRest(self.travel, like: frame, travel, direction)
    }
}

extension Rect {
    fileprivate func isAtRest(
        _ travel: ClosedRange<Double>?, like other: Rect, _ otherTravel: ClosedRange<Double>?,
        _ direction: ScrollDirection
    ) -> Bool {
        guard travel == otherTravel else { return false }
        guard travel != nil else { return self == other }
        return size == other.size && direction.replacing(0, in: origin) == direction.replacing(0, in: other.origin)
    }
}
