// SPDX-License-Identifier: Apache-2.0

/// How the program ends; the numbers are those of sysexits.h, and of shells for signals.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 64
    case noInput = 66
    case unavailable = 69
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// The end that a signal asked for: 128 and its number.
    static func ended(by signal: Int32) -> ExitCode { ExitCode(rawValue: 128 + signal) ?? .failed }
}
