// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Notes what a view has on its screen, before the list changes.
    func rememberAnchor(of view: ListView) {
        view.anchor = nil
        let direction = configuration.direction
        guard view.options.isAnchored, view.layoutKind == .flow, let viewport = view.viewport else { return }
        guard view.options.isAnchoredAtStart || direction.along(viewport.origin) > 0 else { return }
        let cells = view.elements.filter {
            $0.key.kind == .cell && $0.key.handle != nil && $0.frame.intersects(viewport)
        }
        let candidates = cells.map { (key: $0.key, start: direction.along($0.frame.origin)) }
        let next =
            cells.last.map { IndexPath(section: $0.section, item: $0.key.index + 1) }
            ?? IndexPath(section: view.layout.sections(in: viewport)?.upperBound ?? 0, item: 0)
        view.anchor = ViewAnchor(candidates: candidates, next: next, layout: view.layout)
    }

    /// Scrolls a view so that what was on its screen is where it was; only this and a scroll-to clamp.
    func applyAnchor(of view: ListView, forwarding: [SectionHandle: IndexForwarding]) {
        guard let anchor = view.anchor, let viewport = view.viewport else { return }
        view.anchor = nil
        // Where everything from the anchor on is gone, the end of what is left comes into view.
        let shift = shift(of: anchor, in: view, forwarding: forwarding)
        guard shift != 0, shift != nil || !anchor.candidates.isEmpty else { return }
        let direction = configuration.direction
        let along = direction.along(viewport.origin)
        let room = max(0, direction.along(view.contentSize) - direction.along(viewport.size))
        moveViewport(of: view, by: min(max(0, along + (shift ?? 0)), room) - along)
    }

    /// How far what survived of an anchor moved.
    private func shift(
        of anchor: ViewAnchor, in view: ListView, forwarding: [SectionHandle: IndexForwarding]
    ) -> Double? {
        for candidate in anchor.candidates {
            guard let key = candidate.key.forwarded(by: forwarding), let start = start(of: key, in: view) else {
                continue
            }
            return start - candidate.start
        }
        guard let survivor = nextSurvivor(from: anchor.next, forwarding: forwarding),
            let before = anchor.layout.attributes(ofItem: survivor.old),
            let after = view.layout.attributes(ofItem: survivor.new)
        else { return nil }
        return configuration.direction.along(after.frame.origin) - configuration.direction.along(before.frame.origin)
    }

    private func start(of key: ElementKey, in view: ListView) -> Double? {
        guard let handle = key.handle, let section = sections.position(of: handle) else { return nil }
        let attributes = view.layout.attributes(ofItem: IndexPath(section: section, item: key.index))
        return attributes.map { configuration.direction.along($0.frame.origin) }
    }

    /// The first item, from a path before on, that is still there.
    private func nextSurvivor(
        from path: IndexPath, forwarding: [SectionHandle: IndexForwarding]
    ) -> (old: IndexPath, new: IndexPath)? {
        for section in path.section..<max(path.section, sections.oldCount) {
            guard let handle = sections.oldHandle(at: section), let new = sections.position(of: handle) else {
                continue
            }
            let (count, forward) = (sections.itemCount(of: handle), forwarding[handle])
            let first = section == path.section ? path.item : 0
            for item in first..<max(first, sections.oldItemCount(of: handle)) {
                // Without changes item by item the items stand where they did, as far as there are any.
                guard let after = forward.map({ $0(item) }) ?? item else { continue }
                guard after < count else { break }
                return (IndexPath(section: section, item: item), IndexPath(section: new, item: after))
            }
        }
        return nil
    }

    /// Moves a viewport on behalf of the engine.
    func moveViewport(of view: ListView, by distance: Double) {
        guard distance != 0, let viewport = view.viewport else { return }
        let direction = configuration.direction
        let along = direction.along(viewport.origin) + distance
        view.viewport = Rect(origin: direction.replacing(along, in: viewport.origin), size: viewport.size)
        view.shifts.shift(by: distance, sequence: view.picture.sequence + 1)
        view.isOffsetMoved = true
    }
}
