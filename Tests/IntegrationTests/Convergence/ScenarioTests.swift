// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient
import TestSupport
import Testing

/// Runs the scenarios of Tests/Scenarios/README.md, which every client library must pass, with ListClient.
@Suite("Scenarios", .timeLimit(.minutes(60)))
@DBusActor
struct ScenarioTests {
    private nonisolated static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Scenarios")
    private nonisolated static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.sorted()
    }()
    private nonisolated static let seeds = ProcessInfo.processInfo.environment["LISTD_SOAK"] == nil ? 0 : 50

    @Test(
        "a scenario is played → the mirror equals the daemon's list at each revision",
        arguments: names, ["daemon", "direct"])
    func scenario(name: String, transport: String) async throws {
        try await play(Self.directory.appending(path: name).path, over: transport)
    }

    @Test(
        "generated scenarios with kills of daemon and bus → the mirror equals the daemon's list at each revision",
        arguments: 100..<(100 + seeds))
    func generated(seed: Int) async throws {
        let directory = TemporaryDirectory()
        let generator = Self.directory.appending(path: "generate.py").path
        let (status, text) = try await Script(program: "/usr/bin/python3")
            .run([generator, "\(seed)", "60"] + (seed % 4 >= 2 ? ["--filter"] : []))
        try #require(status == 0, "\(text)")
        let file = directory.path + "/\(seed).jsonl"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try await play(file, over: seed % 2 == 0 ? "daemon" : "direct")
    }

    @Test("the scenario folder is read → it contains scenarios")
    func some() { #expect(Self.names.count > 3) }

    /// Runs play.py with a scenario file, and acts as the client under test.
    private func play(_ file: String, over transport: String) async throws {
        let play = try ChildProcess(
            "/usr/bin/python3", ["-u", Self.directory.appending(path: "play.py").path, file, transport],
            environment: ["LISTD": ListdProcess.executable.path])
        var client: ScenarioClient?
        while true {
            let line = try await play.lines.next(timeout: .seconds(60))
            let message = try JSON(parsing: line)
            if message["end"] != nil { break }
            if let list = message["follow"]?.string, let address = message["address"]?.string {
                client = ScenarioClient(address: address, list: list)
                try await client?.waitForFirstCopy()
            } else {
                let expected = try #require(message["expect"])
                let difference = try await #require(client).difference(from: expected)
                try #require(difference == nil, "\(difference ?? "")")
            }
            play.write(line: "ok")
        }
        #expect(try await play.exit.next(timeout: .seconds(60)) == 0)
        client?.close()
    }
}

/// ListClient as the client under test. Reconnects whenever the daemon or the bus is back.
@DBusActor
private final class ScenarioClient {
    private let events = EventLog<Void>()
    private let follower: ListFollower
    private let owner = Owner()
    private let client: ListClient

    /// Starts to follow a list.
    init(address: String, list: String) {
        let (owner, events) = (owner, events)
        follower = ListFollower(name: list) { event in
            owner.handle(event)
            events.record(())
        }
        client = ListClient(address: .address(address)) { owner.setAvailability($0) }
        owner.follower = follower
        client.start()
    }

    func close() {
        client.close()
        follower.detach()
    }

    /// Attaches the follower to the daemon that is available at the moment.
    @DBusActor
    private final class Owner {
        var follower: ListFollower?
        private var daemon: ListDaemonClient?

        func setAvailability(_ availability: ListClient.Availability) {
            daemon = if case .available(let daemon) = availability { daemon } else { nil }
            if daemon == nil { follower?.detach() } else { attach() }
        }

        func handle(_ event: ListFollower.Event) {
            guard case .failed = event else { return }
            // The daemon may have ended before the client is notified of that. So the owner attaches a little later.
            EventLoop.shared.addTimer(after: .milliseconds(100)) { [weak self] in self?.attach() }
        }

        private func attach() {
            guard let follower, let daemon else { return }
            Task { @DBusActor in await follower.attach(to: daemon) }
        }
    }

    /// Waits until the follower has copied the list for the first time.
    func waitForFirstCopy() async throws { try await events.next(timeout: .seconds(30)) }

    /// Waits until the copy is at a revision and has the expected objects. After half a minute, returns the
    /// difference.
    func difference(from expected: JSON) async throws -> String? {
        let revision = try #require(expected["revision"]?.integer)
        let objects = try #require(expected["objects"]?.array)
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let mirror = follower.mirror
            let copy = try mirror.objects.map { try $0.map(Self.json) ?? .null }
            if mirror.revision == UInt64(revision), mirror.isComplete, copy == objects { return nil }
            if ContinuousClock.now > end { return "the mirror has \(copy) at \(mirror.revision), not \(expected)" }
            // Changes that cancel each other out are not reported. The revision then rises without an event.
            EventLoop.shared.addTimer(after: .milliseconds(20)) { [events] in events.record(()) }
            try await events.next()
        }
    }

    private static func json(_ object: MirroredObject) throws -> JSON {
        .object(["id": .string(object.id), "type": .string(object.type), "fields": .object(try json(object.fields))])
    }

    private static func json(_ content: Content) throws -> [String: JSON] {
        Dictionary(try content.map { ($0.key, try json($0.value)) }, uniquingKeysWith: { _, last in last })
    }

    /// Converts a value of a scenario to JSON. Scenarios use the types of JSON only.
    private static func json(_ value: DBusValue) throws -> JSON {
        switch value {
        case .variant(let inside): return try json(inside)
        case .boolean(let flag): return .boolean(flag)
        case .int64(let number): return .integer(Int(number))
        case .double(let number): return .number(number)
        case .string(let text): return .string(text)
        case .array(_, let elements): return .array(try elements.map(json))
        case .dictionary(_, _, let entries):
            var members: [String: JSON] = [:]
            for entry in entries {
                guard case .string(let key) = entry.key else { break }
                members[key] = try json(entry.value)
            }
            return .object(members)
        default: throw ListdProcess.Failure("a scenario cannot contain the value \(value)")
        }
    }
}
