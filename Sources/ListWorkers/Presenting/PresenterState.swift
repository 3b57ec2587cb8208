// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// The list's copy of its presenter's state: the views, the selection, and the displayed sections and items that
/// clients know.
///
/// With this copy another presenter can continue, and clients can be sent what differs between two presenters' states.
/// A report of a worker that would make the state larger than the list can account for is refused, as a worker may
/// report anything.
package struct PresenterState: Sendable {
    package private(set) var views: [ViewID: ViewState] = [:]
    package private(set) var selection: SelectedItems = []
    /// The views that may have visible items (``ViewState/visibleItems``).
    private var naming: Set<ViewID> = []
    /// The views that the presenter was ordered to close, and has not closed yet, with the reasons.
    private var closing: [ViewID: ViewClosing] = [:]
    /// The maximum number of elements that the list has had.
    private var mostElements = 0

    package init(views: [ViewState] = [], selection: [SelectedItem] = []) {
        self.views = Dictionary(views.map { ($0.id, $0) }) { $1 }
        self.selection = SelectedItems(selection)
        naming = Set(self.views.keys)
    }

    // MARK: Applying reports

    /// Records that the list has this many sections and items, or that views may still show it with this many.
    package mutating func setSize(sections: Int, items: Int) {
        // The items, a header and a footer of each section, and the empty view.
        mostElements = max(mostElements, items + 2 * sections + 1)
    }

    /// The maximum number of elements in a view. It is twice ``mostElements``, as removed elements may still be shown,
    /// and their release is reported later than the new elements.
    private var limit: Int { 2 * mostElements }

    /// Applies the announcement of a report, and removes events of views that the list does not have.
    ///
    /// - Parameters:
    ///   - remembers: whether to record the state of views; false for a presenter that returns it from
    ///     ``Presenter/close()``.
    ///   - last: returns the identifier of the list's last object; nil if the list is empty.
    /// - Returns: false for a report that no correct presenter sends.
    package mutating func apply(_ said: inout Announcement, remembers: Bool, lastObject last: () -> String?) -> Bool {
        var events: [AdapterEvent] = []
        events.reserveCapacity(said.events.count)
        let limit = limit
        for event in said.events {
            if let view = event.view {
                guard views[view] != nil else { continue }
                guard !remembers || views[view]?.apply(event, limit: limit) != false else { return false }
            }
            if remembers, case .nearEnd(let view, _, let distance) = event {
                views[view]?.nearEnd = distance == nil ? nil : last() ?? ""
            }
            if case .closed(let view) = event {
                said.closings[view] = closing.removeValue(forKey: view) ?? .closed
                views[view] = nil
            }
            events.append(event)
        }
        said.events = events
        for viewState in remembers ? said.views : [] {
            views[viewState.view]?.apply(viewState.description)
            naming.insert(viewState.view)
        }
        if let items = said.selection { selection = items }
        return true
    }

    /// Applies the answer to a call about a view.
    ///
    /// - Parameters:
    ///   - remembers: whether to record the state of the view.
    ///   - isKnown: whether the list has an object with an identifier.
    /// - Returns: false when the view would have more elements than ``limit``.
    package mutating func apply(
        _ outcome: Result<PresenterAnswer, ListError>, to order: PresenterOrder, remembers: Bool,
        isKnown: (String) -> Bool
    ) -> Bool {
        let limit = limit
        switch (order, outcome) {
        case (.openView(_, let view, _), .failure): views[view] = nil
        case (.view(_, let view, .resync), .success(.picture(let picture))) where remembers:
            return views[view]?.apply(picture, limit: limit) ?? true
        case (.view(_, let view, .setOnScreen(let flag)), .success): views[view]?.isOnScreen = flag
        // The view was shown, so the position at which it was to open has no more use.
        case (.view(_, let view, .setViewport), .success) where remembers,
            (.view(_, let view, .setVisibleRange), .success) where remembers:
            views[view]?.options.opening = nil
        case (.view(_, let view, .reportSizes(let sizes)), .success) where remembers:
            views[view]?.apply(sizes, limit: limit, isKnown: isKnown)
        default: break
        }
        return true
    }

    /// Records that objects of the list change, before the change is presented. Views without a layout then refer to
    /// the same items by their new index paths.
    package mutating func listWillChange(by sections: @autoclosure () -> PositionMap) {
        naming = naming.filter { views[$0]?.visibleItems != nil }
        guard !naming.isEmpty else { return }
        let change = PathForwarding(sections: sections())
        for view in naming { views[view]?.follow(change) }
    }

    /// Whether any view is on screen, or the list has no view.
    package var isOnScreen: Bool { views.isEmpty || views.values.contains { $0.isOnScreen } }

    /// Takes over the final state of a presenter whose reports were applied without `remembers`.
    package mutating func restore(_ left: (views: [ViewState], selection: [SelectedItem])) {
        for view in left.views where views[view.id] != nil {
            views[view.id] = view
            naming.insert(view.id)
        }
        selection = SelectedItems(left.selection)
    }

    // MARK: Opening and closing views

    /// Adds a view that is about to be opened.
    package mutating func add(_ view: ViewID, _ options: ListViewOptions) {
        views[view] = ViewState(id: view, options: options)
    }

    /// Removes a view that could not be opened.
    package mutating func remove(_ view: ViewID) { views[view] = nil }

    /// Records that the presenter was ordered to close a view. Returns false when there is no such view.
    package mutating func beginClosing(_ view: ViewID, _ reason: ViewClosing) -> Bool {
        guard views[view] != nil else { return false }
        closing[view] = reason
        return true
    }

    /// Closes a view that has no presenter.
    ///
    /// - Parameter said: gets the events by which all sections and items of the view stop being displayed and leave the
    ///   working range, and then the closing itself.
    package mutating func end(
        _ view: ViewID, _ reason: ViewClosing, in list: ObjectList, telling said: inout Announcement
    ) {
        closing[view] = nil
        guard let old = views.removeValue(forKey: view) else { return }
        var empty = old
        empty.forgetDisplay()
        said.events += empty.displayEvents(since: old, revision: list.numbers.last) { list.table.index(ofID: $0, .old) }
        said.events.append(.closed(view: view))
        said.closings[view] = reason
    }

    /// Closes the views whose presenter was ordered to close them, but was lost before it did.
    package mutating func endClosingViews(in list: ObjectList, telling said: inout Announcement) {
        for (view, reason) in closing.sorted(by: { $0.key < $1.key }) { end(view, reason, in: list, telling: &said) }
    }

    /// Closes all views, which have no presenter.
    package mutating func endAllViews(_ reason: ViewClosing, in list: ObjectList, telling said: inout Announcement) {
        for view in views.keys.sorted() { end(view, reason, in: list, telling: &said) }
    }

    // MARK: Changing the presenter

    /// Returns the states with which another presenter resumes the views, except for views that are about to be opened.
    package func states(except opening: Set<ViewID>) -> [ViewState] {
        views.keys.sorted().filter { !opening.contains($0) }.compactMap { views[$0] }
    }

    /// Clears the displayed items and working ranges of all views, as another presenter reports them from scratch.
    package mutating func forgetDisplay() { for view in views.keys { views[view]?.forgetDisplay() } }

    /// Whether another selection is told than in an old state.
    package func selectsOther(than old: PresenterState) -> Bool { Set(old.selection) != Set(selection) }

    /// Returns the events with the differences from an old state, in the displayed items, the working ranges and the
    /// selection. They are meant for clients that know the old state.
    package func differences(since old: PresenterState, in list: ObjectList) -> [AdapterEvent] {
        var events: [AdapterEvent] = []
        for view in views.keys.sorted() {
            guard let new = views[view], let old = old.views[view] else { continue }
            events += new.displayEvents(since: old, revision: list.numbers.last) { list.table.index(ofID: $0, .old) }
        }
        guard selectsOther(than: old) else { return events }
        let (before, after) = (Set(old.selection), Set(selection))
        let change = SelectionChange(
            revision: list.numbers.last, selected: selection.filter { !before.contains($0) },
            deselected: old.selection.filter { !after.contains($0) })
        return events + [.selection(change)]
    }
}

extension AdapterEvent {
    /// The view that the event is about; nil when it is about the list.
    fileprivate var view: ViewID? {
        switch self {
        case .display(let change): change.view
        case .workingRange(let change): change.view
        case .picture(let change): change.view
        case .stalled(let view, _, _), .closed(let view), .nearEnd(let view, _, _): view
        case .updated, .selection, .sectionFault: nil
        }
    }

    /// Whether the event changes the displayed items, the working range or the selection.
    package var isAboutDisplay: Bool {
        switch self {
        case .display, .workingRange, .selection: true
        case .updated, .picture, .stalled, .closed, .sectionFault, .nearEnd: false
        }
    }
}
