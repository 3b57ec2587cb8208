// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Arguments → command → exit code.
@main
struct Main {
    static func main() async {
        StandardDescriptor.keepNumbers()
        StandardDescriptor.surviveReaders()
        // How wide characters are, whatever the user's language; the C library copies the name.
        _ = unsafe setlocale(LC_ALL, "C.UTF-8")
        do throws(UsageError) {
            let request = try Request(parsing: Request.words())
            exit(await CommandRunner.run(request).rawValue)
        } catch {
            Output.complain("\(error.message); see “listctl help\(error.command.map { " " + $0 } ?? "")”")
            exit(ExitCode.usage.rawValue)
        }
    }
}

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
