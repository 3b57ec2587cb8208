// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Scrolls a view to an item; of a section without items, to its header.
    ///
    /// - Returns: where the viewport lies now, and the answer; its change is sent even when only the offset moves.
    /// - Throws: `noSuchObject`, `noSuchItem`; `invalidArguments` in the layout `none` and before the first viewport.
    public func scrollTo(
        view id: ViewID, object objectID: String, item: Int, position: ScrollPosition
    ) throws(ListError) -> (offset: Point, reply: ViewReply) {
        let view = try view(id)
        guard view.layoutKind != .none, view.viewport != nil else {
            throw ListError(.invalidArguments, "a view without a viewport cannot scroll")
        }
        guard let handle = sections.handle(forID: objectID) else {
            throw ListError(.noSuchObject, "id: no object \(objectID.quoted)")
        }
        guard let range = scrollRange(of: handle, item: item, in: view) else {
            throw ListError(.noSuchItem, "item: \(objectID.quoted) has no item \(item)")
        }
        let reply = scroll(view, to: ScrollTarget(range: range, position: position))
        return (view.offset, reply)
    }

    func scrollRange(of handle: SectionHandle, item: Int, in view: ListView) -> ClosedRange<Double>? {
        guard let section = sections.position(of: handle) else { return nil }
        if let range = view.layout.scrollRange(ofItem: IndexPath(section: section, item: item)) { return range }
        guard item == 0, view.layout.attributes(of: .header, section: section) != nil else { return nil }
        return view.layout.scrollRange(ofSection: section, supplementary: [.header])
    }

    /// Brings a target into a view, and the view up to date.
    ///
    /// - Parameters:
    ///   - countsPresent: whether the position `none` moves as little as it can; else it is the start.
    ///   - tellsControllers: whether section controllers hear that the content moved.
    func scroll(
        _ view: ListView, to target: ScrollTarget, countsPresent: Bool = true, tellsControllers: Bool = true
    ) -> ViewReply {
        let old = view.offset
        move(view, to: target, countsPresent: countsPresent)
        return reply(view, scrolledFrom: tellsControllers ? old : nil)
    }

    private func move(_ view: ListView, to target: ScrollTarget, countsPresent: Bool) {
        guard let viewport = view.viewport else { return }
        let direction = configuration.direction
        let inset = view.options.contentInset
        let isVertical = direction == .vertical
        let offset = target.offset(
            viewport: direction.along(viewport.size), content: direction.along(view.contentSize),
            lead: isVertical ? inset.top : inset.left, trail: isVertical ? inset.bottom : inset.right,
            current: countsPresent ? direction.along(viewport.origin) : nil)
        guard offset != direction.along(viewport.origin) else { return }
        view.viewport = Rect(origin: direction.replacing(offset, in: viewport.origin), size: viewport.size)
        view.shifts.scroll(sequence: view.picture.sequence + 1)
        view.isOffsetMoved = true
        lastScrolledView = view.id
    }

    /// A section controller scrolls all views to an item of its own; inside of a callback it happens right after it.
    func scrollViews(to controller: ListSectionController, index: Int, position: ScrollPosition) {
        guard !isBusy else {
            guard deferredScrolls < ListAdapter.maximumDeferred else { return }
            deferredScrolls += 1
            deferred.append { [weak self] in self?.scrollViews(to: controller, index: index, position: position) }
            return
        }
        guard let handle = handle(of: controller) else { return }
        for view in views {
            // What the one before put off may have closed this one.
            guard views.contains(where: { $0 === view }),
                let range = scrollRange(of: handle, item: index, in: view)
            else { continue }
            let effects = scroll(view, to: ScrollTarget(range: range, position: position)).effects
            pendingEvents.insert(contentsOf: effects, at: 0)
        }
        onActivity?()
    }

    /// The viewer measured items: their sizes replace the estimates in this view.
    ///
    /// What is not in the list any more is passed over.
    /// - Throws: `invalidArguments` for a size that is not finite or negative.
    public func reportSizes(view id: ViewID, sizes: [MeasuredSize]) throws(ListError) -> ViewReply {
        let view = try view(id)
        for measured in sizes {
            let size = measured.size
            guard size.width.isFinite, size.height.isFinite, size.width >= 0, size.height >= 0 else {
                throw ListError(
                    .invalidArguments, "sizes: \(measured.objectID.quoted) item \(measured.item): \(size)")
            }
        }
        var changed: [IndexPath] = []
        for measured in sizes {
            guard let handle = sections.handle(forID: measured.objectID),
                let section = sections.position(of: handle),
                (0..<sections.itemCount(of: handle)).contains(measured.item)
            else { continue }
            let before = view.reportedSizes[handle, default: [:]].updateValue(measured.size, forKey: measured.item)
            if before != measured.size { changed.append(IndexPath(section: section, item: measured.item)) }
        }
        guard !changed.isEmpty, view.isActive, view.layoutKind != .none else {
            return ViewReply(sequence: view.picture.sequence, effects: settled())
        }
        rememberAnchor(of: view)
        let sections = Set(changed.map(\.section)).sorted()
        withLayout(of: view) { layout, source in layout.update(LayoutChanges(reloads: sections), source: source) }
        applyAnchor(of: view, forwarding: [:])
        return reply(view)
    }

    func notifyScroll(_ event: ListScrollEvent, in view: ListView) {
        var handles: Set<SectionHandle> = []
        for element in view.elements {
            guard let handle = element.key.handle, handles.insert(handle).inserted,
                let controller = registry.controllers[handle]
            else { continue }
            guard let delegate = controller.scrollDelegate else { continue }
            call(.scroll, handle) { delegate.sectionController(controller, didScroll: event) }
        }
    }
}

/// A size that a viewer measured.
public struct MeasuredSize: Sendable, Hashable {
    /// The object.
    public var objectID: String
    /// The item inside the object's section.
    public var item: Int
    /// What it measured, in points.
    public var size: Size

    /// Makes a size.
    public init(objectID: String, item: Int, size: Size) {
        self.objectID = objectID
        self.item = item
        self.size = size
    }
}
