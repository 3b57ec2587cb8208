// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The newest entries of a journal, up to a maximum number, and the changes for a list of them.
struct JournalWindow {
    private let query: JournalQuery
    /// The identifiers that the list has, the oldest first.
    private(set) var ids: [String] = []

    init(_ query: JournalQuery) { self.query = query }

    /// Replaces the whole list.
    ///
    /// - Parameter entries: the oldest first; only the newest are used if there are too many.
    mutating func replace(with entries: [JournalEntry]) throws(ListError) -> DataSourceEvent {
        var objects: [ListObject] = []
        for entry in entries.suffix(query.count) { objects.append(try entry.object()) }
        ids = objects.map(\.id)
        return withProgress(.replace(query.order == .oldestFirst ? objects : objects.reversed()))
    }

    /// Appends newer entries, the oldest first.
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

    /// Restores the identifiers of the list's entries.
    ///
    /// - Parameter ids: those of the list, the oldest first.
    mutating func resume(with ids: [String]) { self.ids = ids }

    /// An event, and the cursor of the list after it; an empty list has none.
    private func withProgress(_ event: DataSourceEvent) -> DataSourceEvent {
        JournalPlace(ids).map { .upTo($0.progress, event) } ?? event
    }
}

extension JournalPlace {
    /// The progress of the source with the present list; its newest entry is the position.
    var progress: DataSourceProgress { DataSourceProgress(cursor: cursor, position: newest) }
}
