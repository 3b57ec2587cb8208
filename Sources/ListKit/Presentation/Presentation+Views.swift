// SPDX-License-Identifier: Apache-2.0

// Commands of views: each returns the events that come before its answer, in order.

extension Presentation {
    /// A view that may be called now.
    private func view(_ id: ViewID) throws(ListError) -> ListView {
        guard store.gate.allowsViewCalls else {
            throw ListError(.invalidArguments, "a view was called from inside of a callback")
        }
        guard let view = views.viewToChange(id) else { throw ListError(.invalidArguments, "no view \(id)") }
        return view
    }

    /// Opens a view; it has no events before its first viewport or visible range.
    ///
    /// - Throws: as ``ListAdapter/openView(_:options:)``.
    public func openView(_ id: ViewID, options: ListViewOptions) throws(ListError) {
        let opening = try options.opening.map { (opening) throws(ListError) in try views.opening(at: opening) }
        try views.open(id, options).geometry.setOpening(opening)
    }

    /// Opens a view that continues another one: sequences continue, slots keep their numbers, and the first change is the
    /// difference to what the viewer shows.
    ///
    /// - Throws: as ``openView(_:options:)``.
    public func resumeView(_ resumption: ViewResumption) throws(ListError) -> [AdapterEvent] {
        let view = try views.open(resumption.id, resumption.options)
        // The item that it opens at may be gone.
        view.resume(resumption, opening: resumption.options.opening.flatMap { try? views.opening(at: $0) })
        return view.geometry.isActive ? reply(view).effects : []
    }

    /// The state of a view that its viewer knows, with which another presentation continues it.
    ///
    /// - Throws: `invalidArguments` for a view that is not open.
    public func resumption(of id: ViewID) throws(ListError) -> ViewResumption { try view(id).resumption }

