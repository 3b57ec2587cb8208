// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The client writes of one list that are not answered yet.
struct PendingWrites {
    /// Committed writes whose changes the list does not have yet.
    private var written: [PendingWrite] = []
    /// Writes that were received while the whole list was being read.
    private var queued: [DataSourceWrite] = []

    mutating func enqueue(_ write: DataSourceWrite) { queued.append(write) }

    mutating func takeQueued() -> [DataSourceWrite] {
        defer { queued = [] }
        return queued
    }

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
