// SPDX-License-Identifier: Apache-2.0

// Commands of views: each answers what happened before its answer, in order.

extension Presentation {
    /// A view that may be called now.
    private func view(_ id: ViewID) throws(ListError) -> ListView {
        guard store.gate.allowsViewCalls else {
            throw ListError(.invalidArguments, "a view was called from inside of a callback")
        }
        guard let view = views.viewToChange(id) else { throw ListError(.invalidArguments, "no view \(id)") }
        return view
    }

    /// Opens a view; it says nothing before its first viewport or visible range.
    ///
    /// - Throws: as ``ListAdapter/openView(_:options:)``.
    public func openView(_ id: ViewID, options: ListViewOptions) throws(ListError) {
        let opening = try options.opening.map { (opening) throws(ListError) in try views.opening(at: opening) }
        try views.open(id, options).geometry.setOpening(opening)
    }

    /// Opens a view that goes on where its viewer is: sequences continue, slots keep their numbers, and what is announced is
    /// the difference to what the viewer shows.
    ///
    /// - Throws: as ``openView(_:options:)``.
    public func resumeView(_ resumption: ViewResumption) throws(ListError) -> [AdapterEvent] {
        let view = try views.open(resumption.id, resumption.options)
        // What it was to be opened at may be gone by now.
        view.resume(resumption, opening: resumption.options.opening.flatMap { try? views.opening(at: $0) })
        return view.geometry.isActive ? reply(view).effects : []
    }

    /// A view as its viewer knows it, for another presentation to go on with.
    ///
    /// - Throws: `invalidArguments` for a view that is not open.
    public func resumption(of id: ViewID) throws(ListError) -> ViewResumption { try view(id).resumption }

