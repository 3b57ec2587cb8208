// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// The `listctl` executable of this build.
enum Listctl {
    /// The path of the executable next to the test runner.
    static let path = ListdProcess.runner.appending(path: "listctl").path

    /// Starts listctl. Standard output and standard error go to the same pipe.
    static func start(_ bus: String, _ arguments: String...) throws -> ChildProcess { try start(bus, arguments) }

    /// Starts listctl with an array of arguments.
    static func start(_ bus: String, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(path, ["--bus", bus] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    /// Runs listctl until it exits.
    static func run(_ bus: String, _ arguments: String...) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess.run(
            path, ["--bus", bus] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"], timeout: .seconds(120))
    }

    /// Runs a shell command in which `listctl` is this executable, on the given bus.
    static func shell(_ bus: String, _ line: String) async throws -> (status: Int32, lines: [String]) {
        let function = #"listctl() { "$LISTCTL" --bus "$BUS" "$@"; }; "#
        return try await ChildProcess.run(
            "/bin/bash", ["-c", function + line],
            environment: ["LISTCTL": path, "BUS": bus, "SWIFT_BACKTRACE": "enable=no"], timeout: .seconds(120))
    }
}
