// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Lists a directory, and what is below it if wanted, and follows it: `files/directory?PATH`.
///
/// The first change is shown at once; changes within ``quietTime`` after it are collected. When notices were lost
/// everything is read again. When the directory is gone or cannot be read, the list fails and keeps its objects, and
/// the source tries again every ``retryTime``.
///
/// Everything is read, sorted and made into objects in turns of the executor that take about ``turnTime`` each: no turn
/// takes too long, even in large directories. Notices that come meanwhile are handled afterwards.
final class DirectorySource: DataSource {
    private static let quietTime = Duration.milliseconds(40)
    private static let retryTime = Duration.milliseconds(500)
    private static let pollTime = Duration.seconds(2)
    /// A directory with too many entries is read again less often.
    private static let longRetryTime = Duration.seconds(10)
    /// How often a reading begins again after a rename invalidated it, before its result is shown nevertheless.
    private static let greatestAttempts = 3

    /// What is to be done next so that the whole list can be shown.
    private enum Work {
        case following
        case reading(TreeReading)
        case sorting(ListingRenewal)
        case describing(ListingDescription)
        case showing([ListObject])
    }

    /// The origin of notices: a watch, or else a timer that has everything read again.
    private struct Following {
        let activity: DataSourceActivity
        let watch: TreeWatch?
    }

    private let context: DataSourceContext
    private let options: DirectoryOptions
    private let listing: DirectoryListing
    private var following: Following?
    private var pending = PendingChanges()
    private var quiet: DataSourceActivity?
    private var failure: String?
    private let turnTime: Duration
    private var work: Work?
    private var turn: DataSourceActivity?
    /// How often the present reading was invalidated.
    private var attempts = 0

    init(_ context: DataSourceContext, turnTime: Duration = .milliseconds(100)) throws {
        self.turnTime = turnTime
        options = try DirectoryOptions(context.argument, settings: context.settings)
        listing = DirectoryListing(isRecursive: options.isRecursive)
        self.context = context
    }

    func start() { open() }

    /// Begins to follow the directory and reads it; each part is followed before it is read, so that no change between
    /// is lost.
    private func open() {
        close()
        begin(.following)
    }

    private func follow() throws(FileSystemError) {
        let watch = try TreeWatch()
        try watch.addWay(to: options.path)
        let activity = context.whenReadable(watch.descriptor) { [unowned self] in
            watch.drain { handle($0) }
            if quiet == nil, work == nil { settle() }
        }
        following = Following(activity: activity, watch: watch)
    }

    private var watch: TreeWatch? { following?.watch }

    private var isPolling: Bool { following != nil && watch == nil }

    /// Reads everything at intervals, as there is no watch.
    private func poll(because error: FileSystemError) {
        close()
        context.logger.warning("\(error); \(options.path) is read every \(Self.pollTime) instead")
        let activity = context.every(Self.pollTime) { [unowned self] in if work == nil { begin(wholeReading) } }
        following = Following(activity: activity, watch: nil)
        begin(wholeReading)
    }

    private func close() {
        following?.activity.cancel()
        following = nil
        quiet?.cancel()
        quiet = nil
        turn?.cancel()
        turn = nil
        work = nil
        pending = PendingChanges()
    }

    // MARK: Everything

    private var wholeReading: Work { .reading(TreeReading(options, from: .root, watch: watch)) }

    private func begin(_ work: Work) {
        self.work = work
        proceed()
    }

    /// Works for a while, and then goes on in another turn.
    private func proceed() {
        let end = ContinuousClock.now + turnTime
        do {
            repeat {
                guard let work else { return }
                self.work = try step(work, until: end)
                if case .showing(let objects) = self.work {
                    self.work = nil
                    return show(objects)
                }
            } while ContinuousClock.now < end
        } catch let error as FileSystemError where error.isLackOfWatches && !isPolling {
            return poll(because: error)
        } catch {
            return fail(error)
        }
        turn = context.after(.zero) { [unowned self] in proceed() }
    }

