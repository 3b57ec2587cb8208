// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file or directory that is made immutable (`chattr +i`): no process may change it, not even a process of root or
/// a process that has already opened it.
package struct FrozenFile {
    private let path: String

    /// Whether this process may make files immutable, determined once by trying.
    package static let isPossible: Bool = {
        let directory = TemporaryDirectory()
        let path = directory.path + "/frozen"
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path), changeAttribute("+i", of: path)
        else { return false }
        let isFrozen = (try? file.write(contentsOf: Data([1]))) == nil
        return changeAttribute("-i", of: path) && isFrozen
    }()

    /// Makes a file or directory immutable.
    package init(_ path: String) throws {
        guard Self.changeAttribute("+i", of: path) else { throw POSIXError(.EPERM) }
        self.path = path
    }

    /// Makes the file or directory mutable again.
    package func thaw() { _ = Self.changeAttribute("-i", of: path) }

    /// Runs chattr(1). Returns whether it succeeded.
    private static func changeAttribute(_ flag: String, of path: String) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/chattr")
        process.arguments = [flag, path]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
