// SPDX-License-Identifier: Apache-2.0

// Commands of views, which the presentation carries out.

extension ListAdapter {
    /// Sets whether a view is on screen; updates of a list without one may wait longer.
    ///
    /// A new view is.
    public func setVisible(_ isVisible: Bool, view id: ViewID) throws(ListError) {
        try presentation.setVisible(isVisible, view: id)
    }

    /// Whether changes of views are held back; ended by ``resumeViews()``.
    public var holdsViews: Bool {
        get { presentation.holdsViews }
        set { presentation.holdsViews = newValue }
    }

    /// Opens a view; it has no events before its first viewport or visible range.
    ///
    /// - Parameter id: a number that is not in use, best one that was never used.
    /// - Throws: `invalidArguments` for a number in use and for options out of range; `noSuchObject`, `noSuchItem` for the item
    ///   that it opens at.
    public func openView(_ id: ViewID, options: ListViewOptions = ListViewOptions()) throws(ListError) {
        try presentation.openView(id, options: options)
    }

    /// Sets the viewport, in the content as of the sequence `seen`.
    ///
    /// - Parameter seen: the last sequence that the viewer has drawn; 0, or one that was never sent, is the newest. A viewer
    ///   without a credit window may be up to 256 changes behind.
    /// - Throws: `invalidArguments` for a layout without viewport and for numbers that are not finite or negative sizes.
    /// - Complexity: O(log n + visible); the first call and another size lay the list out.
    public func setViewport(view id: ViewID, seen: UInt64, rect: Rect) throws(ListError) -> ViewReply {
        try presentation.setViewport(view: id, seen: seen, rect: rect)
    }

    /// Acknowledges all changes up to a sequence; one that was never sent is ignored.
    ///
    /// Returns the held back changes, if the view's credit was used up. Only needed for a view with a credit window
    /// (``ListViewOptions/window``).
    public func acknowledge(view id: ViewID, sequence: UInt64) throws(ListError) -> [AdapterEvent] {
        try presentation.acknowledge(view: id, sequence: sequence)
    }

    /// The present picture; it acknowledges everything and ends a stall. Slots keep their numbers.
    public func resync(view id: ViewID) throws(ListError) -> Picture {
        let picture = try presentation.resync(view: id)
        forgetPictures(of: id)
        return picture
    }

    /// Closes a view: the display of its elements ends first.
    public func closeView(_ id: ViewID) throws(ListError) -> [AdapterEvent] { try presentation.closeView(id) }

    /// Describes a view.
    public func viewDescription(_ id: ViewID) throws(ListError) -> ViewDescription {
        try presentation.viewDescription(id)
    }

    /// The open views, in the order of their opening.
    public var openViews: [ViewID] { presentation.openViews }

    /// The views with changes that are held back, so that no event reports their state.
    @_spi(Daemon) public var waitingViews: [ViewID] { presentation.waitingViews }

    /// Sends the changes that were held back while ``holdsViews`` was true.
    public func resumeViews() -> [AdapterEvent] { presentation.resumeViews() }

    /// Sets the items that a viewer of layout `none` shows, first and last included, in the list as of the sequence `seen`.
    ///
    /// Both ends follow the updates since: a removed item is replaced by the next existing one inside the range; if
    /// there is none, the range begins at the next item after it, or ends at the last item of the list. Positions past
    /// the end count one item for each section. The range is moved into the list, and shortened only if the list has
    /// fewer items.
    ///
    /// From then on it follows its items: the first one that still exists after an update keeps its place in the range.
    /// - Parameter seen: the last sequence that the viewer has drawn; 0, or one that was never sent, means the newest;
    ///   an older one than the last acknowledged means that one. A viewer without a credit window may be up to 256
    ///   changes behind. Updates that cut a list into more than 131,072 stretches are not followed.
    /// - Throws: `invalidArguments` for another layout, and when the last item comes before the first.
    /// - Complexity: O(log n + visible); for a list that changed since `seen` O(changes · log) too.
    public func setVisibleRange(view id: ViewID, seen: UInt64 = 0, first: IndexPath, last: IndexPath) throws(ListError)
        -> ViewReply
    { try presentation.setVisibleRange(view: id, seen: seen, first: first, last: last) }

    /// Scrolls a view to an item; for a section without items, to its header.
    ///
    /// - Returns: the viewport's origin, and the reply; a change is sent even when only the offset moves.
    /// - Throws: `noSuchObject`, `noSuchItem`; `invalidArguments` in the layout `none` and before the first viewport.
    public func scrollTo(view id: ViewID, object objectID: String, item: Int, position: ScrollPosition)
        throws(ListError) -> (offset: Point, reply: ViewReply)
    { try presentation.scrollTo(view: id, object: objectID, item: item, position: position) }

