// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A system call that failed.
struct SystemError: Error, CustomStringConvertible {
    /// The path that the call failed for.
    var path: String
    /// The error number.
    var code: Int32

    var description: String {
        var buffer = [CChar](repeating: 0, count: 256)
        // The buffer has the passed length, and ends with NUL if the call succeeds.
        guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "\(path): error \(code)" }
        return "\(path): \(String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))"
    }
}
