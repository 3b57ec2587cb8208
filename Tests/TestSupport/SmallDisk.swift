// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// A small file system that is mounted for one test. It needs root and the right to mount.
package struct SmallDisk {
    /// The mount point.
    package let path: String

    /// Whether this process may mount file systems, determined once by trying.
    package static let isPossible: Bool = {
        let directory = TemporaryDirectory()
        guard geteuid() == 0, let disk = try? SmallDisk(at: directory.path) else { return false }
        disk.remove()
        return true
    }()

    /// Mounts a file system of 1 MiB, or of the size in `options`.
    package init(at path: String, options: String = "size=1m", isReadOnly: Bool = false) throws {
        let flags = isReadOnly ? UInt(MS_RDONLY) : 0
        guard unsafe mount("tmpfs", path, "tmpfs", flags, options) == 0 else { throw POSIXError(.EPERM) }
        self.path = path
    }

    /// Unmounts and removes the file system, even while it is in use.
    package func remove() { _ = unsafe umount2(path, Int32(MNT_DETACH)) }

    /// Fills the file system with a file until no space is left.
    package func fill(withFile name: String = "filler") {
        let file = unsafe open(path + "/" + name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        for size in [65536, 4096, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while unsafe write(file, bytes, size) > 0 {}
        }
        close(file)
    }

    /// Removes the file that ``fill(withFile:)`` writes by default.
    package func removeFiller() { _ = unsafe unlink(path + "/filler") }
}
