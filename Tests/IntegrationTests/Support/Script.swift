// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that a test runs to its end.
struct Script: Sendable {
    private let executable: String
    private let leading: [String]

    /// Uses a script in `Tests/IntegrationTests/python`, run by the system's Python, which has python3-dbus.
    init(_ name: String) {
        executable = "/usr/bin/python3"
        leading = [Self.path(of: name)]
    }

    /// Uses any other program.
    init(program: String) {
        executable = program
        leading = []
    }

    /// Runs the program. Returns its exit status and its output.
    func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = leading + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return await withCheckedContinuation { continuation in
            // The pipe ends when the last writer has closed it. The process has ended then, or is about to end.
            DispatchQueue.global().async {
                let output = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: (process.terminationStatus, String(decoding: output, as: UTF8.self)))
            }
        }
    }
}

extension Script {
    /// Returns the text of a script in `Tests/IntegrationTests/python`, for a process without permission to read
    /// the file.
    static func text(of name: String) throws -> String {
        try String(contentsOfFile: path(of: name), encoding: .utf8)
    }

    /// Returns the path of a script in `Tests/IntegrationTests/python`.
    static func path(of name: String) -> String {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return directory.appending(path: "python/\(name)").path
    }
}
