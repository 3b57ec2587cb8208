// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation

/// Files whose descriptors tests send.
enum OpenFile {
    static func create(_ path: String, contents: String) throws -> FileDescriptor {
        try contents.write(toFile: path, atomically: true, encoding: .utf8)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        return try FileDescriptor(duplicating: handle.fileDescriptor)
    }

    static func contents(_ descriptor: FileDescriptor) -> String {
        let path = "/proc/self/fd/\(descriptor.rawValue)"
        return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// Returns `true` when the descriptor `number` of this process refers to the file at `path`.
    static func isOpen(_ number: Int32, path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
    }
}
