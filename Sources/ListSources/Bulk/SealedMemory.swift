// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DBus
internal import Glibc
package import ListKit
internal import ListSupport

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
