// SPDX-License-Identifier: Apache-2.0

// The commands of views, which the adapter forwards to its presentation.

extension ListAdapter {
    /// Sets whether a view is on screen. A new view is on screen.
    ///
    /// Updates may be collected for a longer time while no view is on screen than while one is. A view off screen that
    /// has a viewport is not laid out by updates: it shows what it showed as far as that still exists, and is sent
    /// nothing.
    ///
    /// - Returns: the changes since an update that came while the view was off screen.
    public func setVisible(_ isVisible: Bool, view id: ViewID) throws(ListError) -> [AdapterEvent] {
        try presentation.setVisible(isVisible, view: id)
    }

    /// Whether changes of views are held back until ``resumeViews()``.
    public var holdsViews: Bool {
        get { presentation.holdsViews }
        set { presentation.holdsViews = newValue }
    }

    /// Opens a view. The view has no events before its first viewport or visible range is set.
    ///
    /// - Parameter id: a number that no open view uses, preferably a number that was never used.
    /// - Throws: `invalidArguments` if the number is in use or an option is out of range; `noSuchObject` or
    ///   `noSuchItem` if the item at which the view should open does not exist.
    public func openView(_ id: ViewID, options: ListViewOptions = ListViewOptions()) throws(ListError) {
        try presentation.openView(id, options: options)
    }

    /// Sets the viewport of a view.
    ///
    /// - Parameters:
    ///   - seen: the sequence of the last picture that the viewer has drawn; 0 or an unknown sequence stands for the
    ///     newest picture. A viewer without a credit window may be up to 256 changes behind.
    ///   - rect: the viewport, in coordinates of the content as of `seen`.
    /// - Throws: `invalidArguments` for a layout without viewports, for a negative size, and for a number that is
    ///   not finite.
    /// - Complexity: O(log n + visible). The first call, and each call that changes the size, also compute the layout
    ///   of the list.
    public func setViewport(view id: ViewID, seen: UInt64, rect: Rect) throws(ListError) -> ViewReply {
        try presentation.setViewport(view: id, seen: seen, rect: rect)
    }

    /// Acknowledges all pictures up to a sequence. A sequence that was never sent is ignored.
    ///
    /// Only a view with a credit window (``ListViewOptions/window``) needs acknowledgements.
    /// - Returns: the changes that were held back because the view's credit was used up.
    public func acknowledge(view id: ViewID, sequence: UInt64) throws(ListError) -> [AdapterEvent] {
        try presentation.acknowledge(view: id, sequence: sequence)
    }

    /// Returns the current picture of a view. Slots keep their numbers.
    ///
    /// A resync acknowledges all pictures. A view that was stalled because its credit was used up continues.
    public func resync(view id: ViewID) throws(ListError) -> Picture {
        var picture = try presentation.resync(view: id)
        picture.shift = picture.shift + dropQueuedPictures(of: id)
        return picture
    }

    /// Ends the display of a view's elements, then closes the view.
    ///
    /// - Returns: the events of the elements that disappear.
    public func closeView(_ id: ViewID) throws(ListError) -> [AdapterEvent] { try presentation.closeView(id) }

    /// Returns a description of a view.
    public func viewDescription(_ id: ViewID) throws(ListError) -> ViewDescription {
        try presentation.viewDescription(id)
    }

    /// The open views, in the order in which they were opened.
    public var openViews: [ViewID] { presentation.openViews }

    /// The views whose changes are held back. No event has reported their current state.
    @_spi(Daemon) public var waitingViews: [ViewID] { presentation.waitingViews }

    /// Ends ``holdsViews`` and returns the changes of views that were held back.
    public func resumeViews() -> [AdapterEvent] { presentation.resumeViews() }

    /// Sets the range of items that a viewer of the layout `none` shows.
    ///
    /// `first` and `last` are paths in the list as of the sequence `seen`. Both are converted to the current list. If
    /// the item at an end of the range was removed, the end moves inwards to the next existing item. If all items of
    /// the range were removed, the range keeps its length: it begins at the next existing item after the range, or, if
    /// there is none, ends at the last item of the list. Past the end of the list, every section counts as one item. A
    /// range that goes past the end of the list is moved into the list, and shortened only if the list has fewer
    /// items.
    ///
    /// With every update, the range follows its items: its first item that still exists keeps its place in the range.
    /// - Parameters:
    ///   - seen: the sequence of the last picture that the viewer has drawn; 0 or an unknown sequence stands for the
    ///     newest picture, and a sequence before the last acknowledged one stands for the last acknowledged one. A
    ///     viewer without a credit window may be up to 256 changes behind. Updates that divide the list into more
    ///     than 131,072 runs are ignored in the conversion.
    ///   - first: the first visible item.
    ///   - last: the last visible item.
    /// - Throws: `invalidArguments` for a layout other than `none`, or if the last item comes before the first.
    /// - Complexity: O(log n + visible); in addition O(changes · log) if the list has changed since `seen`.
    public func setVisibleRange(view id: ViewID, seen: UInt64 = 0, first: IndexPath, last: IndexPath) throws(ListError)
        -> ViewReply
    { try presentation.setVisibleRange(view: id, seen: seen, first: first, last: last) }

