// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Small files of the kernel (proc(5)).
package enum KernelFile {
    private static let largestSize = 4096

    /// Returns the text of a file, at most 4 KiB; nil if the file cannot be read.
    package static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: largestSize)
        // The call writes at most the size of the array.
        let count = unsafe read(file, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
