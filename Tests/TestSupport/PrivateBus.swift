// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// A real message bus for one test, with its own configuration and socket. ``BusProgram/ofThisRun`` is its program.
///
/// ``stop()`` kills the bus, at the latest when this object is released. Its directory is removed with it.
package final class PrivateBus: Sendable {
    /// The kind of a bus.
    package enum Kind: Sendable {
        /// A bus without access control, and with hardly any limits.
        case session
        /// A bus with default-deny policy, like the system bus. `policy` is added to the configuration.
        case system(policy: String)
        /// A bus as `session` with these limits, such as `["max_message_size": 65536]`.
        case limited([String: Int])

        /// A bus with limits so small that a test reaches them after a few calls.
        package static let tiny = Kind.limited([
            "max_outgoing_bytes": 65536, "max_incoming_bytes": 262_144, "max_message_size": 65536,
            "max_match_rules_per_connection": 4, "max_names_per_connection": 4, "max_replies_per_connection": 8,
        ])
    }

    /// The error of a bus that did not start.
    package struct StartFailure: Error, CustomStringConvertible {
        /// The program's output.
        package let description: String
    }

    /// The address at which the bus listens.
    package let address: String
    /// The process ID of the bus.
    package let processID: Int32
    private let directory: URL
    /// The pipe for warnings of the bus, kept open because SIGPIPE would otherwise end the bus.
    private let log: FileHandle
    private let process: SpawnedProcess

    /// Starts a bus, and returns when it is listening.
    ///
    /// - Parameter socket: The path of the socket, for tests that must know it beforehand. The caller removes the
    ///   file.
    package init(_ kind: Kind = .session, socket: String? = nil) throws {
        directory = try PrivateBus.makeDirectory()
        let configuration = directory.appendingPathComponent("bus.conf")
        let socket = socket ?? directory.appendingPathComponent("bus.sock").path
        try kind.configuration(socket: socket).write(to: configuration, atomically: true, encoding: .utf8)
        let (output, errors) = (Pipe(), Pipe())
        process = try BusProgram.ofThisRun.start(
            configuration: configuration.path, socket: socket, output: output.fileHandleForWriting.fileDescriptor,
            errors: errors.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        try errors.fileHandleForWriting.close()
        processID = process.processID
        log = errors.fileHandleForReading
        address = try PrivateBus.readAddress(from: output.fileHandleForReading, errors: log)
    }

    deinit {
        stop()
    }

    /// The directory of the bus, for files that are removed with it.
    package var path: String { directory.path }

    /// Kills the bus with SIGKILL, and waits until it has ended.
    package func stop() {
        process.stop()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Stops the process of the bus with SIGSTOP, so that it does not answer.
    package func pause() { process.signal(SIGSTOP) }
    /// Continues a stopped bus.
    package func resume() { process.signal(SIGCONT) }

    /// Reads the address, which the bus writes once the socket is listening. The thrown error quotes `errors`.
    private static func readAddress(from output: FileHandle, errors: FileHandle) throws -> String {
        var line = Data()
        while let byte = try output.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        let reason = String(decoding: try errors.readToEnd() ?? Data(), as: UTF8.self)
        throw StartFailure(description: "\(BusProgram.ofThisRun.name) did not start: \(reason)")
    }

    private static func makeDirectory() throws -> URL {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("listd-bus-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }
}
