// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import Glibc
package import ListKit
internal import ListSupport

/// Memory files handed to users that still take memory: not sent, not read, or kept open by a program.
///
/// Only the kernel knows when the last one has let go of a file. It says so to whoever watches it, which keeps no file alive
/// (inotify(7), IN_DELETE_SELF); its events are read when somebody wants to know.
@DBusActor
package final class LentFiles {
    /// The limits of one user.
    package struct Limits: Sendable {
        /// The most files. A system bus takes nothing more from a sender of whose messages 64 descriptors wait in it.
        package var files = 32
        /// The most bytes, but for a single file.
        package var bytes = 256 << 20

        /// Makes the daemon's own.
        package init() {}
    }

    private struct Lent {
        let user: UInt32
        let size: Int
    }

    private let limits: Limits
    /// Made when it is needed first, and tried again where there was no room for it.
    private var notices: FileDescriptor?
    private var lent: [Int32: Lent] = [:]

    /// Begins with none.
    package nonisolated init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many files there are, and how many bytes are in them.
    package var use: (files: Int, bytes: Int) {
        settle()
        return (lent.count, lent.values.reduce(0) { $0 + $1.size })
    }

    /// Refuses a user who may have no more files, before one is made.
    ///
    /// - Throws: `limitsExceeded`.
    package func checkRoom(for user: UInt32, bytes: Int = 0) throws(ListError) {
        settle()
        let files = lent.values.filter { $0.user == user }
        let sum = files.reduce(0) { $0 + $1.size }
        guard files.isEmpty || (files.count < limits.files && sum + bytes <= limits.bytes) else {
            throw ListError(
                .limitsExceeded,
                "user \(user) has \(files.count) memory files with \(sum) bytes open or unread, and may have "
                    + "\(limits.files) with \(limits.bytes)")
        }
    }

    /// Counts a file for a user who is about to be sent it.
    ///
    /// - Throws: `limitsExceeded` when that would be too many or too much, or when the kernel cannot tell its end.
    package func lend(_ file: FileDescriptor, to user: UInt32) throws(ListError) {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else { throw Self.fault(errno) }
        try checkRoom(for: user, bytes: Int(status.st_size))
        let watch = unsafe inotify_add_watch(
            try openNotices().rawValue, "/proc/self/fd/\(file.rawValue)", UInt32(IN_DELETE_SELF))
        guard watch >= 0 else { throw Self.fault(errno) }
        lent[watch] = Lent(user: user, size: Int(status.st_size))
    }

    private func openNotices() throws(ListError) -> FileDescriptor {
        if let notices { return notices }
        let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard number >= 0 else { throw Self.fault(errno) }
        let made = FileDescriptor(adopting: number)
        notices = made
        return made
    }

    private static func fault(_ number: Int32) -> ListError {
        ListError(.limitsExceeded, "a memory file could not be watched", cause: SystemError.text(number))
    }

    /// Forgets the files that are gone.
    private func settle() {
        guard let notices else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(notices.rawValue, &buffer, buffer.count)
            guard count > 0 else { return }
            forget(Array(buffer.prefix(count)))
        }
    }

    /// Notices of files without a name of their own: watch, events, cookie and length (0), four bytes each.
    private func forget(_ notices: [UInt8]) {
        for start in stride(from: 0, to: notices.count - 15, by: 16) {
            func number(at offset: Int) -> UInt32 {
                (0..<4).reduce(0) { $0 | UInt32(notices[start + offset + $1]) << (8 * UInt32($1)) }
            }
            if number(at: 4) & UInt32(IN_Q_OVERFLOW) != 0 {
                lent = [:]  // whose end was lost is not known; better too few than a user who is refused for ever
            } else {
                lent[Int32(bitPattern: number(at: 0))] = nil
            }
        }
    }
}
