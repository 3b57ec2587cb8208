// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The operating system's messages for errors.
enum SystemError {
    /// Returns the message of strerror(3) for an `errno`.
    static func text(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
