// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// What the database must contain, in the file `store.mark` beside it. It tells files from elsewhere or from earlier,
/// and a damaged log from the end of the log, which are the same to SQLite. It has the names of the lists, so that
/// a loss can be named.
///
/// A mark that is older than the database is valid too, so the file is synced only when a run begins and ends.
struct StoreMark: Equatable {
    /// The random mark of a run, which is in the database too.
    struct Run: Equatable {
        private let high, low: UInt64

        private init(_ high: UInt64, _ low: UInt64) { (self.high, self.low) = (high, low) }

        /// The run of a file that no run has used.
        static let none = Run(0, 0)

        /// Returns a new mark.
        static func random() -> Run { Run(.random(in: 1...(.max)), .random(in: 0...(.max))) }

        /// Reads the form of ``text``; another text is ``none``.
        init(_ text: String) {
            let parts = text.split(separator: "-").map { UInt64($0, radix: 16) }
            guard parts.count == 2, let high = parts[0], let low = parts[1] else {
                self = .none
                return
            }
            self.init(high, low)
        }

        /// The form in the database.
        var text: String { "\(String(high, radix: 16))-\(String(low, radix: 16))" }

        fileprivate var words: [UInt64] { [high, low] }
        fileprivate init(_ words: ArraySlice<UInt64>) { self.init(words.first ?? 0, words.last ?? 0) }
    }

    /// A stored list.
    struct List: Equatable {
        var name: String
        var revision: UInt64
    }

    /// The boot of the machine in which the mark was written; 0 = unknown.
    var boot: UInt64 = 0
    /// The identity of the database (``StoreFiles/identity(_:)``).
    var database: UInt64 = 0
    /// The mark of the run.
    var run = Run.none
    /// The mark of the run before, which the database has until the beginning of the run is written to it.
    var runBefore = Run.none
    /// The number of the last change (`written`).
    var written: Int64 = 0
    /// The salts of the log.
    private(set) var salts: UInt64 = 0
    /// The number of frames up to the last transaction in the log.
    private(set) var frames: UInt64 = 0
    /// The number of frames that are synced to the disk.
    private(set) var syncedFrames: UInt64 = 0
    /// The lists by their keys in the database.
    var lists: [Int64: List] = [:]
    /// Whether all names could be read.
    private(set) var isWhole = true

    /// Returns the minimum number of frames in the log of a database. If the mark was written in another boot of the
    /// machine, only synced frames are counted, as a crash may have lost the others.
    ///
    /// - Parameters:
    ///   - database: the identity of the database.
    ///   - boot: the present boot, as ``number(ofBoot:)``.
    func requiredFrames(of database: UInt64, in boot: UInt64) -> UInt64 {
        guard database == self.database else { return 0 }
        return isOf(boot: boot) ? frames : syncedFrames
    }

    /// Whether the mark was written in a boot of the machine, so that everything in it is in the files.
    func isOf(boot: UInt64) -> Bool { boot != 0 && boot == self.boot }

    /// Records the log after a transaction. If the salts differ from the recorded ones, the log was restarted, and the
    /// earlier number of synced frames is void.
    ///
    /// - Parameter isSynced: whether all frames are synced to the disk.
    mutating func record(salts: UInt64, frames: UInt64, isSynced: Bool) {
        if isSynced { syncedFrames = frames } else if salts != self.salts { syncedFrames = 0 }
        (self.salts, self.frames) = (salts, frames)
    }

    /// Records that the log need not have any frames.
    mutating func recordEndOfLog() { (frames, syncedFrames) = (0, 0) }

    /// Returns a hash of a boot's identifier, which is never 0; 0 for the empty identifier.
    static func number(ofBoot boot: String) -> UInt64 { boot.isEmpty ? 0 : max(1, checksum(boot.utf8)) }

    // MARK: The file of the mark

    /// The name of the file, beside the database.
    static let fileName = "store.mark"
    private static let magic: UInt64 = 0x3230_6D64_7473_696C
    private static let headerCount = 16
    private static let headerSize = headerCount * 8
    /// A list takes its key, revision, inverted revision, the number of bytes of its name, and a checksum; then its name.
    private static let listHeaderSize = 40

    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The bytes at the beginning of the file, without the lists.
    fileprivate var header: [UInt8] {
        var words: [UInt64] = [
            Self.magic, boot, database, salts, frames, syncedFrames, UInt64(bitPattern: written),
        ]
        words += run.words + runBefore.words
        words += [UInt64](repeating: 0, count: Self.headerCount - 1 - words.count)
        let bytes = words.flatMap(Self.bytes)
        return bytes + Self.bytes(Self.checksum(bytes))
    }

    fileprivate static func record(_ key: Int64, _ list: List) -> [UInt8] {
        let name = Array(list.name.utf8)
        let padding = [UInt8](repeating: 0, count: (8 - name.count % 8) % 8)
        let size = bytes(UInt64(name.count))
        let sum = checksum(bytes(UInt64(bitPattern: key)) + size + name)
        return bytes(UInt64(bitPattern: key)) + bytes(list.revision) + bytes(~list.revision) + size + bytes(sum) + name
            + padding
    }

    fileprivate static func bytes(_ word: UInt64) -> [UInt8] {
        unsafe withUnsafeBytes(of: word.littleEndian) { unsafe [UInt8]($0) }
    }

