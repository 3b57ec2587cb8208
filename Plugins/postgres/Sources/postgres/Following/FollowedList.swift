// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PluginAPI
internal import Synchronization

/// One list that is followed: its state, and the events that are sent to it.
final class FollowedList: @unchecked Sendable {
    // Owned by the thread of the service's follower, except the constants, `hasLeft` and the closures that `deliver` runs.

    /// How far the list is.
    enum Phase {
        /// The whole list has to be read, not before a time.
        case new(notBefore: ContinuousClock.Instant)
        /// The whole list is being read.
        case reading
        /// The list has all changes up to a cursor, of a table with this description.
        case following(ListCursor, ListDescription)
    }

    let options: ListOptions
    let sink: DataSourceSink
    private let queue: DispatchQueue
    private let left = Atomic(false)

    /// How far the list is.
    private(set) var phase: Phase
    /// The cursor that listd had stored, until it is known whether it is still valid.
    private var restored: ListCursor?
    /// Whether the list has not yet taken the last event.
    private(set) var isBusy = false
    private var health = ListHealth()
    private var writes = PendingWrites()

    init(_ options: ListOptions, sink: DataSourceSink, cursor: ListCursor?) {
        self.options = options
        self.sink = sink
        restored = cursor
        phase = .new(notBefore: .now)
        queue = DispatchQueue(label: "org.listd.postgres.\(options.name)")
    }

    /// Whether nobody follows the list any more; called on any thread.
    var hasLeft: Bool { left.load(ordering: .acquiring) }
    /// Ends the list; called on any thread.
    func leave() { left.store(true, ordering: .releasing) }

    // MARK: State

    /// The list has all changes up to a cursor.
    func follow(_ cursor: ListCursor, _ description: ListDescription) { phase = .following(cursor, description) }

    /// Lets the whole list be read after a delay.
    func readAgain(after delay: Duration) {
        restored = nil
        phase = .new(notBefore: .now + delay)
    }

    /// Returns the cursor that listd had stored, once.
    func takeRestored() -> ListCursor? {
        defer { restored = nil }
        return restored
    }

    /// Begins to read the whole list if it is time for that; returns whether it is.
    func beginReading() -> Bool {
        guard !isBusy, restored == nil, case .new(let time) = phase, time <= .now else { return false }
        phase = .reading
        return true
    }

    /// Reading or updating the list failed; the next attempt waits longer than the one before.
    func readingFailed() {
        readAgain(after: health.readingFailed())
    }

    /// When the list last had all of its table; nil = never.
    var synced: ContinuousClock.Instant? { health.synced?.at }

    // MARK: Events

    /// Sends an event without waiting; `taken` is called on the list's queue when the list has taken it.
    private func deliver(_ body: @escaping @Sendable (DataSourceSink) -> Void, taken: @escaping @Sendable () -> Void) {
        isBusy = true
        queue.async { [sink] in
            body(sink)
            taken()
        }
    }

    /// The list has taken the last event.
    func wasTaken() { isBusy = false }

    /// Sends changes.
    func tell(_ changes: RowChanges, upTo cursor: ListCursor, taken: @escaping @Sendable () -> Void) {
        isWhole()
        let progress = cursor.progress(synced: WallClock.now)
        deliver({ $0.changes(removed: changes.removed, upserts: changes.upserts, upTo: progress) }, taken: taken)
    }

    /// Reports that the list has all of its table, at most once a second while nothing changes.
    func tellReady(_ cursor: ListCursor, taken: @escaping @Sendable () -> Void) {
        guard health.isReadyNews() else { return }
        let progress = cursor.progress(synced: WallClock.now)
        deliver({ $0.ready(upTo: progress) }, taken: taken)
    }

    /// Records that the list has all of its table.
    func isWhole() { health.isWhole() }

    /// Reports an error, once until another one or the end of it.
    func tellFailure(_ message: String) {
        guard let text = health.news(of: message) else { return }
        queue.async { [sink, text] in sink.failed(text) }
    }

    // MARK: Writes

    /// Keeps a write until the whole list is read.
    func hold(_ write: DataSourceWrite) { writes.hold(write) }

    /// Removes and returns the writes that were kept.
    func takeHeldWrites() -> [DataSourceWrite] { writes.takeHeld() }

    /// Records a committed write, which is answered when the list has it.
    func wrote(_ write: PendingWrite) { writes.add(write) }

    /// Answers a write with an error.
    func refuse(_ write: DataSourceWrite.ID, _ error: ListError) {
        queue.async { [sink] in sink.refused(write, error) }
    }

    /// Answers the writes that the list has now, and those that it will not get any more.
    func answerWrites(generation: String) {
        let cursor: ListCursor? = if case .following(let cursor, _) = phase { cursor } else { nil }
        let (done, lost) = writes.take(upTo: cursor, generation: generation)
        for id in done { queue.async { [sink] in sink.wrote(id) } }
        for id in lost {
            let text = "it was written, and the database has not shown it since: the outcome is unknown"
            refuse(id, ListError(.sourceUnavailable, "\(options.address.text): \(text)"))
        }
    }

    /// Logs which rows and fields were left out, unless they are those of the last time.
    func note(_ losses: RowReader.Losses, isWhole: Bool, to logger: PluginLogger) {
        guard health.isNews(losses, isWhole: isWhole) else { return }
        logger.warning("\(options.address.text): list \(options.name.quoted): \(losses.text)")
    }
}

/// The changes of one list that a poll found.
struct RowChanges: Sendable {
    /// The ids that have no row now.
    var removed: [String] = []
    /// The changed rows, in the list's order, each with its position.
    var upserts: [UpdateRequest.Upsert] = []
}
