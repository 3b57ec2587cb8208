// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport

/// A client in a separate Python process, which a test can stop and kill. The client may run as another user.
final class Agent: Sendable {
    /// The answer to a call.
    enum Answer: Equatable, Sendable {
        /// The results as JSON, without spaces.
        case values(String)
        /// The name of the error.
        case error(String)

        /// The name of the error; `nil` for a return value.
        var error: String? { if case .error(let name) = self { name } else { nil } }
        /// The results; `nil` for an error.
        var values: String? { if case .values(let text) = self { text } else { nil } }
    }

    /// The id of the user `nobody` and of its group. They own no files.
    static let nobody: UInt32 = 65534

    /// Whether tests can run clients as other users. That requires root, and a temporary directory that other users
    /// can reach.
    static let canBeOthers: Bool = {
        guard geteuid() == 0 else { return false }
        let check = try? Process.run(
            URL(fileURLWithPath: "/usr/bin/setpriv"),
            arguments: setpriv(nobody) + ["/usr/bin/test", "-x", FileManager.default.temporaryDirectory.path])
        check?.waitUntilExit()
        return check?.terminationStatus == 0
    }()

    private let process: ChildProcess
    /// The client's unique name on the connection.
    let uniqueName: String

    private static func setpriv(_ user: UInt32) -> [String] {
        ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
    }

    /// Starts a client and returns when the client is connected.
    ///
    /// - Parameter user: the user and the only group of the client's process; `nil` = those of the tests.
    init(_ address: String, user: UInt32? = nil) async throws {
        let python = ["-u", "-c", try Script.text(of: "agent.py"), address]
        process =
            try user.map { try ChildProcess("/usr/bin/setpriv", Self.setpriv($0) + ["/usr/bin/python3"] + python) }
            ?? ChildProcess("/usr/bin/python3", python)
        let words = try await process.lines.next(timeout: .seconds(60)).split(separator: " ")
        guard words.first == "ready", words.count == 2 else {
            throw ListdProcess.Failure("the client did not connect: \(words.joined(separator: " "))")
        }
        uniqueName = String(words[1])
    }

    /// Calls a method of listd. `arguments` is a JSON array.
    func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ signature: String = "",
        _ arguments: String = "[]"
    ) async throws -> Answer {
        let name = interface.hasPrefix("org.") ? interface : Listd.name + "." + interface
        return try await send(#"["call","\#(path)","\#(name)","\#(member)","\#(signature)",\#(arguments)]"#)
    }

    /// Calls a method. Returns the name and the message of the error; empty texts if the call succeeds.
    func refusal(
        _ path: ObjectPath, _ interface: String, _ member: String, _ signature: String, _ arguments: String
    ) async throws -> (name: String, message: String) {
        let name = "\(Listd.name).\(interface)"
        process.write(line: #"["call","\#(path)","\#(name)","\#(member)","\#(signature)",\#(arguments)]"#)
        let words = try await process.lines.next(timeout: .seconds(60)).split(separator: " ", maxSplits: 2)
        guard words.first == "error", words.count == 3 else { return ("", "") }
        return (String(words[1]), String(words[2]))
    }

    /// Sends one or several calls without waiting for the answers. The client reads nothing until the next command.
    func begin(
        _ path: ObjectPath, _ member: String, _ signature: String = "", _ arguments: String = "[]", times: Int = 1
    ) async throws {
        _ = try await send(
            #"["begin",\#(times),"\#(path)","\#(Listd.name).Adapter","\#(member)","\#(signature)",\#(arguments)]"#)
    }

    /// Returns the outcomes of the calls of `begin`, as JSON: "ok" or the name of the error for each.
    func outcomes() async throws -> String { try await send(#"["outcomes"]"#).values ?? "" }

    /// Writes a text without quotation marks into all pipes that were passed in calls, and closes the pipes.
    func feed(_ text: String) async throws { _ = try await send(#"["feed","\#(text)"]"#) }

    /// Reads a property of listd.
    func property(_ path: ObjectPath, _ interface: String, _ name: String) async throws -> Answer {
        try await call(
            path, StandardInterface.properties, "Get", "ss", #"["\#(Listd.name).\#(interface)","\#(name)"]"#)
    }

    /// Adds a match rule to the bus.
    func match(_ rule: String) async throws { _ = try await send(#"["match","\#(rule)"]"#) }

    /// Returns the D-Bus signals that the client has received since the previous call of this function, as JSON:
    /// path, member and arguments of each.
    func signals() async throws -> String { try await send(#"["signals"]"#).values ?? "" }

    /// Sends a POSIX signal to the client's process, for example SIGSTOP, SIGCONT or SIGKILL.
    func signal(_ number: Int32) { process.signal(number) }

    /// Sends a command without waiting for the answer. Call this when the client's process is stopped.
    func begin(_ command: String) { process.write(line: command) }

    private func send(_ command: String) async throws -> Answer {
        process.write(line: command)
        return try await answer()
    }

    /// Waits for the answer to the oldest unanswered command.
    func answer() async throws -> Answer {
        let line = try await process.lines.next(timeout: .seconds(60))
        let words = line.split(separator: " ", maxSplits: 2)
        switch words.first {
        case "ok": return .values(String(line.dropFirst(3)))
        case "error" where words.count > 1: return .error(String(words[1]))
        default: throw ListdProcess.Failure("the client printed an unexpected line: \(line)")
        }
    }
}
