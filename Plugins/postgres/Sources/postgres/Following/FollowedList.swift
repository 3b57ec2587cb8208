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
    private(set) var phase: Phase
    /// What it had when listd started, until it is known whether that still counts.
    private var restored: ListCursor?
    /// Whether an event is on its way that the list has not taken.
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

    /// Whether the list is gone; asked on any thread.
    var hasLeft: Bool { left.load(ordering: .acquiring) }
    func leave() { left.store(true, ordering: .releasing) }

    // MARK: Where it stands

    /// It has what a cursor says.
    func follow(_ cursor: ListCursor, _ description: ListDescription) { phase = .following(cursor, description) }

    /// What it has counts no longer: it is read as a whole, after some time.
    func readAgain(after delay: Duration) {
        restored = nil
        phase = .new(notBefore: .now + delay)
    }

    /// What it had when listd started, once.
    func takeRestored() -> ListCursor? {
        defer { restored = nil }
        return restored
    }

    /// Begins to read it as a whole, if it is time for that; answers whether it is.
    func beginReading() -> Bool {
        guard !isBusy, restored == nil, case .new(let time) = phase, time <= .now else { return false }
        phase = .reading
        return true
    }

    /// It could not be read, or brought up to date; it is tried again, ever more rarely.
    func readingFailed() {
        readAgain(after: health.readingFailed())
    }

    /// When it was last known to be whole; nil = it never was.
    var synced: ContinuousClock.Instant? { health.synced?.at }

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
        guard health.isReadyNews() else { return }
        let progress = cursor.progress(synced: WallClock.now)
        deliver({ $0.ready(upTo: progress) }, taken: taken)
    }

    /// The list is whole now.
    func isWhole() { health.isWhole() }

    /// Tells once what is wrong.
    func tellFailure(_ message: String) {
        guard let text = health.news(of: message) else { return }
        queue.async { [sink, text] in sink.failed(text) }
    }

    // MARK: Writes

    /// A write waits until the list is read.
    func hold(_ write: DataSourceWrite) { writes.hold(write) }

    /// The writes that waited for it.
    func takeHeldWrites() -> [DataSourceWrite] { writes.takeHeld() }

    /// A write is in the database; it is answered when the list has it.
    func wrote(_ write: PendingWrite) { writes.add(write) }

    /// A write is not in the database, or nobody knows.
    func refuse(_ write: DataSourceWrite.ID, _ error: ListError) {
        queue.async { [sink] in sink.refused(write, error) }
    }

    /// Answers the writes that the list was told of, and those that it will not be told of any more.
    func answerWrites(generation: String) {
        let cursor: ListCursor? = if case .following(let cursor, _) = phase { cursor } else { nil }
        let (done, lost) = writes.take(upTo: cursor, generation: generation)
        for id in done { queue.async { [sink] in sink.wrote(id) } }
        for id in lost {
            let text = "it was written, and the database has not shown it since: the outcome is unknown"
            refuse(id, ListError(.sourceUnavailable, "\(options.address.text): \(text)"))
        }
    }

    /// Logs what was left out, unless it is what was left out before.
    func note(_ losses: RowReader.Losses, isWhole: Bool, to logger: PluginLogger) {
        guard health.isNews(losses, isWhole: isWhole) else { return }
        logger.warning("\(options.address.text): list \(options.name.quoted): \(losses.text)")
    }
}

/// What a poll found for one list.
struct RowChanges: Sendable {
    /// The ids without a row.
    var removed: [String] = []
    /// The rows, in their order, each after the one before it.
    var upserts: [UpdateRequest.Upsert] = []
}