    /// Closes a view: the display of its elements ends first.
    public func closeView(_ id: ViewID) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        let mark = store.events.count
        let change = views.close(view)
        deliver(change.calls)
        views.remove(view)
        return settled(change.events, since: mark)
    }

    /// Describes a view.
    public func viewDescription(_ id: ViewID) throws(ListError) -> ViewDescription { try view(id).description }

    /// The open views, in the order of their opening.
    public var openViews: [ViewID] { views.views.map(\.id) }

    /// The views with changes that are held back, so that no event reports their state.
    public var waitingViews: [ViewID] {
        views.waitingViews.map(\.id)
    }

    /// Whether changes of views are held back; ended by ``resumeViews()``.
    public var holdsViews: Bool {
        get { views.holdsViews }
        set { views.setHolding(newValue) }
    }

    /// Sends the changes that were held back while ``holdsViews`` was true.
    public func resumeViews() -> [AdapterEvent] {
        views.setHolding(false)
        let mark = store.events.count
        let held = views.waitingViews.filter(\.sender.isHeld)
        return settled(held.flatMap { views.compose($0, endsStall: true) }, since: mark)
    }

    /// Sets whether a view is on screen; updates of a list without one may wait longer.
    public func setVisible(_ isVisible: Bool, view id: ViewID) throws(ListError) {
        try view(id).setOnScreen(isVisible)
    }

    // MARK: Viewports

    /// Sets the viewport, in the content as of the sequence `seen`.
    ///
    /// - Throws: as ``ListAdapter/setViewport(view:seen:rect:)``.
    public func setViewport(view id: ViewID, seen: UInt64, rect: Rect) throws(ListError) -> ViewReply {
        let view = try view(id)
        guard view.geometry.kind != .none else {
            throw ListError(.invalidArguments, "a view with the layout none has no viewport: name a visible range")
        }
        if let fault = rect.viewportFault { throw ListError(.invalidArguments, fault) }
        let sequence = view.sender.sequence
        views.setLastScrolled(view)
        if view.geometry.open(size: rect.size, sequence: sequence) { return reply(view) }
        let old = view.geometry.setViewport(rect, drawn: seen == 0 || seen > sequence ? sequence : seen)
        return reply(view, scrolledFrom: old)
    }

    /// Sets the items that a viewer of layout `none` shows, first and last included, in the list as of the sequence `seen`.
    ///
    /// - Throws: as ``ListAdapter/setVisibleRange(view:seen:first:last:)``.
    public func setVisibleRange(
        view id: ViewID, seen: UInt64 = 0, first: IndexPath, last: IndexPath
    ) throws(ListError) -> ViewReply {
        let view = try view(id)
        guard view.geometry.kind == .none else {
            throw ListError(.invalidArguments, "only a view with the layout none names a visible range")
        }
        guard first <= last, first.section >= 0, first.item >= 0, last.item >= 0 else {
            throw ListError(.invalidArguments, "the last visible item comes before the first")
        }
        var items = visibleItems(from: first, through: last, seen: seen, in: view)
        if let opening = view.geometry.consumeOpening(), let section = store.map.position(of: opening.handle) {
            items.first = ItemOrder(store.map).first(
                of: items.length, showing: IndexPath(section: section, item: opening.item), at: opening.position)
        }
        view.geometry.setVisibleItems(items)
        views.setLastScrolled(view)
        return reply(view)
    }

    /// Converts a range in the list as of a picture to the present list.
    private func visibleItems(
        from first: IndexPath, through last: IndexPath, seen: UInt64, in view: ListView
    ) -> VisibleItems {
        let order = ItemOrder(store.map)
        let changes = view.sender.changes(since: seen)
        // The common case: both items are still there.
        func present(_ path: IndexPath) -> IndexPath? {
            let path = changes.reduce(Optional(path)) { path, change in path.flatMap { change($0) } }
            return path.flatMap { $0.item < store.map.itemCount(at: $0.section) ?? 0 ? $0 : nil }
        }
        if changes.isEmpty { return order.items(from: first, through: last) }
        if let begin = present(first), let end = present(last) {
            return order.items(from: min(begin, end), through: max(begin, end))
        }
        guard let change = view.sender.change(since: seen) else { return order.items(from: first, through: last) }
        return order.items(from: first, through: last, before: change)
    }

    // MARK: Scrolling

    /// Scrolls a view to an item; of a section without items, to its header.
    ///
    /// - Throws: as ``ListAdapter/scrollTo(view:object:item:position:)``.
    public func scrollTo(
        view id: ViewID, object objectID: String, item: Int, position: ScrollPosition
    ) throws(ListError) -> (offset: Point, reply: ViewReply) {
        let view = try scrollableView(id)
        guard let handle = store.map.handle(forID: objectID) else {
            throw ListError(.noSuchObject, "id: no object \(objectID.quoted)")
        }
        guard let range = view.geometry.scrollRange(of: handle, item: item) else {
            throw ListError(.noSuchItem, "item: \(objectID.quoted) has no item \(item)")
        }
        let reply = scroll(view, to: ScrollTarget(range: range, position: position))
        return (view.geometry.offset, reply)
    }

    /// Scrolls a view to an object: from its first item to its last, with the named supplementary views.
    func scroll(
        view id: ViewID, toObject objectID: String, supplementary kinds: Set<ElementKind>, position: ScrollPosition,
        additionalOffset: Double
    ) throws(ListError) -> (offset: Point, reply: ViewReply) {
        let view = try scrollableView(id)
        guard additionalOffset.isFinite, let section = store.map.position(ofID: objectID),
            let range = view.geometry.layout.scrollRange(ofSection: section, supplementary: kinds)
        else { return (view.geometry.offset, ViewReply(sequence: view.sender.sequence, effects: settled())) }
        let target = ScrollTarget(range: range, position: position, additionalOffset: additionalOffset)
        let reply = scroll(view, to: target, countsPresent: false)
        return (view.geometry.offset, reply)
    }

    private func scrollableView(_ id: ViewID) throws(ListError) -> ListView {
        let view = try view(id)
        guard view.geometry.kind != .none, view.geometry.viewport != nil else {
            throw ListError(.invalidArguments, "a view without a viewport cannot scroll")
        }
        return view
    }

    private func scroll(_ view: ListView, to target: ScrollTarget, countsPresent: Bool = true) -> ViewReply {
        let old = view.geometry.offset
        let sequence = view.sender.sequence
        if view.geometry.scroll(to: target, countsPresent: countsPresent, sequence: sequence) {
            views.setLastScrolled(view)
        }
        return reply(view, scrolledFrom: old)
    }

    /// Scrolls all views to an item of a section controller; inside of a callback, right after it.
    func scrollViews(to controller: ListSectionController, index: Int, position: ScrollPosition) {
        guard !store.gate.isBusy else {
            store.gate.enqueueScroll { [weak self] in
                self?.scrollViews(to: controller, index: index, position: position)
            }
            return
        }
        guard let handle = store.handle(of: controller) else { return }
        for view in views.views {
            // Work of the view before may have closed this one.
            guard views.view(view.id) === view, let range = view.geometry.scrollRange(of: handle, item: index)
            else { continue }
            store.events.insert(scroll(view, to: ScrollTarget(range: range, position: position)).effects, at: 0)
        }
        onActivity?()
    }

    /// Passes a scroll event of the user to the section controllers that the view shows.
    public func reportScroll(view id: ViewID, _ event: ListScrollEvent) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        view.follow(event)
        deliver(ControllerCalls(event, in: view).calls)
        return settled()
    }

    /// Replaces the sizes of items in a view by those that its viewer measured.
    ///
    /// - Throws: as ``ListAdapter/reportSizes(view:sizes:)``.
    public func reportSizes(view id: ViewID, sizes: [MeasuredSize]) throws(ListError) -> ViewReply {
        let view = try view(id)
        for measured in sizes {
            let size = measured.size
            guard size.isFinite, size.width >= 0, size.height >= 0 else {
                throw ListError(
                    .invalidArguments, "sizes: \(measured.objectID.quoted) item \(measured.item): \(size)")
            }
        }
        guard view.geometry.setMeasured(sizes, view.elements) else {
            return ViewReply(sequence: view.sender.sequence, effects: settled())
        }
        view.geometry.applyAnchor(forwarding: [:], sequence: view.sender.sequence)
        return reply(view)
    }

    // MARK: Pictures

    /// Acknowledges all changes up to a sequence; one that was never sent is ignored.
    public func acknowledge(view id: ViewID, sequence: UInt64) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        view.sender.acknowledge(sequence)
        view.geometry.forgetShifts(upTo: view.sender.credit.acknowledged)
        guard view.sender.credit.isStalled else { return [] }
        let mark = store.events.count
        return settled(views.compose(view, endsStall: true), since: mark)
    }

    /// The present picture; it acknowledges everything and ends a stall. Slots keep their numbers.
    public func resync(view id: ViewID) throws(ListError) -> Picture {
        let view = try view(id)
        view.sender.catchUp(view)
        forgetPictures(of: view)
        settle()
        // The picture includes what callbacks changed.
        forgetPictures(of: view)
        return view.sender.present(view.geometry)
    }

    /// Drops queued changes of a view, because its viewer reads the whole picture.
    private func forgetPictures(of view: ListView) {
        store.events.removeAll { $0.isPicture(of: view.id) }
        view.sender.acknowledgeAll(restartsHistory: view.geometry.kind == .none)
        view.geometry.forgetShifts(upTo: view.sender.sequence)
    }

    /// Updates a view after its viewport changed, and returns the events of that.
    ///
    /// - Parameter old: the viewport's origin before, if its controllers receive a scroll event; else `nil`.
    private func reply(_ view: ListView, scrolledFrom old: Point? = nil) -> ViewReply {
        let mark = store.events.count
        let change = views.update(view, scrolledFrom: old)
        deliver(change.calls)
        let effects = settled(change.events, since: mark)
        return ViewReply(sequence: view.sender.sequence, effects: effects)
    }

    // MARK: Items

    /// Selects an item for a viewer, if the section controller allows it.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func selectItem(
        _ item: Int, ofObject id: String
    ) throws(ListError) -> (selected: Bool, events: [AdapterEvent]) {
        let isSelected = selections.select(item, of: try selections.handle(ofItem: item, of: id))
        return (isSelected, settled())
    }

    /// Deselects an item for a viewer, if the section controller allows it.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func deselectItem(
        _ item: Int, ofObject id: String
    ) throws(ListError) -> (deselected: Bool, events: [AdapterEvent]) {
        let isDeselected = selections.deselect(item, of: try selections.handle(ofItem: item, of: id))
        return (isDeselected, settled())
    }

    /// Deselects items and then selects others for a viewer, each if its section controller allows it, in one event.
    ///
    /// - Returns: those of `select` that are selected afterwards, and those of `deselect` that are not.
    /// - Throws: `noSuchObject`, `noSuchItem`; nothing changes then.
    /// - Complexity: O(log n) for each item.
    public func changeSelection(
        select: [SelectedItem], deselect: [SelectedItem]
    ) throws(ListError) -> (selected: [SelectedItem], deselected: [SelectedItem], events: [AdapterEvent]) {
        let changed = try selections.change(select: select, deselect: deselect)
        return (changed.selected, changed.deselected, settled())
    }

    /// Restores the selection of another presentation, without calls of section controllers and without an event.
    ///
    /// Items that are gone are left out.
    public func resumeSelection(_ items: [SelectedItem]) { selections.resume(items) }

    /// Sets whether an item is highlighted: a finger or a pointer is down on it.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func setHighlighted(
        _ isHighlighted: Bool, item: Int, ofObject id: String
    ) throws(ListError) -> [AdapterEvent] {
        let handle = try selections.handle(ofItem: item, of: id)
        store.tellSelection(of: handle, item: item, isHighlighted ? .highlight : .unhighlight)
        return settled()
    }

    /// Passes an action on an item from a viewer to the section controller.
    ///
    /// - Returns: whether the section controller has handled it; a section at fault handles nothing.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func invoke(
        _ action: String, parameters: Fields, item: Int, ofObject id: String
    ) throws(ListError) -> (handled: Bool, events: [AdapterEvent]) {
        let handle = try selections.handle(ofItem: item, of: id)
        let isHandled = store.askAction(of: handle, item: item, action, parameters)
        return (isHandled, settled())
    }
}
