// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
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
