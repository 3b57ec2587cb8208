// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The inotify watches of the directories of a list, and of those that its path leads through.
///
/// The kernel watches directories, not paths: the watch of a renamed directory stays, and its path is updated here.
final class TreeWatch {
    /// Becomes readable when there are notices; the caller closes it.
    let descriptor: Int32

    private var paths: [Int32: EntryPath] = [:]
    private var watches: [EntryPath: Int32] = [:]

    private static let events =
        IN_CREATE | IN_DELETE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF

    /// For each directory above the listed one, the names that lead to it.
    private var steps: [Int32: Set<EntryPath>] = [:]

    /// A path that changes more often than this while the watches are set up is watched only in part.
    private static let attempts = 8

    /// Makes an inotify instance without watches.
    init() throws(FileSystemError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileSystemError(subject: "inotify", code: errno) }
    }

    /// Begins to watch the path to the listed directory, before that is opened: what changes there counts as lost notices.
    ///
    /// Directories that may be passed through and not be read cannot be watched: what is renamed in them is not noticed.
    func addWay(to root: String) throws(FileSystemError) {
        var way = RootSteps(of: root)
        for _ in 0..<Self.attempts {
            for step in way.steps { try add(step) }
            let seen = way
            way = RootSteps(of: root)
            if way == seen { return }
        }
    }

    private func add(_ step: RootSteps.Step) throws(FileSystemError) {
        let events = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
        let watch = unsafe inotify_add_watch(descriptor, step.directory, UInt32(events) | UInt32(IN_ONLYDIR))
        if watch >= 0 {
            steps[watch, default: []].insert(step.name)
        } else {
            let error = FileSystemError(subject: "inotify", code: errno)
            if error.isLackOfWatches { throw error }
        }
    }

    // MARK: Directories

    /// How many directories are watched.
    var count: Int { paths.count }

    /// Whether a directory is watched.
    func contains(_ path: EntryPath) -> Bool { watches[path] != nil }

    /// Begins to watch a directory.
    func add(_ directory: borrowing Directory) throws(FileSystemError) {
        let mask = UInt32(Self.events) | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
        let path = directory.path
        // The path outlives the call.
        let watch = unsafe inotify_add_watch(descriptor, directory.kernelPath, mask)
        guard watch >= 0 else { throw FileSystemError(subject: path.isRoot ? "inotify" : path.text, code: errno) }
        // The same directory, under a name that no notice has reported yet.
        if let old = paths[watch] { watches[old] = nil }
        if let other = watches[path], other != watch { paths[other] = nil }
        paths[watch] = path
        watches[path] = watch
    }

    /// A directory, and with it all below, has another path.
    func move(_ old: EntryPath, to new: EntryPath) {
        let moved = watches.filter { $0.key == old || $0.key.isBelow(old) }
        for path in moved.keys { watches[path] = nil }
        for (path, watch) in moved {
            let path = path.moved(from: old, to: new)
            paths[watch] = path
            watches[path] = watch
        }
    }

    /// Stops watching a directory and all below it.
    func remove(_ path: EntryPath) {
        for (path, watch) in watches.filter({ $0.key == path || $0.key.isBelow(path) }) {
            inotify_rm_watch(descriptor, watch)
            watches[path] = nil
            paths[watch] = nil
        }
    }

    // MARK: Notices

    /// Hands over all notices that are waiting; one that cannot be read counts as lost.
    ///
    /// The body may call ``move(_:to:)``: the notices that follow then have the new paths.
    func drain(_ body: (DirectoryNotice) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            // The buffer has the passed length.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count < 0, errno != EAGAIN { body(.overflow) }
                return
            }
            for record in InotifyRecords(bytes: buffer.prefix(count)) { handle(record, body) }
        }
    }

    private func handle(_ record: InotifyRecord, _ body: (DirectoryNotice) -> Void) {
        if record.isOverflow { return body(.overflow) }
        if let names = steps[record.watch], record.isAbout(names) { return body(.overflow) }
        guard let directory = paths[record.watch] else { return }
        if record.isGone {
            if directory.isRoot { return body(.gone) }
            // A directory inside is reported by the one that contains it; here only its watch ends.
            if record.isWatchOver {
                paths[record.watch] = nil
                watches[directory] = nil
            }
            return
        }
        if let notice = record.notice(in: directory) { body(notice) }
    }
}
