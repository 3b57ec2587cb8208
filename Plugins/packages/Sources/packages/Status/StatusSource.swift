// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PluginAPI

/// Lists the installed packages, and follows dpkg's changes: `packages/installed?PATH`.
///
/// While dpkg works, it writes its status file many times. The list is updated after ``quietTime`` without a write,
/// or after ``maximumDelays`` writes. When the file cannot be read, the list keeps its objects and fails, and the
/// source tries again.
final class StatusSource: DataSource {
    private static let quietTime = Duration.milliseconds(100)
    private static let maximumDelays = 10
    private static let retryTime = Duration.seconds(1)

    private let context: DataSourceContext
    private let path: String
    private let showsAll: Bool
    private var shown: FileVersion?
    private var following: DataSourceActivity?
    private var quiet: DataSourceActivity?
    private var delays = 0
    private var failure: String?

    init(_ context: DataSourceContext, usualPath: String) throws {
        let argument = try DataSourceArgument(context.argument) { $0 == "all" }
        path = argument.subject.isEmpty ? usualPath : argument.subject
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ListError(
                .invalidArguments,
                "packages/installed needs the absolute path of a status file, not \(path.shortenedPath)")
        }
        showsAll = try argument.options.boolean("all") ?? false
        self.context = context
    }

    func start() { open() }

    /// Watches the file and then reads it, so that changes in between are not lost.
    private func open() {
        do {
            let slash = path.lastIndex(of: "/") ?? path.startIndex
            let watch = try StatusWatch(directory: slash == path.startIndex ? "/" : String(path[..<slash]))
            following = context.whenReadable(watch.descriptor) { [unowned self] in
                if watch.drain() { return fail("\(path): the directory is gone") }
                scheduleRead()
            }
            try readFile()
        } catch {
            fail(error)
        }
    }

    /// Delays reading the file until writes have stopped for ``quietTime``, at most ``maximumDelays`` times.
    private func scheduleRead() {
        if delays < Self.maximumDelays { quiet?.cancel() } else if quiet != nil { return }
        delays += 1
        quiet = context.after(Self.quietTime) { [unowned self] in
            quiet = nil
            delays = 0
            do { try readFile() } catch { fail(error) }
        }
    }

    private func readFile() throws {
        guard let file = try WholeFile(path: path, unlessVersion: shown) else { return }
        let status = StatusFile(file.bytes)
        if status.packages.isEmpty, !file.bytes.isEmpty {
            throw ListError(.invalidObject, "\(path.shortenedPath): the file contains no package")
        }
        if let line = status.firstUnreadableLine {
            context.logger.warning(
                "\(path):\(line): the first of \(status.unreadableCount) skipped stanzas lacks Package or Status"
            )
        }
        context.sink.replace(try Letters(status.packages.filter { showsAll || $0.isPresent }).objects())
        shown = file.version
        failure = nil
    }

    private func fail(_ error: any Error) { fail((error as? ListError)?.message ?? "\(error)") }

    /// Reports an error, unless it was the last one reported, and tries again later.
    private func fail(_ message: String) {
        following?.cancel()
        following = nil
        quiet?.cancel()
        quiet = nil
        delays = 0
        shown = nil
        if failure != message {
            failure = message
            context.sink.failed(message)
        }
        context.after(Self.retryTime) { [unowned self] in open() }
    }
}

/// The inotify watch of a file's directory. dpkg writes a new status file and renames it over the old one; a watch
/// of the file itself would miss that.
struct StatusWatch {
    private static let events =
        IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
        | IN_MOVE_SELF

    /// The inotify descriptor, which becomes readable at each change in the directory. The caller closes it.
    let descriptor: Int32

    init(directory: String) throws(SystemError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError(path: "inotify", code: errno) }
        // The path outlives the call.
        guard unsafe inotify_add_watch(descriptor, directory, UInt32(Self.events) | UInt32(IN_ONLYDIR)) >= 0 else {
            let code = errno
            close(descriptor)
            throw SystemError(path: directory, code: code)
        }
    }

    /// Reads and discards the waiting event records; the file has to be read again after any of them.
    ///
    /// - Returns: Whether the directory itself was removed or replaced, so that the watch has ended.
    func drain() -> Bool {
        let ends = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)
        var isGone = false
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            // The buffer has the passed length.
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return isGone }
            var rest = buffer.prefix(count)
            // A record: watch, mask, cookie, length, and as many bytes of a name (inotify(7)).
            while rest.count >= 16 {
                func number(at offset: Int) -> UInt32 {
                    (0..<4).reduce(0) { $0 | UInt32(rest[rest.startIndex + offset + $1]) << (8 * UInt32($1)) }
                }
                if number(at: 4) & ends != 0 { isGone = true }
                rest = rest.dropFirst(16 + Int(number(at: 12)))
            }
        }
    }
}

/// Identifies a version of a file by its attributes, without reading it.
struct FileVersion: Equatable {
    private var device: UInt64
    private var inode: UInt64
    private var size: Int64
    private var seconds: Int
    private var nanoseconds: Int

    fileprivate init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}

/// The content of a file that was read as a whole.
struct WholeFile {
    /// The maximum size in bytes, larger than the status file of any machine.
    static let maximumSize = 256 << 20

    let version: FileVersion
    let bytes: [UInt8]

    /// Reads a file.
    ///
    /// - Returns: `nil` if the file still has the version `known`.
    /// - Throws: The error of a system call; `EFBIG` if the file is too large, `EINVAL` if it is not a regular
    ///   file.
    init?(path: String, unlessVersion known: FileVersion?) throws(SystemError) {
        // The path outlives the call. Without O_NONBLOCK, opening a FIFO would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(path: path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        // The status is a local variable.
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(path: path, code: EINVAL) }
        version = FileVersion(status)
        if version == known { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            // The buffer has the passed length.
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(path: path, code: errno) }
            if count == 0 { break }
            guard bytes.count + count <= Self.maximumSize else { throw SystemError(path: path, code: EFBIG) }
            bytes += buffer.prefix(count)
        }
        self.bytes = bytes
    }
}

/// A system call that failed.
struct SystemError: Error, CustomStringConvertible {
    /// The path that the call failed for.
    var path: String
    /// The error number.
    var code: Int32

    var description: String {
        var buffer = [CChar](repeating: 0, count: 256)
        // The buffer has the passed length, and ends with NUL if the call succeeds.
        guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "\(path): error \(code)" }
        return "\(path): \(String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))"
    }
}
