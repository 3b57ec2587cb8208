// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How much of the write-ahead log must exist: SQLite takes damage in a log for its end.
///
/// The mark is in a file of its own beside the database. It stays true until the log begins anew, with other salts; so
/// it may be older than the log, and is not synced.
struct LogMark: Equatable {
    /// The boot of the machine in which it was written; 0 = unknown.
    private(set) var boot: UInt64 = 0
    /// The inode of the database: a mark of its log does not hold for the log of another file.
    private(set) var database: UInt64 = 0
    /// The salts of the log.
    private(set) var salts: UInt64 = 0
    /// How many frames the log has up to its last transaction.
    private(set) var frames: UInt64 = 0
    /// How many of them are safe on the disk.
    private(set) var syncedFrames: UInt64 = 0
    /// How many lists are stored.
    private(set) var lists: UInt64 = 0

    /// What follows the name of the database.
    static let suffix = "-mark"
    private static let magic: UInt64 = 0x6B72_616D_6474_736C

    /// How many frames of a database's log must be there in a boot: after the machine went down, those that were synced.
    func frames(of database: UInt64, in boot: UInt64) -> UInt64 {
        guard database == self.database else { return 0 }
        return boot != 0 && boot == self.boot ? frames : syncedFrames
    }

    /// Records what a transaction has led to: of a log that began anew nothing is known to be synced before.
    ///
    /// - Parameter isSynced: whether all frames are safe on the disk.
    mutating func record(salts: UInt64, frames: UInt64, lists: UInt64, isSynced: Bool) {
        if isSynced { syncedFrames = frames } else if salts != self.salts { syncedFrames = 0 }
        (self.salts, self.frames, self.lists) = (salts, frames, lists)
    }

    /// Records that nothing has to be in the log any more.
    mutating func recordEndOfLog() { (frames, syncedFrames) = (0, 0) }

    /// A number for a boot of the machine; 0 for the empty name.
    static func number(ofBoot boot: String) -> UInt64 { boot.isEmpty ? 0 : max(1, checksum(boot.utf8)) }

    // MARK: Its file

    private var words: [UInt64] { [Self.magic, boot, database, salts, frames, syncedFrames, lists] }

    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func checksum(of words: ArraySlice<UInt64>) -> UInt64 {
        words.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* 0x100_0000_01B3 }
    }

    /// Reads the mark of a database; nil without one, and when it makes no sense.
    static func read(besides path: String) -> LogMark? {
        let file = unsafe open(path + suffix, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var words = [UInt64](repeating: 0, count: 8)
        let count = unsafe words.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
        guard count == 64, words[0] == magic, checksum(of: words[..<7]) == words[7] else { return nil }
        return LogMark(
            boot: words[1], database: words[2], salts: words[3], frames: words[4], syncedFrames: words[5],
            lists: words[6]
        )
    }

    /// Writes it into its open file; an error is ignored, because an older mark is still true.
    func write(to file: Int32) {
        let words = words + [Self.checksum(of: words[...])]
        _ = unsafe words.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    }
}
