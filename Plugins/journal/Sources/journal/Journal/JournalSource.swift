// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Lists the newest entries of a journal and follows it: `journal/entries?…` ([options](../../../README.md)).
///
/// Entries written within ``quietTime`` are sent as one change. When files are added or removed, for example by a
/// rotation, the journal is opened and read again, and the engine computes the difference. When the journal cannot
/// be read, the list keeps its entries and fails, and the source tries again.
///
/// A source that is started with a cursor reads only the entries after the list's newest one, if the journal still
/// has all entries of the list.
final class JournalSource: DataSource {
    private static let quietTime = Duration.milliseconds(50)
    private static let reopenTime = Duration.milliseconds(200)
    private static let retryTime = Duration.seconds(1)
    /// The interval at which journalctl polls a file system that reports no changes.
    private static let pollInterval = Duration.seconds(2)

    private let context: DataSourceContext
    private let query: JournalQuery
    private var window: JournalWindow
    private var journal: Journal?
    private var following: [DataSourceActivity] = []
    private var waiting: DataSourceActivity?
    private var failure: String?
    /// The cursor that the source was started with, until the journal is open.
    private var place: JournalPlace?

    init(_ context: DataSourceContext) throws {
        query = try JournalQuery(context.argument)
        window = JournalWindow(query)
        self.context = context
    }

    func start() {
        place = context.cursor.flatMap(JournalPlace.init(cursor:))
        open()
    }

    func stop() { journal = nil }

    /// Watches the journal and then reads it, so that entries written in between are not lost.
    private func open() {
        close()
        do {
            let journal = try Journal(query)
            self.journal = journal
            let descriptor = try journal.makeDescriptor()
            following = [context.whenReadable(descriptor) { [unowned self] in processChanges() }]
            if !journal.isDescriptorReliable {
                following.append(context.every(Self.pollInterval) { [unowned self] in processChanges() })
            }
            context.sink.send(try firstEvent(of: journal))
            place = nil
            failure = nil
            if query.directory == nil, !journal.hasSystemFiles {
                reportFailure("there is no journal, or none that this user may read (group systemd-journal)")
            }
        } catch {
            fail(error)
        }
    }

    /// Returns the first event after the journal was opened, with the new entries or with all entries.
    private func firstEvent(of journal: Journal) throws -> DataSourceEvent {
        if let place, place.count <= query.count, let ids = try journal.identifiers(of: place) {
            window.resume(with: ids)
            let entries = try readNewEntries(of: journal)
            return entries.isEmpty ? .upTo(place.progress, .ready) : try window.append(entries)
        }
        try journal.seek(beforeNewest: query.count)
        return try window.replace(with: try readNewEntries(of: journal))
    }

    private func close() {
        for activity in following { activity.cancel() }
        following = []
        waiting?.cancel()
        waiting = nil
        journal = nil
    }

    // MARK: Following

    /// Processes changes of the journal, and schedules sending them together with later ones.
    private func processChanges() {
        do {
            switch try journal?.process() {
            case .appended: schedule(after: Self.quietTime) { [unowned self] in sendNewEntries() }
            case .invalidated: schedule(after: Self.reopenTime, replacesScheduled: true) { [unowned self] in open() }
            case nil, .some(.none): break
            }
        } catch {
            fail(error)
        }
    }

    /// Schedules `body` after a delay. Does nothing if work is scheduled already, unless `replacesScheduled`.
    private func schedule(after time: Duration, replacesScheduled: Bool = false, _ body: @escaping () -> Void) {
        guard replacesScheduled || waiting == nil else { return }
        waiting?.cancel()
        waiting = context.after(time) { [unowned self] in
            waiting = nil
            body()
        }
    }

    private func sendNewEntries() {
        guard let journal else { return }
        do {
            let entries = try readNewEntries(of: journal)
            if !entries.isEmpty { context.sink.send(try window.append(entries)) }
        } catch {
            fail(error)
        }
    }

    /// Reads the entries after the last one that was read. If there are more than the list may have, the older ones
    /// are dropped.
    private func readNewEntries(of journal: Journal) throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        while let entry = try journal.next() {
            entries.append(entry)
            if entries.count >= 2 * query.count { entries.removeFirst(query.count) }
        }
        return entries
    }

    // MARK: Failing

    private func fail(_ error: any Error) {
        close()
        reportFailure((error as? ListError)?.message ?? "\(error)")
        schedule(after: Self.retryTime) { [unowned self] in open() }
    }

    /// Reports an error, unless it was the last one reported.
    private func reportFailure(_ message: String) {
        guard failure != message else { return }
        failure = message
        context.sink.failed(message)
    }
}
