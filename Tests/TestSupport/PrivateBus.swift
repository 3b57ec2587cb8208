// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// A real bus for one test, with its own configuration and socket: ``BusProgram/ofThisRun``.
///
/// It is ended by `stop`, at the latest when the object is released; its directory is removed with it.
package final class PrivateBus: Sendable {
    /// What kind of bus to start.
    package enum Kind: Sendable {
        /// Everybody may do everything, with hardly any limits.
        case session
        /// Default-deny like the system bus; `policy` is added to the configuration.
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
        /// The program's output.
        package let description: String
    }

    /// The address at which it listens.
    package let address: String
    /// Its process.
    package let processID: Int32
    private let directory: URL
    /// Kept open, since otherwise a warning of the bus would end it.
    private let log: FileHandle
    private let process: SpawnedProcess

    /// Starts a bus and returns when it listens.
    ///
    /// - Parameter socket: the path at which it listens, for tests that must know it before; the caller removes the
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
        address = try PrivateBus.firstLine(of: output.fileHandleForReading, or: log)
    }

    deinit {
        stop()
    }

    /// The directory of the bus, for files that are removed with it.
    package var path: String { directory.path }

    /// Ends the bus with SIGKILL and waits until it is gone.
    package func stop() {
        process.stop()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Stops the process (SIGSTOP), so that it does not answer.
    package func pause() { process.signal(SIGSTOP) }
    /// Lets a stopped bus go on.
    package func resume() { process.signal(SIGCONT) }

    /// The bus writes its address once the socket listens, so there is nothing more to wait for.
    private static func firstLine(of output: FileHandle, or errors: FileHandle) throws -> String {
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
