// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("A client's follower of a list")
@DBusActor
struct ListFollowerTests {
    private func text(_ event: ListFollower.Event) -> String {
        switch event {
        case .changed(let changes): changes.map { "\($0)" }.joined(separator: ", ")
        case .failed(let error): error.name
        case .removed: "removed"
        }
    }

    /// Returns a follower that has reported the two objects of the list, and the log of its later events.
    private func makeFollower(
        of daemon: ListDaemonClient, patience: Duration = .seconds(600)
    ) async throws -> (ListFollower, EventLog<String>) {
        let events = EventLog<String>()
        let follower = ListFollower(name: "l", patience: patience) { events.record(text($0)) }
        await follower.attach(to: daemon)
        #expect(try await events.next() == "replaced(count: 2)")
        return (follower, events)
    }

    @Test("the list is removed and created again → the mirror starts anew, and no removal is reported")
    func madeAgain() async throws {
        let listd = try await FakeListd()
        let (follower, events) = try await makeFollower(of: try await listd.client())
        for round in 0..<3 {
            listd.hide()
            (listd.list.epoch, listd.list.ids) = ("round \(round)", ["c", "d", "e"])
            listd.show()
            #expect(try await events.next() == "replaced(count: 3)")
            #expect(follower.mirror.object(at: 0)?.id == "c")
        }
    }

    @Test(
        "the list is removed while a follower opens it → the follower waits until the list exists again",
        arguments: ["GetAdapter", "Subscribe", "GetObjects"], [true, false])
    func removedWhileAskedFor(member: String, isRefused: Bool) async throws {
        let listd = try await FakeListd()
        let (follower, events) = try await makeFollower(of: try await listd.client())
        defer { follower.detach() }
        for round in 0..<3 {
            let hidden = EventLog<String>()
            listd.list.onCall = { called in
                guard called == member else { return }
                listd.list.onCall = { _ in }
                listd.hide()
                hidden.record(called)
                if isRefused { throw DBusError.unknownObject(FakeListd.path) }
            }
            listd.hide()
            // Another epoch, so that the follower reads the list anew.
            listd.list.epoch = "before \(round)"
            listd.show()
            _ = try await hidden.next()
            (listd.list.epoch, listd.list.ids) = ("round \(round)", ["c", "d", "e"])
            listd.show()
            #expect(try await events.next() == "replaced(count: 3)")
        }
        #expect(events.recorded == [])
    }

    @Test("a new daemon does not have the list yet → the follower waits until the list is created")
    func madeByAnotherDaemon() async throws {
        let first = try await FakeListd()
        let (follower, events) = try await makeFollower(of: try await first.client())
        follower.detach()
        try await first.connection.releaseName(ListdName.bus)
        let second = try await FakeListd(on: first.bus)
        second.hide()
        (second.list.epoch, second.list.ids) = ("second", ["a", "b", "c"])
        await follower.attach(to: try await second.client())
        #expect(events.recorded == [])
        second.show()
        #expect(try await events.next() == "replaced(count: 3)")
    }

    @Test("a new daemon never creates the list → removal is reported once")
    func goneWithItsDaemon() async throws {
        let first = try await FakeListd()
        let (follower, events) = try await makeFollower(of: try await first.client(), patience: .milliseconds(20))
        try await first.connection.releaseName(ListdName.bus)
        let second = try await FakeListd(on: first.bus)
        second.hide()
        await follower.attach(to: try await second.client())
        #expect(try await events.next() == "removed")
        #expect(events.recorded == [])
    }

    @Test("the list has never existed → removal is reported immediately")
    func neverThere() async throws {
        let listd = try await FakeListd()
        listd.hide()
        let events = EventLog<String>()
        let follower = ListFollower(name: "l", patience: .seconds(600)) { events.record(text($0)) }
        await follower.attach(to: try await listd.client())
        #expect(try await events.next() == ListdName.errorPrefix + "NoSuchAdapter")
    }

    @Test("the list is removed and not created again → removal is reported once")
    func gone() async throws {
        let listd = try await FakeListd()
        let daemon = try await listd.client()
        let (follower, events) = try await makeFollower(of: daemon, patience: .milliseconds(20))
        listd.hide()
        #expect(try await events.next() == "removed")
        // The program attaches again, as it would to any list.
        listd.list.epoch = "second"
        listd.show()
        await follower.attach(to: daemon)
        #expect(try await events.next() == "replaced(count: 2)")
    }

    @Test("the follower is detached while the list does not exist → its callbacks are not called afterwards")
    func detached() async throws {
        let listd = try await FakeListd()
        let daemon = try await listd.client()
        let (follower, events) = try await makeFollower(of: daemon, patience: .milliseconds(20))
        listd.hide()
        let heard = EventLog<String>()
        let watch = try await daemon.connection.subscribe(
            MatchRule(sender: ListdName.bus, path: ListdName.managerPath)
        ) { _ in heard.record("signal") }
        follower.detach()
        listd.show()
        _ = try await heard.next()
        watch.cancel()
        EventLoop.shared.addTimer(after: .milliseconds(100)) { heard.record("later") }
        _ = try await heard.next { $0 == "later" }
        #expect(events.recorded == [])
    }

    @Test("attaching one follower is cancelled → another follower on the same connection gets all signals")
    func cancelledAttach() async throws {
        let listd = try await FakeListd()
        let daemon = try await listd.client()
        let first = ListFollower(name: "l") { _ in }
        let task = Task { @DBusActor in await first.attach(to: daemon) }
        task.cancel()
        await task.value
        let (second, events) = try await makeFollower(of: daemon)
        defer { second.detach() }
        listd.hide()
        (listd.list.epoch, listd.list.ids) = ("second", [])
        listd.show()
        #expect(try await events.next() == "replaced(count: 0)")
    }
}
