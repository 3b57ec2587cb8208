// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Small files of the kernel (proc(5)).
package enum KernelFile {
    private static let largestSize = 1 << 20

    /// Returns the text of a file, at most 1 MiB; nil if the file cannot be read.
    package static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while text.count < largestSize {
            // The kernel returns such a file in parts. The call writes at most the size of the array.
            let count = unsafe read(file, &part, part.count)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            text += part.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
