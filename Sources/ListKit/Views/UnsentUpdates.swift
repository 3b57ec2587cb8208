// SPDX-License-Identifier: Apache-2.0

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
