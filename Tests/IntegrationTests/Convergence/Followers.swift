// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport

/// A client in Swift, made with ListClient: it follows a list and has a view of it.
@DBusActor
final class SwiftFollower {
    private let follower: ListFollower
    private let view: ListViewClient
    private let adapter: RemoteObject
    private let events: EventLog<Void>

    /// Connects and follows.
    init(address: String, list: String) async throws {
        let connection = try await Connection.open(.address(address))
        let daemon = ListDaemonClient(connection: connection)
        let events = EventLog<Void>()
        let owner = Owner()
        follower = ListFollower(name: list) { event in
            // A bus with small queues sometimes refuses a call: the test, which owns the follower, tries again.
            if case .failed = event { Task { @DBusActor in await owner.follower?.attach(to: daemon) } }
            events.record(())
        }
        owner.follower = follower
        self.events = events
        await follower.attach(to: daemon)
        adapter = try await daemon.adapter(list)
        view = try await ListViewClient.open(adapter) { _ in events.record(()) }
        view.setViewport(x: 0, y: 0, width: 320, height: 480)
    }

    /// Handles the events of the follower.
    @DBusActor
    private final class Owner {
        weak var follower: ListFollower?
    }

    /// Scrolls.
    func look(at y: Double) { view.setViewport(x: 0, y: y, width: 320, height: 480) }

    /// Waits until the copy is at a revision; returns how it differs from the daemon's list, nil if it is equal.
    func difference(at revision: UInt64) async throws -> String? {
        while follower.mirror.revision < revision || !follower.mirror.isComplete { try await events.next() }
        let total = try await adapter.call(
            "GetObjects", UInt32(0), UInt32(0), returning: UInt64.self, UInt32.self, [Row].self)
        guard total.0 == follower.mirror.revision, Int(total.1) == follower.mirror.count else {
            return "\(follower.mirror.count) objects at \(follower.mirror.revision), not \(total.1) at \(total.0)"
        }
        var rows: [MirroredObject] = []
        while rows.count < follower.mirror.count {
            let page = try await adapter.call(
                "GetObjects", UInt32(rows.count), UInt32(1000), returning: UInt64.self, UInt32.self,
                [MirroredObject].self)
            rows += page.2
        }
        guard follower.mirror.objects == rows.map(Optional.some) else { return "the list differs from the daemon's" }
        let message = try Message.methodCall(
            to: view.object.destination, path: view.object.path, interface: view.object.interface, member: "Resync")
        let reply = try await view.object.connection.call(message)
        let there = try reply.read { (reader) throws(DBusError) in try Picture(resync: &reader) }
        let here = view.picture
        return here.sequence != there.sequence || here.shown == there.shown ? nil : "the view differs from the daemon's"
    }
}

/// A client in Python, in a process of its own.
final class PythonFollower: Sendable {
    private let process: ChildProcess

    /// Starts one and returns when it follows.
    ///
    /// - Parameter drop: the client drops every n-th signal; 0 = none.
    init(address: String, adapter: ObjectPath, drop: Int, seed: Int) async throws {
        process = try ChildProcess(
            "/usr/bin/python3", ["-u", Script.path(of: "converge.py"), address, adapter.text, "\(drop)", "\(seed)"])
        let line = try await process.lines.next(timeout: .seconds(120))
        guard line == "ready" else { throw ListdProcess.Failure("a client did not start: \(line)") }
    }

    /// Stops (SIGSTOP), continues or kills it.
    func signal(_ number: Int32) { process.signal(number) }

    /// Its state as in proc(5): `S` sleeps, `R` runs, `T` is stopped; empty when it has ended.
    var state: String {
        let text = (try? String(contentsOfFile: "/proc/\(process.processID)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: " ").dropFirst(2).first.map(String.init) ?? ""
    }

    /// Lets it follow up to a revision and compare its copy; returns what it prints.
    func finish(at revision: UInt64) async throws -> String {
        process.write(line: "until \(revision)")
        let status = try await process.exit.next(timeout: .seconds(240))
        return "\(status): " + process.lines.recorded.joined(separator: "\n")
    }
}
