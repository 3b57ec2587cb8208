internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit

/// A file that grows, is cut, replaced or removed: tells what became of it since the last look.
///
/// A file has grown if the first 64 KiB and the last 4 KiB of what was read are still there; everything else, also a
/// change of its time alone, begins anew. Who changes a large file in its middle and lengthens it at once should put a new
/// file in its place.
struct FollowedFile {
    /// What became of the file.
    enum Change {
        /// Nothing that matters.
        case unchanged
        /// These bytes came at its end.
        case grew([UInt8])
        /// It is a new one, or another content: all of it.
        case began([UInt8])
        /// There is no file.
        case missing
        /// It cannot be read.
        case failed(ListError)
    }

    private let path: String
    private let limit: Int
    private var opened: OpenedFile?

    /// Prepares to look at a path.
    ///
    /// - Parameter limit: the most bytes that a file may have.
    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Looks at the file and reads what is new.
    ///
    /// - Complexity: O(new bytes), or O(file) if it begins anew.
    mutating func look() -> Change {
        var state = listd_file_state()
        guard unsafe listd_state_at(path, &state) == 0 else {
            opened = nil
            return errno == ENOENT || errno == ENOTDIR ? .missing : .failed(fault("cannot be read", errno))
        }
        do throws(ListError) {
            if opened?.isSame(as: state) == true, let change = try grow() { return change }
            return try begin()
        } catch {
            return .failed(error)
        }
    }

    /// What came to the file that is open; nil if its beginning is another one.
    private mutating func grow() throws(ListError) -> Change? {
        guard var file = opened, let state = file.state(), Int(state.size) >= file.count else { return nil }
        if Int(state.size) == file.count { return file.wasRead(at: state) ? .unchanged : nil }
        guard Int(state.size) <= limit else { throw tooLarge(Int(state.size)) }
        guard try file.beginningIsUnchanged() else { return nil }
        let bytes = try file.readOn(atMost: limit - file.count)
        opened = file
        return bytes.isEmpty ? .unchanged : .grew(bytes)
    }

    private mutating func begin() throws(ListError) -> Change {
        opened = nil
        // Non-blocking, should somebody put a pipe there since we looked.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .missing }
            throw fault("cannot be read", errno)
        }
        var file = OpenedFile(FileDescriptor(adopting: descriptor), path: path)
        guard let state = file.state(), state.is_regular != 0 else { throw fault("is not a regular file", nil) }
        guard Int(state.size) <= limit else { throw tooLarge(Int(state.size)) }
        let bytes = try file.readOn(atMost: limit)
        opened = file
        return .began(bytes)
    }

    private func tooLarge(_ size: Int) -> ListError {
        ListError(.payloadTooLarge, "\(path) has \(size) bytes; at most \(limit)")
    }

    private func fault(_ message: String, _ number: Int32?) -> ListError {
        ListError(.invalidArguments, "\(path) \(message)", cause: number.map { SystemError.text($0) })
    }
}

/// The open file behind a `FollowedFile`, and what was read of it.
private struct OpenedFile {
    private static let headSize = 64 << 10
    private static let tailSize = 4 << 10

    private let descriptor: FileDescriptor
    private let path: String
    private let first: listd_file_state?
    /// How many bytes were read.
    private(set) var count = 0
    /// The state in which the file had these bytes and no more.
    private var last: listd_file_state?
    private var head: [UInt8] = []
    private var tail: [UInt8] = []

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
        // What came since has an event of its own.
        last = state().flatMap { Int($0.size) == count ? $0 : nil }
        return bytes
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
