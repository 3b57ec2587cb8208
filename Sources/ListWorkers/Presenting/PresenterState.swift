// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// The state of a presentation that outlives its presenter: views, selection, and the display notifications that
/// clients have. Enough to go on with another presenter, and to say what is different then.
///
/// A worker may report anything: a state that grows beyond what the list can show is refused.
package struct PresenterState: Sendable {
    package private(set) var views: [ViewID: ViewMemory] = [:]
    package private(set) var selection: [SelectedItem] = []
    /// The views that may name the items that they show.
    private var naming: Set<ViewID> = []
    /// Views that the presenter has been told to close, and has not closed yet.
    private var closing: [ViewID: ViewClosing] = [:]
    /// The most elements that the list has had.
    private var mostElements = 0

    package init(views: [ViewResumption] = [], selection: [SelectedItem] = []) {
        self.views = Dictionary(views.map { ($0.id, ViewMemory($0)) }) { $1 }
        self.selection = selection
        naming = Set(self.views.keys)
    }

    // MARK: Following a presenter

    /// The list has at most this many sections and items now, or may still be shown with them.
    package mutating func setSize(sections: Int, items: Int) {
        // The items, a header and a footer of each section, and the empty view.
        mostElements = max(mostElements, items + 2 * sections + 1)
    }

    /// More elements than a view can show at once. What left the list may still be shown, and helpers hear of both at
    /// different times: so twice what the list has had at most.
    private var limit: Int { 2 * mostElements }

    /// Follows news, out of which goes what is about views of other lists.
    ///
    /// - Parameters:
    ///   - remembers: whether to remember how views stand; false where the presenter says it when it leaves.
    ///   - last: finds the identifier of the last object of the list that they are about; nil for a list without any.
    /// - Returns: false for a report that no correct presenter sends.
    package mutating func follow(_ news: inout PresenterNews, remembers: Bool, lastObject last: () -> String?) -> Bool {
        var events: [AdapterEvent] = []
        events.reserveCapacity(news.presented.events.count)
        for event in news.presented.events {
            if let view = event.view, views[view] == nil { continue }
            guard !remembers || record(event) else { return false }
            if remembers, case .nearEnd(let view, _, let distance) = event {
                views[view]?.setNearEnd(distance == nil ? nil : last() ?? "")
            }
            if case .closed(let view) = event {
                news.closings[view] = closing.removeValue(forKey: view) ?? .closed
                views[view] = nil
            }
            events.append(event)
        }
        news.presented.events = events
        for viewState in remembers ? news.views : [] {
            views[viewState.view]?.record(viewState.description)
            naming.insert(viewState.view)
        }
        if let items = news.selection { selection = items }
        return true
    }

    /// False when a view would have more in it than it can show.
    private mutating func record(_ event: AdapterEvent) -> Bool {
        let limit = limit
        return switch event {
        case .display(let change): views[change.view]?.record(change, limit: limit) ?? true
        case .workingRange(let change): views[change.view]?.record(change, limit: limit) ?? true
        case .picture(let change): views[change.view]?.record(change, limit: limit) ?? true
        case .updated, .selection, .stalled, .closed, .sectionFault, .nearEnd: true
        }
    }

    /// Follows the answer to a call of a view; false when the view would have more in it than it can show.
    ///
    /// - Parameters:
    ///   - remembers: whether to remember how the view stands.
    ///   - isKnown: whether there is an object with an identifier.
    package mutating func follow(
        _ outcome: Result<AdapterAnswer, ListError>, to command: AdapterCommand, remembers: Bool,
        isKnown: (String) -> Bool
    ) -> Bool {
        let limit = limit
        switch (command, outcome) {
        case (.openView(_, let view, _), .failure): views[view] = nil
        case (.view(_, let view, .resync), .success(.picture(let picture))) where remembers:
            return views[view]?.record(picture, limit: limit) ?? true
        case (.view(_, let view, .setOnScreen(let flag)), .success): views[view]?.setOnScreen(flag)
        case (.view(_, let view, let command), .success) where remembers:
            views[view]?.record(command, limit: limit, isKnown: isKnown)
        default: break
        }
        return true
    }

    /// Objects of the list change, and the change is about to be presented: views without a layout continue to refer to
    /// the same items.
    package mutating func listChanges(_ sections: @autoclosure () -> PositionMap) {
        naming = naming.filter { views[$0]?.followsItems == true }
        guard !naming.isEmpty else { return }
        let change = PathForwarding(sections: sections())
        for view in naming { views[view]?.record(change) }
    }

    /// Whether a view is on screen, or there is none.
    package var isOnScreen: Bool { views.isEmpty || views.values.contains { $0.resumption.isOnScreen } }

    /// Whether a view shows something of an object.
    package func shows(_ view: ViewID, _ object: String) -> Bool { views[view]?.sections.contains(object) ?? false }

    /// Takes over how a presentation stood that nobody has followed.
    package mutating func restore(_ left: LeftPresentation) {
        for (view, ended) in left.views where views[view.id] != nil {
            views[view.id] = ViewMemory(view, displaying: ended)
            naming.insert(view.id)
        }
        selection = left.selection
    }

    // MARK: Views that come and go

    /// A view is about to be opened.
    package mutating func add(_ view: ViewID, _ options: ListViewOptions) {
        views[view] = ViewMemory(id: view, options: options)
    }

    /// A view was not opened.
    package mutating func remove(_ view: ViewID) { views[view] = nil }

    /// A presenter is told to close a view; false when there is none.
    package mutating func beginClosing(_ view: ViewID, _ reason: ViewClosing) -> Bool {
        guard views[view] != nil else { return false }
        closing[view] = reason
        return true
    }

    /// Ends a view that nobody presents: everything in it ends and leaves, then it is closed.
    package mutating func end(_ view: ViewID, _ reason: ViewClosing, at list: ListPlace) -> [AdapterEffect] {
        closing[view] = nil
        guard let old = views.removeValue(forKey: view) else { return [] }
        var empty = old
        empty.forgetDisplay()
        return empty.display(since: old, revision: list.revision, position: list.position).map { .event($0) }
            + [.closed(view, reason)]
    }

    /// Ends the views that a presenter was told to close and has not, and that nobody presents any more.
    package mutating func endClosing(at list: ListPlace) -> [AdapterEffect] {
        closing.sorted { $0.key < $1.key }.flatMap { end($0.key, $0.value, at: list) }
    }

    /// Ends all views.
    package mutating func endAll(_ reason: ViewClosing, at list: ListPlace) -> [AdapterEffect] {
        views.keys.sorted().flatMap { end($0, reason, at: list) }
    }

    /// Where the viewport of a view was last.
    package func viewport(of view: ViewID) -> Rect? { views[view]?.resumption.viewport }

    // MARK: Going on with another presenter

    /// The views for another presenter to go on with, but for those that are about to be opened.
    package func resumptions(except opening: Set<ViewID>) -> [ViewResumption] {
        views.keys.sorted().filter { !opening.contains($0) }.compactMap { views[$0]?.present }
    }

    /// Another presenter reports what is displayed from scratch.
    package mutating func forgetDisplay() { for view in views.keys { views[view]?.forgetDisplay() } }

    /// Events for clients that know what was displayed and selected before.
    package func differences(since old: PresenterState, at list: ListPlace) -> [AdapterEffect] {
        var effects: [AdapterEffect] = []
        for view in views.keys.sorted() {
            guard let new = views[view], let old = old.views[view] else { continue }
            effects += new.display(since: old, revision: list.revision, position: list.position).map { .event($0) }
        }
        guard Set(old.selection) != Set(selection) else { return effects }
        let (before, after) = (Set(old.selection), Set(selection))
        let change = SelectionChange(
            revision: list.revision, selected: selection.filter { !before.contains($0) },
            deselected: old.selection.filter { !after.contains($0) })
        return effects + [.selection(selection), .event(.selection(change))]
    }
}

/// Where objects are in a list at a revision.
package struct ListPlace {
    package let revision: UInt64
    package let position: (String) -> Int?

    /// Puts it together.
    package init(revision: UInt64, position: @escaping (String) -> Int?) {
        self.revision = revision
        self.position = position
    }
}

extension AdapterEvent {
    /// The view that it is about; nil when it is about the list.
    fileprivate var view: ViewID? {
        switch self {
        case .display(let change): change.view
        case .workingRange(let change): change.view
        case .picture(let change): change.view
        case .stalled(let view, _, _), .closed(let view), .nearEnd(let view, _, _): view
        case .updated, .selection, .sectionFault: nil
        }
    }

    /// Whether it says what is displayed, or selected.
    package var isAboutDisplay: Bool {
        switch self {
        case .display, .workingRange, .selection: true
        case .updated, .picture, .stalled, .closed, .sectionFault, .nearEnd: false
        }
    }
}
