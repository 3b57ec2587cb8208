// SPDX-License-Identifier: Apache-2.0

/// What a program asks about one of its views.
extension ListAdapter {
    /// The section controllers of which something is shown, in list order.
    public func visibleSectionControllers(in view: ViewID) -> [ListSectionController] {
        sectionsShown(in: view, cellsOnly: false).compactMap { registry.controllers[$0] }
    }

    /// The objects of which an item is shown, in list order.
    public func visibleObjects(in view: ViewID) -> [ListObject] {
        sectionsShown(in: view, cellsOnly: true).compactMap { sections.object(of: $0) }
    }

    /// The sections of which an item is shown, ascending (rule AD-47).
    public func visibleSections(in view: ViewID) -> [Int] {
        sectionsShown(in: view, cellsOnly: true).compactMap { sections.position(of: $0) }
    }

    /// The items of an object that are shown, ascending; none for an unknown object (rules AD-48, AD-49).
    public func visibleItems(ofObject id: String, in view: ViewID) -> [Int] {
        guard let handle = sections.handle(forID: id), let view = views.first(where: { $0.id == view }) else {
            return []
        }
        return view.elements.filter { $0.key.handle == handle && $0.key.kind == .cell }.map(\.key.index)
    }

    /// The item at the inset corner of the viewport.
    public func firstVisibleItem(in view: ViewID) -> IndexPath? {
        guard let view = views.first(where: { $0.id == view }), let viewport = view.viewport else { return nil }
        return view.layout.firstVisibleItem(origin: viewport.origin, contentInset: view.options.contentInset)
    }

    /// How far the viewport has scrolled into its first visible item; 0 when there is none.
    public func offsetIntoFirstVisibleItem(in view: ViewID) -> Double {
        guard let view = views.first(where: { $0.id == view }), let viewport = view.viewport else { return 0 }
        return view.layout.offsetIntoFirstVisibleItem(
            origin: viewport.origin, contentInset: view.options.contentInset)
    }

    /// Where an element lies; `nil` when there is none (rule AD-59).
    public func layoutAttributes(of kind: ElementKind, at path: IndexPath, in view: ViewID) -> LayoutAttributes? {
        guard let view = views.first(where: { $0.id == view }), view.isActive else { return nil }
        return kind == .cell
            ? view.layout.attributes(ofItem: path) : view.layout.attributes(of: kind, section: path.section)
    }

    /// The item at a point of the content (rule AD-60).
    public func item(at point: Point, in view: ViewID) -> IndexPath? {
        views.first { $0.id == view }.flatMap { $0.layout.item(at: point) }
    }

    private func sectionsShown(in view: ViewID, cellsOnly: Bool) -> [SectionHandle] {
        guard let view = views.first(where: { $0.id == view }) else { return [] }
        var known: Set<SectionHandle> = []
        return view.elements.compactMap { element in
            guard let handle = element.key.handle, !cellsOnly || element.key.kind == .cell else { return nil }
            return known.insert(handle).inserted ? handle : nil
        }
    }
}
