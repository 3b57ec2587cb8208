// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DBus
internal import Glibc
package import ListKit
internal import ListSupport

/// A record of the memory files that were passed to users and still occupy memory, because they are not sent yet, not
/// read yet, or kept open by a program.
///
/// Only the kernel knows when the last descriptor of a file is closed. It reports this through inotify, which does
/// not keep a file alive (inotify(7), IN_DELETE_SELF). The events are read when the record is used.
@DBusActor
package final class LentFiles {
    private let limits: (files: Int, bytes: Int)
    /// The inotify descriptor. It is created on first use; after a failure, the next use tries again.
    private var notices: FileDescriptor?
    /// The files by their watches: whose each is, and its size in bytes.
    private var lent: [Int32: (user: UInt32, size: Int)] = [:]

    /// Creates an empty record, with limits for each user.
    ///
    /// - Parameters:
    ///   - files: the maximum number of files. A system bus accepts no more messages from a sender with 64 descriptors in
    ///     queued messages.
    ///   - bytes: the maximum number of bytes. A single file may exceed it.
    package nonisolated init(files: Int = 32, bytes: Int = 256 << 20) { limits = (files, bytes) }

    /// The number of files, and their total size in bytes.
    package var use: (files: Int, bytes: Int) {
        removeClosedFiles()
        return (lent.count, lent.values.reduce(0) { $0 + $1.size })
    }

    /// Checks that a user may have another file. Call this before the file is created.
    ///
    /// - Throws: `limitsExceeded`.
    package func checkRoom(for user: UInt32, bytes: Int = 0) throws(ListError) {
        removeClosedFiles()
        let files = lent.values.filter { $0.user == user }
        let sum = files.reduce(0) { $0 + $1.size }
        guard files.isEmpty || (files.count < limits.files && sum + bytes <= limits.bytes) else {
            throw ListError(
                .limitsExceeded,
                "user \(user) has \(files.count) memory files with \(sum) bytes open or unread; the limit is "
                    + "\(limits.files) files with \(limits.bytes) bytes")
        }
    }

    /// Records a file that is about to be sent to a user.
    ///
    /// - Throws: `limitsExceeded` when the user would exceed a limit, or when the kernel cannot watch the file.
    package func lend(_ file: FileDescriptor, to user: UInt32) throws(ListError) {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else { throw Self.systemError(errno) }
        try checkRoom(for: user, bytes: Int(status.st_size))
        let watch = unsafe inotify_add_watch(
            try openInotify().rawValue, "/proc/self/fd/\(file.rawValue)", UInt32(IN_DELETE_SELF))
        guard watch >= 0 else { throw Self.systemError(errno) }
        lent[watch] = (user, Int(status.st_size))
    }

    private func openInotify() throws(ListError) -> FileDescriptor {
        if let notices { return notices }
        let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard number >= 0 else { throw Self.systemError(errno) }
        let made = FileDescriptor(adopting: number)
        notices = made
        return made
    }

    private static func systemError(_ number: Int32) -> ListError {
        ListError(.limitsExceeded, "a memory file could not be watched", cause: SystemError.text(number))
    }

    /// Removes the files that no longer exist.
    private func removeClosedFiles() {
        guard let notices else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(notices.rawValue, &buffer, buffer.count)
            guard count > 0 else { return }
            removeFiles(reportedBy: Array(buffer.prefix(count)))
        }
    }

    /// Handles inotify events without names: watch, mask, cookie and name length (0), of four bytes each.
    private func removeFiles(reportedBy notices: [UInt8]) {
        for start in stride(from: 0, to: notices.count - 15, by: 16) {
            func number(at offset: Int) -> UInt32 {
                (0..<4).reduce(0) { $0 | UInt32(notices[start + offset + $1]) << (8 * UInt32($1)) }
            }
            if number(at: 4) & UInt32(IN_Q_OVERFLOW) != 0 {
                lent = [:]  // events were lost; counting too few files is better than refusing a user forever
            } else {
                lent[Int32(bitPattern: number(at: 0))] = nil
            }
        }
    }
}

/// Memory files that are sent over the bus.
package enum SealedMemory {
    /// Creates a memory file with the given content, sealed so that nobody can change it (memfd_create(2),
    /// F_ADD_SEALS).
    ///
    /// - Parameter name: a name that the kernel shows for the descriptor; must not be secret.
    /// - Throws: `limitsExceeded` without free descriptors or memory.
    package static func file(named name: String, containing bytes: [UInt8]) throws(ListError) -> FileDescriptor {
        let number = unsafe listd_memfd(name)
        guard number >= 0 else { throw systemError(errno) }
        let file = FileDescriptor(adopting: number)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(number, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw systemError(errno) }
            written += count
        }
        // A receiver reads from the current offset, so the offset is reset to the start.
        guard lseek(number, 0, SEEK_SET) == 0, listd_seal(number) == 0 else { throw systemError(errno) }
        return file
    }

    private static func systemError(_ number: Int32) -> ListError {
        ListError(.limitsExceeded, "a memory file could not be created", cause: SystemError.text(number))
    }
}
