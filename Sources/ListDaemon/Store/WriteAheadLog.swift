internal import Foundation

/// The log beside a database (<https://sqlite.org/fileformat2.html#the_write_ahead_log>), as far as SQLite says nothing of it.
enum WriteAheadLog {
    private static let headerSize = 32

    /// Whether SQLite will take a log that has content for an empty one, because its header makes no sense.
    ///
    /// Frames are written only behind a header that is synced, so that no crash leaves such a log; what else is wrong with one
    /// cannot be told from what a crash leaves.
    static func isUnreadable(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let bytes = try? file.read(upToCount: headerSize + 1), bytes.count > headerSize else { return false }
        return !isHeader(Array(bytes.prefix(headerSize)))
    }

    /// Whether magic number and checksum are right; whatever else is in it SQLite tells.
    private static func isHeader(_ bytes: [UInt8]) -> Bool {
        func word(_ index: Int, littleEndian: Bool = false) -> UInt32 {
            let word = bytes[4 * index..<4 * index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return littleEndian ? word.byteSwapped : word
        }
        guard word(0) & ~1 == 0x377F_0682 else { return false }
        let isLittleEndian = word(0) & 1 == 0
        var sum: (UInt32, UInt32) = (0, 0)
        for index in stride(from: 0, to: 6, by: 2) {
            sum.0 = sum.0 &+ word(index, littleEndian: isLittleEndian) &+ sum.1
            sum.1 = sum.1 &+ word(index + 1, littleEndian: isLittleEndian) &+ sum.0
        }
        return sum == (word(6), word(7))
    }
}
