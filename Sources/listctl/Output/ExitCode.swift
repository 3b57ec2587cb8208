// SPDX-License-Identifier: Apache-2.0

/// The exit code of the program; the numbers are those of sysexits.h, and of shells for signals.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 64
    case noInput = 66
    case unavailable = 69
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// The exit code after a signal: 128 and its number.
    static func ended(by signal: Int32) -> ExitCode { ExitCode(rawValue: 128 + signal) ?? .failed }
}