    private static func word(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt64 {
        let start = bytes.startIndex + index * 8
        return bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads the mark of the database at a path; nil if there is none, or its first part is damaged.
    static func read(beside path: String) -> StoreMark? {
        guard let bytes = FileCopy.bytes(of: StoreFiles.directory(of: path) + "/" + fileName) else { return nil }
        guard bytes.count >= headerSize, word(bytes[...], 0) == magic,
            word(bytes[...], headerCount - 1) == checksum(bytes[..<(headerSize - 8)])
        else { return nil }
        let words = (0..<headerCount).map { word(bytes[...], $0) }
        var mark = StoreMark(
            boot: words[1], database: words[2], run: Run(words[7...8]), runBefore: Run(words[9...10]),
            written: Int64(bitPattern: words[6]))
        (mark.salts, mark.frames, mark.syncedFrames) = (words[3], words[4], words[5])
        mark.readLists(bytes[headerSize...])
        return mark
    }

    private mutating func readLists(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while rest.count >= Self.listHeaderSize {
            let (key, revision, inverted) = (Self.word(rest, 0), Self.word(rest, 1), Self.word(rest, 2))
            let count = Self.word(rest, 3)
            // An impossible length hides where the next list begins.
            guard count <= UInt64(rest.count - Self.listHeaderSize) else { return isWhole = false }
            let name = rest.dropFirst(Self.listHeaderSize).prefix(Int(count))
            let sum = Self.checksum(Self.bytes(key) + Self.bytes(count) + name)
            if key != 0 {
                if sum == Self.word(rest, 4), revision == ~inverted, let text = String(validating: name, as: UTF8.self)
                {
                    lists[Int64(bitPattern: key)] = List(name: text, revision: revision)
                } else {
                    isWhole = false
                }
            }
            rest = rest.dropFirst(Self.listHeaderSize + (Int(count) + 7) / 8 * 8)
        }
        if !rest.isEmpty { isWhole = false }
    }
}

/// The open file of a mark; belongs to the store's queue.
final class StoreMarkFile {
    private(set) var mark: StoreMark
    private let path: String
    private var file: Int32 = -1
    /// Where the lists are in the file.
    private var places: [Int64: off_t] = [:]
    private var size: off_t = 0
    /// The number of bytes of removed lists.
    private var unused: off_t = 0

    /// Replaces the file of a mark, and syncs it. On failure, the earlier file stays, and nothing is recorded.
    ///
    /// - Parameter path: the path of the database.
    init(_ mark: StoreMark, beside path: String) {
        self.mark = mark
        self.path = StoreFiles.directory(of: path) + "/" + StoreMark.fileName
        rewrite(syncs: true)
    }

    deinit { if file >= 0 { close(file) } }

    /// Whether the mark is in its file.
    var isWritten: Bool { file >= 0 }

    /// Records a transaction: the lists that it changed, the number of its last change, and the log after it.
    func record(_ lists: [WrittenList], written: Int64, salts: UInt64, frames: UInt64, isSynced: Bool) {
        mark.written = written
        mark.runBefore = .none
        mark.record(salts: salts, frames: frames, isSynced: isSynced)
        guard isWritten else { return }
        for list in lists { record(list) }
        if unused > 1 << 16, unused > size / 2 { return rewrite(syncs: false) }
        write(mark.header, at: 0)
    }

    /// Records in the file that the log may be removed. From then on, the log need not have any frames, even after a
    /// crash of the machine.
    func recordEndOfLog() {
        mark.recordEndOfLog()
        guard isWritten else { return }
        write(mark.header, at: 0)
        fsync(file)
    }

    private func record(_ list: WrittenList) {
        let old = mark.lists[list.key]
        mark.lists[list.key] = list.name.map { StoreMark.List(name: $0, revision: list.revision) }
        if let place = places[list.key], let old, old.name == list.name {
            return write(StoreMark.bytes(list.revision) + StoreMark.bytes(~list.revision), at: place + 8)
        }
        if let place = places.removeValue(forKey: list.key), let old {
            write(StoreMark.bytes(0), at: place)
            unused += off_t(StoreMark.record(list.key, old).count)
        }
        guard let new = mark.lists[list.key] else { return }
        let record = StoreMark.record(list.key, new)
        places[list.key] = size
        write(record, at: size)
        size += off_t(record.count)
    }

    private func rewrite(syncs: Bool) {
        let new = path + ".new"
        let target = unsafe open(new, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard target >= 0 else { return }
        var bytes = mark.header
        var places: [Int64: off_t] = [:]
        for (key, list) in mark.lists {
            places[key] = off_t(bytes.count)
            bytes += StoreMark.record(key, list)
        }
        let isWritten = unsafe bytes.withUnsafeBytes { unsafe FileCopy.write($0[...], to: target) }
        guard isWritten, !syncs || fsync(target) == 0, unsafe rename(new, path) == 0 else {
            close(target)
            unsafe unlink(new)
            return
        }
        if syncs { StoreFiles.syncDirectory(of: path) }
        if file >= 0 { close(file) }
        (file, self.places, size, unused) = (target, places, off_t(bytes.count), 0)
    }

    /// Errors are ignored: what is missing in the mark is not expected in the database.
    private func write(_ bytes: [UInt8], at place: off_t) {
        _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, place) }
    }
}

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
