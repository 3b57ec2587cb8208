// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// The layout of a view, which knows no list yet.
    func makeLayout(_ kind: ListLayoutKind, _ options: ListViewOptions) -> ListLayout {
        switch kind {
        case .none: ListLayout(.none)
        case .absolute: ListLayout(.absolute(configuration.direction))
        case .flow:
            ListLayout(
                .flow(
                    FlowConfiguration(
                        direction: configuration.direction, stickyHeaders: configuration.stickyHeaders,
                        topContentInset: configuration.topContentInset,
                        stickyHeaderOffset: configuration.stickyHeaderOffset,
                        stretchToEdge: configuration.stretchToEdge,
                        showHeaderWhenEmpty: configuration.showHeaderWhenEmpty, contentInset: options.contentInset,
                        scale: options.scale)))
        }
    }

    /// Lays a view out anew.
    func prepareLayout(of view: ListView) {
        guard view.layoutKind != .none, let viewport = view.viewport else { return }
        withLayout(of: view) { layout, source in layout.prepare(source, container: viewport.size) }
    }

    /// Changes the layout of a view, which asks section controllers on the way.
    ///
    /// The layout is out of the view meanwhile: a controller that looks at the view finds an empty one.
    func withLayout(of view: ListView, _ change: (inout ListLayout, AdapterLayoutSource) -> Void) {
        var layout = view.layout
        view.layout = ListLayout(.none)
        let outer = currentView
        currentView = view.id
        depth += 1
        change(&layout, AdapterLayoutSource(adapter: self, view: view, container: container(of: view)))
        depth -= 1
        currentView = outer
        view.layout = layout
    }

    private func container(of view: ListView) -> ListContainer {
        ListContainer(
            size: view.viewport?.size ?? .zero, inset: view.options.contentInset, direction: configuration.direction,
            layout: view.layoutKind)
    }

    // MARK: What section controllers see

    /// The view that controllers see: the one being laid out, else the one that scrolled last.
    private var contextView: ListView? {
        let id = currentView ?? lastScrolledView
        return views.first { $0.id == id } ?? views.first { $0.isActive }
    }

    var containerSize: Size { contextView?.viewport?.size ?? .zero }
    var containerInset: EdgeInsets { contextView?.options.contentInset ?? .zero }
    var containerOffset: Point { contextView?.offset ?? .zero }
    var scrollingTraits: ListScrollingTraits { contextView?.scrolling ?? [] }
    var isLayingOutAbsolutely: Bool { contextView?.layoutKind == .absolute }

    // MARK: What is visible

    /// The elements that a view shows.
    func visibleElements(of view: ListView) -> [ViewElement] {
        guard view.isActive else { return [] }
        if let empty = emptyElement(of: view) { return laidOutElements(of: view) + [empty] }
        return laidOutElements(of: view)
    }

    private func laidOutElements(of view: ListView) -> [ViewElement] {
        guard view.layoutKind != .none else { return namedElements(of: view) }
        guard let viewport = view.viewport else { return [] }
        let attributes = view.layout.attributes(
            in: viewport.grown(by: view.options.buffer, along: configuration.direction), origin: viewport.origin)
        let elements = attributes.compactMap { attributes -> ViewElement? in
            guard let handle = sections.handle(at: attributes.path.section) else { return nil }
            return ViewElement(
                key: ElementKey(handle: handle, kind: attributes.kind, index: attributes.path.item),
                section: attributes.path.section, frame: attributes.frame, z: Int64(attributes.zIndex))
        }
        return view.layoutKind == .flow ? elements : elements.sorted(by: ViewElement.isBefore)
    }

    /// The empty view, where it is to be shown.
    private func emptyElement(of view: ListView) -> ViewElement? {
        guard isEmpty, !configuration.emptyContent.isEmpty else { return nil }
        return ViewElement(
            key: ElementKey(handle: nil, kind: .cell, index: 0), section: 0,
            frame: Rect(origin: .zero, size: view.viewport?.size ?? .zero), z: 0)
    }

    /// Whether the list counts as empty.
    public var isEmpty: Bool {
        if let emptinessPredicate {
            depth += 1
            defer { depth -= 1 }
            return emptinessPredicate(self)
        }
        return switch configuration.emptiness {
        case .noItems: sections.itemCount == 0
        case .noObjects: sections.count == 0
        }
    }
}

extension ViewElement {
    /// Section by section, header first and footer last.
    static func isBefore(_ first: ViewElement, _ second: ViewElement) -> Bool {
        (first.section, first.key.kind.order, first.key.index) < (
            second.section, second.key.kind.order, second.key.index
        )
    }
}

extension ElementKind {
    /// The place of a kind inside its section.
    fileprivate var order: Int {
        switch self {
        case .header: 0
        case .cell: 1
        case .footer: 2
        }
    }
}

extension Rect {
    /// The rectangle grown on both sides of an axis.
    fileprivate func grown(by distance: Double, along direction: ScrollDirection) -> Rect {
        switch direction {
        case .vertical: Rect(x: minX, y: minY - distance, width: size.width, height: size.height + 2 * distance)
        case .horizontal: Rect(x: minX - distance, y: minY, width: size.width + 2 * distance, height: size.height)
        }
    }
}
