// SPDX-License-Identifier: Apache-2.0

/// The elements that keep their place on the screen while an update is presented.
struct ViewAnchor {
    /// The elements to anchor, in order of preference, each with its old start along the scroll axis.
    private let candidates: [(key: ElementKey, start: Double)]
    /// The path after the last candidate in the old list. If no candidate survives, the search for a surviving item
    /// starts there.
    private let next: IndexPath
    /// The old layout, which has the old frame of the surviving item.
    private let layout: any ListLayout
    private let direction: ScrollDirection

    /// Stores the elements that a viewport shows.
    init(_ elements: [ViewElement], in viewport: Rect, layout: any ListLayout, direction: ScrollDirection) {
        let cells = elements.filter {
            $0.key.kind == .cell && $0.key.handle != nil && $0.frame.intersects(viewport)
        }
        candidates = cells.map { (key: $0.key, start: direction.along($0.frame.origin)) }
        next =
            cells.last.map { IndexPath(section: $0.section, item: $0.key.index + 1) }
            ?? IndexPath(section: layout.sections(in: viewport)?.upperBound ?? 0, item: 0)
        self.layout = layout
        self.direction = direction
    }

    /// Returns the distance by which the anchor moved, or `nil` if the viewport need not be adjusted.
    ///
    /// If all items from the anchor on were removed, the distance is 0. The caller then only moves the viewport back
    /// into the content, so that the end of the remaining content comes into view.
    func distance(
        to new: any ListLayout, _ map: SectionMap, forwarding: [SectionHandle: PositionMap]
    ) -> Double? {
        let shift = movement(to: new, map, forwarding: forwarding)
        guard shift != 0, shift != nil || !candidates.isEmpty else { return nil }
        return shift ?? 0
    }

    /// Returns the distance by which the first surviving item from the anchor on moved; `nil` if none survived.
    private func movement(
        to new: any ListLayout, _ map: SectionMap, forwarding: [SectionHandle: PositionMap]
    ) -> Double? {
        for candidate in candidates {
            guard let key = candidate.key.forwarded(by: forwarding), let start = start(of: key, in: new, map) else {
                continue
            }
            return start - candidate.start
        }
        guard let survivor = nextSurvivor(map, forwarding: forwarding),
            let before = layout.attributes(ofItem: survivor.old), let after = new.attributes(ofItem: survivor.new)
        else { return nil }
        return direction.along(after.frame.origin) - direction.along(before.frame.origin)
    }

    private func start(of key: ElementKey, in layout: any ListLayout, _ map: SectionMap) -> Double? {
        guard let handle = key.handle, let section = map.position(of: handle) else { return nil }
        let attributes = layout.attributes(ofItem: IndexPath(section: section, item: key.index))
        return attributes.map { direction.along($0.frame.origin) }
    }

    /// Returns the first surviving item from the old path ``next`` on: its old path and its new path.
    private func nextSurvivor(
        _ map: SectionMap, forwarding: [SectionHandle: PositionMap]
    ) -> (old: IndexPath, new: IndexPath)? {
        for section in next.section..<max(next.section, map.oldCount) {
            guard let handle = map.oldHandle(at: section), let new = map.position(of: handle) else { continue }
            let (count, forward) = (map.itemCount(of: handle), forwarding[handle])
            let first = section == next.section ? next.item : 0
            for item in first..<max(first, map.oldItemCount(of: handle)) {
                // Without item changes, items keep their indexes, up to the new number of items.
                guard let after = forward.map({ $0(item) }) ?? item else { continue }
                guard after < count else { break }
                return (IndexPath(section: section, item: item), IndexPath(section: new, item: after))
            }
        }
        return nil
    }
}
