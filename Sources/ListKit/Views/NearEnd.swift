// SPDX-License-Identifier: Apache-2.0

/// That the end of the list is near to a view, and was told.
struct NearEnd: Equatable {
    /// The last object then; none in an empty list.
    let last: SectionHandle?
}

extension ListAdapter {
    /// Tells when the end of the list comes near to a view, again only after it was farther away or another object became the
    /// last, and when it is no longer near.
    ///
    /// - Complexity: O(log n).
    func nearEndEvents(of view: ListView) -> [AdapterEvent] {
        let distance = distanceToEnd(of: view)
        guard let distance, distance <= configuration.nearEndDistance else {
            guard view.nearEnd != nil else { return [] }
            view.nearEnd = nil
            return [.nearEnd(view: view.id, revision: revision, distance: nil)]
        }
        let present = NearEnd(last: sections.handle(at: sections.count - 1))
        guard view.nearEnd != present else { return [] }
        view.nearEnd = present
        return [.nearEnd(view: view.id, revision: revision, distance: distance)]
    }

    /// What lies between the viewport's far end and the end of the content; nothing when the content ends before it, and `nil`
    /// when nobody wants to know.
    private func distanceToEnd(of view: ListView) -> Double? {
        guard configuration.nearEndDistance > 0 else { return nil }
        if view.layoutKind == .none {
            guard view.visibleItems != nil else { return nil }
            return view.shownItems.map { Double(itemCount(after: $0.range.upperBound)) } ?? 0
        }
        let direction = configuration.direction
        guard let viewport = view.viewport else { return nil }
        let end = direction.along(viewport.origin) + direction.along(viewport.size)
        return max(0, direction.along(view.contentSize) - end)
    }

    /// How many items lie behind one that may be past the end of its section, or of the list.
    private func itemCount(after path: IndexPath) -> Int {
        guard let count = sections.itemCount(at: path.section) else { return 0 }
        return sections.itemCount - sections.itemOffset(ofSection: path.section) - min(path.item, count - 1) - 1
    }
}
