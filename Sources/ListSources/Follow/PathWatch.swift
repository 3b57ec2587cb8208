// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import Glibc

/// Reports when a file may have changed, appeared or disappeared (inotify(7)).
///
/// It watches the file, and the next name of the path in each existing directory through which the path leads,
/// including those of symbolic links. So it notices a rename or a changed link anywhere on the path. Where a watch is
/// impossible, for lack of permission or of watches, the file is checked once a second. The watch must be
/// used on its serial queue only.
final class PathWatch {
    private static let directoryEvents =
        UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
    private static let fileEvents = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

    /// The maximum number of path changes while watches are set up. Beyond it, the file is checked once a second.
    private static let attempts = 8

    private let path: String
    private let descriptor: Int32
    private var events: (any DispatchSourceRead)?
    private let timer: any DispatchSourceTimer
    private var isPolling = false
    private let watches = WatchedNames()

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - queue: the serial queue of the watch.
    ///   - changed: called on `queue` when the file may have changed, but not before the first call of ``update()``.
    init(path: String, queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
        self.path = path
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        self.descriptor = descriptor
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: changed)
        timer.activate()
        guard descriptor >= 0 else { return }
        let events = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        events.setEventHandler { [watches] in
            if watches.drain(descriptor) { changed() }
        }
        events.setCancelHandler { close(descriptor) }
        events.activate()
        self.events = events
    }

    /// Watches the present path to the file. Call this before each read of the file, so that no change is missed in
    /// between.
    func update() {
        var way = PathSteps(of: path)
        // inotify does not report a directory that appears between the lookup of its name and the watch on its
        // parent.
        for _ in 0..<Self.attempts {
            watch(way)
            let seen = way
            way = PathSteps(of: path)
            if way == seen { return }
        }
        setPolling(true)
    }

    /// Adds watches from the root on, so that the watch on a parent reports when a directory is replaced.
    private func watch(_ way: PathSteps) {
        var missed = descriptor < 0 || way.isIncomplete
        var current: [Int32: Set<String>] = [:]
        for step in way.steps {
            let watch = unsafe inotify_add_watch(descriptor, step.directory, Self.directoryEvents)
            if watch >= 0 { current[watch, default: []].insert(step.name) } else { missed = true }
        }
        let watch = unsafe inotify_add_watch(descriptor, path, Self.fileEvents)
        if watch >= 0 {
            current[watch, default: []] = []
        } else if errno != ENOENT {
            missed = true
        }
        for watch in watches.names.keys where current[watch] == nil { inotify_rm_watch(descriptor, watch) }
        watches.names = current
        setPolling(missed)
    }

    /// Ends watching; `changed` is not called any more.
    func cancel() {
        timer.cancel()
        events?.cancel()
        events = nil
    }

    deinit { cancel() }

    private func setPolling(_ wanted: Bool) {
        guard wanted != isPolling else { return }
        isPolling = wanted
        if wanted {
            timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        } else {
            timer.schedule(deadline: .distantFuture)
        }
    }
}

/// The directory entries whose inotify events are relevant.
private final class WatchedNames: @unchecked Sendable {
    // Owned by the serial queue of the watch.
    /// The relevant names in each watched directory. Events about the watched directory itself are always relevant.
    fileprivate var names: [Int32: Set<String>] = [:]

    /// Reads all pending events. Returns `true` if one of them is relevant. Its details do not matter, because the
    /// file is checked afterwards.
    func drain(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16384)
        var matters = false
        while true {
            // The buffer has the given length.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return matters }
            var rest = buffer[..<count]
            while rest.count >= 16 { if readRecord(&rest) { matters = true } }
        }
    }

    /// Reads one record: watch, mask, cookie, length of the name, and the name padded with NULs. Returns whether it
    /// is relevant.
    private func readRecord(_ rest: inout ArraySlice<UInt8>) -> Bool {
        func number(at offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(rest[rest.startIndex + offset + $1]) << (8 * UInt32($1)) }
        }
        let (watch, mask, length) = (Int32(bitPattern: number(at: 0)), number(at: 4), Int(number(at: 12)))
        let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
        rest = rest.dropFirst(16 + length)
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
        guard let wanted = names[watch] else { return false }
        return name.isEmpty || wanted.contains(String(decoding: name, as: UTF8.self))
    }
}

/// The directory entries through which a path is resolved at present, including symbolic links. As long as none of
/// these entries changes, the path leads to the same file.
struct PathSteps: Equatable {
    /// A name, and the directory in which it is looked up, as a path without symbolic links.
    struct Lookup: Equatable {
        var directory: String
        var name: String
    }

    /// The maximum number of symbolic links, as in the kernel.
    private static let mostLinks = 40
    /// The maximum number of steps. Longer paths are not watched.
    private static let mostSteps = 256

    /// The steps from the root on. If an entry is missing, it is the last step.
    private(set) var steps: [Lookup] = []
    /// Whether the path continues where this process cannot look it up.
    private(set) var isIncomplete = false

    /// Resolves an absolute path component by component.
    init(of path: String) {
        var left = Self.names(of: path)
        var directory = "/"
        var links = 0
        while let name = left.popLast() {
            if name == ".." {
                directory = Self.parent(of: directory)
                continue
            }
            guard steps.count < Self.mostSteps else {
                isIncomplete = true
                return
            }
            steps.append(Lookup(directory: directory, name: name))
            let place = directory == "/" ? "/" + name : directory + "/" + name
            switch Self.entry(at: place) {
            case .nothing: return
            case .hidden:
                isIncomplete = true
                return
            case .other: directory = place
            case .link(let target):
                links += 1
                guard links <= Self.mostLinks else { return }
                left += Self.names(of: target)
                if target.hasPrefix("/") { directory = "/" }
            }
        }
    }

    /// Splits a path into names, with the last name first.
    private static func names(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private enum DirectoryEntry {
        case link(String)
        case other
        case nothing
        case hidden
    }

    private static func entry(at path: String) -> DirectoryEntry {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        // The buffer has the given length.
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count >= 0 else {
            switch errno {
            case EINVAL: return .other
            case ENOENT, ENOTDIR: return .nothing
            default: return .hidden
            }
        }
        let target = buffer.prefix(count).map { UInt8(bitPattern: $0) }
        return String(validating: target, as: UTF8.self).map { .link($0) } ?? .hidden
    }
}
