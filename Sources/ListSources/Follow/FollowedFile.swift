// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit
internal import ListSupport

/// A file that grows, is cut, replaced or removed: tells what became of it since the last look.
///
/// A file that is longer has grown if the first 64 KiB and the last 4 KiB of what was read are still there. If only its
/// time is another, all of it is read again and compared by its digest. Who changes a large file in its middle and lengthens
/// it at once should put a new file in its place.
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
    /// The most bytes that a file may have.
    private var limit: Int
    private var opened: OpenedFile?

    /// Prepares to look at a path.
    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Gives the file another limit, in bytes; the next look applies it.
    mutating func setLimit(_ limit: Int) { self.limit = limit }

    /// The next look reads all of it, whatever was read before.
    mutating func forget() { opened = nil }

    /// Examines the file and reads new bytes.
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
        // A write sets the time first and the size later: what is being appended looks like another content meanwhile.
        let earlier = opened
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
        file.doubtRecentState()
        opened = file
        guard let earlier, earlier.isSame(as: state), earlier.isBeginning(of: bytes) else { return .began(bytes) }
        return bytes.count == earlier.count ? .unchanged : .grew(Array(bytes[earlier.count...]))
    }

    private func tooLarge(_ size: Int) -> ListError {
        LimitKey.fileBytes.refusal(.payloadTooLarge, "\(path) has \(size) bytes; at most \(limit)")
    }

    private func fault(_ message: String, _ number: Int32?) -> ListError {
        ListError(.invalidArguments, "\(path) \(message)", cause: number.map { SystemError.text($0) })
    }
}
