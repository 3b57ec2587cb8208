// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DBus
internal import Glibc
package import ListKit
internal import ListSupport

/// Memory files that go out over the bus.
package enum SealedMemory {
    /// Makes a memory file with the given content, which nobody can change any more (memfd_create(2), F_ADD_SEALS).
    ///
    /// - Parameter name: shown by the kernel to who looks at descriptors; no secret.
    /// - Throws: `limitsExceeded` without descriptors or memory.
    package static func file(named name: String, containing bytes: [UInt8]) throws(ListError) -> FileDescriptor {
        let number = unsafe listd_memfd(name)
        guard number >= 0 else { throw fault(errno) }
        let file = FileDescriptor(adopting: number)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(number, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw fault(errno) }
            written += count
        }
        // The receiver reads from the start, whatever its offset is worth.
        guard lseek(number, 0, SEEK_SET) == 0, listd_seal(number) == 0 else { throw fault(errno) }
        return file
    }

    private static func fault(_ number: Int32) -> ListError {
        ListError(.limitsExceeded, "no memory file could be made", cause: SystemError.text(number))
    }
}
