// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import Glibc

/// Reports when a file may have changed, appeared or disappeared (inotify(7)).
///
/// Watched are the file, and in each directory that its path leads through, those of symbolic links too, the next name
/// of the path, as far as there are directories: so a rename or a changed link anywhere on the path is noticed. Where a
/// watch is impossible, for want of permission or of watches, the file is looked at once a second. The object and its
/// calls belong to the serial queue that it is given.
final class PathWatch {
    private static let directoryEvents =
        UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
    private static let fileEvents = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

    /// A path that changes more often than this while the watches are set up is looked at once a second instead.
    private static let attempts = 8

    private let path: String
    private let descriptor: Int32
    private var events: (any DispatchSourceRead)?
    private let timer: any DispatchSourceTimer
    private var isPolling = false
    private let watches = WatchedNames()

    /// Begins to watch; nothing is called before `update`.
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

    /// Watches what is on the way to the file now; call it before each look at the file, so that no change falls between.
    func update() {
        var way = PathSteps(of: path)
        // Nobody reports a directory that appeared after the look for it and before its parent was watched.
        for _ in 0..<Self.attempts {
            watch(way)
            let seen = way
            way = PathSteps(of: path)
            if way == seen { return }
        }
        poll(true)
    }

    /// Watches from the root on, so that the watch of the parent reports when a directory is replaced.
    private func watch(_ way: PathSteps) {
        var missed = descriptor < 0 || way.isCut
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
        poll(missed)
    }

    /// Ends watching; the queue is not called any more.
    func cancel() {
        timer.cancel()
        events?.cancel()
        events = nil
    }

    deinit { cancel() }

    private func poll(_ wanted: Bool) {
        guard wanted != isPolling else { return }
        isPolling = wanted
        if wanted {
            timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        } else {
            timer.schedule(deadline: .distantFuture)
        }
    }
}

/// What an inotify instance is watched for.
private final class WatchedNames: @unchecked Sendable {
    // Owned by the serial queue of the watch.
    /// The names in each watched directory that matter; events about the watched directory itself always matter.
    fileprivate var names: [Int32: Set<String>] = [:]

    /// Takes all events; true if one of them matters. What exactly happened does not matter, because the file is looked
    /// at afterwards.
    func drain(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16384)
        var matters = false
        while true {
            // The buffer has the length that is passed.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return matters }
            var rest = buffer[..<count]
            while rest.count >= 16 { if readRecord(&rest) { matters = true } }
        }
    }

    /// Takes one record: watch, mask, cookie, length of the name, name with NULs behind it.
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
