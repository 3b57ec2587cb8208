// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// A file of the store that is not what it should be, while listd runs.
package struct StoreLoss: Sendable, Equatable, CustomStringConvertible {
    /// Its name.
    package let file: String
    /// What happened to it.
    package let reason: String
    /// The data that is lost.
    package let lost: String
    /// Whether the database can take what is in the log.
    let leavesDatabase: Bool

    /// One sentence for the log.
    package var description: String { "\(file) \(reason): changes are refused; lost: \(lost)" }
}

/// The files of an open store by their names: whether they are still the files that are open, and how much of the log
/// exists.
///
/// Made when the database is open and has its log; belongs to the store's queue.
final class StoreFiles {
    private let path: String
    private let database: listd_file_state?
    private let log: listd_file_state?
    /// The size that the database had at last; listd never makes it smaller.
    private var size: Int64
    private var mark: LogMark
    private var pageSize: UInt64 = 0
    /// The log, to read what its header says; a database must not be opened beside SQLite, whose locks go when it is closed.
    private let logFile: Int32
    private let markFile: Int32

    init(path: String, boot: String) {
        self.path = path
        database = Self.state(path)
        log = Self.state(path + WriteAheadLog.suffix)
        size = database?.size ?? 0
        logFile = unsafe open(path + WriteAheadLog.suffix, O_RDONLY | O_CLOEXEC)
        markFile = unsafe open(path + LogMark.suffix, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        mark = LogMark(boot: LogMark.number(ofBoot: boot), database: database?.inode ?? 0)
    }

    deinit {
        for file in [logFile, markFile] where file >= 0 { close(file) }
    }

    /// What happened to the files; nil if they are as listd left them.
    func loss() -> StoreLoss? {
        let gone = "was removed, renamed or replaced under listd"
        let log = path + WriteAheadLog.suffix
        guard let now = Self.state(path), let database, Self.isSame(now, database) else {
            return StoreLoss(
                file: path, reason: gone,
                lost: "all lists, unless the file is put back", leavesDatabase: false)
        }
        guard now.size >= size else {
            return StoreLoss(
                file: path, reason: "was cut from \(size) to \(now.size) bytes", lost: "lists in it",
                leavesDatabase: false)
        }
        size = now.size
        guard let logNow = Self.state(log), let opened = self.log, Self.isSame(logNow, opened) else {
            return StoreLoss(
                file: log, reason: gone,
                lost: "the last changes, unless listd is stopped in order, which writes them into the database",
                leavesDatabase: true)
        }
        guard logNow.size >= dueLogSize else {
            return StoreLoss(
                file: log, reason: "was cut from \(dueLogSize) to \(logNow.size) bytes", lost: "the last changes",
                leavesDatabase: false)
        }
        return nil
    }

    /// Records the result of a transaction.
    ///
    /// - Parameters:
    ///   - frames: how many frames the log has.
    ///   - lists: how many lists are stored.
    ///   - isSynced: whether the log is safe on the disk.
    func record(frames: Int, lists: Int, isSynced: Bool) {
        let header = logHeader()
        pageSize = header.pageSize
        mark.record(
            salts: header.salts, frames: UInt64(max(0, frames)), lists: UInt64(max(0, lists)), isSynced: isSynced)
        mark.write(to: markFile)
    }

    /// Records that the log may be removed; from then on no frame has to be in it, even after a crash of the machine.
    func recordEndOfLog() {
        mark.recordEndOfLog()
        mark.write(to: markFile)
        fsync(markFile)
    }

    private var dueLogSize: Int64 {
        mark.frames == 0 ? 0 : Int64(clamping: WriteAheadLog.size(frames: mark.frames, pageSize: pageSize))
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

    /// The status of the file at a path; nil if there is none.
    static func state(_ path: String) -> listd_file_state? {
        var state = listd_file_state()
        return unsafe listd_state_at(path, &state) == 0 ? state : nil
    }

    /// The path of the directory that has the file of a path.
    static func directory(of path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.popLast() != nil else { return path.isEmpty ? "." : "/" }
        let parent = parts.joined(separator: "/")
        return path.hasPrefix("/") ? "/" + parent : parent.isEmpty ? "." : parent
    }

    /// The names of what is in a directory; none when it cannot be read.
    static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // The name ends with a NUL inside of the entry.
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names
    }
}