    /// Replaces the sizes of items in a view by those that its viewer measured.
    ///
    /// Items that are gone are ignored.
    /// - Throws: `invalidArguments` for a size that is not finite or negative.
    public func reportSizes(view id: ViewID, sizes: [MeasuredSize]) throws(ListError) -> ViewReply {
        try presentation.reportSizes(view: id, sizes: sizes)
    }

    /// Scrolls a view to an object: from its first item to its last, with the named supplementary views.
    ///
    /// An unknown object is ignored; one without items and without the named views is at the start of the content
    /// (rule AD-111).
    /// - Parameters:
    ///   - additionalOffset: added to the offset before it is clamped (rule AD-130).
    /// - Throws: `invalidArguments` in the layout `none` and before the first viewport.
    public func scroll(
        view id: ViewID, toObject objectID: String, supplementary kinds: Set<ElementKind> = [],
        position: ScrollPosition = .none, additionalOffset: Double = 0
    ) throws(ListError) -> (offset: Point, reply: ViewReply) {
        try presentation.scroll(
            view: id, toObject: objectID, supplementary: kinds, position: position, additionalOffset: additionalOffset)
    }

    /// Passes a scroll event of the user to the section controllers that the view shows.
    public func reportScroll(view id: ViewID, _ event: ListScrollEvent) throws(ListError) -> [AdapterEvent] {
        try presentation.reportScroll(view: id, event)
    }

    // MARK: Items

    /// Selects an item for a viewer, if the section controller allows it.
    ///
    /// - Returns: whether it is selected now.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func selectItem(_ item: Int, ofObject id: String) throws(ListError) -> (
        selected: Bool, events: [AdapterEvent]
    ) { try presentation.selectItem(item, ofObject: id) }

    /// Deselects an item for a viewer, if the section controller allows it.
    ///
    /// - Returns: whether it is not selected now.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func deselectItem(_ item: Int, ofObject id: String) throws(ListError) -> (
        deselected: Bool, events: [AdapterEvent]
    ) { try presentation.deselectItem(item, ofObject: id) }

    /// Deselects items and then selects others for a viewer, each if its section controller allows it, in one event.
    ///
    /// - Returns: those of `select` that are selected afterwards, and those of `deselect` that are not.
    /// - Throws: `noSuchObject`, `noSuchItem`; nothing changes then.
    /// - Complexity: O(log n) for each item.
    @_spi(Daemon) public func changeSelection(select: [SelectedItem], deselect: [SelectedItem]) throws(ListError) -> (
        selected: [SelectedItem], deselected: [SelectedItem], events: [AdapterEvent]
    ) { try presentation.changeSelection(select: select, deselect: deselect) }

    /// Sets whether an item is highlighted: a finger or a pointer is down on it.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func setHighlighted(_ isHighlighted: Bool, item: Int, ofObject id: String) throws(ListError)
        -> [AdapterEvent]
    { try presentation.setHighlighted(isHighlighted, item: item, ofObject: id) }

    /// Passes an action on an item from a viewer to the section controller.
    ///
    /// - Returns: whether the section controller has handled it; a section at fault handles nothing.
    /// - Throws: `noSuchObject`, `noSuchItem`.
    public func invoke(_ action: String, parameters: Fields = Fields(), item: Int, ofObject id: String)
        throws(ListError) -> (handled: Bool, events: [AdapterEvent])
    { try presentation.invoke(action, parameters: parameters, item: item, ofObject: id) }

    // MARK: Resuming another list's views

    /// Opens a view that continues another one.
    ///
    /// - Throws: as ``openView(_:options:)``.
    @_spi(Daemon) public func resumeView(_ resumption: ViewResumption) throws(ListError) -> [AdapterEvent] {
        try presentation.resumeView(resumption)
    }

    /// The state of a view that its viewer knows, with which another list continues it.
    ///
    /// - Throws: `invalidArguments` for a view that is not open.
    @_spi(Daemon) public func resumption(of id: ViewID) throws(ListError) -> ViewResumption {
        try presentation.resumption(of: id)
    }

    /// Restores the selection of another list, without calls of section controllers.
    @_spi(Daemon) public func resumeSelection(_ items: [SelectedItem]) { presentation.resumeSelection(items) }
}
