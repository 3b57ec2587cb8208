// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The list that the viewer shows, and the searches in it. It is either the list that the user named, or a filtered
/// list of its objects.
@DBusActor
final class ShownList {
    /// An event for the viewer.
    enum Event {
        /// An event of the shown list.
        case list(ViewedList.Event)
        /// A search has ended.
        case found(Search.Query, Search.Hit?)
        case searchFailed(DBusError)
        /// The filtered list could not be created, or listd refused its text. The whole list is shown.
        case filterRefused(DBusError)
    }

    /// The name of the list that the user named.
    let name: String
    /// The list that is shown; nil while there is no daemon.
    private(set) var list: ViewedList?
    /// Whether a view was ever open.
    private(set) var hasOpened = false
    private var daemon: ListDaemonClient?
    private var filter: FilterList?
    private var searches: SearchQueue?
    private var onEvent: @DBusActor (Event) -> Void = { _ in }

    init(_ name: String) { self.name = name }

    /// Sets the function that receives the events. Call it once, before any other method.
    func setEventHandler(_ onEvent: @escaping @DBusActor (Event) -> Void) {
        self.onEvent = onEvent
        searches = SearchQueue { [weak self] in self?.report($1, of: $0) }
    }

    /// Shows the list of a daemon; if the text is not empty, only the objects that contain it.
    func open(on daemon: ListDaemonClient, filter text: String) {
        close()
        self.daemon = daemon
        if text.isEmpty { open(name) } else { filter(by: text) }
    }

    /// Stops showing a list. A filtered list ends with its connection.
    func close() {
        closeList()
        (daemon, filter) = (nil, nil)
    }

    /// Filters by a text. An empty text shows the whole list.
    func filter(by text: String) {
        guard let daemon else { return }
        guard !text.isEmpty else { return endFilter() }
        if let filter { return filter.filter(by: text) }
        let filter = FilterList(of: name, from: daemon) { [weak self] in self?.process($0) }
        self.filter = filter
        filter.filter(by: text)
    }

    /// Searches the shown list. An event reports the result.
    func find(_ query: Search.Query) {
        if let adapter = list?.adapter { searches?.start(query, with: ListFinder(adapter)) }
    }

    private func open(_ name: String) {
        guard let daemon else { return }
        closeList()
        let list = ViewedList(name, of: daemon) { [weak self] in self?.process($0) }
        self.list = list
        list.open()
    }

    private func closeList() {
        searches?.cancel()
        list?.close()
        list = nil
    }

    private func process(_ event: ViewedList.Event) {
        if case .opened = event { hasOpened = true }
        onEvent(.list(event))
    }

    private func process(_ event: FilterList.Event) {
        switch event {
        case .made: if let filter { open(filter.name) }
        case .refused(let error):
            onEvent(.filterRefused(error))
            endFilter()
        }
    }

    private func endFilter() {
        guard let filter else { return }
        self.filter = nil
        open(name)
        filter.remove()
    }

    private func report(_ outcome: SearchQueue.Outcome, of query: Search.Query) {
        switch outcome {
        case .found(let hit): onEvent(.found(query, hit))
        case .failed(let error): onEvent(.searchFailed(error))
        }
    }
}
