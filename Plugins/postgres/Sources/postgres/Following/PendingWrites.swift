// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The client writes of one list that are not answered yet.
struct PendingWrites {
    /// Committed writes whose changes the list does not have yet.
    private var written: [PendingWrite] = []
    /// Writes that were received while the whole list was being read, each with the time until which it may wait.
    private var queued: [(write: DataSourceWrite, deadline: ContinuousClock.Instant)] = []

    mutating func enqueue(_ write: DataSourceWrite) { queued.append((write, .now + .seconds(5))) }

    mutating func takeQueued() -> [DataSourceWrite] {
        defer { queued = [] }
        return queued.map(\.write)
    }

    /// Removes and returns the queued writes that have waited for 5 s.
    mutating func takeOverdue() -> [DataSourceWrite] {
        guard queued.contains(where: { $0.deadline < .now }) else { return [] }
        defer { queued.removeAll { $0.deadline < .now } }
        return queued.filter { $0.deadline < .now }.map(\.write)
    }

    var hasCommitted: Bool { !written.isEmpty }

    mutating func addCommitted(_ write: PendingWrite) { written.append(write) }

    /// Removes and returns the writes that can be answered: `done` if their changes are in a list at `cursor`;
    /// `lost` if they belong to another generation, or their changes have not arrived for 20 s.
    mutating func removeAnswered(
        upTo cursor: ListCursor?, generation: String
    ) -> (done: [DataSourceWrite.ID], lost: [DataSourceWrite.ID]) {
        guard !written.isEmpty else { return ([], []) }
        var (done, lost): ([DataSourceWrite.ID], [DataSourceWrite.ID]) = ([], [])
        written.removeAll { write in
            if write.generation != generation || write.isOverdue {
                lost.append(write.id)
                return true
            }
            guard let cursor, cursor.generation == generation, cursor.includes(write.transaction) else { return false }
            done.append(write.id)
            return true
        }
        return (done, lost)
    }
}

/// A committed write.
struct PendingWrite: Sendable {
    let id: DataSourceWrite.ID
    let transaction: UInt64
    let generation: String
    private let deadline = ContinuousClock.now + .seconds(20)

    init(_ id: DataSourceWrite.ID, transaction: UInt64, generation: String) {
        self.id = id
        self.transaction = transaction
        self.generation = generation
    }

    var isOverdue: Bool { deadline < .now }
}
