// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The small files in which the kernel tells something (proc(5)).
package enum KernelFile {
    private static let largestSize = 4096

    /// The text of one, at most 4 KiB; nil when it cannot be read.
    package static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: largestSize)
        // The kernel fills the array up to its size at most.
        let count = unsafe read(file, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
