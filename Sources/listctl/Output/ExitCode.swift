// SPDX-License-Identifier: Apache-2.0

/// The exit codes of the program. The numbers are those of sysexits.h, and those that shells use for signals.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 64
    case noInput = 66
    case unavailable = 69
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// Returns the exit code after a signal, which is 128 plus the signal's number.
    static func ended(by signal: Int32) -> ExitCode { ExitCode(rawValue: 128 + signal) ?? .failed }
}
