// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers
internal import PluginAPI

/// The source of one list, and the state of what it has sent.
@DBusActor
final class AdapterSource {
    /// The source's events that are not applied to the list yet, and how far the source has read.
    let intake: SourceIntake
    private var source: (any Source)?
    private var feed: SourceFeed?

    init(_ intake: SourceIntake) { self.intake = intake }

    /// The source as a follower, if the list follows another one.
    var follower: Follower? { source as? Follower }

    /// The source, if it accepts clients' writes.
    var writable: (any Source)? { source?.acceptsWrites == true ? source : nil }

    /// The display hints of the source, or of the followed list.
    var hints: [String: FieldHint] { follower?.baseHints ?? source?.hints ?? [:] }

    /// Replaces the source, which has ended; ``start()`` starts the new one.
    func setSource(_ new: (any Source)?, feed: SourceFeed) { (source, self.feed) = (new, feed) }

    /// Starts the source.
    func start() {
        source?.start { [sourceState = intake.sourceState] in sourceState.cursor }
    }

    /// Stops the source, if there is one.
    func end() {
        feed?.close()
        source?.stop {}
        intake.handleSourceEnd()
    }

    /// Retries refused events at once, because limits or the disk may have room now.
    func retry() {
        feed?.retry()
        follower?.retryNow()
    }

    /// Applies changed limits to what the source reads.
    ///
    /// - Parameter lacksObjects: whether the list lacks objects of the source, which then starts again from the
    ///   beginning.
    func setLimits(_ limits: BulkReader.Limits, lacksObjects: Bool) {
        source?.setLimits(limits.objects, fileBytes: limits.fileBytes)
        guard lacksObjects else { return }
        intake.handleSourceEnd()
        source?.renew()
    }
}

/// The events of one list's source that are not applied to the list yet, and how far the source has read with the
/// list's present content.
@DBusActor
final class SourceIntake {
    /// The time that a record waits to be stored with a transaction of the list. After that, it is written without one.
    private static let patience = Duration.seconds(10)

    /// The record of how far the source has read.
    let sourceState: SourceState
    /// The clients' writes that the source has not answered.
    let writes = SourceWrites()
    private let stored: StoredList
    private var pages: ReplacementPages?
    private var removal: LargeRemoval?
    private var timer: LoopTimer?
    /// Whether an event is being applied to the list.
    private var isApplying = false

    /// Makes the intake of a list that has the content of the latest record.
    init(_ sourceState: SourceState, of stored: StoredList) {
        self.sourceState = sourceState
        self.stored = stored
    }

    // MARK: Pages

    /// Starts a replacement of the whole list in pages; earlier pages are dropped.
    func beginReplacement() { pages = ReplacementPages() }

    /// Appends a page to the replacement; without a replacement, the page is ignored.
    ///
    /// - Throws: `limitsExceeded`; the pages are then dropped.
    func add(_ page: [ListObject], within room: Quotas.Amounts) throws(ListError) {
        guard var pages else { return }
        // `pages` is now the only reference, so that the array grows in place.
        self.pages = nil
        try pages.append(page, within: room)
        self.pages = pages
    }

    /// The objects of all pages; nil without a replacement. They are kept until ``dropPages()``, because the list may
    /// refuse them at first.
    var wholeList: [ListObject]? { pages?.objects }

    /// Drops the pages of the replacement.
    func dropPages() { pages = nil }

    // MARK: How far the source has read

    /// Returns the record that holds after an event is applied.
    func makeRecord(after progress: DataSourceProgress?, isWhole: Bool, lacksObjects: Bool) -> SourceRecord {
        var record = sourceState.record.after(progress, isWhole: isWhole, now: Clock.microseconds(of: CLOCK_REALTIME))
        // The source must send the missing objects again.
        if lacksObjects { record.removeCursor() }
        return record
    }

    /// Records that an event is being applied by a request; the store writes the request's cursor together with the
    /// event's changes.
    func willApply() { isApplying = true }

    /// Records that the event was not applied.
    func didNotApply() { isApplying = false }

    /// Records that an event was applied, so that its record holds.
    func didApply(_ record: SourceRecord, removed: LargeRemoval? = nil) {
        isApplying = false
        sourceState.record = record
        if let removed { removal = removed }
        writeLater()
    }

    /// Records that the list lacks objects of the source. The source must start again from the beginning, even after
    /// a restart of listd.
    func forgetCursor() {
        sourceState.forgetCursor()
        write()
    }

    /// Writes the record after a delay. If only the time in the record has changed, it is written when listd stops.
    private func writeLater() {
        var record = sourceState.record
        record.synced = stored.cursor.flatMap(SourceRecord.init(bytes:))?.synced ?? record.synced
        guard timer == nil, stored.cursor != record.bytes else { return }
        timer = EventLoop.shared.addTimer(after: Self.patience) { [weak self] in
            guard let self else { return }
            timer = nil
            // A request in progress stores a later record.
            if isApplying { writeLater() } else { write() }
        }
    }

    /// Writes the record if it differs from the stored one.
    private func write() {
        let bytes = sourceState.record.bytes
        if stored.cursor != bytes { stored.write(cursor: bytes) }
    }

    /// Returns the last removal of many objects by an event of the source since the previous call of this method; nil
    /// if there was none.
    func popRemoval() -> LargeRemoval? {
        defer { removal = nil }
        return removal
    }

    // MARK: The end

    /// Drops incomplete pages and refuses pending writes, because the source has ended or restarts.
    func handleSourceEnd() {
        dropPages()
        writes.refuseAll()
    }

    /// Writes the last record, because listd is stopping.
    func end() {
        timer?.cancel()
        timer = nil
        write()
    }
}
