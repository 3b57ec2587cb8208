// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The newest entries of a journal, up to a number, and the changes for a list of them.
struct JournalWindow {
    private let query: JournalQuery
    /// The identifiers that the list has, the oldest first.
    private(set) var ids: [String] = []

    init(_ query: JournalQuery) { self.query = query }

    /// The whole list anew.
    ///
    /// - Parameter entries: the oldest first; of too many the newest are taken.
    mutating func replace(with entries: [JournalEntry]) throws(ListError) -> DataSourceEvent {
        var objects: [ListObject] = []
        for entry in entries.suffix(query.count) { objects.append(try entry.object()) }
        ids = objects.map(\.id)
        return withProgress(.replace(query.order == .oldestFirst ? objects : objects.reversed()))
    }

    /// Appends entries that are newer than all there are, the oldest first.
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

    /// Restores the entries that the list has.
    ///
    /// - Parameter ids: what it has, the oldest first.
    mutating func resume(with ids: [String]) { self.ids = ids }

    /// An event, and where the list is with it; an empty list begins anew.
    private func withProgress(_ event: DataSourceEvent) -> DataSourceEvent {
        JournalPlace(ids).map { .upTo($0.progress, event) } ?? event
    }
}

extension JournalPlace {
    /// How far the source has read when its list is here; the newest entry names the state.
    var progress: DataSourceProgress { DataSourceProgress(cursor: cursor, position: newest) }
}
