internal import PluginAPI

/// Lists a directory and follows it: `files/directory?PATH`.
///
/// The first change is shown at once; what follows within ``quietTime`` comes as one. When notices were lost the directory
/// is read again; when it is gone, or cannot be read, the list keeps what it has, fails, and the source looks every
/// ``retryTime`` whether the directory is there again.
final class DirectorySource: DataSource {
    private static let quietTime = Duration.milliseconds(40)
    private static let retryTime = Duration.milliseconds(500)
    private static let pollTime = Duration.seconds(2)

    private let context: DataSourceContext
    private let path: String
    private let showsHidden: Bool
    private let listing = DirectoryListing()
    private var pending = PendingChanges()
    private var following: DataSourceActivity?
    private var quiet: DataSourceActivity?
    private var failure: String?

    init(_ context: DataSourceContext, showsHidden: Bool) throws(ListError) {
        path = context.argument
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ListError(
                .invalidArguments, "files/directory needs an absolute path after the ?, not “\(path)”")
        }
        self.context = context
        self.showsHidden = showsHidden
    }

    func start() { open() }

    /// Begins to follow the directory, then reads it: what happens in between is not lost.
    private func open() {
        do throws(FileSystemError) {
            try follow()
            try readAll()
        } catch {
            fail("\(error)")
        }
    }

    private func follow() throws(FileSystemError) {
        let watch: DirectoryWatch
        do throws(FileSystemError) {
            watch = try DirectoryWatch(path: path)
        } catch  where error.isLackOfWatches {
            context.logger.warning("\(error); \(path) is read every \(Self.pollTime) instead")
            following = context.every(Self.pollTime) { [unowned self] in readAgain() }
            return
        }
        following = context.whenReadable(watch.descriptor) { [unowned self] in
            watch.drain { pending.note($0) }
            if quiet == nil { settle() }
        }
    }

    // MARK: Changes

    /// Shows what happened, and then lets more gather for a while.
    private func settle() {
        if pending.isComplete { showPending() }
        guard following != nil else { return }
        quiet = context.after(Self.quietTime) { [unowned self] in
            quiet = nil
            if pending.isEmpty { return }
            showPending()
            if following != nil { settle() }
        }
    }

    private func showPending() {
        let changes = pending.take()
        if changes.isGone { return fail("\(path): the directory is gone") }
        if changes.needsReading { return readAgain() }
        guard !changes.isEmpty else { return }
        do {
            try show(changes)
        } catch {
            fail("\(error)")
        }
    }

    private func show(_ pending: PendingChanges) throws {
        let directory = try Directory(path: path)
        var statuses: [FileName: FileEntry?] = [:]
        for name in pending.touched { statuses[name] = .some(isShown(name) ? directory.entry(name) : nil) }
        let changes = try listing.apply(renames: pending.renames, statuses: statuses)
        if !changes.isEmpty { context.sink.changes(removed: changes.removed, upserts: changes.upserts) }
    }

    private func isShown(_ name: FileName) -> Bool { showsHidden || !name.isHidden }

    // MARK: Everything

    private func readAgain() {
        do throws(FileSystemError) { try readAll() } catch { fail("\(error)") }
    }

    private func readAll() throws(FileSystemError) {
        let entries = try Directory(path: path).entries().filter { isShown($0.name) }
        do throws(ListError) {
            context.sink.replace(try listing.replace(with: entries))
            failure = nil
        } catch {
            fail(error.message)
        }
    }

    /// Says once what is wrong, and tries again later.
    private func fail(_ message: String) {
        following?.cancel()
        following = nil
        quiet?.cancel()
        quiet = nil
        pending = PendingChanges()
        if failure != message {
            failure = message
            context.sink.failed(message)
        }
        context.after(Self.retryTime) { [unowned self] in open() }
    }
}
