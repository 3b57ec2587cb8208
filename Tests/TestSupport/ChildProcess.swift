// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// A program that a test starts, and whose output it awaits line by line.
///
/// ``stop()`` kills the program, at the latest when this object is released.
package final class ChildProcess: Sendable {
    /// The lines that the program has written to standard output and standard error.
    package let lines: EventLog<String>
    /// Gets the exit status when the program has ended, after its last line. A signal counts as its negative
    /// number.
    package let exit: EventLog<Int32>
    private let process: SpawnedProcess
    private let input: FileHandle

    /// Starts a program with the environment of this process and `environment`.
    package init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        _ = Glibc.signal(SIGPIPE, SIG_IGN)  // writing to a child that has ended is an error, and must not end the tests
        let (lines, exit) = (EventLog<String>(), EventLog<Int32>())
        let (input, output) = (Pipe(), Pipe())
        let outputHasEnded = DispatchGroup()
        outputHasEnded.enter()
        process = try SpawnedProcess(
            executable, arguments, environment: environment, input: input.fileHandleForReading.fileDescriptor,
            output: output.fileHandleForWriting.fileDescriptor, errors: output.fileHandleForWriting.fileDescriptor
        ) { status in
            outputHasEnded.wait()
            exit.record(status)
        }
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        self.input = input.fileHandleForWriting
        (self.lines, self.exit) = (lines, exit)
        Thread.detachNewThread {
            ChildProcess.readLines(of: output.fileHandleForReading, into: lines)
            outputHasEnded.leave()
        }
    }

    /// Starts a Python script with Debian's Python, which has dbus and gi.
    package convenience init(python script: String, _ arguments: [String] = []) throws {
        try self.init("/usr/bin/python3", ["-u", "-c", script] + arguments)
    }

    deinit {
        process.stop()
    }

    /// The process ID of the program.
    package var processID: Int32 { process.processID }

    /// Writes a line to the program's standard input.
    package func write(line: String) {
        try? input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Closes the program's standard input.
    package func closeInput() {
        try? input.close()
    }

    /// Sends a signal, such as SIGSTOP, to the program.
    package func signal(_ number: Int32) {
        process.signal(number)
    }

    /// Kills the program with SIGKILL, and waits until it has ended.
    package func stop() {
        process.stop()
    }

    /// Runs a program until it exits, and returns its output.
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        timeout: Duration = .seconds(30)
    ) async throws -> (status: Int32, lines: [String]) {
        let child = try ChildProcess(executable, arguments, environment: environment)
        child.closeInput()
        let status = try await child.exit.next(timeout: timeout)
        return (status, child.lines.recorded)
    }

    private static func readLines(of output: FileHandle, into lines: EventLog<String>) {
        var rest = Data()
        while true {
            let data = output.availableData
            if data.isEmpty { break }
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.record(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[rest.index(after: end)...])
            }
        }
        if !rest.isEmpty { lines.record(String(decoding: rest, as: UTF8.self)) }
    }
}
