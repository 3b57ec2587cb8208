// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers
internal import PluginAPI

/// The events of one list's source that the list does not have yet, and how far the source has read with the list's
/// present content.
@DBusActor
final class SourceIntake {
    /// How long a record that no transaction of the list has taken along waits for one before it is written by itself.
    private static let patience = Duration.seconds(10)

    /// How far the source has read.
    let sourceState: SourceState
    /// The pending writes.
    let writes = SourceWrites()
    private let stored: StoredList
    private var pages: ReplacementPages?
    private var removal: LargeRemoval?
    private var timer: LoopTimer?
    /// Whether an event is on its way into the list.
    private var isApplying = false

    /// The list has the content of the latest record.
    init(_ sourceState: SourceState, of stored: StoredList) {
        self.sourceState = sourceState
        self.stored = stored
    }

    // MARK: Pages

    /// The whole list follows in pages; earlier ones are dropped.
    func beginReplacement() { pages = ReplacementPages() }

    /// The next page; nobody waits for one that belongs to nothing.
    ///
    /// - Throws: `limitsExceeded`; the pages are dropped then.
    func add(_ page: [ListObject], within room: Quotas.Amounts) throws(ListError) {
        guard var pages else { return }
        // The only reference, so that the array grows in place.
        self.pages = nil
        try pages.append(page, within: room)
        self.pages = pages
    }

    /// The whole list; nil when no pages are there. They stay until ``dropPages()``, should the list not take them yet.
    var wholeList: [ListObject]? { pages?.objects }

    /// The pages are of no more use.
    func dropPages() { pages = nil }

    // MARK: How far the source has read

    /// Records the progress of an applied event.
    func record(after progress: DataSourceProgress?, isWhole: Bool, lacksObjects: Bool) -> SourceRecord {
        var record = sourceState.record.after(progress, isWhole: isWhole, now: Clock.microseconds(of: CLOCK_REALTIME))
        // The source must send again what the list lacks.
        if lacksObjects { record.removeCursor() }
        return record
    }

    /// An event is on its way into the list with a request: what is stored of it is stored with the record.
    func willApply(_ record: SourceRecord, with request: RequestID) {
        isApplying = true
        stored.cursors.set(record.bytes, for: request)
    }

    /// The event is not in the list.
    func didNotApply() { isApplying = false }

    /// The list has what belongs to a record.
    func didApply(_ record: SourceRecord, removed: LargeRemoval? = nil) {
        isApplying = false
        sourceState.record = record
        if let removed { removal = removed }
        writeLater()
    }

    /// The list lacks something that the source told: it has to begin anew, also after the end of listd.
    func forgetCursor() {
        sourceState.forgetCursor()
        write()
    }

    /// The time alone is written at the end, not again and again.
    private func writeLater() {
        var record = sourceState.record
        record.synced = stored.cursor.flatMap(SourceRecord.init(bytes:))?.synced ?? record.synced
        guard timer == nil, stored.cursor != record.bytes else { return }
        timer = EventLoop.shared.addTimer(after: Self.patience) { [weak self] in
            guard let self else { return }
            timer = nil
            // A request that is on its way has a later record.
            if isApplying { writeLater() } else { write() }
        }
    }

    /// Writes the record if the store has another one.
    private func write() {
        let bytes = sourceState.record.bytes
        if stored.cursor != bytes { stored.write(cursor: bytes) }
    }

    /// What a client's write has taken away, if that was much; asked once for each write.
    func popRemoval() -> LargeRemoval? {
        defer { removal = nil }
        return removal
    }

    // MARK: The end

    /// The source ends or restarts: incomplete pages are dropped.
    func sourceEnded() {
        dropPages()
        writes.refuseAll()
    }

    /// listd is stopping: writes the last record.
    func end() {
        timer?.cancel()
        timer = nil
        write()
    }
}
