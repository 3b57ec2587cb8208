// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// A file system in an image file. The file holds what would remain after a power failure. Mounting needs root.
package final class LoopDisk: Sendable {
    private let directory: TemporaryDirectory
    private var image: String { directory.path + "/image" }
    /// The mount point.
    package var path: String { directory.path + "/mounted" }

    /// Whether this process may mount image files, determined once by trying.
    package static let isPossible: Bool = {
        guard geteuid() == 0, let disk = try? LoopDisk() else { return false }
        disk.remove()
        return true
    }()

    /// Creates and mounts an empty file system (ext4, 64 MiB).
    package convenience init() throws {
        try self.init { image in
            guard FileManager.default.createFile(atPath: image, contents: nil), unsafe truncate(image, 64 << 20) == 0
            else { throw POSIXError(.EIO) }
            try Self.run("/sbin/mkfs.ext4", "-q", "-F", image)
        }
    }

    private init(_ make: (_ image: String) throws -> Void) throws {
        directory = TemporaryDirectory()
        try make(directory.path + "/image")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.run("/bin/mount", "-o", "loop", image, path)
    }

    /// Returns a disk with the content that a power failure at this moment would leave. Mounting the disk replays its
    /// journal.
    package func diskAfterPowerFailure() throws -> LoopDisk {
        try LoopDisk { image in try FileManager.default.copyItem(atPath: self.image, toPath: image) }
    }

    /// Blocks every process that writes to the file system, until ``thaw()`` (`fsfreeze`). A blocked process cannot
    /// be killed.
    package func freeze() throws { try Self.run("/sbin/fsfreeze", "--freeze", path) }

    /// Unblocks the blocked processes.
    package func thaw() throws { try Self.run("/sbin/fsfreeze", "--unfreeze", path) }

    /// Unmounts and removes the file system, even while it is in use.
    package func remove() { _ = unsafe umount2(path, Int32(MNT_DETACH)) }

    private static func run(_ program: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EPERM) }
    }
}
