// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport

/// A client in Swift that follows a list and has a view on it, by means of ListClient.
@DBusActor
final class SwiftFollower {
    private let follower: ListFollower
    private let view: ListViewClient
    private let adapter: RemoteObject
    private let events: EventLog<Void>

    /// Connects and follows the list.
    init(address: String, list: String) async throws {
        let connection = try await Connection.open(.address(address))
        let daemon = ListDaemonClient(connection: connection)
        let events = EventLog<Void>()
        let owner = Owner()
        follower = ListFollower(name: list) { event in
            // A bus with small queues sometimes refuses a call. The test, which owns the follower, then attaches
            // again.
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

    /// Attaches the follower again after a failure.
    @DBusActor
    private final class Owner {
        weak var follower: ListFollower?
    }

    /// Scrolls the view to a vertical offset.
    func scroll(to y: Double) { view.setViewport(x: 0, y: y, width: 320, height: 480) }

    /// Waits until the copy is at a revision. Returns how the copy differs from the daemon's list; `nil` if they
    /// are equal.
    func difference(at revision: UInt64) async throws -> String? {
        while follower.mirror.revision < revision || !follower.mirror.isComplete { try await events.next() }
        let total = try await adapter.call(
            "GetObjects", UInt32(0), UInt32(0), returning: String.self, UInt64.self, UInt32.self, [Row].self)
        guard total.0 == follower.mirror.epoch, total.1 == follower.mirror.revision,
            Int(total.2) == follower.mirror.count
        else {
            return "\(follower.mirror.count) objects at \(follower.mirror.revision), not \(total.2) at \(total.1)"
        }
        var rows: [MirroredObject] = []
        while rows.count < follower.mirror.count {
            let page = try await adapter.call(
                "GetObjects", UInt32(rows.count), UInt32(1000), returning: String.self, UInt64.self, UInt32.self,
                [MirroredObject].self)
            rows += page.3
        }
        guard follower.mirror.objects == rows.map(Optional.some) else { return "the copy differs from the daemon's" }
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

    /// Starts the client and returns when it follows the list.
    ///
    /// - Parameter drop: the client drops every n-th signal; 0 = none.
    init(address: String, adapter: ObjectPath, drop: Int, seed: Int) async throws {
        process = try ChildProcess(
            "/usr/bin/python3", ["-u", Script.path(of: "converge.py"), address, adapter.text, "\(drop)", "\(seed)"])
        let line = try await process.lines.next(timeout: .seconds(120))
        guard line == "ready" else { throw ListdProcess.Failure("a client did not start: \(line)") }
    }

    /// Sends a signal to the client, for example SIGSTOP, SIGCONT or SIGKILL.
    func signal(_ number: Int32) { process.signal(number) }

    /// The state of the process as in proc(5): `S` sleeps, `R` runs, `T` is stopped; empty when the process has
    /// ended.
    var state: String {
        let text = (try? String(contentsOfFile: "/proc/\(process.processID)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: " ").dropFirst(2).first.map(String.init) ?? ""
    }

    /// Tells the client to follow the list until a revision, and then to compare its copy with the list. Returns the
    /// line that the client prints.
    func finish(at revision: UInt64) async throws -> String {
        process.write(line: "until \(revision)")
        let status = try await process.exit.next(timeout: .seconds(240))
        return "\(status): " + process.lines.recorded.joined(separator: "\n")
    }
}
