// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The list that the viewer shows, of one daemon: the list that it was started for, or a filter of it; and the searches
/// in it.
///
/// Owned by `DBusActor`.
@DBusActor
final class ShownList {
    /// Reports to the owner.
    enum Event {
        /// An event of the shown list or filter.
        case list(ViewedList.Event)
        /// A search has ended.
        case found(Search.Query, Search.Hit?)
        case searchFailed(DBusError)
        /// The filter cannot be made, or its text was refused; the whole list is shown.
        case filterRefused(DBusError)
    }

    /// The name of the list.
    let name: String
    /// The shown list; nil while there is no daemon.
    private(set) var list: ViewedList?
    /// Whether a view of it was ever open.
    private(set) var hasOpened = false
    private var daemon: ListDaemonClient?
    private var filter: FilterList?
    private var searches: SearchQueue?
    private var onEvent: @DBusActor (Event) -> Void = { _ in }

    init(_ name: String) { self.name = name }

    /// Reports events from now on.
    func begin(onEvent: @escaping @DBusActor (Event) -> Void) {
        self.onEvent = onEvent
        searches = SearchQueue { [weak self] in self?.searched($0, $1) }
    }

    /// Shows the list of a daemon, or its objects with a text.
    func open(on daemon: ListDaemonClient, filter text: String) {
        close()
        self.daemon = daemon
        if text.isEmpty { open(name) } else { show(filter: text) }
    }

    /// Shows no list any more; lists that were made for filters end with their connection.
    func close() {
        leave()
        (daemon, filter) = (nil, nil)
    }

    /// Filters by a text; an empty one shows the whole list.
    func show(filter text: String) {
        guard let daemon else { return }
        guard !text.isEmpty else { return endFilter() }
        if let filter { return filter.show(text) }
        let filter = FilterList(of: name, from: daemon) { [weak self] in self?.happened($0) }
        self.filter = filter
        filter.show(text)
    }

    /// Searches the shown list and reports the result.
    func find(_ query: Search.Query) {
        if let adapter = list?.adapter { searches?.start(query, with: ListFinder(adapter)) }
    }

    private func open(_ name: String) {
        guard let daemon else { return }
        leave()
        let list = ViewedList(name, of: daemon) { [weak self] in self?.happened($0) }
        self.list = list
        list.open()
    }

    private func leave() {
        searches?.cancel()
        list?.close()
        list = nil
    }

    private func happened(_ event: ViewedList.Event) {
        if case .opened = event { hasOpened = true }
        onEvent(.list(event))
    }

    private func happened(_ event: FilterList.Event) {
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

    private func searched(_ query: Search.Query, _ outcome: SearchQueue.Outcome) {
        switch outcome {
        case .found(let hit): onEvent(.found(query, hit))
        case .failed(let error): onEvent(.searchFailed(error))
        }
    }
}
