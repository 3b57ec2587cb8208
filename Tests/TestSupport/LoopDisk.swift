// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// A file system in a file: the file has what a power cut would leave; needs root that may mount.
package final class LoopDisk: Sendable {
    private let directory: TemporaryDirectory
    private var image: String { directory.path + "/image" }
    /// The mount point.
    package var path: String { directory.path + "/mounted" }

    /// Whether this process may mount such files, tried once.
    package static let isPossible: Bool = {
        guard geteuid() == 0, let disk = try? LoopDisk() else { return false }
        disk.remove()
        return true
    }()

    /// Makes and mounts an empty one (ext4, 64 MiB).
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

    /// The content after a power cut at this moment: another disk, whose journal is replayed.
    package func cutPower() throws -> LoopDisk {
        try LoopDisk { image in try FileManager.default.copyItem(atPath: self.image, toPath: image) }
    }

    /// Blocks every process that changes it until ``thaw()`` (`fsfreeze`); a blocked process cannot be killed.
    package func freeze() throws { try Self.run("/sbin/fsfreeze", "--freeze", path) }

    /// Lets blocked processes go on.
    package func thaw() throws { try Self.run("/sbin/fsfreeze", "--unfreeze", path) }

    /// Unmounts and removes it, also while it is in use.
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
