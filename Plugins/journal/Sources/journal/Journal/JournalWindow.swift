// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Keeps track of the newest entries of a journal, up to a maximum number, and creates the events for their list.
struct JournalWindow {
    private let query: JournalQuery
    /// The identifiers of the list's entries, the oldest first.
    private(set) var ids: [String] = []

    init(_ query: JournalQuery) { self.query = query }

    /// Returns the event that replaces the whole list.
    ///
    /// - Parameter entries: The entries, the oldest first. Only the newest are used if there are too many.
    mutating func replace(with entries: [JournalEntry]) throws(ListError) -> DataSourceEvent {
        var objects: [ListObject] = []
        for entry in entries.suffix(query.count) { objects.append(try entry.object()) }
        ids = objects.map(\.id)
        return withProgress(.replace(query.order == .oldestFirst ? objects : objects.reversed()))
    }

    /// Returns the event that adds newer entries, passed with the oldest first.
    mutating func append(_ entries: [JournalEntry]) throws(ListError) -> DataSourceEvent {
        guard entries.count < query.count else { return try replace(with: entries) }
        var upserts: [UpdateRequest.Upsert] = []
        for entry in entries {
            upserts.append(
                UpdateRequest.Upsert(
                    try entry.object(), position: query.order == .oldestFirst ? .last : .first))
        }
        let removed = Array(ids.prefix(max(0, ids.count + entries.count - query.count)))
        ids.removeFirst(removed.count)
        ids += upserts.map(\.object.id)
        return withProgress(.changes(removed: removed, upserts: upserts))
    }

    /// Sets the identifiers of the list's entries when the source was started with a cursor.
    ///
    /// - Parameter ids: The identifiers, the oldest first.
    mutating func resume(with ids: [String]) { self.ids = ids }

    /// Returns the event together with the cursor of the list after it. An empty list has no cursor.
    private func withProgress(_ event: DataSourceEvent) -> DataSourceEvent {
        JournalPlace(ids).map { .upTo($0.progress, event) } ?? event
    }
}

extension JournalPlace {
    /// The progress of the source: this cursor, and the identifier of the newest entry as the position.
    var progress: DataSourceProgress { DataSourceProgress(cursor: cursor, position: newest) }
}
