// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The inotify watches of a list's directories, and of the directories that its path leads through.
///
/// The kernel watches directories, not paths: the watch of a renamed directory remains, and this type updates its
/// path.
final class TreeWatch {
    /// The inotify descriptor, which becomes readable when events are waiting. The caller closes it.
    let descriptor: Int32

    private var paths: [Int32: EntryPath] = [:]
    private var watches: [EntryPath: Int32] = [:]

    private static let events =
        IN_CREATE | IN_DELETE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF

    /// The names that the path to the listed directory looks up in other directories, by the watch of each directory.
    private var steps: [Int32: Set<EntryPath>] = [:]

    /// The maximum number of times that the path is resolved while its watches are set up. A path that changes more
    /// often is watched only in part.
    private static let attempts = 8

    /// Creates an inotify instance without watches.
    init() throws(FileSystemError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileSystemError(subject: "inotify", code: errno) }
    }

    /// Watches the path to the listed directory. Call this before the directory is opened. Changes of the path are
    /// reported as lost events.
    ///
    /// A directory that may be searched but not read cannot be watched; renames in it are not detected.
    func watchPath(to root: String) throws(FileSystemError) {
        var lookups = RootSteps(of: root)
        for _ in 0..<Self.attempts {
            for step in lookups.steps { try add(step) }
            let seen = lookups
            lookups = RootSteps(of: root)
            if lookups == seen { return }
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

    /// The number of watched directories of the list.
    var count: Int { paths.count }

    /// Returns whether a directory is watched.
    func contains(_ path: EntryPath) -> Bool { watches[path] != nil }

    /// Starts watching a directory.
    func add(_ directory: borrowing Directory) throws(FileSystemError) {
        let mask = UInt32(Self.events) | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
        let path = directory.path
        // The path outlives the call.
        let watch = unsafe inotify_add_watch(descriptor, directory.kernelPath, mask)
        guard watch >= 0 else { throw FileSystemError(subject: path.isRoot ? "inotify" : path.text, code: errno) }
        // If the directory was already watched under another path, inotify returns that watch again. The directory
        // was renamed, and the event of the rename has not arrived yet.
        if let old = paths[watch] { watches[old] = nil }
        if let other = watches[path], other != watch { paths[other] = nil }
        paths[watch] = path
        watches[path] = watch
    }

    /// Updates the watches after a rename of a directory, for all directories below it too.
    func move(_ old: EntryPath, to new: EntryPath) {
        let moved = watches.filter { $0.key == old || $0.key.isBelow(old) }
        for path in moved.keys { watches[path] = nil }
        for (path, watch) in moved {
            let path = path.moved(from: old, to: new)
            paths[watch] = path
            watches[path] = watch
        }
    }

    /// Stops watching a directory and all directories below it.
    func remove(_ path: EntryPath) {
        for (path, watch) in watches.filter({ $0.key == path || $0.key.isBelow(path) }) {
            inotify_rm_watch(descriptor, watch)
            watches[path] = nil
            paths[watch] = nil
        }
    }

    // MARK: Events

    /// Passes all waiting events to `body`. A failed read counts as lost events.
    ///
    /// `body` may call ``move(_:to:)``; the events after that have the new paths.
    func drain(_ body: (DirectoryEvent) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            // The buffer has the passed length.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count < 0, errno != EAGAIN { body(.overflow) }
                return
            }
            for record in InotifyRecords(bytes: buffer.prefix(count)) { handle(record, passingEventTo: body) }
        }
    }

    private func handle(_ record: InotifyRecord, passingEventTo body: (DirectoryEvent) -> Void) {
        if record.isOverflow { return body(.overflow) }
        if let names = steps[record.watch], record.concerns(names) { return body(.overflow) }
        guard let directory = paths[record.watch] else { return }
        if record.isGone {
            if directory.isRoot { return body(.gone) }
            // The watch of the containing directory reports that a subdirectory is gone; here only the watch is
            // removed.
            if record.isWatchRemoved {
                paths[record.watch] = nil
                watches[directory] = nil
            }
            return
        }
        if let event = record.event(in: directory) { body(event) }
    }
}

