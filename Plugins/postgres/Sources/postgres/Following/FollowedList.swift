// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PluginAPI
internal import Synchronization

/// A list that follows a table: its state, and the events that are sent to its sink.
final class FollowedList: @unchecked Sendable {
    // The follower's thread owns everything but the constants, `isStopped` and the closures that run on `queue`.

    /// The state of following a table.
    enum Phase {
        /// The whole list has to be read, but not before this time.
        case new(notBefore: ContinuousClock.Instant)
        /// The whole list is being read.
        case reading
        /// The list has all changes up to the cursor, of a table with this description.
        case following(ListCursor, ListDescription)
    }

    let options: ListOptions
    let sink: DataSourceSink
    private let logger: PluginLogger
    private let queue: DispatchQueue
    private let stopped = Atomic(false)

    /// The present state.
    private(set) var phase: Phase
    /// The cursor that listd had stored; `nil` once the cursor was passed on to be checked.
    private var restored: ListCursor?
    /// Whether the sink has not yet accepted the last event.
    private(set) var isBusy = false
    private var health = ListHealth()
    private var writes = PendingWrites()

    init(_ options: ListOptions, sink: DataSourceSink, logger: PluginLogger, cursor: ListCursor?) {
        self.options = options
        self.sink = sink
        self.logger = logger
        restored = cursor
        phase = .new(notBefore: .now)
        queue = DispatchQueue(label: "org.listd.postgres.\(options.name)")
    }

    /// Whether the source of the list has stopped. May be read on any thread.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }
    /// Marks the list as stopped. May be called on any thread.
    func markStopped() { stopped.store(true, ordering: .releasing) }

    // MARK: State

    /// Records that the list has all changes up to a cursor.
    func recordProgress(_ cursor: ListCursor, _ description: ListDescription) {
        phase = .following(cursor, description)
    }

    /// Schedules reading the whole list after a delay.
    func scheduleReading(after delay: Duration) {
        restored = nil
        phase = .new(notBefore: .now + delay)
    }

    /// Returns the cursor that listd had stored; `nil` from the second call on.
    func takeRestoredCursor() -> ListCursor? {
        defer { restored = nil }
        return restored
    }

    /// Enters the phase `reading` if the whole list has to be read now. Returns whether it has to.
    func beginReading() -> Bool {
        guard !isBusy, restored == nil, case .new(let time) = phase, time <= .now else { return false }
        phase = .reading
        return true
    }

    /// Records that reading or updating the list failed, and schedules the next attempt. With each failure in a row,
    /// the delay grows.
    func recordFailedReading() {
        scheduleReading(after: health.recordFailedReading())
    }

    /// Reads the whole list soon, after a random delay of up to 0.5 s, if an attempt is due later.
    func retrySoon() {
        let soon = ContinuousClock.now + .milliseconds(Int64.random(in: 0..<500))
        if case .new(let time) = phase, time > soon { phase = .new(notBefore: soon) }
    }

    /// Whether the last attempt to read or update the list has failed.
    var hasFailed: Bool { health.hasFailed }

    /// The time when the list last had all rows of its table; `nil` = never.
    var synced: ContinuousClock.Instant? { health.synced?.at }

    // MARK: Events

    /// Sends an event without waiting. Calls `accepted` on the list's queue when the sink has accepted the event.
    private func deliver(_ body: @escaping @Sendable (DataSourceSink) -> Void, accepted: @escaping @Sendable () -> Void)
    {
        isBusy = true
        queue.async { [sink] in
            body(sink)
            accepted()
        }
    }

    /// Records that the sink has accepted the last event.
    func recordAccepted() { isBusy = false }

    func send(_ changes: RowChanges, upTo cursor: ListCursor, accepted: @escaping @Sendable () -> Void) {
        recordSynced()
        let progress = progress(upTo: cursor)
        deliver({ $0.changes(removed: changes.removed, upserts: changes.upserts, upTo: progress) }, accepted: accepted)
    }

    /// Reports that the list has all rows of its table, at most once a second while nothing changes.
    func sendReady(upTo cursor: ListCursor, accepted: @escaping @Sendable () -> Void) {
        let isFirst = synced == nil
        let isRecovered = recordSynced()
        guard health.shouldReportReady(isRecovered: isRecovered || isFirst) else { return }
        let progress = progress(upTo: cursor)
        deliver({ $0.ready(upTo: progress) }, accepted: accepted)
    }

    private func progress(upTo cursor: ListCursor) -> DataSourceProgress {
        var cursor = cursor
        cursor.omission = health.omission
        return cursor.progress(synced: WallClock.now)
    }

    /// Records that the list has all rows of its table, and logs it after an error. Returns whether there was one.
    @discardableResult
    func recordSynced() -> Bool {
        guard health.recordSynced() else { return false }
        logger.notice("\(options.address.text): the list \(options.name.quoted) is up to date again")
        return true
    }

    /// Reports an error, unless it is the one that was reported last.
    func reportFailure(_ message: String) {
        guard let text = health.recordFailure(message) else { return }
        queue.async { [sink, text] in sink.failed(text) }
    }

