// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit
internal import ListSupport

/// A file that may grow or be truncated, replaced or removed. It reports what changed since the last read.
///
/// A longer file counts as appended to if the first 64 KiB and the last 4 KiB of what was read are unchanged. If only
/// the modification time differs, the whole file is read again and compared by its digest. A program that changes a
/// large file in the middle and lengthens it at the same time should replace it with a new file instead.
struct FollowedFile {
    /// What happened to the file.
    enum Change {
        /// Nothing relevant has changed.
        case unchanged
        /// These bytes were appended.
        case grew([UInt8])
        /// The file is new or has different content; these are all its bytes.
        case began([UInt8])
        /// The file does not exist.
        case missing
        /// The file cannot be read.
        case failed(ListError)
    }

    private let path: String
    /// The maximum size of the file in bytes.
    private var limit: Int
    private var opened: OpenedFile?

    /// Prepares to read a path, without accessing it.
    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Changes the maximum size in bytes. The next read applies it.
    mutating func setLimit(_ limit: Int) { self.limit = limit }

    /// Makes the next read return the whole file, whatever was read before.
    mutating func reset() { opened = nil }

    /// Checks the file for changes and reads new bytes.
    ///
    /// - Complexity: O(new bytes), or O(file) if its content is different.
    mutating func readChanges() -> Change {
        var state = listd_file_state()
        guard unsafe listd_state_at(path, &state) == 0 else {
            opened = nil
            return errno == ENOENT || errno == ENOTDIR ? .missing : .failed(fault("cannot be read", errno: errno))
        }
        do throws(ListError) {
            if opened?.isSame(as: state) == true, let change = try readAppended() { return change }
            return try readFromStart()
        } catch {
            return .failed(error)
        }
    }

    /// Reads the bytes that were appended to the open file; nil if its earlier content has changed.
    private mutating func readAppended() throws(ListError) -> Change? {
        guard var file = opened, let state = file.state(), Int(state.size) >= file.count else { return nil }
        if Int(state.size) == file.count { return file.wasRead(at: state) ? .unchanged : nil }
        guard Int(state.size) <= limit else { throw tooLarge(Int(state.size)) }
        guard try file.beginningIsUnchanged() else { return nil }
        let bytes = try file.readRest(atMost: limit - file.count)
        opened = file
        return bytes.isEmpty ? .unchanged : .grew(bytes)
    }

    private mutating func readFromStart() throws(ListError) -> Change {
        // A write sets the modification time before the size, so a file that is being appended to may look rewritten.
        let earlier = opened
        opened = nil
        // Non-blocking, in case the file was replaced by a pipe.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .missing }
            throw fault("cannot be read", errno: errno)
        }
        var file = OpenedFile(FileDescriptor(adopting: descriptor), path: path)
        guard let state = file.state(), state.is_regular != 0 else { throw fault("is not a regular file") }
        guard Int(state.size) <= limit else { throw tooLarge(Int(state.size)) }
        let bytes = try file.readRest(atMost: limit)
        file.discardRecentState()
        opened = file
        guard let earlier, earlier.isSame(as: state), earlier.isBeginning(of: bytes) else { return .began(bytes) }
        return bytes.count == earlier.count ? .unchanged : .grew(Array(bytes[earlier.count...]))
    }

    private func tooLarge(_ size: Int) -> ListError {
        LimitKey.fileBytes.refusal(.payloadTooLarge, "\(path.shortenedPath) has \(size) bytes, more than \(limit)")
    }

    private func fault(_ message: String, errno number: Int32? = nil) -> ListError {
        ListError(.invalidArguments, "\(path.shortenedPath) \(message)", cause: number.map { SystemError.text($0) })
    }
}

/// The open file of a `FollowedFile`, with a summary of the bytes that were read.
struct OpenedFile {
    private static let headSize = 64 << 10
    private static let tailSize = 4 << 10
    /// The age in seconds from which a modification time is certain to differ after every later change.
    private static let settlingTime = 0.1

    private let descriptor: FileDescriptor
    private let path: String
    private let first: listd_file_state?
    /// The number of bytes that were read.
    private(set) var count = 0
    /// The file's state when its content was exactly the bytes that were read; nil if that is not certain.
    private var last: listd_file_state?
    private var head: [UInt8] = []
    private var tail: [UInt8] = []
    private var digest = Hasher()

    init(_ descriptor: FileDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
        first = Self.state(of: descriptor)
    }

    func state() -> listd_file_state? { Self.state(of: descriptor) }

    private static func state(of descriptor: FileDescriptor) -> listd_file_state? {
        var state = listd_file_state()
        return unsafe listd_state_of(descriptor.rawValue, &state) == 0 ? state : nil
    }

    /// Returns whether a state belongs to this file. While the file is open, no other file can have its inode.
    func isSame(as state: listd_file_state) -> Bool {
        first?.device == state.device && first?.inode == state.inode
    }

    /// Returns whether the file with this state has exactly the bytes that were read, by its modification time.
    func wasRead(at state: listd_file_state) -> Bool {
        last?.modified_seconds == state.modified_seconds && last?.modified_nanoseconds == state.modified_nanoseconds
    }

    /// Reads the bytes from the last position to the end of the file.
    mutating func readRest(atMost limit: Int) throws(ListError) -> [UInt8] {
        let bytes = try read(at: count, count: limit)
        count += bytes.count
        if head.count < Self.headSize { head += bytes.prefix(Self.headSize - head.count) }
        tail = Array((tail + bytes.suffix(Self.tailSize)).suffix(Self.tailSize))
        unsafe bytes.withUnsafeBytes { unsafe digest.combine(bytes: $0) }
        // A later change has an inotify event of its own.
        last = state().flatMap { Int($0.size) == count ? $0 : nil }
        return bytes
    }

    /// Discards the state if overwriting bytes might leave the modification time unchanged. File system clocks
    /// advance only every few milliseconds, and a write in progress has already set the time.
    mutating func discardRecentState() {
        guard let state = last else { return }
        // The times are converted to Double first, as the difference of extreme integers would overflow.
        let modified = Double(state.modified_seconds) + Double(state.modified_nanoseconds) / 1e9
        let age = Double(Clock.microseconds(of: CLOCK_REALTIME)) / 1e6 - modified
        if age < Self.settlingTime { last = nil }
    }

    /// Returns whether `bytes` begin with all bytes that were read.
    func isBeginning(of bytes: [UInt8]) -> Bool {
        guard bytes.count >= count else { return false }
        var other = Hasher()
        unsafe bytes.withUnsafeBytes { unsafe other.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        return other.finalize() == digest.finalize()
    }

    /// Returns whether the first and the last of the bytes that were read are still the same in the file.
    func beginningIsUnchanged() throws(ListError) -> Bool {
        let first = try read(at: 0, count: head.count)
        let last = try read(at: count - tail.count, count: tail.count)
        return first == head && last == tail
    }

    /// Reads at most `count` bytes; fewer at the end of the file.
    private func read(at start: Int, count: Int) throws(ListError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(count, 1 << 18))
        while bytes.count < count {
            let size = min(chunk.count, count - bytes.count)
            let received = unsafe pread(descriptor.rawValue, &chunk, size, off_t(start + bytes.count))
            if received < 0 && errno == EINTR { continue }
            guard received >= 0 else {
                throw ListError(
                    .invalidArguments, "\(path.shortenedPath) cannot be read", cause: SystemError.text(errno))
            }
            if received == 0 { break }
            bytes += chunk.prefix(received)
        }
        return bytes
    }
}