/// One event record of inotify(7).
struct InotifyRecord: Equatable {
    /// The watch descriptor of the event; -1 for an overflow of the event queue.
    var watch: Int32
    private var mask: UInt32
    private var cookie: UInt32
    private var name: EntryPath

    fileprivate init(watch: Int32, mask: UInt32, cookie: UInt32, name: EntryPath) {
        self.watch = watch
        self.mask = mask
        self.cookie = cookie
        self.name = name
    }

    private func includes(_ event: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: event) != 0 }

    /// Whether events were lost.
    var isOverflow: Bool { includes(IN_Q_OVERFLOW) }

    /// Whether the watched directory was deleted, moved or unmounted, or the watch was removed.
    var isGone: Bool { includes(IN_DELETE_SELF) || includes(IN_MOVE_SELF) || includes(IN_UNMOUNT) || isWatchRemoved }

    /// Whether the kernel has removed the watch.
    var isWatchRemoved: Bool { includes(IN_IGNORED) }

    /// Returns whether an entry with one of these names was created, deleted or moved in the watched directory.
    func concerns(_ names: Set<EntryPath>) -> Bool {
        names.contains(name)
            && (includes(IN_CREATE) || includes(IN_DELETE) || includes(IN_MOVED_FROM) || includes(IN_MOVED_TO))
    }

    /// Returns the event for the list, or `nil` if the record does not concern an entry of the watched directory.
    func event(in directory: EntryPath) -> DirectoryEvent? {
        guard !name.isRoot else { return nil }
        let path = directory.child(name)
        if includes(IN_MOVED_FROM) { return .movedFrom(path, cookie: cookie) }
        if includes(IN_MOVED_TO) { return .movedTo(path, cookie: cookie) }
        return .touched(path)
    }
}

/// The sequence of event records in the bytes of one read from an inotify descriptor.
struct InotifyRecords: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func next() -> InotifyRecord? {
        let head = Array(rest.prefix(16))
        guard head.count == 16 else { return nil }
        func number(at offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(head[offset + $1]) << (8 * UInt32($1)) }
        }
        let padded = rest.dropFirst(16).prefix(Int(number(at: 12)))
        rest = rest.dropFirst(16 + Int(number(at: 12)))
        return InotifyRecord(
            watch: Int32(bitPattern: number(at: 0)), mask: number(at: 4), cookie: number(at: 8),
            name: EntryPath(bytes: padded.prefix { $0 != 0 }))
    }
}

/// The name lookups by which the kernel resolves the path of the listed directory, through symbolic links too.
/// While none of these lookups changes, the path leads to the same directory.
struct RootSteps: Equatable {
    /// The lookup of a name in a directory.
    struct Step: Equatable {
        var directory: String
        var name: EntryPath
    }

    /// The maximum number of symbolic links that the kernel follows.
    private static let maximumLinks = 40
    /// The maximum number of lookups; a longer path is watched only in part.
    private static let maximumSteps = 256

    /// The lookups from the root of the file system on. If a name does not exist, its lookup is the last one.
    private(set) var steps: [Step] = []

    /// Resolves an absolute path.
    init(of path: String) {
        var left = Self.names(of: path)
        var directory = "/"
        var links = 0
        while let name = left.popLast(), steps.count < Self.maximumSteps {
            if name == ".." {
                directory = Self.parent(of: directory)
                continue
            }
            steps.append(Step(directory: directory, name: EntryPath(name)))
            let place = directory == "/" ? "/" + name : directory + "/" + name
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            // The buffer has the passed length.
            let count = unsafe readlink(place, &buffer, buffer.count)
            if count < 0 {
                guard errno == EINVAL else { return }
                directory = place
                continue
            }
            links += 1
            guard links <= Self.maximumLinks else { return }
            let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            left += Self.names(of: target)
            if target.hasPrefix("/") { directory = "/" }
        }
    }

    /// Returns the names of a path in reverse order, so that the first one can be popped from the end.
    private static func names(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
