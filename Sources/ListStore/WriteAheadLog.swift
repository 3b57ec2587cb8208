// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Checks of the write-ahead log that SQLite does not make (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
enum WriteAheadLog {
    /// The suffix of the log's file name, after the name of the database.
    static let suffix = "-wal"
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Returns the size of a log with a number of frames, in bytes.
    static func size(frames: UInt64, pageSize: UInt64) -> UInt64 {
        UInt64(headerSize) + frames * (UInt64(frameHeaderSize) + pageSize)
    }

    /// Detects damage of a log that SQLite does not report.
    ///
    /// SQLite treats a log with an invalid header as empty, and the first invalid frame as its end. Frames are
    /// written only after the header is synced, so a crash never causes an invalid header. The mark tells how many
    /// frames must be valid even after a crash.
    ///
    /// - Parameters:
    ///   - database: the identity of the database.
    ///   - boot: the boot of the machine, as ``StoreMark/number(ofBoot:)``.
    /// - Returns: the damage, as the end of a sentence about the log; nil = none is detected.
    /// - Complexity: O(frames that the mark requires).
    static func fault(ofLog path: String, mark: StoreMark?, database: UInt64, boot: UInt64) -> String? {
        let due = mark?.requiredFrames(of: database, in: boot) ?? 0
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return due > 0 ? "missing" : nil }
        defer { close(file) }
        var state = listd_file_state()
        guard unsafe listd_state_of(file, &state) == 0, state.is_regular != 0 else { return due > 0 ? "missing" : nil }
        let size = Int(state.size)
        guard size > headerSize else { return due > 0 ? "truncated to \(size) bytes" : nil }
        // The mapping belongs to this call, and the reader does not outlive it.
        guard let start = unsafe mmap(nil, size, PROT_READ, Int32(MAP_PRIVATE), file, 0), unsafe start != MAP_FAILED
        else { return due > 0 ? "missing" : nil }
        defer { unsafe munmap(start, size) }
        guard var reader = unsafe LogReader(unsafe UnsafeRawBufferPointer(start: start, count: size)) else {
            return "damaged in its header"
        }
        guard due > 0, reader.salts == mark?.salts else { return nil }
        for frame in 1...due where !reader.readFrame() {
            return reader.isAtEnd
                ? "truncated after frame \(frame - 1) of \(due)" : "damaged in frame \(frame) of \(due)"
        }
        return nil
    }
}

/// A reader that verifies the checksums of a log's frames. It must not outlive the bytes.
@safe private struct LogReader {
    // Owned by the caller.
    private let bytes: UnsafeRawBufferPointer
    private let isLittleEndian: Bool
    private let pageSize: Int
    private var sum: (UInt32, UInt32) = (0, 0)
    private var offset = 32

    /// Reads the header; nil when its magic number, page size or checksum is wrong.
    @unsafe init?(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = bytes
        let magic = unsafe UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
        guard magic & ~1 == 0x377F_0682 else { return nil }
        isLittleEndian = magic & 1 == 0
        pageSize = unsafe Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        // With other page sizes, `addToChecksum(_:)` would read beyond the end.
        guard (512...65536).contains(pageSize), pageSize % 8 == 0 else { return nil }
        addToChecksum(0..<24)
        guard sum == checksum(at: 24) else { return nil }
    }

    /// The salts of the log. Frames that were written before the last restart of the log have other salts.
    var salts: UInt64 { UInt64(word(at: 16)) << 32 | UInt64(word(at: 20)) }

    /// Whether too few bytes are left for another frame.
    var isAtEnd: Bool { unsafe offset + 24 + pageSize > bytes.count }

    /// Verifies the next frame and moves behind it. Returns false if there is none, its salts differ, or its checksum
    /// is wrong.
    mutating func readFrame() -> Bool {
        guard !isAtEnd, word(at: offset + 8) == word(at: 16), word(at: offset + 12) == word(at: 20) else {
            return false
        }
        addToChecksum(offset..<offset + 8)
        addToChecksum(offset + 24..<offset + 24 + pageSize)
        guard sum == checksum(at: offset + 16) else { return false }
        offset += 24 + pageSize
        return true
    }

    private func word(at offset: Int) -> UInt32 {
        unsafe UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    private func checksum(at offset: Int) -> (UInt32, UInt32) { (word(at: offset), word(at: offset + 4)) }

    private mutating func addToChecksum(_ range: Range<Int>) {
        var (first, second) = sum
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            let low = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let high = unsafe bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            first = first &+ (isLittleEndian ? UInt32(littleEndian: low) : UInt32(bigEndian: low)) &+ second
            second = second &+ (isLittleEndian ? UInt32(littleEndian: high) : UInt32(bigEndian: high)) &+ first
        }
        sum = (first, second)
    }
}
