// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit
internal import ListSupport

/// The open file behind a `FollowedFile`, and what was read of it.
struct OpenedFile {
    private static let headSize = 64 << 10
    private static let tailSize = 4 << 10
    /// Seconds after which a time tells every later change.
    private static let settlingTime = 0.1

    private let descriptor: FileDescriptor
    private let path: String
    private let first: listd_file_state?
    /// How many bytes were read.
    private(set) var count = 0
    /// The state in which the file had these bytes and no more; nil if it may have had others, too.
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

    /// As long as the file is open, no other can have its inode.
    func isSame(as state: listd_file_state) -> Bool {
        first?.device == state.device && first?.inode == state.inode
    }

    func wasRead(at state: listd_file_state) -> Bool {
        last?.modified_seconds == state.modified_seconds && last?.modified_nanoseconds == state.modified_nanoseconds
    }

    /// Reads from where it stopped to the end.
    mutating func readOn(atMost limit: Int) throws(ListError) -> [UInt8] {
        let bytes = try read(at: count, count: limit)
        count += bytes.count
        if head.count < Self.headSize { head += bytes.prefix(Self.headSize - head.count) }
        tail = Array((tail + bytes.suffix(Self.tailSize)).suffix(Self.tailSize))
        unsafe bytes.withUnsafeBytes { unsafe digest.combine(bytes: $0) }
        // What came since has an event of its own.
        last = state().flatMap { Int($0.size) == count ? $0 : nil }
        return bytes
    }

    /// Forgets the state if bytes that are written over others could leave its time as it is: clocks of file systems tick
    /// only every few milliseconds, and a write that is under way has set the time already.
    mutating func doubtRecentState() {
        guard let state = last else { return }
        // Times of files go as far as integers: their difference may be no integer.
        let modified = Double(state.modified_seconds) + Double(state.modified_nanoseconds) / 1e9
        let age = Double(Clock.microseconds(of: CLOCK_REALTIME)) / 1e6 - modified
        if age < Self.settlingTime { last = nil }
    }

    /// Whether bytes begin with all that was read.
    func isBeginning(of bytes: [UInt8]) -> Bool {
        guard bytes.count >= count else { return false }
        var other = Hasher()
        unsafe bytes.withUnsafeBytes { unsafe other.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        return other.finalize() == digest.finalize()
    }

    func beginningIsUnchanged() throws(ListError) -> Bool {
        let first = try read(at: 0, count: head.count)
        let last = try read(at: count - tail.count, count: tail.count)
        return first == head && last == tail
    }

    /// Reads at most `count` bytes, fewer at the end of the file.
    private func read(at start: Int, count: Int) throws(ListError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(count, 1 << 18))
        while bytes.count < count {
            let size = min(chunk.count, count - bytes.count)
            let received = unsafe pread(descriptor.rawValue, &chunk, size, off_t(start + bytes.count))
            if received < 0 && errno == EINTR { continue }
            guard received >= 0 else {
                throw ListError(.invalidArguments, "\(path) cannot be read", cause: SystemError.text(errno))
            }
            if received == 0 { break }
            bytes += chunk.prefix(received)
        }
        return bytes
    }
}
