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

/// The options of a list: its directory and which entries it shows. They come from the argument of
/// `files/directory` and from the plugin's settings.
struct DirectoryOptions: Equatable, Sendable {
    /// The maximum of the option `depth`, deeper than any tree that people browse; `recursive` stands for it.
    static let maximumDepth = 64

    /// The absolute path of the directory.
    var path: String
    /// The number of levels of subdirectories whose entries are listed; 0 = only the directory itself.
    var depth = 0
    /// Whether entries whose name begins with a dot are shown.
    var showsHidden = true
    /// The maximum number of entries of a list.
    var maximumCount = 1_000_000

    var isRecursive: Bool { depth > 0 }

    /// Reads an argument.
    ///
    /// - Throws: `invalidArguments` or a setting error, which names the part at fault.
    init(_ text: String, settings: PluginSettings) throws {
        let argument = try DataSourceArgument(text) { ["recursive", "depth", "hidden"].contains($0) }
        path = argument.subject
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ListError(
                .invalidArguments, "files/directory needs an absolute path after the “?”, not \(path.shortenedPath)")
        }
        if try argument.options.boolean("recursive") ?? false { depth = Self.maximumDepth }
        if let depth = try argument.options.integer("depth") {
            guard (1...Self.maximumDepth).contains(depth) else {
                throw PluginSettingError(key: "depth", value: "\(depth)", expected: "1 to \(Self.maximumDepth)")
            }
            self.depth = depth
        }
        showsHidden = try argument.options.boolean("hidden") ?? settings.boolean("ShowHidden") ?? true
        maximumCount = try Self.maximumCount(in: settings) ?? maximumCount
    }

    /// Returns the setting `MaximumEntries`, which limits the number of entries of each list.
    static func maximumCount(in settings: PluginSettings) throws(PluginSettingError) -> Int? {
        guard let count = try settings.integer("MaximumEntries") else { return nil }
        guard count > 0 else {
            throw PluginSettingError(key: "MaximumEntries", value: "\(count)", expected: "a number above 0")
        }
        return count
    }

    func shows(_ path: EntryPath) -> Bool { (showsHidden || !path.isHidden) && path.depth <= depth }

    /// Returns whether the list shows the entries of a directory.
    func shows(entriesOf path: EntryPath) -> Bool { path.isRoot || path.depth < depth }
}

/// An event of inotify in a listed directory.
enum DirectoryEvent: Equatable, Sendable {
    /// The entry was created, changed or deleted; its attributes have to be read.
    case touched(EntryPath)
    /// The entry was moved away from this name. Together with the ``movedTo(_:cookie:)`` of the same cookie it is a
    /// rename.
    case movedFrom(EntryPath, cookie: UInt32)
    /// The entry was moved to this name.
    case movedTo(EntryPath, cookie: UInt32)
    /// Events were lost; everything has to be read again.
    case overflow
    /// The listed directory itself was deleted, moved or unmounted.
    case gone
}

/// Collects the changes of a directory until its list is updated, so that a burst becomes one update.
struct PendingChanges: Equatable, Sendable {
    /// A rename of an entry.
    struct Rename: Equatable, Sendable {
        var from: EntryPath
        var to: EntryPath
    }

    /// Renames in the order in which they happened.
    private(set) var renames: [Rename] = []
    /// The paths of entries whose attributes have to be read.
    private(set) var touched: Set<EntryPath> = []
    /// Whether everything has to be read again.
    private(set) var needsReading = false
    /// Whether the listed directory is gone.
    private(set) var isGone = false
    private var unmatchedMoves: [UInt32: EntryPath] = [:]

    /// Whether there are no changes.
    var isEmpty: Bool { touched.isEmpty && !needsReading && !isGone }

    /// Whether both events of every rename have arrived. They may arrive in two reads.
    var isComplete: Bool { unmatchedMoves.isEmpty }

    /// Whether an entry was renamed, or the first event of a rename has arrived.
    var hasRenames: Bool { !renames.isEmpty || !unmatchedMoves.isEmpty }

    /// The former paths of entries that were moved out of the watched directories.
    var departed: [EntryPath] { Array(unmatchedMoves.values) }

    /// Records an event.
    ///
    /// - Returns: The rename that this event completes, if any.
    @discardableResult
    mutating func record(_ event: DirectoryEvent) -> Rename? {
        switch event {
        case .touched(let name):
            touched.insert(name)
        case .movedFrom(let name, let cookie):
            touched.insert(name)
            unmatchedMoves[cookie] = name
        case .movedTo(let name, let cookie):
            if let from = unmatchedMoves.removeValue(forKey: cookie) { return recordRename(from: from, to: name) }
            touched.insert(name)
        case .overflow:
            needsReading = true
        case .gone:
            isGone = true
        }
        return nil
    }

    /// Records a rename, and updates the pending paths of entries below the renamed one.
    private mutating func recordRename(from old: EntryPath, to new: EntryPath) -> Rename {
        let rename = Rename(from: old, to: new)
        renames.append(rename)
        for path in touched where path.isBelow(old) {
            touched.remove(path)
            touched.insert(path.moved(from: old, to: new))
        }
        unmatchedMoves = unmatchedMoves.mapValues { $0.isBelow(old) ? $0.moved(from: old, to: new) : $0 }
        touched.insert(old)
        touched.insert(new)
        return rename
    }

    /// Returns the collected changes and removes them.
    mutating func drain() -> PendingChanges {
        defer { self = PendingChanges() }
        return self
    }
}
