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