    // MARK: Writes

    /// Queues a write until the whole list is read, but not for long (``takeOverdueWrites()``).
    func enqueue(_ write: DataSourceWrite) { writes.enqueue(write) }

    /// Removes and returns the queued writes.
    func takeQueuedWrites() -> [DataSourceWrite] { writes.takeQueued() }

    /// Removes and returns the queued writes that have waited too long.
    func takeOverdueWrites() -> [DataSourceWrite] { writes.takeOverdue() }

    /// Whether committed writes wait for their changes.
    var hasCommittedWrites: Bool { writes.hasCommitted }

    /// Records a committed write. It is answered when the list has its changes.
    func recordCommitted(_ write: PendingWrite) { writes.addCommitted(write) }

    /// Answers a write with an error.
    func refuse(_ write: DataSourceWrite.ID, _ error: ListError) {
        queue.async { [sink] in sink.refused(write, error) }
    }

    /// Answers the writes whose changes the list has now, and those whose changes it will not get any more.
    func answerWrites(generation: String) {
        let cursor: ListCursor? = if case .following(let cursor, _) = phase { cursor } else { nil }
        let (done, lost) = writes.removeAnswered(upTo: cursor, generation: generation)
        for id in done { queue.async { [sink] in sink.wrote(id) } }
        for id in lost {
            let text = "the write was committed, but its changes have not arrived: the outcome is unknown"
            refuse(id, ListError(.sourceUnavailable, "\(options.address.text): \(text)"))
        }
    }

    /// Records what the list lacks of its table, or of changed rows, and reports it if it has changed.
    func recordLosses(_ losses: RowLosses, ofChanged ids: Set<String>? = nil) {
        guard health.recordLosses(losses, ofChanged: ids) else { return }
        reportOmission()
    }

    /// Reports again what the list lacked when its cursor was stored.
    func restoreOmission(of cursor: ListCursor) {
        health.restore(omission: cursor.omission)
        if !cursor.omission.isEmpty { reportOmission() }
    }

    private func reportOmission() {
        let omission = health.omission
        let text = omission.isEmpty ? nil : "\(options.address.text): list \(options.name.quoted): \(omission)"
        queue.async { [sink] in sink.incomplete(text) }
    }
}

/// The changes of one list that a poll returned.
struct RowChanges: Sendable {
    /// The changed ids that no longer have a row.
    var removed: [String] = []
    /// The changed rows in the list's order, each with its position.
    var upserts: [UpdateRequest.Upsert] = []
}

/// Tracks whether a list has all rows of its table, and what was reported and logged.
struct ListHealth {
    /// The time when the list last had all rows of its table, by the wall clock and by the monotonic clock.
    private(set) var synced: (time: UInt64, at: ContinuousClock.Instant)?
    /// The number of times in a row that the list could not be read or updated.
    private var failedReadings = 0
    /// Whether the last attempt to read or update the list has failed.
    var hasFailed: Bool { failedReadings > 0 }
    /// The error that was reported last.
    private var failure: String?
    /// The time of the last report that the list has all rows of its table.
    private var reportedReady: ContinuousClock.Instant?
    /// What the list lacks of its table.
    private var losses = RowLosses()
    /// What the list lacked when its cursor was stored; empty once the whole list was read.
    private var formerOmission = ""

    /// Records that the list has all rows of its table. Returns whether an error was reported before.
    @discardableResult
    mutating func recordSynced() -> Bool {
        defer { failure = nil }
        failedReadings = 0
        synced = (WallClock.now, .now)
        return failure != nil
    }

    /// Records that reading or updating failed, and returns the delay before the next attempt.
    mutating func recordFailedReading() -> Duration {
        failedReadings += 1
        return BackOff.delay(after: failedReadings)
    }

    /// Returns whether to report that the list has all rows of its table: after an error, or a second after the last
    /// report.
    ///
    /// - Parameter isRecovered: whether an error was reported before.
    mutating func shouldReportReady(isRecovered: Bool) -> Bool {
        if !isRecovered, let reportedReady, .now - reportedReady < .seconds(1) { return false }
        reportedReady = .now
        return true
    }

    /// Records an error. Returns the text to report, or `nil` if the same error was reported last.
    mutating func recordFailure(_ message: String) -> String? {
        guard failure != message else { return nil }
        failure = message
        guard let synced else { return message }
        return "\(message); the list is as of \(WallClock.timeOfDay(synced.time))"
    }

    /// What the list lacks of its table, on one line; empty = nothing.
    var omission: String { formerOmission.isEmpty ? losses.text ?? "" : formerOmission }

    /// Continues with what the list lacked when its cursor was stored.
    mutating func restore(omission: String) { formerOmission = omission }

    /// Records what the list lacks of the whole table, or of changed rows. Returns whether ``omission`` has changed.
    mutating func recordLosses(_ new: RowLosses, ofChanged ids: Set<String>?) -> Bool {
        let before = omission
        if let ids {
            losses.replace(ids, with: new)
        } else {
            (losses, formerOmission) = (new, "")
        }
        return omission != before
    }
}

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
