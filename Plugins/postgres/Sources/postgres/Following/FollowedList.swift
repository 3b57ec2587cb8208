// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PluginAPI
internal import Synchronization

/// One list that is followed: what it has, and what is on its way to it.
final class FollowedList: @unchecked Sendable {
    // Owned by the thread of the service's follower, all of it but the constants, `hasLeft` and what `deliver` runs.

    /// Where the list stands with its database.
    enum Phase {
        /// Nothing is known, or what is known counts no longer: it is to be read as a whole, not before some time.
        case new(notBefore: ContinuousClock.Instant)
        /// It is being read as a whole.
        case reading
        /// It has what a cursor says, of a table that looks so.
        case following(ListCursor, ListDescription)
    }

    let options: ListOptions
    let sink: DataSourceSink
    private let queue: DispatchQueue
    private let left = Atomic(false)

    /// Where it stands.
    var phase: Phase
    /// What it had when listd started, until it is known whether that still counts.
    var restored: ListCursor?
    /// Whether an event is on its way that the list has not taken.
    private(set) var isBusy = false
    /// When it was last known to be whole: for people, and for measuring.
    private(set) var synced: (time: UInt64, at: ContinuousClock.Instant)?
    /// What it was told is wrong.
    private(set) var failure: String?
    /// How often in a row reading it as a whole has failed.
    var failedReadings = 0
    /// What was left out and is logged.
    private var losses = RowReader.Losses()
    private var toldProgress: ContinuousClock.Instant?
    /// Writes that are in the database, and that the list has not been told of.
    private var writes: [PendingWrite] = []
    /// Writes that came while the list was being read as a whole.
    private var heldWrites: [DataSourceWrite] = []

    init(_ options: ListOptions, sink: DataSourceSink, cursor: ListCursor?) {
        self.options = options
        self.sink = sink
        restored = cursor
        phase = .new(notBefore: .now)
        queue = DispatchQueue(label: "org.listd.postgres.\(options.name)")
    }

    /// Whether the list is gone; asked on any thread.
    var hasLeft: Bool { left.load(ordering: .acquiring) }
    func leave() { left.store(true, ordering: .releasing) }

    // MARK: Telling the list

    /// Tells the list something without waiting for it; `taken` is called on the list's queue.
    private func deliver(_ body: @escaping @Sendable (DataSourceSink) -> Void, taken: @escaping @Sendable () -> Void) {
        isBusy = true
        queue.async { [sink] in
            body(sink)
            taken()
        }
    }

    /// The list has taken what was on its way.
    func wasTaken() { isBusy = false }

    /// Tells what changed.
    func tell(_ changes: RowChanges, upTo cursor: ListCursor, taken: @escaping @Sendable () -> Void) {
        isWhole()
        let progress = cursor.progress(synced: WallClock.now)
        deliver({ $0.changes(removed: changes.removed, upserts: changes.upserts, upTo: progress) }, taken: taken)
    }

    /// Tells that the list is whole, if it does not know or has not heard for a while.
    func tellReady(_ cursor: ListCursor, taken: @escaping @Sendable () -> Void) {
        let isNews = failure != nil || synced == nil
        isWhole()
        if !isNews, let toldProgress, .now - toldProgress < .seconds(1) { return }
        toldProgress = .now
        let progress = cursor.progress(synced: WallClock.now)
        deliver({ $0.ready(upTo: progress) }, taken: taken)
    }

    /// The list is whole now.
    func isWhole() {
        failure = nil
        failedReadings = 0
        synced = (WallClock.now, .now)
    }

    /// Tells once what is wrong.
    func tellFailure(_ message: String) {
        guard failure != message else { return }
        failure = message
        var text = message
        if let synced { text += "; list is as of \(WallClock.timeOfDay(synced.time))" }
        queue.async { [sink, text] in sink.failed(text) }
    }

    // MARK: Writes

    /// A write waits until the list is read.
    func hold(_ write: DataSourceWrite) { heldWrites.append(write) }

    /// The writes that waited for it.
    func takeHeldWrites() -> [DataSourceWrite] {
        defer { heldWrites = [] }
        return heldWrites
    }

    /// A write is in the database; it is answered when the list has it.
    func wrote(_ write: PendingWrite) { writes.append(write) }

    /// A write is not in the database, or nobody knows.
    func refuse(_ write: DataSourceWrite.ID, _ error: ListError) {
        queue.async { [sink] in sink.refused(write, error) }
    }

    /// Answers the writes that the list was told of, and those that it will not be told of any more.
    func answerWrites(generation: String) {
        guard !writes.isEmpty else { return }
        writes.removeAll { write in
            if write.generation != generation || write.isOverdue {
                let text = "it was written, and the database has not shown it since: the outcome is unknown"
                refuse(write.id, ListError(.sourceUnavailable, "\(options.address.text): \(text)"))
                return true
            }
            guard case .following(let cursor, _) = phase, cursor.generation == generation,
                cursor.sees(write.transaction)
            else { return false }
            queue.async { [sink] in sink.wrote(write.id) }
            return true
        }
    }

    /// Logs what was left out, unless it is what was left out before.
    func note(_ losses: RowReader.Losses, isWhole: Bool, to logger: PluginLogger) {
        defer { if isWhole || !losses.isEmpty { self.losses = losses } }
        guard !losses.isEmpty, losses != self.losses else { return }
        logger.warning("\(options.address.text): list \(options.name.quoted): \(losses.text)")
    }
}

/// A write that is in the database.
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

/// What a poll found for one list.
struct RowChanges: Sendable {
    /// The ids without a row.
    var removed: [String] = []
    /// The rows, in their order, each after the one before it.
    var upserts: [UpdateRequest.Upsert] = []
}
