internal import Foundation
internal import Glibc

/// Another program as part of a test: its output is awaited line by line.
///
/// It ends with `stop`, at the latest when the object is dropped.
package final class ChildProcess: Sendable {
    /// The lines that it has written to its standard output.
    package let lines: EventLog<String>
    /// Gets its status when it ends; a signal counts as its negative number.
    package let exit = EventLog<Int32>()
    private let child: Child

    /// Starts a program; `environment` is added to this process' own.
    package init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        lines = EventLog()
        child = Child()
        try child.start(executable, arguments, environment, lines: lines, exit: exit)
    }

    /// Starts a Python script with Debian's Python, which has dbus and gi.
    package convenience init(python script: String, _ arguments: [String] = []) throws {
        try self.init("/usr/bin/python3", ["-u", "-c", script] + arguments)
    }

    deinit {
        stop()
    }

    package var processID: Int32 { child.process.processIdentifier }

    /// Writes a line to its standard input.
    package func write(line: String) {
        try? child.input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Closes its standard input.
    package func closeInput() {
        try? child.input.fileHandleForWriting.close()
    }

    /// Sends a signal, such as SIGSTOP.
    package func signal(_ number: Int32) {
        if child.process.isRunning { kill(processID, number) }
    }

    /// Ends it with SIGKILL and waits until it is gone.
    package func stop() {
        guard child.process.isRunning else { return }
        signal(SIGKILL)
        child.process.waitUntilExit()
        LiveProcesses.remove(processID)
    }

    /// Runs a program to its end and returns what it wrote.
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        timeout: Duration = .seconds(30)
    ) async throws -> (status: Int32, lines: [String]) {
        let child = try ChildProcess(executable, arguments, environment: environment)
        child.closeInput()
        let status = try await child.exit.next(timeout: timeout)
        return (status, child.lines.recorded)
    }
}

/// The process and its pipes; set up once, then used by one test.
private final class Child: @unchecked Sendable {
    let process = Process()
    let input = Pipe()
    private let output = Pipe()
    private var rest = Data()

    func start(
        _ executable: String, _ arguments: [String], _ environment: [String: String], lines: EventLog<String>,
        exit: EventLog<Int32>
    ) throws {
        _ = Glibc.signal(SIGPIPE, SIG_IGN)  // writing to a child that has ended is an error, not the end of the tests
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        LiveProcesses.add(process.processIdentifier)
        let process = process
        // One thread of this object's own reads to the end, then reports the exit: lines come before it.
        Thread.detachNewThread { [self] in
            readLines(into: lines)
            process.waitUntilExit()
            let status = process.terminationStatus
            exit.record(process.terminationReason == .exit ? status : -status)
        }
    }

    private func readLines(into lines: EventLog<String>) {
        while true {
            let data = output.fileHandleForReading.availableData
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
