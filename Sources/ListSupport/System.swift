// SPDX-License-Identifier: Apache-2.0

package import Glibc
internal import ListKit

/// The exit status of the process, as listd(8) documents it. sysexits.h defines the numbers from 64 on.
package enum ExitCode: Int32, Sendable {
    /// The process did what was asked, and every accepted change is stored.
    case done = 0
    /// The configuration has a mistake.
    case configuration = 1
    /// The command line is invalid (EX_USAGE).
    case usage = 64
    /// There is no bus, or another process owns the bus name (EX_UNAVAILABLE).
    case noBus = 69
    /// The state directory cannot be used (EX_IOERR).
    case store = 74
    /// A restored store waits to be taken by the next start (EX_TEMPFAIL).
    case restart = 75
    /// The store is of a newer listd, so this one changes nothing (EX_CONFIG).
    case newerStore = 78
}

/// The system's clocks.
package enum Clock {
    /// Returns the present time of a clock in microseconds; 0 if the clock cannot be read.
    package static func microseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec / 1000)
    }
}

extension Duration {
    /// The length in whole milliseconds.
    package var milliseconds: Int64 {
        let (product, overflow) = components.seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : product &+ components.attoseconds / 1_000_000_000_000_000
    }
}

/// Descriptions of the operating system's error numbers.
package enum SystemError {
    /// Returns the text of an `errno`, as strerror(3) gives it.
    package static func text(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

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

extension [UInt8] {
    /// Copies the bytes of a span in one operation.
    package init(copying bytes: Span<UInt8>) {
        // The span outlives the call.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension String {
    /// Copies a span of UTF-8.
    package init(copying bytes: Span<UInt8>) {
        // The bytes are only read during the call.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension ListError {
    /// The message with its cause, without the error code: for people who read the log or a property.
    package var reason: String { cause.map { "\(message) (\($0))" } ?? message }
}
