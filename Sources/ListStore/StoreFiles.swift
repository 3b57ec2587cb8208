// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import ListKit
internal import ListSupport

/// The loss of a file of the open store, which was removed, replaced or truncated by somebody else.
package struct StoreLoss: Sendable, Equatable, CustomStringConvertible {
    /// The path of the file.
    package let file: String
    /// The kind of loss, as the end of a sentence about the file.
    package let reason: String
    /// The lost data, for messages; nil if nothing is lost.
    package let lost: String?
    /// Whether the database is intact, so that the log can still be moved into it.
    let leavesDatabase: Bool

    /// One sentence for the log.
    package var description: String {
        guard let lost else {
            return "\(file) \(reason); nothing is lost, but changes are refused until it can be reached"
        }
        return "\(file) \(reason); changes are refused, and these data are lost: \(lost)"
    }
}

/// The files of an open store: checks that the files at their paths are the ones that were opened and were not
/// truncated, and writes the mark of the log.
///
/// An instance is created after SQLite has opened the database and its log. It belongs to the store's queue.
final class StoreFiles {
    private let path: String
    private let database: listd_file_state?
    private let log: listd_file_state?
    /// The size of the database at the last check; only a checkpoint of listd makes it smaller.
    private var size: Int64
    private let markFile: StoreMarkFile
    private var pageSize: UInt64 = 0
    /// The log, opened to read its header. The database itself must not be opened in addition to SQLite's descriptor,
    /// as closing it would release SQLite's locks.
    private let logFile: Int32

    init(path: String, mark: StoreMarkFile) {
        self.path = path
        markFile = mark
        database = Self.state(path)
        log = Self.state(path + WriteAheadLog.suffix)
        size = database?.size ?? 0
        logFile = unsafe open(path + WriteAheadLog.suffix, O_RDONLY | O_CLOEXEC)
    }

    deinit { if logFile >= 0 { close(logFile) } }

    /// Checks the files. Returns the first loss; nil if the files are as listd left them.
    func loss() -> StoreLoss? {
        let gone = "was removed, renamed or replaced while listd had it open"
        let log = path + WriteAheadLog.suffix
        let state = Self.state(path)
        if state == nil, errno != ENOENT {
            return StoreLoss(
                file: path, reason: "cannot be reached: \(StoreAccess.obstacle(to: path) ?? SystemError.text(errno))",
                lost: nil, leavesDatabase: false)
        }
        guard let now = state, let database, Self.isSame(now, database) else {
            return StoreLoss(
                file: path, reason: gone,
                lost: "all lists, unless the file is put back", leavesDatabase: false)
        }
        guard now.size >= size else {
            return StoreLoss(
                file: path, reason: "was truncated from \(size) to \(now.size) bytes", lost: "some of the lists",
                leavesDatabase: false)
        }
        size = now.size
        guard let logNow = Self.state(log), let opened = self.log, Self.isSame(logNow, opened) else {
            return StoreLoss(
                file: log, reason: gone,
                lost: "the last changes, unless listd is stopped normally, which writes them to the database",
                leavesDatabase: true)
        }
        guard logNow.size >= requiredLogSize else {
            return StoreLoss(
                file: log, reason: "was truncated from \(requiredLogSize) to \(logNow.size) bytes",
                lost: "the last changes", leavesDatabase: false)
        }
        return nil
    }

    /// Records a transaction in the mark.
    ///
    /// - Parameters:
    ///   - lists: the lists that the transaction changed.
    ///   - written: the number of its last change.
    ///   - frames: the number of frames in the log.
    ///   - isSynced: whether the log is synced to the disk.
    func record(_ lists: [WrittenList], written: Int64, frames: Int, isSynced: Bool) {
        let header = logHeader()
        pageSize = header.pageSize
        markFile.record(
            lists, written: written, salts: header.salts, frames: UInt64(max(0, frames)), isSynced: isSynced)
    }

    /// Records in the mark that the log may be removed.
    func recordEndOfLog() { markFile.recordEndOfLog() }

    /// Updates the size of the database after a checkpoint, in which SQLite truncates the database file to its pages.
    func recordTruncation() { size = min(size, Self.state(path)?.size ?? 0) }

    /// The minimum size of the log in bytes, according to the mark.
    private var requiredLogSize: Int64 {
        let frames = markFile.mark.frames
        return frames == 0 ? 0 : Int64(clamping: WriteAheadLog.size(frames: frames, pageSize: pageSize))
    }

