internal import DBus
internal import Dispatch
internal import Glibc

/// Tells when a file may have changed, come or gone (inotify(7)).
///
/// Watched are the file, the directories of the path and of every symbolic link on the way, and while directories are
/// missing the last one that exists. What cannot be watched, for want of permission or of watches, is looked at once a
/// second. Belongs to the serial queue that it is given; so do its calls.
final class PathWatch {
    private static let directoryEvents =
        UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
    private static let fileEvents = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

    /// A way that changes more often than this while it is being watched is looked at once a second instead.
    private static let attempts = 8

    private let path: String
    private let descriptor: Int32
    private var events: (any DispatchSourceRead)?
    private let timer: any DispatchSourceTimer
    private var isPolling = false
    private var watches: Set<Int32> = []

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
        events.setEventHandler {
            Self.drain(descriptor)
            changed()
        }
        events.setCancelHandler { close(descriptor) }
        events.activate()
        self.events = events
    }

    /// Watches what is on the way to the file now; call it before each look at the file, so that no change falls between.
    func update() {
        var places = placesToWatch()
        // A directory that came after it was looked for, and before the one above it was watched, has told nobody.
        for _ in 0..<Self.attempts {
            watch(places)
            let seen = places
            places = placesToWatch()
            if places.elementsEqual(seen, by: ==) { return }
        }
        poll(true)
    }

    private func watch(_ places: [(String, isFile: Bool)]) {
        var missed = descriptor < 0
        var current: Set<Int32> = []
        for (place, isFile) in places {
            let mask = isFile ? Self.fileEvents : Self.directoryEvents
            let watch = unsafe inotify_add_watch(descriptor, place, mask)
            if watch >= 0 {
                current.insert(watch)
            } else if !(isFile && errno == ENOENT) {
                missed = true
            }
        }
        for watch in watches.subtracting(current) { inotify_rm_watch(descriptor, watch) }
        watches = current
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

    private func placesToWatch() -> [(String, isFile: Bool)] {
        var places: [(String, isFile: Bool)] = []
        var path = path
        // As many links as the kernel follows.
        for _ in 0..<40 {
            places.append((Self.existingDirectory(of: path), false))
            guard let target = Self.target(ofLink: path) else { break }
            path = target
        }
        places.append((self.path, true))
        return places
    }

    /// The directory of a path, or the nearest one above it that exists.
    private static func existingDirectory(of path: String) -> String {
        var path = path
        var status = stat()
        repeat {
            path = parent(of: path)
            if unsafe stat(path, &status) == 0 { return path }
        } while path != "/"
        return path
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Where a symbolic link points to, as an absolute path; nil if there is none.
    private static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return target.hasPrefix("/") ? target : parent(of: path) + "/" + target
    }

    /// What exactly happened does not matter: the file is looked at.
    private static func drain(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16384)
        while unsafe read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