    /// Scrolls a view to an item; in a section without items, to the header.
    ///
    /// - Returns: the origin of the viewport, and the reply. A picture is sent even if only the offset has changed.
    /// - Throws: `noSuchObject`, `noSuchItem`; `invalidArguments` in the layout `none` or before the first viewport.
    public func scrollTo(view id: ViewID, object objectID: String, item: Int, position: ScrollPosition)
        throws(ListError) -> (offset: Point, reply: ViewReply)
    { try presentation.scrollTo(view: id, object: objectID, item: item, position: position) }

    /// Replaces the sizes of items in a view by the sizes that its viewer has measured.
    ///
    /// Items that no longer exist are ignored.
    /// - Throws: `invalidArguments` for a size that is negative or not finite.
    public func reportSizes(view id: ViewID, sizes: [MeasuredSize]) throws(ListError) -> ViewReply {
        try presentation.reportSizes(view: id, sizes: sizes)
    }

    /// Scrolls a view to all items of an object, together with the given supplementary views.
    ///
    /// An unknown object is ignored. For an object without items and without such views, the view scrolls to the
    /// start of the content (rule AD-111). Before the first viewport, the scroll is remembered: the first viewport then
    /// gives only the size, and lies where the view has scrolled to. What is above is never shown (rule AD-121).
    /// - Parameters:
    ///   - kinds: the supplementary views to include.
    ///   - additionalOffset: a distance that is added to the offset before the offset is clamped (rule AD-130).
    /// - Throws: `invalidArguments` in the layout `none`.
    public func scroll(
        view id: ViewID, toObject objectID: String, supplementary kinds: Set<ElementKind> = [],
        position: ScrollPosition = .none, additionalOffset: Double = 0
    ) throws(ListError) -> (offset: Point, reply: ViewReply) {
        try presentation.scroll(
            view: id, toObject: objectID, supplementary: kinds, position: position, additionalOffset: additionalOffset)
    }

    /// Passes a scroll event of the user to the section controllers whose sections are visible in the view.
    public func reportScroll(view id: ViewID, _ event: ListScrollEvent) throws(ListError) -> [AdapterEvent] {
        try presentation.reportScroll(view: id, event)
    }

    // MARK: Items

    /// Selects an item for a viewer, if the section controller allows the selection.
    ///
    /// - Returns: whether the item is selected afterwards.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func selectItem(_ item: Int, ofObject id: String) throws(ListError) -> (
        selected: Bool, events: [AdapterEvent]
    ) { try presentation.selectItem(item, ofObject: id) }

    /// Deselects an item for a viewer, if the section controller allows the deselection.
    ///
    /// - Returns: whether the item is deselected afterwards.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func deselectItem(_ item: Int, ofObject id: String) throws(ListError) -> (
        deselected: Bool, events: [AdapterEvent]
    ) { try presentation.deselectItem(item, ofObject: id) }

    /// Deselects items and then selects others for a viewer, in one event. The section controller of each item may
    /// refuse.
    ///
    /// - Returns: the items of `select` that are selected afterwards, and the items of `deselect` that are
    ///   deselected afterwards.
    /// - Throws: `noSuchObject`, `noSuchItem`. In this case the selection does not change.
    /// - Complexity: O(log n) for each item.
    @_spi(Daemon) public func changeSelection(select: [SelectedItem], deselect: [SelectedItem]) throws(ListError) -> (
        selected: [SelectedItem], deselected: [SelectedItem], events: [AdapterEvent]
    ) { try presentation.changeSelection(select: select, deselect: deselect) }

    /// Sets whether an item is highlighted, because a finger or a pointer is pressed on it.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func setHighlighted(_ isHighlighted: Bool, item: Int, ofObject id: String) throws(ListError)
        -> [AdapterEvent]
    { try presentation.setHighlighted(isHighlighted, item: item, ofObject: id) }

    /// Passes a viewer's action on an item to the section controller.
    ///
    /// - Returns: whether the section controller has handled the action; always `false` for a section at fault.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func invoke(_ action: String, parameters: Fields = Fields(), item: Int, ofObject id: String)
        throws(ListError) -> (handled: Bool, events: [AdapterEvent])
    { try presentation.invoke(action, parameters: parameters, item: item, ofObject: id) }

    // MARK: Resuming another list's views

    /// Opens a view that continues the view of another list.
    ///
    /// - Throws: the errors of ``openView(_:options:)``.
    @_spi(Daemon) public func resumeView(_ state: ViewState) throws(ListError) -> [AdapterEvent] {
        try presentation.resumeView(state)
    }

    /// Returns the state of a view that another list needs to continue the view without a break for its viewer.
    ///
    /// - Throws: `invalidArguments` if the view is not open.
    @_spi(Daemon) public func viewState(of id: ViewID) throws(ListError) -> ViewState {
        try presentation.viewState(of: id)
    }

    /// Restores the selection of another list without calls of section controllers and without an event.
    @_spi(Daemon) public func resumeSelection(_ items: [SelectedItem]) { presentation.resumeSelection(items) }
}