    /// Does a piece of the work; returns the next one.
    private func step(_ work: Work, until end: ContinuousClock.Instant) throws -> Work {
        switch work {
        case .following:
            try follow()
            return wholeReading
        case .reading(let reading):
            let isRead = try reading.proceed(until: end)
            if isRead { watch?.drain { handle($0) } }
            if pending.isGone { throw goneError }
            if !isRead { return work }
            return isSpoilt && attempts < Self.greatestAttempts
                ? readAnew() : .sorting(listing.renewal(with: reading.entries))
        case .sorting(let renewal):
            guard renewal.proceed(until: end) else { return work }
            listing.apply(renewal)
            return .describing(ListingDescription(of: listing))
        case .describing(let description):
            return try description.proceed(until: end) ? .showing(description.objects) : work
        case .showing:
            return work
        }
    }

    /// Whether an entry may have been read under an old name, so that its object would be taken for another one.
    private var isSpoilt: Bool { pending.needsReading || pending.hasRenames && listing.count > 0 }

    /// Where names change all the time, the list is shown in its latest state; the changes since then follow.
    private func readAnew() -> Work {
        attempts += 1
        close()
        return .following
    }

    private func show(_ objects: [ListObject]) {
        attempts = 0
        failure = nil
        context.sink.replace(objects)
        if !pending.isEmpty, quiet == nil { gather() }
    }

    // MARK: Changes

    private func handle(_ notice: DirectoryNotice) {
        guard let rename = pending.record(notice), let watch, watch.contains(rename.from) else { return }
        watch.move(rename.from, to: rename.to)
        // The entries below may now be too deep for the list, or no longer be; or were read under a path that is no
        // longer theirs.
        if options.isRecursive, isReading || rename.from.depth != rename.to.depth { pending.record(.overflow) }
    }

    private var isReading: Bool { if case .reading = work { true } else { false } }

    /// Shows the changes, then collects further ones for a while.
    private func settle() {
        if pending.isComplete { showPending() }
        gather()
    }

    private func gather() {
        guard following != nil else { return }
        quiet = context.after(Self.quietTime) { [unowned self] in
            quiet = nil
            if pending.isEmpty { return }
            showPending()
            if following != nil, quiet == nil { settle() }
        }
    }

    private func showPending() {
        // A reading of everything comes first.
        guard work == nil else { return }
        let changes = pending.drain()
        if changes.isGone { return fail(goneError) }
        if changes.needsReading { return open() }
        if !changes.isEmpty { attempt { try show(changes) } }
    }

    private func show(_ pending: PendingChanges) throws {
        for path in pending.departed { watch?.remove(path) }
        var statuses = try Tree(options: options).statuses(of: pending.touched)
        if options.isRecursive, try !look(into: &statuses) { return open() }
        let changes = try listing.apply(renames: pending.renames, statuses: statuses)
        guard listing.count <= options.greatestCount else {
            throw Tree.TooLong(path: options.path, limit: options.greatestCount)
        }
        if !changes.isEmpty { context.sink.changes(removed: changes.removed, upserts: changes.upserts) }
    }

    /// Adds the entries of new directories and follows these; stops following directories that are gone.
    ///
    /// - Returns: false when they have too many entries for one turn.
    private func look(into statuses: inout [EntryPath: FileEntry?]) throws -> Bool {
        let end = ContinuousClock.now + turnTime * 10
        for (path, status) in statuses {
            guard let entry = status, entry.kind == .directory, options.shows(entriesOf: path) else {
                if watch?.contains(path) == true { watch?.remove(path) }
                continue
            }
            if watch?.contains(path) == true { continue }
            statuses[path] = .some(nil)
            let reading = TreeReading(options, from: path, entry, watch: watch)
            guard try reading.proceed(until: end) else { return false }
            for found in reading.entries { statuses[found.path] = found }
        }
        return true
    }

    // MARK: Failing

    private var goneError: ListError { ListError(.pluginFailed, "\(options.path): the directory is gone") }

    private func attempt(_ work: () throws -> Void) {
        do { try work() } catch { fail(error) }
    }

    private func fail(_ error: any Error) {
        let retry = error is Tree.TooLong ? Self.longRetryTime : Self.retryTime
        fail((error as? ListError)?.message ?? "\(error)", retryAfter: retry)
    }

    /// Reports an error once, and tries again later.
    private func fail(_ message: String, retryAfter time: Duration = retryTime) {
        close()
        if failure != message {
            failure = message
            context.sink.failed(message)
        }
        context.after(time) { [unowned self] in open() }
    }
}
