// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A record of the minimum length of the write-ahead log. It tells a damaged frame from the end of the log, which are
/// the same to SQLite.
///
/// The mark is stored in a separate file beside the database. It is valid until the log is restarted with other
/// salts. A mark that is older than the log is valid too, so the file of the mark is not synced.
struct LogMark: Equatable {
    /// The boot of the machine in which the mark was written; 0 = unknown.
    private(set) var boot: UInt64 = 0
    /// The inode of the database. The mark is not valid for the log of another file.
    private(set) var database: UInt64 = 0
    /// The salts of the log.
    private(set) var salts: UInt64 = 0
    /// The number of frames up to the last transaction in the log.
    private(set) var frames: UInt64 = 0
    /// The number of frames that are synced to the disk.
    private(set) var syncedFrames: UInt64 = 0
    /// The number of stored lists.
    private(set) var lists: UInt64 = 0

    /// The suffix of the mark's file name, after the name of the database.
    static let suffix = "-mark"
    private static let magic: UInt64 = 0x6B72_616D_6474_736C

    /// Returns the minimum number of frames in the log of a database. If the mark was written in another boot of the
    /// machine, only synced frames are counted, as a crash may have lost the others.
    ///
    /// - Parameters:
    ///   - database: the inode of the database.
    ///   - boot: the present boot, as ``number(ofBoot:)``.
    func requiredFrames(of database: UInt64, in boot: UInt64) -> UInt64 {
        guard database == self.database else { return 0 }
        return boot != 0 && boot == self.boot ? frames : syncedFrames
    }

    /// Records the log after a transaction. If the salts differ from the recorded ones, the log was restarted, and the
    /// earlier number of synced frames is void.
    ///
    /// - Parameter isSynced: whether all frames are synced to the disk.
    mutating func record(salts: UInt64, frames: UInt64, lists: UInt64, isSynced: Bool) {
        if isSynced { syncedFrames = frames } else if salts != self.salts { syncedFrames = 0 }
        (self.salts, self.frames, self.lists) = (salts, frames, lists)
    }

    /// Records that the log need not have any frames.
    mutating func recordEndOfLog() { (frames, syncedFrames) = (0, 0) }

    /// Returns a hash of a boot's identifier, which is never 0; 0 for the empty identifier.
    static func number(ofBoot boot: String) -> UInt64 { boot.isEmpty ? 0 : max(1, checksum(boot.utf8)) }

    // MARK: The file of the mark

    private var words: [UInt64] { [Self.magic, boot, database, salts, frames, syncedFrames, lists] }

    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func checksum(of words: ArraySlice<UInt64>) -> UInt64 {
        words.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* 0x100_0000_01B3 }
    }

    /// Reads the mark of the database at a path; nil if there is none, or it is damaged.
    static func read(beside path: String) -> LogMark? {
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

    /// Writes the mark to its open file. Errors are ignored, because the previous mark is still valid.
    func write(to file: Int32) {
        let words = words + [Self.checksum(of: words[...])]
        _ = unsafe words.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    }
}
