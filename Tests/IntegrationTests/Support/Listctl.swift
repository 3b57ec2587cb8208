// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// The real `listctl` of this build.
enum Listctl {
    /// The executable beside the test runner.
    static let path = ListdProcess.runner.appending(path: "listctl").path

    /// Starts it; standard output and standard error go to one pipe.
    static func start(_ bus: String, _ arguments: String...) throws -> ChildProcess { try start(bus, arguments) }

    /// Starts it with some arguments.
    static func start(_ bus: String, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(path, ["--bus", bus] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    /// Runs it to its end.
    static func run(_ bus: String, _ arguments: String...) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess.run(
            path, ["--bus", bus] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"], timeout: .seconds(120))
    }

    /// Runs a line of the shell, in which `listctl` is this one on that bus.
    static func shell(_ bus: String, _ line: String) async throws -> (status: Int32, lines: [String]) {
        let function = #"listctl() { "$LISTCTL" --bus "$BUS" "$@"; }; "#
        return try await ChildProcess.run(
            "/bin/bash", ["-c", function + line],
            environment: ["LISTCTL": path, "BUS": bus, "SWIFT_BACKTRACE": "enable=no"], timeout: .seconds(120))
    }
}
