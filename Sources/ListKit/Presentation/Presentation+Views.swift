// SPDX-License-Identifier: Apache-2.0

// The commands of views. Each command returns the events that have to be sent before its answer, in order.

extension Presentation {
    /// Returns an open view for a command.
    ///
    /// - Throws: `invalidArguments` inside of a callback, or if no such view is open.
    private func view(_ id: ViewID) throws(ListError) -> ListView {
        guard store.gate.allowsViewCalls else {
            throw ListError(.invalidArguments, "a view must not be called from inside of a callback")
        }
        guard let view = views.viewToChange(id) else { throw ListError(.invalidArguments, "there is no view \(id)") }
        return view
    }

    /// Opens a view. The view has no events before its first viewport or visible range is set.
    ///
    /// - Throws: the errors of ``ListAdapter/openView(_:options:)``.
    public func openView(_ id: ViewID, options: ListViewOptions) throws(ListError) {
        let opening = try options.opening.map { (opening) throws(ListError) in try views.opening(at: opening) }
        try views.open(id, options).geometry.setOpening(opening)
    }

    /// Opens a view that continues the view of another presentation.
    ///
    /// Sequences continue and slots keep their numbers. The first picture has the difference from the state that the
    /// viewer shows.
    ///
    /// - Throws: the errors of ``openView(_:options:)``.
    public func resumeView(_ state: ViewState) throws(ListError) -> [AdapterEvent] {
        let view = try views.open(state.id, state.options)
        // The item at which the view should open may no longer exist.
        view.resume(state, opening: state.options.opening.flatMap { try? views.opening(at: $0) })
        return view.geometry.isActive ? reply(view).effects : []
    }

    /// Returns the state of a view, with which another presentation can continue the view without a break for its
    /// viewer.
    ///
    /// - Throws: `invalidArguments` if the view is not open.
    public func viewState(of id: ViewID) throws(ListError) -> ViewState { try view(id).state }