    private func logHeader() -> (pageSize: UInt64, salts: UInt64) {
        var words = [UInt32](repeating: 0, count: 4)
        let count = unsafe words.withUnsafeMutableBytes { unsafe pread(logFile, $0.baseAddress, $0.count, 8) }
        guard count == 16 else { return (0, 0) }
        return (
            UInt64(UInt32(bigEndian: words[0])),
            UInt64(UInt32(bigEndian: words[2])) << 32 | UInt64(UInt32(bigEndian: words[3]))
        )
    }

    private static func isSame(_ one: listd_file_state, _ other: listd_file_state) -> Bool {
        one.device == other.device && one.inode == other.inode
    }

    /// Returns the status of the file at a path; nil if there is none.
    static func state(_ path: String) -> listd_file_state? {
        var state = listd_file_state()
        return unsafe listd_state_at(path, &state) == 0 ? state : nil
    }

    /// Returns the identity of the file at a path, which no other file of its file system had or gets; 0 if there is none.
    static func identity(_ path: String) -> UInt64 { unsafe listd_identity_at(path) }

    /// Returns the path of the directory that contains a file.
    static func directory(of path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.popLast() != nil else { return path.isEmpty ? "." : "/" }
        let parent = parts.joined(separator: "/")
        return path.hasPrefix("/") ? "/" + parent : parent.isEmpty ? "." : parent
    }

    /// Syncs the directory of a file, so that a name in it survives a crash of the machine.
    static func syncDirectory(of path: String) {
        let directory = unsafe open(Self.directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    /// Returns the names of a directory's entries; an empty array if the directory cannot be read.
    static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // The entry's name ends with NUL.
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names
    }
}

/// Who may access the files of a store, and why listd may not.
package enum StoreAccess {
    /// Makes all files of a store readable by their owner only, whatever mode an earlier umask gave them.
    ///
    /// - Returns: what an administrator has to correct, one sentence each; empty if nobody else can read the files.
    package static func restrict(directory: String) -> [String] {
        var findings: [String] = []
        for name in StoreFiles.names(in: directory) where name.hasPrefix(SQLiteStore.fileName) {
            let path = "\(directory)/\(name)"
            guard let mode = mode(of: path), mode & 0o077 != 0 else { continue }
            if unsafe chmod(path, mode & 0o700) != 0 {
                findings.append(
                    "\(path) can be read by other users (mode \(octal(mode))), and listd cannot change that: "
                        + "\(SystemError.text(errno)); run chmod 600 \(path)")
            }
        }
        if let mode = mode(of: directory), mode & 0o011 != 0 {
            findings.append(
                "the state directory \(directory) can be entered by other users (mode \(octal(mode))); "
                    + "run chmod 700 \(directory)")
        }
        return findings
    }

    /// Returns the error for a failure of SQLite, whose own messages do not tell a read-only file system or a wrong
    /// owner from a broken disk. The cause says which file or file system is at fault, and what to do.
    static func error(for failure: SQLiteFailure, at path: String) -> ListError {
        guard failure.isOfAccess, let reason = obstacle(to: path) else { return failure.listError }
        return ListError(.storeFailed, "the store cannot be written, and nothing is lost", cause: reason)
    }

    /// Returns what prevents this process from writing a store's files: the first obstacle; nil if there is none.
    static func obstacle(to path: String) -> String? {
        let directory = StoreFiles.directory(of: path)
        let names = StoreFiles.names(in: directory).filter { $0.hasPrefix(SQLiteStore.fileName) }
        for path in [directory, path] + names.map({ "\(directory)/\($0)" }) {
            let isDirectory = path == directory
            guard unsafe access(path, isDirectory ? R_OK | W_OK | X_OK : R_OK | W_OK) != 0 else { continue }
            switch errno {
            case ENOENT: continue
            case EROFS: return "\(SystemError.text(EROFS)): \(mountPoint(of: directory)), which has \(path)"
            case EACCES: return "\(SystemError.text(EACCES)): \(path)\(ownership(of: path, isDirectory: isDirectory))"
            case let number: return "\(SystemError.text(number)): \(path)"
            }
        }
        return nil
    }

    /// Returns the owner and mode of a file that this process cannot access, and the command that corrects them.
    private static func ownership(of path: String, isDirectory: Bool) -> String {
        var status = stat()
        let user = UnixGroups.name(ofUser: geteuid()) ?? String(geteuid())
        guard unsafe stat(path, &status) == 0 else { return "; listd runs as \(user)" }
        let mode = isDirectory ? "700" : "600"
        guard status.st_uid == geteuid() else {
            let owner = UnixGroups.name(ofUser: status.st_uid) ?? String(status.st_uid)
            return " belongs to \(owner), and listd runs as \(user); run chown \(user): \(path)"
        }
        return " has mode \(octal(status.st_mode & 0o7777)); run chmod \(mode) \(path)"
    }

    /// Returns the place where the file system of a directory is mounted.
    private static func mountPoint(of directory: String) -> String {
        let resolved = unsafe realpath(directory, nil)
        defer { unsafe free(resolved) }
        let path = unsafe resolved.map { unsafe String(cString: $0) } ?? directory
        let points = (KernelFile.text("/proc/self/mountinfo") ?? "").split(separator: "\n").compactMap { line in
            line.split(separator: " ").dropFirst(4).first.map(String.init)
        }
        let around = points.filter { $0 == "/" || path == $0 || path.hasPrefix($0 + "/") }
        return around.max { $0.utf8.count < $1.utf8.count } ?? "the file system"
    }

    private static func mode(of path: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFLNK ? status.st_mode & 0o7777 : nil
    }

    private static func octal(_ mode: UInt32) -> String { String(mode, radix: 8) }
}

extension SQLiteFailure {
    /// Whether the files could not be accessed, as far as SQLite knows (SQLITE_PERM, READONLY, IOERR, CANTOPEN).
    fileprivate var isOfAccess: Bool { [3, 8, 10, 14].contains(code & 0xFF) }
}

/// Disk space that the store allocates in advance, so that lists can be removed on a full disk.
///
/// A removal needs space in the log, and then in the database file for the checkpoint. So the database file always
/// has space for everything that is committed, and a separate reserve file holds space for the log.
final class StoreRoom {
    /// The suffix of the reserve's file name, after the name of the database.
    static let suffix = "-reserve"
    /// The size of the reserve in bytes, enough to delete a part of a removed list (``StoreWriter/SweepSize/small``).
    private static let reserveSize: Int64 = 512 << 10
    /// The increment of the database file's allocation in bytes, unless the disk has less space.
    private static let step: Int64 = 64 << 10

