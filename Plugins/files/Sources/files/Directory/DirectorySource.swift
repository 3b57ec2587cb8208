internal import PluginAPI

/// Lists a directory, and what is below it if wanted, and follows it: `files/directory?PATH`.
///
/// The first change is shown at once; what follows within ``quietTime`` comes as one. When notices were lost everything is
/// read again; when the directory is gone, or cannot be read, the list keeps what it has, fails, and the source looks every
/// ``retryTime`` whether the directory is there again.
final class DirectorySource: DataSource {
    private static let quietTime = Duration.milliseconds(40)
    private static let retryTime = Duration.milliseconds(500)
    private static let pollTime = Duration.seconds(2)
    /// What is too long for a list is not looked through each moment to see whether it still is.
    private static let longRetryTime = Duration.seconds(10)

    private let context: DataSourceContext
    private let options: DirectoryOptions
    private let tree: Tree
    private let listing: DirectoryListing
    private var watch: TreeWatch?
    private var pending = PendingChanges()
    private var following: DataSourceActivity?
    private var quiet: DataSourceActivity?
    private var failure: String?

    init(_ context: DataSourceContext) throws {
        options = try DirectoryOptions(context.argument, settings: context.settings)
        tree = Tree(options: options)
        listing = DirectoryListing(isRecursive: options.isRecursive)
        self.context = context
    }

    func start() { open() }

    /// Begins to follow the directory and reads it, each part once it is followed: what happens in between is not lost.
    private func open() {
        close()
        do {
            let watch = try TreeWatch()
            following = context.whenReadable(watch.descriptor) { [unowned self] in
                watch.drain { take($0) }
                if quiet == nil { settle() }
            }
            self.watch = watch
            try readAll()
        } catch let error as FileSystemError where error.isLackOfWatches {
            close()
            context.logger.warning("\(error); \(options.path) is read every \(Self.pollTime) instead")
            following = context.every(Self.pollTime) { [unowned self] in attempt { try readAll() } }
            attempt { try readAll() }
        } catch {
            fail(error)
        }
    }

    private func close() {
        following?.cancel()
        following = nil
        quiet?.cancel()
        quiet = nil
        watch = nil
        pending = PendingChanges()
    }

    private func readAll() throws {
        context.sink.replace(
            try listing.replace(with: try tree.read(.root, limit: options.greatestCount, watch: watch)))
        failure = nil
    }

    // MARK: Changes

    private func take(_ notice: DirectoryNotice) {
        guard let rename = pending.note(notice), let watch, watch.contains(rename.from) else { return }
        watch.move(rename.from, to: rename.to)
        // What is below may now be too deep for the list, or no longer be.
        if options.isRecursive, rename.from.depth != rename.to.depth { pending.note(.overflow) }
    }

    /// Shows what happened, and then lets more gather for a while.
    private func settle() {
        if pending.isComplete { showPending() }
        guard following != nil else { return }
        quiet = context.after(Self.quietTime) { [unowned self] in
            quiet = nil
            if pending.isEmpty { return }
            showPending()
            if following != nil, quiet == nil { settle() }
        }
    }

    private func showPending() {
        let changes = pending.take()
        if changes.isGone { return fail("\(options.path): the directory is gone") }
        if changes.needsReading { return open() }
        if !changes.isEmpty { attempt { try show(changes) } }
    }

    private func show(_ pending: PendingChanges) throws {
        for path in pending.departed { watch?.remove(path) }
        var statuses = try tree.statuses(of: pending.touched)
        if options.isRecursive { try look(into: &statuses) }
        let changes = try listing.apply(renames: pending.renames, statuses: statuses)
        guard listing.count <= options.greatestCount else {
            throw Tree.TooLong(path: options.path, limit: options.greatestCount)
        }
        if !changes.isEmpty { context.sink.changes(removed: changes.removed, upserts: changes.upserts) }
    }

    /// Adds what is in directories that are new, and follows them; those that are none any more are followed no longer.
    private func look(into statuses: inout [EntryPath: FileEntry?]) throws {
        for (path, status) in statuses {
            guard let entry = status, entry.kind == .directory, options.shows(entriesOf: path) else {
                if watch?.contains(path) == true { watch?.remove(path) }
                continue
            }
            if watch?.contains(path) == true { continue }
            statuses[path] = .some(nil)
            for found in try tree.read(path, entry, limit: options.greatestCount, watch: watch) {
                statuses[found.path] = found
            }
        }
    }

    // MARK: Failing

    private func attempt(_ work: () throws -> Void) {
        do { try work() } catch { fail(error) }
    }

    private func fail(_ error: any Error) {
        let retry = error is Tree.TooLong ? Self.longRetryTime : Self.retryTime
        fail((error as? ListError)?.message ?? "\(error)", retryAfter: retry)
    }

    /// Says once what is wrong, and tries again later.
    private func fail(_ message: String, retryAfter time: Duration = retryTime) {
        close()
        if failure != message {
            failure = message
            context.sink.failed(message)
        }
        context.after(time) { [unowned self] in open() }
    }
}
