// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient
import TestSupport
import Testing

/// Checks that a client that does not read delays no other client, and that no signal is lost without notice.
@Suite("Clients and buses that do not read", .timeLimit(.minutes(3)))
@DBusActor
struct CongestionTests {
    /// Creates a list with long ids, so that each scroll step broadcasts about two megabytes.
    private func makeLoudAdapter(_ stage: Stage) async throws -> TestAdapter {
        let adapter = try await stage.createAdapter("loud")
        let tail = String(repeating: "x", count: 4000)
        _ = try await adapter.performUpdates((0..<240).map { Row("\($0)-" + tail, "", ["height": .double(4)]) })
        return adapter
    }

    @Test(
        "the bus leaves 4 MiB unread → updates and pictures wait; the bus reads again → the changes are coalesced",
        .rule("TT-03"))
    func stoppedBus() async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await makeLoudAdapter(stage)
        let updates = EventLog<UpdatedSignal>()
        _ = try await stage.client.subscribe(MatchRule(path: adapter.path, member: "Updated")) { message in
            if let update = try? UpdatedSignal(message) { updates.record(update) }
        }
        let direct = try await stage.connect(.direct)
        let view = try await TestView(adapter, by: direct)
        stage.bus.pause()
        var steps = 0
        let manager = stage.object(Listd.manager, "Manager", by: direct)
        while try await manager.call("GetStatistics", returning: [String: UInt64].self)["holds"] ?? 1 == 0 {
            steps += 1
            try await view.setViewport(y: steps % 2 == 0 ? 0 : 480, seen: 0)
            try await view.acknowledge(view.picture.sequence)
        }
        #expect(steps < 60)
        // From here on nothing is flushed. Later changes are coalesced.
        let answers = EventLog<UInt64>()
        for step in 0..<50 {
            let call = try adapter.by(direct).message("ApplyChanges") { (message) throws(DBusError) in
                try message.write(
                    UInt64(0), [String](), [Upsert("n\(step)", "", "last", "", [:])], [String: DBusValue]())
            }
            direct.call(call) { answers.record((try? $0.get().decode(as: UInt64.self)) ?? 0) }
        }
        let (_, revision, total, _) = try await adapter.by(direct).call(
            "GetObjects", UInt32(0), UInt32(0), returning: String.self, UInt64.self, UInt32.self, [Row].self)
        #expect(revision == 1 && total == 240 && answers.recorded.isEmpty)
        stage.bus.resume()
        for _ in 0..<50 { #expect(try await answers.next() == 2) }
        _ = try await adapter.objects()
        #expect(updates.recorded.filter { $0.kind == "update" }.map(\.revision) == [2])
        let mine = view.picture
        #expect(try await view.resync() == mine)
        await stage.stop()
    }

    @Test(
        "a direct client is stopped → only this client misses signals, and one later signal announces the revision",
        .rule("TT-02"))
    func stoppedDirectClient() async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await makeLoudAdapter(stage)
        let stopped = try await Agent(stage.address(.direct))
        #expect(try await stopped.call(adapter.path, "Adapter", "Subscribe", "as", "[[]]") == .values("[1,1]"))
        let view = try await TestView(adapter)
        stopped.signal(SIGSTOP)
        var steps = 0
        while try await stage.statistics()["signals-dropped"] ?? 1 == 0 {
            steps += 1
            try await view.setViewport(y: steps % 2 == 0 ? 0 : 480, seen: 0)
            try await view.acknowledge(view.picture.sequence)
        }
        #expect(steps < 60)
        #expect(try await stage.statistics()["direct-clients-behind"] == 1)
        for step in 0..<20 { _ = try await adapter.applyChanges([Upsert("n\(step)", "", "last", "", [:])]) }
        stopped.signal(SIGCONT)
        // listd reads calls again once the client has read everything. The revision is announced before the answer.
        #expect(
            try await stopped.call(adapter.path, "Adapter", "GetObjects", "uu", "[0,0]").values?.hasSuffix(
                ",21,260,[]]") == true)
        let heard = try await stopped.signals()
        #expect(heard.contains(#",21,21,"announce","#) && !heard.contains(#",20,21,"update","#))
        #expect(try await stage.statistics()["direct-clients-behind"] == 0)
        let changes = try await stopped.call(adapter.path, "Adapter", "GetChanges", "st", #"["",20]"#)
        #expect(changes.values?.hasPrefix(#"[21,[[20,21,"update","#) == true)
        await stage.stop()
    }

    @Test(
        "a direct viewer is stopped → it gets Stalled once and no backlog; it resumes → Resync has the current picture"
    )
    func stoppedViewer() async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(20, ["text": .string(String(repeating: "x", count: 1000))])
        let viewer = try await Agent(stage.address(.direct))
        let opened = try await viewer.call(adapter.path, "Adapter", "OpenView", "a{sv}", "[{}]").values ?? ""
        let path = try ObjectPath(opened.split(separator: #"""#).dropFirst().first.map(String.init) ?? "")
        _ = try await viewer.call(path, "View", "SetViewport", "tdddd", "[0,0,0,320,480]")
        viewer.signal(SIGSTOP)
        for step in 0..<300 {
            _ = try await adapter.applyChanges([Upsert("o3", "", "keep", "", ["n": .int64(Int64(step))])])
        }
        let counters = try await stage.statistics()
        #expect(counters["pictures"] == 32 && counters["stalls"] == 1)
        viewer.signal(SIGCONT)
        let resync = try await viewer.call(path, "View", "Resync")
        #expect(resync.values?.contains(#"{"n":299}"#) == true)
        await stage.stop()
    }

    @Test(
        "a bus with small queues drops a stopped viewer's signals → the viewer gets Stalled without a further change",
        .enabled(if: BusProgram.ofThisRun == .daemon, "dbus-broker disconnects clients that do not read"))
    func droppedByTheBus() async throws {
        let stage = try await Stage.withDirectSocket(.limited(["max_outgoing_bytes": 65536]))
        let adapter = try await makeLoudAdapter(stage)
        let viewer = try await Agent(stage.bus.address)
        let opened = try await viewer.call(adapter.path, "Adapter", "OpenView", "a{sv}", "[{}]").values ?? ""
        let path = try ObjectPath(opened.split(separator: #"""#).dropFirst().first.map(String.init) ?? "")
        // The view's picture must fit into the bus's queue. Otherwise the bus might drop the answer that follows the
        // picture.
        _ = try await viewer.call(path, "View", "SetViewport", "tdddd", "[0,0,0,320,16]")
        try await viewer.match("interface='\(Listd.name).Adapter'")
        let direct = try await stage.connect(.direct)
        let view = try await TestView(adapter, by: direct)
        viewer.signal(SIGSTOP)
        for step in 0..<6 {  // fills the viewer's queue on the bus
            try await view.setViewport(y: step % 2 == 0 ? 480 : 0)
            try await view.acknowledge(view.picture.sequence)
        }
        let upsert = Upsert("first", "", "first", "", [:])
        _ = try await adapter.by(direct).call(
            "ApplyChanges", UInt64(0), [String](), [upsert], [String: DBusValue](), returning: UInt64.self)
        let manager = stage.object(Listd.manager, "Manager", by: direct)
        while try await manager.call("GetStatistics", returning: [String: UInt64].self)["signals-lost"] ?? 1 == 0 {}
        viewer.signal(SIGCONT)
        var heard = ""
        while !heard.contains(#""Stalled""#) { heard = try await viewer.signals() }
        await stage.stop()
    }
}
