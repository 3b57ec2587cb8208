internal import PluginAPI

/// The newest entries of a journal, so many and no more, and what a list of them has to be told.
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
        return .replace(query.order == .oldestFirst ? objects : objects.reversed())
    }

    /// Takes entries that are newer than all there are, the oldest first.
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
        return .changes(removed: removed, upserts: upserts)
    }
}