    /// Closes a view: everything in it ends and leaves, then it is closed.
    public func closeView(_ id: ViewID) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        let mark = store.events.count
        let change = views.close(view)
        deliver(change.calls)
        views.remove(view)
        return settled(change.events, since: mark)
    }

    /// What is known of a view.
    public func viewDescription(_ id: ViewID) throws(ListError) -> ViewDescription { try view(id).description }

    /// The open views, in the order of their opening.
    public var openViews: [ViewID] { views.views.map(\.id) }

    /// The views that are not sent what they lack, so that no event tells how they stand.
    public var waitingViews: [ViewID] {
        views.waitingViews.map(\.id)
    }

    /// While true, views are not sent anything; set it to false with ``resumeViews()``.
    public var holdsViews: Bool {
        get { views.holdsViews }
        set { views.setHolding(newValue) }
    }

    /// Sends what was held back while ``holdsViews`` was true.
    public func resumeViews() -> [AdapterEvent] {
        views.setHolding(false)
        let mark = store.events.count
        let held = views.waitingViews.filter(\.sender.isHeld)
        return settled(held.flatMap { views.compose($0, endsStall: true) }, since: mark)
    }

    /// Says whether a view can be seen; a list of which no view can be may wait longer.
    public func setVisible(_ isVisible: Bool, view id: ViewID) throws(ListError) {
        try view(id).setOnScreen(isVisible)
    }

    // MARK: Looking

    /// The viewer scrolled: the viewport is `rect`, in the content as of `seen`.
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

    /// The viewer of a layout `none` names what it shows, first and last item included, in the list as of `seen`.
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

    /// What a range of the list as of a picture is now.
    private func visibleItems(
        from first: IndexPath, through last: IndexPath, seen: UInt64, in view: ListView
    ) -> VisibleItems {
        let order = ItemOrder(store.map)
        let changes = view.sender.changes(since: seen)
        // Mostly both items are there.
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

    /// A section controller scrolls all views to an item of its own; inside of a callback it happens right after it.
    func scrollViews(to controller: ListSectionController, index: Int, position: ScrollPosition) {
        guard !store.gate.isBusy else {
            store.gate.enqueueScroll { [weak self] in
                self?.scrollViews(to: controller, index: index, position: position)
            }
            return
        }
        guard let handle = store.handle(of: controller) else { return }
        for view in views.views {
            // What the one before enqueued may have closed this one.
            guard views.view(view.id) === view, let range = view.geometry.scrollRange(of: handle, item: index)
            else { continue }
            store.events.insert(scroll(view, to: ScrollTarget(range: range, position: position)).effects, at: 0)
        }
        onActivity?()
    }

    /// The viewer says what the user does to the content; the section controllers that are shown hear it.
    public func reportScroll(view id: ViewID, _ event: ListScrollEvent) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        view.follow(event)
        deliver(ControllerCalls(event, in: view).calls)
        return settled()
    }

    /// The viewer measured items: their sizes replace the estimates in this view.
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

    /// The viewer has drawn everything up to a sequence; one that was never sent is ignored.
    public func acknowledge(view id: ViewID, sequence: UInt64) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        view.sender.acknowledge(sequence)
        view.geometry.forgetShifts(upTo: view.sender.credit.acknowledged)
        guard view.sender.credit.isStalled else { return [] }
        let mark = store.events.count
        return settled(views.compose(view, endsStall: true), since: mark)
    }

    /// The picture of the present; it acknowledges everything and ends a stall. Slots keep their numbers.
    public func resync(view id: ViewID) throws(ListError) -> Picture {
        let view = try view(id)
        view.sender.catchUp(view)
        forgetPictures(of: view)
        settle()
        // What callbacks brought about meanwhile is in the picture too.
        forgetPictures(of: view)
        return view.sender.present(view.geometry)
    }

    /// The viewer gets everything at once: what waits for it is in there.
    private func forgetPictures(of view: ListView) {
        store.events.removeAll { $0.isPicture(of: view.id) }
        view.sender.acknowledgeAll(restartsHistory: view.geometry.kind == .none)
        view.geometry.forgetShifts(upTo: view.sender.sequence)
    }

    /// Brings a view up to date after its viewport changed, and answers everything that follows from it.
    ///
    /// - Parameter old: where the viewport lay, if its controllers are to hear that the content moved.
    private func reply(_ view: ListView, scrolledFrom old: Point? = nil) -> ViewReply {
        let mark = store.events.count
        let change = views.update(view, scrolledFrom: old)
        deliver(change.calls)
        let effects = settled(change.events, since: mark)
        return ViewReply(sequence: view.sender.sequence, effects: effects)
    }

    // MARK: Items

    /// A viewer selects an item: the section controller is asked first, then told.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func selectItem(
        _ item: Int, ofObject id: String
    ) throws(ListError) -> (selected: Bool, events: [AdapterEvent]) {
        let isSelected = selections.select(item, of: try selections.handle(ofItem: item, of: id))
        return (isSelected, settled())
    }

    /// A viewer deselects an item: the section controller is asked first, then told.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func deselectItem(
        _ item: Int, ofObject id: String
    ) throws(ListError) -> (deselected: Bool, events: [AdapterEvent]) {
        let isDeselected = selections.deselect(item, of: try selections.handle(ofItem: item, of: id))
        return (isDeselected, settled())
    }

    /// A viewer deselects items, then selects others: the section controllers are asked and told about each, and the change
    /// is one event.
    ///
    /// - Returns: those of `select` that are selected then, and those of `deselect` that are not.
    /// - Throws: `noSuchObject`, `noSuchItem`; nothing changes then.
    /// - Complexity: O(log n) for each item.
    public func changeSelection(
        select: [SelectedItem], deselect: [SelectedItem]
    ) throws(ListError) -> (selected: [SelectedItem], deselected: [SelectedItem], events: [AdapterEvent]) {
        let changed = try selections.change(select: select, deselect: deselect)
        return (changed.selected, changed.deselected, settled())
    }

    /// Takes over what was selected in another presentation: nobody has selected anything, so no section controller is asked or
    /// told, and there is no event.
    ///
    /// Items that are not there any more are left out.
    public func resumeSelection(_ items: [SelectedItem]) { selections.resume(items) }

    /// A finger or a pointer is down on an item, or no longer.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func setHighlighted(
        _ isHighlighted: Bool, item: Int, ofObject id: String
    ) throws(ListError) -> [AdapterEvent] {
        let handle = try selections.handle(ofItem: item, of: id)
        store.tellSelection(of: handle, item: item, isHighlighted ? .highlight : .unhighlight)
        return settled()
    }

    /// A viewer invokes an action on an item: the section controller may handle it.
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
