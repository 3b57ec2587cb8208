// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A temporary directory of a test; it is removed together with this object.
final class Scratch {
    let path: String

    init() throws {
        path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "files-plugin.\(UUID().uuidString)").path(percentEncoded: false)
        try make()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func make() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    func remove() throws { try FileManager.default.removeItem(atPath: path) }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a file without fsync, which Foundation would call; tests write thousands of files.
    func write(_ name: String, _ text: String = "") throws {
        let bytes = Array(text.utf8)
        let descriptor = unsafe open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        // The bytes outlive the call.
        guard unsafe Foundation.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    func append(_ name: String, _ text: String) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path(of: name)))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(of: name), withIntermediateDirectories: false)
    }

    /// Renames an entry with rename(2), which replaces an existing file.
    func rename(_ old: String, to new: String) throws {
        guard unsafe Foundation.rename(path(of: old), path(of: new)) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(of: name), withDestinationPath: target)
    }

    func delete(_ name: String) throws { try FileManager.default.removeItem(atPath: path(of: name)) }
}

/// The random number generator SplitMix64.
struct Random {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ (z >> 31)) % UInt64(bound))
    }
}