    private let path: String
    private let database: SQLiteDatabase
    private let reserve: Int32
    /// The number of bytes that are allocated for the database file.
    private var size: Int64
    private(set) var hasReserve = false
    /// Whether the file system cannot allocate space in advance.
    private var isImpossible = false

    init(path: String, database: SQLiteDatabase) {
        (self.path, self.database) = (path, database)
        size = StoreFiles.state(path)?.size ?? 0
        reserve = unsafe open(path + Self.suffix, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }

    deinit { if reserve >= 0 { close(reserve) } }

    /// Allocates space for a database file of a size in bytes.
    ///
    /// - Throws: the same failure as SQLite when the disk is full.
    func reserve(upTo wanted: Int64) throws(SQLiteFailure) {
        guard wanted > size else { return }
        let generous = (wanted + Self.step - 1) / Self.step * Self.step
        for end in [generous, wanted] {
            switch database.allocate(from: size, to: end) {
            case ENOSPC, EDQUOT: continue
            default:
                // Other errors are ignored: not every file system can allocate, and a real fault makes the write fail.
                return size = end
            }
        }
        throw SQLiteFailure.full
    }

    /// Updates the allocated size after a checkpoint, in which SQLite truncates the database file to its pages.
    func recordTruncation() { size = min(size, StoreFiles.state(path)?.size ?? 0) }

    /// Allocates the reserve for a later removal, unless it is allocated already or the disk lacks the space.
    func allocateReserve() {
        guard !hasReserve, !isImpossible, reserve >= 0 else { return }
        if listd_allocate(reserve, 0, Self.reserveSize, 0) == 0 { return hasReserve = true }
        isImpossible = errno != ENOSPC && errno != EDQUOT
        ftruncate(reserve, 0)
    }

    /// Frees the space of the reserve, for a removal that follows.
    func releaseReserve() {
        ftruncate(reserve, 0)
        hasReserve = false
    }
}
