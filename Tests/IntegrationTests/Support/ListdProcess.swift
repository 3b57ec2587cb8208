// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport

/// A process of this build's `listd`, on a bus that the test chooses.
///
/// The process reports READY=1 on a socket that the test reads, as it does to systemd. So no test guesses how long
/// a start takes.
final class ListdProcess: Sendable {
    /// The way in which a process ended.
    struct Outcome: Equatable {
        var status: Int32
        var wasSignalled = false
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ text: String) { description = text }
    }

    /// The process id.
    let identifier: Int32
    /// A directory for this process alone, with `config/` in it. ``finish()`` removes the directory.
    let directory: URL
    private let notifications: NotifySocket
    private let ended: Task<Outcome, Never>
    private let errors: ErrorText

    /// Starts `listd --bus ADDRESS …` and returns when it reports READY=1.
    ///
    /// - Parameters:
    ///   - bus: the address of the bus.
    ///   - arguments: additional arguments. Without them there is neither a store nor a direct socket. `%d` stands
    ///     for the directory of this process.
    ///   - files: configuration files to write first, by name.
    ///   - environment: environment variables in addition to those of the test.
    ///   - launcher: a command that executes listd. Its words precede those of listd.
    static func start(
        bus: String, arguments: [String] = [], files: [String: String] = [:], environment: [String: String] = [:],
        launcher: [String] = []
    ) async throws -> ListdProcess {
        let listd = try ListdProcess(
            bus: bus, arguments: arguments, files: files, environment: environment, launcher: launcher)
        guard await listd.waitForNotification("READY=1") else {
            let outcome = await listd.finish()
            throw Failure("listd ended before it was ready (\(outcome)): \(listd.standardError)")
        }
        return listd
    }

    /// Starts listd and waits until the process ends. Call this for starts that must fail.
    static func run(
        bus: String, arguments: [String] = [], files: [String: String] = [:]
    ) async throws -> (Outcome, standardError: String) {
        let listd = try ListdProcess(bus: bus, arguments: arguments, files: files)
        let outcome = await listd.finish()
        return (outcome, listd.standardError)
    }

    /// Starts listd and returns before listd is ready. Call this for starts that never finish.
    static func begin(bus: String, arguments: [String] = [], files: [String: String] = [:]) throws -> ListdProcess {
        try ListdProcess(bus: bus, arguments: arguments, files: files)
    }

    private init(
        bus: String, arguments: [String], files: [String: String], environment: [String: String] = [:],
        launcher: [String] = []
    ) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "listd-\(UUID().uuidString.prefix(8))")
        let configuration = directory.appending(path: "config")
        try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: true)
        for (name, text) in files {
            try text.write(to: configuration.appending(path: name), atomically: true, encoding: .utf8)
        }
        let notifications = try NotifySocket(path: directory.appending(path: "notify").path)
        self.notifications = notifications
        let process = Process()
        let words =
            launcher + [Self.executable.path]
            + ["--bus", bus, "--config", configuration.path, "--state", "none", "--direct", "none"]
            + arguments.map { [directory] in $0.replacingOccurrences(of: "%d", with: directory.path) }
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["NOTIFY_SOCKET": notifications.path, "SWIFT_BACKTRACE": "enable=no"]
        ) { $1 }.merging(environment) { $1 }
        errors = ErrorText(of: process)
        let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
        process.terminationHandler = { process in
            continuation.yield(
                Outcome(status: process.terminationStatus, wasSignalled: process.terminationReason == .uncaughtSignal))
            continuation.finish()
            notifications.close()
        }
        ended = Task {
            for await outcome in outcomes { return outcome }
            return Outcome(status: -1)
        }
        try process.run()
        identifier = process.processIdentifier
        LiveProcesses.add(identifier)
    }

    /// The text that the process has written to standard error so far.
    var standardError: String { errors.text }

    /// Waits for a message to the service manager. Returns `false` if listd ended first.
    func waitForNotification(_ text: String) async -> Bool {
        for await message in notifications.messages where message.contains(text) { return true }
        return false
    }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(identifier, signal) }

    /// Waits until the process has ended, and removes its directory.
    func finish() async -> Outcome {
        let outcome = await ended.value
        LiveProcesses.remove(identifier)
        try? FileManager.default.removeItem(at: directory)
        return outcome
    }

    /// Sends SIGTERM, as systemd does, and waits until the process has ended.
    @discardableResult
    func stop() async -> Outcome {
        send(SIGTERM)
        return await finish()
    }

    /// The executable of listd: the environment variable LISTD, for long soaks with an optimised build, or else the
    /// executable next to the test runner.
    static let executable: URL = {
        if let path = ProcessInfo.processInfo.environment["LISTD"] { return URL(fileURLWithPath: path) }
        return runner.appending(path: "listd")
    }()

    /// The directory of the test runner and of the build's programs.
    static let runner =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
}

/// A buffer for the text that a process writes to standard error.
///
/// A separate thread reads the text. A dispatch source could crash libdispatch's own thread, and thus all tests, if it
/// is cancelled just when the other end hangs up.
private final class ErrorText: Sendable {
    private let collected = Mutex([UInt8]())
    private let reading: FileHandle

    init(of process: Process) {
        let pipe = Pipe()
        process.standardError = pipe
        reading = pipe.fileHandleForReading
        Thread { [self] in
            repeat { waitForMore() } while readAvailable()
        }.start()
    }

    /// Waits until the process has written more, or no process can write any more.
    private func waitForMore() {
        var entry = pollfd(fd: reading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
    }

    /// All text so far. The text is complete once the process has ended.
    var text: String {
        readAvailable()
        return collected.withLock { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads the available text. Returns `false` when no process can write any more.
    @discardableResult
    private func readAvailable() -> Bool {
        collected.withLock { collected in
            var entry = pollfd(fd: reading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            var chunk = [UInt8](repeating: 0, count: 4096)
            while unsafe poll(&entry, 1, 0) > 0 {
                let count = unsafe read(entry.fd, &chunk, chunk.count)
                guard count > 0 else { return false }
                collected += chunk[..<count]
            }
            return true
        }
    }
}
