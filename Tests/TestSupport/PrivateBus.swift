internal import Foundation
internal import Glibc

/// A real dbus-daemon for one test, with its own configuration and socket.
///
/// It ends with `stop`, at the latest when the object is dropped; its directory goes with it.
package final class PrivateBus: Sendable {
    /// What kind of bus to start.
    package enum Kind: Sendable {
        /// Everybody may do everything, hardly any limits.
        case session
        /// Default-deny as the system bus; `policy` is put into the configuration.
        case system(policy: String)
        /// As `session` with these limits, such as `["max_message_size": 65536]`.
        case limited([String: Int])

        /// Limits so small that a test reaches them at once.
        package static let tiny = Kind.limited([
            "max_outgoing_bytes": 65536, "max_incoming_bytes": 262_144, "max_message_size": 65536,
            "max_match_rules_per_connection": 4, "max_names_per_connection": 4, "max_replies_per_connection": 8,
        ])
    }

    /// A bus that did not start.
    package struct StartFailure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where it listens, as a D-Bus address.
    package let address: String
    /// Its process.
    package let processID: Int32
    private let directory: URL
    private let process: ProcessBox

    package init(_ kind: Kind = .session) throws {
        directory = try PrivateBus.makeDirectory()
        let configuration = directory.appendingPathComponent("bus.conf")
        try kind.configuration(socket: directory.appendingPathComponent("bus.sock").path)
            .write(to: configuration, atomically: true, encoding: .utf8)
        process = ProcessBox()
        address = try process.start(configuration: configuration)
        processID = process.identifier
    }

    deinit {
        stop()
    }

    /// The directory of the bus, for files that go with it.
    package var path: String { directory.path }

    /// Ends the bus with SIGKILL and waits until it is gone.
    package func stop() {
        process.kill()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Stops the process (SIGSTOP), so that it does not answer, and lets it go on.
    package func pause() { process.signal(SIGSTOP) }
    package func resume() { process.signal(SIGCONT) }

    private static func makeDirectory() throws -> URL {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("listd-bus-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }
}

/// The daemon's process; `Process` is touched by one caller at a time: the bus object in `init` and `stop`.
private final class ProcessBox: @unchecked Sendable {
    private let process = Process()

    var identifier: Int32 { process.processIdentifier }

    /// The address line comes when the socket listens, so there is nothing to wait for afterwards.
    func start(configuration: URL) throws -> String {
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
        process.arguments = ["--config-file=\(configuration.path)", "--nofork", "--nopidfile", "--print-address=1"]
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        LiveProcesses.add(process.processIdentifier)
        var line = Data()
        while true {
            let byte = output.fileHandleForReading.readData(ofLength: 1)
            if byte.isEmpty {
                let reason = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                throw PrivateBus.StartFailure(description: "dbus-daemon did not start: \(reason)")
            }
            if byte.first == UInt8(ascii: "\n") { break }
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }

    func kill() {
        guard process.isRunning else { return }
        signal(SIGKILL)
        process.waitUntilExit()
        LiveProcesses.remove(process.processIdentifier)
    }

    func signal(_ number: Int32) {
        guard process.isRunning else { return }
        _ = Glibc.kill(process.processIdentifier, number)
    }
}
