// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Lists a directory, with its subdirectories if the list is recursive, and follows its changes:
/// `files/directory?PATH`.
///
/// The first change is sent immediately. Changes within ``quietTime`` after it are collected and sent together. When
/// inotify has lost events, everything is read again. When the directory is gone or cannot be read, the list fails
/// and keeps its objects, and the source tries again every ``retryTime``.
///
/// Reading, sorting and creating objects are divided into turns of about ``turnTime`` on the executor, so that no
/// turn takes too long even in large directories. Events that arrive meanwhile are handled afterwards.
final class DirectorySource: DataSource {
    private static let quietTime = Duration.milliseconds(40)
    private static let retryTime = Duration.milliseconds(500)
    private static let pollTime = Duration.seconds(2)
    /// The retry time after a directory had too many entries.
    private static let longRetryTime = Duration.seconds(10)
    /// The number of times that a reading is restarted because of renames. After that, its result is shown
    /// nevertheless.
    private static let maximumAttempts = 3

    /// The steps that lead from the directory to the whole list, in their order.
    private enum Work {
        case following
        case reading(TreeReading)
        case sorting(ListingRenewal)
        case describing(ListingDescription)
        case showing([ListObject])
    }

    /// Where changes come from: an inotify watch, or a timer that reads everything again if there is no watch.
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
    /// The number of times that renames have invalidated the present reading.
    private var attempts = 0

    init(_ context: DataSourceContext, turnTime: Duration = .milliseconds(100)) throws {
        self.turnTime = turnTime
        options = try DirectoryOptions(context.argument, settings: context.settings)
        listing = DirectoryListing(isRecursive: options.isRecursive)
        self.context = context
    }

    func start() { open() }

    /// Watches and reads the directory. Each directory is watched before it is read, so that no change in between
    /// is lost.
    private func open() {
        close()
        begin(.following)
    }

    private func startWatching() throws(FileSystemError) {
        let watch = try TreeWatch()
        try watch.watchPath(to: options.path)
        let activity = context.whenReadable(watch.descriptor) { [unowned self] in
            watch.drain { handle($0) }
            if quiet == nil, work == nil { sendAndCollectChanges() }
        }
        following = Following(activity: activity, watch: watch)
    }

    private var watch: TreeWatch? { following?.watch }

    private var isPolling: Bool { following != nil && watch == nil }

    /// Reads everything at intervals, because the directory cannot be watched.
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

    // MARK: Reading everything

    private var wholeReading: Work { .reading(TreeReading(options, from: .root, watch: watch)) }

    private func begin(_ work: Work) {
        self.work = work
        proceed()
    }

    /// Works for ``turnTime`` and then schedules another turn.
    private func proceed() {
        let end = ContinuousClock.now + turnTime
        do {
            repeat {
                guard let work else { return }
                self.work = try step(work, until: end)
                if case .showing(let objects) = self.work {
                    self.work = nil
                    return sendWholeList(objects)
                }
            } while ContinuousClock.now < end
        } catch let error as FileSystemError where error.isLackOfWatches && !isPolling {
            return poll(because: error)
        } catch {
            return fail(error)
        }
        turn = context.after(.zero) { [unowned self] in proceed() }
    }

    /// Does a piece of work and returns the work that remains.
    private func step(_ work: Work, until end: ContinuousClock.Instant) throws -> Work {
        switch work {
        case .following:
            try startWatching()
            return wholeReading
        case .reading(let reading):
            let isRead = try reading.proceed(until: end)
            if isRead { watch?.drain { handle($0) } }
            if pending.isGone { throw goneError }
            if !isRead { return work }
            return isReadingOutdated && attempts < Self.maximumAttempts
                ? restartReading() : .sorting(listing.renewal(with: reading.entries))
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

    /// Whether an entry may have been read under a name that it no longer has. Its object would then get another
    /// entry's identifier.
    private var isReadingOutdated: Bool { pending.needsReading || pending.hasRenames && listing.count > 0 }

    /// Starts the reading again. After ``maximumAttempts`` the result is shown as it is, and later changes correct
    /// it.
    private func restartReading() -> Work {
        attempts += 1
        close()
        return .following
    }

    private func sendWholeList(_ objects: [ListObject]) {
        attempts = 0
        failure = nil
        context.sink.replace(objects)
        if !pending.isEmpty, quiet == nil { collectChanges() }
    }

    // MARK: Changes

    private func handle(_ event: DirectoryEvent) {
        guard let rename = pending.record(event), let watch, watch.contains(rename.from) else { return }
        watch.move(rename.from, to: rename.to)
        // In a recursive list, a renamed directory may have been moved to another depth, so that its entries may now
        // be within the list's limit or beyond it. A reading under way may have read them under their old paths.
        if options.isRecursive, isReading || rename.from.depth != rename.to.depth { pending.record(.overflow) }
    }

    private var isReading: Bool { if case .reading = work { true } else { false } }

    /// Sends the pending changes, and then collects further ones for ``quietTime``.
    private func sendAndCollectChanges() {
        if pending.isComplete { sendPending() }
        collectChanges()
    }

    private func collectChanges() {
        guard following != nil else { return }
        quiet = context.after(Self.quietTime) { [unowned self] in
            quiet = nil
            if pending.isEmpty { return }
            sendPending()
            if following != nil, quiet == nil { sendAndCollectChanges() }
        }
    }

    private func sendPending() {
        // While everything is read, changes wait until the whole list was sent.
        guard work == nil else { return }
        let changes = pending.drain()
        if changes.isGone { return fail(goneError) }
        if changes.needsReading { return open() }
        if changes.isEmpty { return }
        do { try send(changes) } catch { fail(error) }
    }

    private func send(_ pending: PendingChanges) throws {
        for path in pending.departed { watch?.remove(path) }
        var statuses = try Tree(options: options).statuses(of: pending.touched)
        if options.isRecursive, try !readNewDirectories(into: &statuses) { return open() }
        let changes = try listing.apply(renames: pending.renames, statuses: statuses)
        guard listing.count <= options.maximumCount else {
            throw Tree.TooLong(path: options.path, limit: options.maximumCount)
        }
        if !changes.isEmpty { context.sink.changes(removed: changes.removed, upserts: changes.upserts) }
    }

    /// Adds the entries of new directories to `statuses` and watches these directories. Removes the watches of
    /// directories that are gone.
    ///
    /// - Returns: `false` if the new directories have too many entries for one turn.
    private func readNewDirectories(into statuses: inout [EntryPath: FileEntry?]) throws -> Bool {
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

    private var goneError: ListError {
        ListError(.pluginFailed, "\(options.path.shortenedPath): the directory is gone")
    }

    private func fail(_ error: any Error) {
        let retry = error is Tree.TooLong ? Self.longRetryTime : Self.retryTime
        fail((error as? ListError)?.message ?? "\(error)", retryAfter: retry)
    }

    /// Reports an error, unless it was the last one reported, and tries again later.
    private func fail(_ message: String, retryAfter time: Duration = retryTime) {
        close()
        if failure != message {
            failure = message
            context.sink.failed(message)
        }
        context.after(time) { [unowned self] in open() }
    }
}