    /// Ends the display of a view's elements and then closes the view.
    ///
    /// - Returns: the events of the elements that disappear.
    public func closeView(_ id: ViewID) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        let mark = store.events.count
        let change = views.close(view)
        deliver(change.calls)
        views.remove(view)
        return collectEvents(inserting: change.events, at: mark)
    }

    /// Returns a description of a view.
    public func viewDescription(_ id: ViewID) throws(ListError) -> ViewDescription { try view(id).description }

    /// Returns whether a view is open.
    public func isOpen(_ id: ViewID) -> Bool { views.view(id) != nil }

    /// The open views, in the order in which they were opened.
    public var openViews: [ViewID] { views.views.map(\.id) }

    /// The views whose changes are held back. No event has reported their current state.
    public var waitingViews: [ViewID] {
        views.waitingViews.map(\.id)
    }

    /// Whether changes of views are held back until ``resumeViews()``.
    public var holdsViews: Bool {
        get { views.holdsViews }
        set { views.setHoldsViews(newValue) }
    }

    /// Ends ``holdsViews`` and returns the changes of views that were held back.
    public func resumeViews() -> [AdapterEvent] {
        views.setHoldsViews(false)
        let mark = store.events.count
        let held = views.waitingViews.filter(\.sender.isHeld)
        return collectEvents(inserting: held.flatMap { views.compose($0, endsStall: true) }, at: mark)
    }

    /// Sets whether a view is on screen. Updates of a list without a view on screen may be collected for a longer time.
    ///
    /// - Returns: the changes that were held back while the view was off screen.
    public func setVisible(_ isVisible: Bool, view id: ViewID) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        view.setOnScreen(isVisible)
        if isVisible { wake(view) }
        return collectEvents()
    }

    /// Lays a view out that has no layout because it was off screen. Its events are queued.
    private func wake(_ view: ListView) {
        guard views.wake(view) else { return }
        let mark = store.events.count
        let change = views.update(view)
        deliver(change.calls)
        store.events.insert(change.events, at: mark)
    }

    // MARK: Viewports

    /// Sets the viewport of a view.
    ///
    /// - Parameters:
    ///   - seen: the sequence of the last picture that the viewer has drawn; 0 or an unknown sequence stands for the
    ///     newest picture.
    ///   - rect: the viewport, in coordinates of the content as of `seen`.
    ///   - growth: the bytes by which the view's elements with their contents may grow.
    /// - Throws: the errors of ``ListAdapter/setViewport(view:seen:rect:)``; `limitsExceeded` if they would grow by
    ///   more, and then the view stays as it is.
    public func setViewport(
        view id: ViewID, seen: UInt64, rect: Rect, growth: Int = .max
    ) throws(ListError) -> ViewReply {
        let view = try view(id)
        guard view.geometry.kind != .none else {
            throw ListError(.invalidArguments, "a view with the layout none has a visible range, but no viewport")
        }
        if let fault = rect.viewportFault { throw ListError(.invalidArguments, fault) }
        wake(view)
        let (sequence, place) = (view.sender.sequence, view.geometry.place)
        views.setLastScrolled(view)
        var old: Point?
        if !view.geometry.applyOpening(rect, sequence: sequence) {
            let drawn = seen == 0 || seen > sequence ? sequence : seen
            old = view.geometry.setViewport(rect, drawn: drawn, sequence: sequence)
        }
        return try reply(view, scrolledFrom: old, growth: growth, orRestoring: place)
    }

    /// Sets the range of items that a viewer of the layout `none` shows, from `first` to `last` in the list as of
    /// `seen`.
    ///
    /// - Parameters:
    ///   - seen: the picture, or in a view whose viewer names items by revision the revision, to whose list the items refer.
    ///   - growth: the bytes by which the view's elements with their contents may grow.
    ///   - missed: the transactions between the viewer's list and revision `seen`, whose number is this presentation's own;
    ///     `nil` = the items refer to `seen` itself.
    /// - Throws: the errors of ``ListAdapter/setVisibleRange(view:seen:first:last:)``; `limitsExceeded` if they would
    ///   grow by more, and then the view stays as it is.
    public func setVisibleRange(
        view id: ViewID, seen: UInt64 = 0, first: IndexPath, last: IndexPath, growth: Int = .max,
        missed: [Transaction]? = nil
    ) throws(ListError) -> ViewReply {
        let view = try view(id)
        guard view.geometry.kind == .none else {
            throw ListError(.invalidArguments, "only a view with the layout none has a visible range")
        }
        guard first <= last, first.section >= 0, first.item >= 0, last.item >= 0 else {
            throw ListError(.invalidArguments, "the visible range ends before it begins, or an index is negative")
        }
        let place = view.geometry.place
        var items =
            switch view.options.rangeAt {
            case .picture: visibleItems(from: first, through: last, seen: seen, in: view)
            case .revision: try visibleItems(from: first, through: last, revision: seen, missed)
            }
        if let opening = view.geometry.consumeOpening(), let section = store.map.position(of: opening.handle) {
            items.first = ItemOrder(store.map).start(
                ofLength: items.length, showing: IndexPath(section: section, item: opening.item ?? 0),
                at: opening.position)
        }
        view.geometry.setVisibleItems(items)
        views.setLastScrolled(view)
        return try reply(view, growth: growth, orRestoring: place)
    }

    /// Converts a range of items from the list as of the sequence `seen` to the current list.
    private func visibleItems(
        from first: IndexPath, through last: IndexPath, seen: UInt64, in view: ListView
    ) -> VisibleItems {
        let order = ItemOrder(store.map)
        let changes = view.sender.changes(since: seen)
        func currentPath(of path: IndexPath) -> IndexPath? {
            let path = changes.reduce(Optional(path)) { path, change in path.flatMap { change($0) } }
            return path.flatMap { $0.item < store.map.itemCount(at: $0.section) ?? 0 ? $0 : nil }
        }
        if changes.isEmpty { return order.items(from: first, through: last) }
        // In the most common case, both items still exist.
        if let begin = currentPath(of: first), let end = currentPath(of: last) {
            return order.items(from: min(begin, end), through: max(begin, end))
        }
        guard let change = view.sender.change(since: seen) else { return order.items(from: first, through: last) }
        return order.items(from: first, through: last, applying: change)
    }

    /// Converts a range of items from the list as of a revision to the current list.
    private func visibleItems(
        from first: IndexPath, through last: IndexPath, revision: UInt64, _ missed: [Transaction]?
    ) throws(ListError) -> VisibleItems {
        let order = ItemOrder(store.map)
        let isNewest = missed == nil && (revision == 0 || revision > self.revision)
        let recent = isNewest ? nil : try views.paths(since: revision)
        let early = PathForwarding(of: missed ?? []) { section in
            recent?.oldItemCount(ofSection: section, order.itemCountOfSection) ?? order.itemCountOfSection(section)
        }
        guard let change = early.map({ paths in recent.map { paths.followed(by: $0) } ?? paths }) ?? recent else {
            return order.items(from: first, through: last)
        }
        return order.items(from: first, through: last, applying: change)
    }

    // MARK: Scrolling

    /// Scrolls a view to an item; in a section without items, to the header.
    ///
    /// - Throws: the errors of ``ListAdapter/scrollTo(view:object:item:position:)``.
    public func scrollTo(
        view id: ViewID, object objectID: String, item: Int, position: ScrollPosition
    ) throws(ListError) -> (offset: Point, reply: ViewReply) {
        let view = try scrollableView(id)
        guard let handle = store.map.handle(forID: objectID) else {
            throw ListError(.noSuchObject, "id: there is no object \(objectID.quoted)")
        }
        guard let range = view.geometry.scrollRange(of: handle, item: item) else {
            throw ListError(.noSuchItem, "item: the object \(objectID.quoted) has no item \(item)")
        }
        let reply = scroll(view, to: ScrollTarget(range: range, position: position))
        return (view.geometry.offset, reply)
    }

    /// Scrolls a view to all items of an object, together with the given supplementary views. Before the first viewport,
    /// the scroll is remembered.
    func scroll(
        view id: ViewID, toObject objectID: String, supplementary kinds: Set<ElementKind>, position: ScrollPosition,
        additionalOffset: Double
    ) throws(ListError) -> (offset: Point, reply: ViewReply) {
        let new = try view(id)
        if new.geometry.kind != .none, new.geometry.viewport == nil {
            if additionalOffset.isFinite, let handle = store.map.handle(forID: objectID) {
                new.geometry.setOpening(
                    ViewOpening(
                        handle: handle, item: nil, position: position, supplementary: kinds,
                        additionalOffset: additionalOffset))
            }
            return (.zero, ViewReply(sequence: new.sender.sequence, effects: collectEvents()))
        }
        let view = try scrollableView(id)
        guard additionalOffset.isFinite, let section = store.map.position(ofID: objectID),
            let range = view.geometry.layout.scrollRange(ofSection: section, supplementary: kinds)
        else { return (view.geometry.offset, ViewReply(sequence: view.sender.sequence, effects: collectEvents())) }
        let target = ScrollTarget(range: range, position: position, additionalOffset: additionalOffset)
        let reply = scroll(view, to: target, usesCurrentOffset: false)
        return (view.geometry.offset, reply)
    }

    private func scrollableView(_ id: ViewID) throws(ListError) -> ListView {
        let view = try view(id)
        guard view.geometry.kind != .none, view.geometry.viewport != nil else {
            throw ListError(.invalidArguments, "a view without a viewport cannot scroll")
        }
        wake(view)
        return view
    }

    private func scroll(_ view: ListView, to target: ScrollTarget, usesCurrentOffset: Bool = true) -> ViewReply {
        let old = view.geometry.offset
        let sequence = view.sender.sequence
        if view.geometry.scroll(to: target, usesCurrentOffset: usesCurrentOffset, sequence: sequence) {
            views.setLastScrolled(view)
        }
        return reply(view, scrolledFrom: old)
    }

    /// Scrolls all views to an item of a section controller. Inside of a callback, the scroll runs directly after
    /// the callback.
    func scrollViews(to controller: ListSectionController, index: Int, position: ScrollPosition) {
        guard !store.gate.isBusy else {
            store.gate.enqueueScroll { [weak self] in
                self?.scrollViews(to: controller, index: index, position: position)
            }
            return
        }
        guard let handle = store.handle(of: controller) else { return }
        for view in views.views {
            // Work that the previous view's scroll caused may have closed this view.
            guard views.view(view.id) === view else { continue }
            wake(view)
            guard let range = view.geometry.scrollRange(of: handle, item: index)
            else { continue }
            store.events.insert(scroll(view, to: ScrollTarget(range: range, position: position)).effects, at: 0)
        }
        onActivity?()
    }

    /// Passes a scroll event of the user to the section controllers whose sections are visible in the view.
    public func reportScroll(view id: ViewID, _ event: ListScrollEvent) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        view.updateScrolling(event)
        deliver(ControllerCalls(event, in: view).calls)
        return collectEvents()
    }

    /// Replaces the sizes of items in a view by the sizes that its viewer has measured.
    ///
    /// - Throws: the errors of ``ListAdapter/reportSizes(view:sizes:)``.
    public func reportSizes(view id: ViewID, sizes: [MeasuredSize]) throws(ListError) -> ViewReply {
        let view = try view(id)
        for measured in sizes {
            guard measured.size.isValid else {
                throw ListError(
                    .invalidArguments,
                    "sizes: item \(measured.item) of \(measured.objectID.quoted) has the invalid size \(measured.size)")
            }
        }
        wake(view)
        guard view.geometry.setMeasuredSizes(sizes, elements: view.displayed) else {
            return ViewReply(sequence: view.sender.sequence, effects: collectEvents())
        }
        view.geometry.applyAnchor(forwarding: [:], sequence: view.sender.sequence)
        return reply(view)
    }

    // MARK: Pictures

    /// Acknowledges all pictures up to a sequence. A sequence that was never sent is ignored.
    ///
    /// - Returns: the changes that were held back because the view's credit was used up.
    public func acknowledge(view id: ViewID, sequence: UInt64) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        view.sender.acknowledge(sequence)
        view.geometry.forgetShifts(upTo: view.sender.credit.acknowledged)
        guard view.sender.credit.isStalled else { return [] }
        let mark = store.events.count
        return collectEvents(inserting: views.compose(view, endsStall: true), at: mark)
    }

    /// Returns the current picture of a view. Slots keep their numbers.
    ///
    /// A resync acknowledges all pictures and ends a stall.
    public func resync(view id: ViewID) throws(ListError) -> Picture {
        let view = try view(id)
        wake(view)
        var shift = view.geometry.shifts.unsent
        view.sender.updatePictureWithoutSending(view)
        dropQueuedPictures(of: view, adding: &shift)
        runEnqueuedWork()
        // The returned picture includes the changes that callbacks made meanwhile.
        dropQueuedPictures(of: view, adding: &shift)
        return view.sender.wholePicture(view.geometry, shift: shift)
    }

    /// Drops the queued pictures of a view and acknowledges all sent ones, because its viewer reads the whole picture.
    ///
    /// - Parameter shift: the distance to which the movements of the dropped pictures are added.
    private func dropQueuedPictures(of view: ListView, adding shift: inout Point) {
        var moved = Point.zero
        store.events.removeAll { event in
            guard event.isPicture(of: view.id) else { return false }
            if case .picture(let change) = event { moved = moved + change.shift }
            return true
        }
        shift = shift + moved
        view.sender.acknowledgeAll(restartsHistory: view.geometry.kind == .none)
        view.geometry.forgetShifts(upTo: view.sender.sequence)
    }

    /// Updates a view after a change of its viewport or layout, and returns the reply to the command.
    ///
    /// - Parameter old: the previous origin of the viewport, if the section controllers receive a scroll event; else
    ///   `nil`.
    private func reply(_ view: ListView, scrolledFrom old: Point? = nil) -> ViewReply {
        let mark = store.events.count
        let change = views.update(view, scrolledFrom: old)
        deliver(change.calls)
        let effects = collectEvents(inserting: change.events, at: mark)
        return ViewReply(sequence: view.sender.sequence, effects: effects)
    }

    /// Updates a view after a change of its viewport, as ``reply(_:scrolledFrom:)`` does.
    ///
    /// - Throws: `limitsExceeded` if the view's elements with their contents would grow by more than `growth` bytes.
    ///   The view then shows what it showed at `place`.
    private func reply(
        _ view: ListView, scrolledFrom old: Point? = nil, growth: Int, orRestoring place: ViewGeometry.Place
    ) throws(ListError) -> ViewReply {
        let mark = store.events.count
        guard let change = views.update(view, scrolledFrom: old, growth: growth, orRestoring: place) else {
            runEnqueuedWork()
            if !store.events.isEmpty { store.gate.reportActivity() }
            throw ListError(.limitsExceeded, "the view would show more than \(growth) bytes in addition")
        }
        deliver(change.calls)
        let effects = collectEvents(inserting: change.events, at: mark)
        return ViewReply(sequence: view.sender.sequence, effects: effects)
    }

    // MARK: Items

    /// Selects an item for a viewer, if the section controller allows the selection.
    ///
    /// - Returns: whether the item is selected afterwards, and the events.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func selectItem(
        _ item: Int, ofObject id: String
    ) throws(ListError) -> (selected: Bool, events: [AdapterEvent]) {
        let isSelected = selections.select(item, of: try selections.handle(ofItem: item, of: id))
        return (isSelected, collectEvents())
    }

    /// Deselects an item for a viewer, if the section controller allows the deselection.
    ///
    /// - Returns: whether the item is deselected afterwards, and the events.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func deselectItem(
        _ item: Int, ofObject id: String
    ) throws(ListError) -> (deselected: Bool, events: [AdapterEvent]) {
        let isDeselected = selections.deselect(item, of: try selections.handle(ofItem: item, of: id))
        return (isDeselected, collectEvents())
    }

    /// Deselects items and then selects other items for a viewer, in one event. The section controller of each item may
    /// refuse.
    ///
    /// - Returns: the items of `select` that are selected afterwards, and the items of `deselect` that are
    ///   deselected afterwards.
    /// - Throws: `noSuchObject`, `noSuchItem`. In this case the selection does not change.
    /// - Complexity: O(log n) for each item.
    public func changeSelection(
        select: [SelectedItem], deselect: [SelectedItem]
    ) throws(ListError) -> (selected: [SelectedItem], deselected: [SelectedItem], events: [AdapterEvent]) {
        let changed = try selections.changeSelection(select: select, deselect: deselect)
        return (changed.selected, changed.deselected, collectEvents())
    }

    /// Restores the selection of another presentation, without calls of section controllers and without an event.
    ///
    /// Items that no longer exist are left out.
    func resumeSelection(_ items: [SelectedItem]) { selections.restore(items) }

    /// Sets whether an item is highlighted, because a finger or a pointer is pressed on it.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func setHighlighted(
        _ isHighlighted: Bool, item: Int, ofObject id: String
    ) throws(ListError) -> [AdapterEvent] {
        let handle = try selections.handle(ofItem: item, of: id)
        store.notifySelection(of: handle, item: item, isHighlighted ? .highlight : .unhighlight)
        return collectEvents()
    }

    /// Passes a viewer's action on an item to the section controller.
    ///
    /// - Returns: whether the section controller has handled the action, and the events. A section at fault handles
    ///   no action.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func invoke(
        _ action: String, parameters: Fields, item: Int, ofObject id: String
    ) throws(ListError) -> (handled: Bool, events: [AdapterEvent]) {
        let handle = try selections.handle(ofItem: item, of: id)
        let isHandled = store.invokeAction(action, parameters: parameters, item: item, of: handle)
        return (isHandled, collectEvents())
    }
}
