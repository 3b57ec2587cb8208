// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

@Suite("Renamed lists", .timeLimit(.minutes(5)))
@DBusActor
struct RenameTests {
    private static let rows = ["a", "b", "c"].map { Row($0, "t", ["v": .string($0)]) }

    /// Returns the name of the error that `body` throws; `nil` if `body` succeeds.
    private func error(_ body: @DBusActor () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as DBusError {
            return error.name
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "a list is renamed → objects, epoch and revision are available at the new path, and views are closed",
        .rule("DU-07"),
        arguments: TransportKind.allCases)
    func renamed(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let manager = stage.object(Listd.manager, "Manager", by: try await stage.connect(transport))
        let before = try await stage.createAdapter("before")
        _ = try await before.performUpdates(Self.rows)
        let epoch = try await before.epoch()
        let view = try await TestView(before)
        try await view.setViewport(y: 0)
        let tree = try await TreeLog(stage)
        let daemon = ListDaemonClient(connection: manager.connection)
        try await daemon.renameAdapter("before", to: "after")
        let after = try await stage.adapter("after")
        #expect(after.path.description.hasSuffix("/adapters/after"))
        #expect(try await after.objects().rows.map(\.id) == ["a", "b", "c"])
        #expect(try await after.objects().revision == 1)
        #expect(try await after.epoch() == epoch)
        #expect(try await after.by(stage.client).property("Name", as: String.self) == "after")
        #expect(try await after.changes(since: 0).map(\.revision) == [1])
        while true {
            if case .closed(let reason) = try await view.events.next(timeout: .seconds(60)) {
                #expect(reason == "adapter-removed")
                break
            }
        }
        #expect(try await tree.events.next(timeout: .seconds(60)) == "removed \(before.path)")
        #expect(try await tree.events.next(timeout: .seconds(60)) == "added \(after.path)")
        let gone = await error { _ = try await before.objects() }
        #expect(gone == Listd.standardError("UnknownObject"))
        #expect(await error { _ = try await stage.adapter("before") } == Listd.error("NoSuchAdapter"))
        #expect(try await stage.createAdapter("before").objects().rows.isEmpty)
        #expect(try await after.applyChanges(remove: ["b"]) == 2)
        await stage.stop()
        let said = stage.listd.standardError.split(separator: "\n").filter {
            $0.contains(#"adapter “after” was renamed from “before” by user \#(geteuid()), process "#)
        }
        #expect(said.count == 1)
    }

    @Test("a list is renamed → its subscribers get display-end signals, and no signal under the new name")
    func subscriptions() async throws {
        let stage = try await Stage()
        // Clients without read access get no signals. Subscribers get the signals that they chose.
        let list = try await stage.createAdapter("before", ["readers": .string("owner")])
        _ = try await list.performUpdates(Self.rows)
        let other = try await stage.connect()
        let heard = EventLog<String>()
        let subscription = try await other.subscribe(MatchRule(interface: Listd.name + ".Adapter")) { message in
            heard.record("\(message.member ?? "") at \(message.path?.description ?? "")")
        }
        defer { _ = subscription }
        _ = try await list.by(other).call("Subscribe", ["display", "updates"], returning: UInt64.self, UInt64.self)
        let view = try await TestView(list)
        try await view.setViewport(y: 0)
        #expect(try await heard.next(timeout: .seconds(60)) == "DisplayChanged at \(list.path)")
        try await stage.manager.call("RenameAdapter", "before", "after")
        #expect(try await heard.next(timeout: .seconds(60)) == "DisplayChanged at \(list.path)")
        let after = try await stage.adapter("after")
        _ = try await after.applyChanges(remove: ["a"])
        // The answer to this call arrives after everything that was sent to this connection before.
        _ = try await after.by(other).property("Revision", as: UInt64.self)
        #expect(heard.recorded.isEmpty)
        await stage.stop()
    }

    @Test(
        "RenameAdapter gets a bad new name or a configured or missing list → the call fails, and nothing changes")
    func refused() async throws {
        let stage = try await Stage(files: ["set.list": "[List]\nDescription=x\n"])
        for name in ["a", "b"] { _ = try await stage.createAdapter(name) }
        func rename(_ old: String, _ new: String) async -> String? {
            await error { try await stage.manager.call("RenameAdapter", old, new) }
        }
        #expect(await rename("a", "b") == Listd.error("AdapterExists"))
        #expect(await rename("a", "a") == Listd.error("AdapterExists"))
        #expect(await rename("a", "set") == Listd.error("AdapterExists"))
        #expect(await rename("set", "free") == Listd.standardError("AccessDenied"))
        #expect(await rename("nobody", "free") == Listd.error("NoSuchAdapter"))
        #expect(await rename("a", String(repeating: "x", count: 256)) == Listd.standardError("InvalidArgs"))
        #expect(try await stage.names() == Set(["a", "b", "set"]))
        // A list may be renamed to any name with which it could be created.
        #expect(await rename("a", "") == Listd.standardError("InvalidArgs"))
        #expect(await rename("a", "ü/☃ a") == nil)
        #expect(try await stage.names() == ["b", "set", "ü/☃ a"])
        await stage.stop()
    }

    @Test(
        "a user renames another user's list → AccessDenied; a user renames an own list → the list has the new name",
        .enabled(if: Agent.canBeOthers), arguments: TransportKind.allCases)
    func strangers(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        _ = try await stage.createAdapter("mine")
        let stranger = try await Agent(stage.address(transport), user: Agent.nobody)
        func rename(_ old: String, _ new: String) async throws -> String? {
            try await stranger.call(Listd.manager, "Manager", "RenameAdapter", "ss", #"["\#(old)","\#(new)"]"#).error
        }
        #expect(try await rename("mine", "stolen") == Listd.standardError("AccessDenied"))
        let made = try await stranger.call(
            Listd.manager, "Manager", "CreateAdapter", "sa{sv}", #"["theirs",{"durability":"memory"}]"#)
        #expect(made.error == nil)
        #expect(try await rename("theirs", "mine") == Listd.error("AdapterExists"))
        #expect(try await rename("theirs", "other") == nil)
        // An administrator may rename the list.
        try await stage.manager.call("RenameAdapter", "other", "ours")
        #expect(try await stage.names() == ["mine", "ours"])
        await stage.stop()
    }

    @Test(
        "a list is renamed, then listd is stopped or killed and restarted → the list is unchanged under its new name",
        arguments: [true, false])
    func restart(isKilled: Bool) async throws {
        let stages = try StoreStage()
        var stage = try await stages.start()
        let before = try await stage.createStored("before")
        _ = try await before.performUpdates(Self.rows)
        let epoch = try await before.epoch()
        try await stage.manager.call("RenameAdapter", "before", "after")
        _ = try await stage.adapter("after").applyChanges(remove: ["b"])
        if isKilled { await stage.kill() } else { await stage.stop() }
        stage = try await stages.start()
        #expect(try await stage.names() == ["after"])
        let after = try await stage.adapter("after")
        #expect(try await after.objects().rows.map(\.id) == ["a", "c"])
        #expect(try await after.objects().revision == 2)
        #expect(try await after.epoch() == epoch)
        // A kill loses the record of the last changes. The list itself is complete.
        #expect(try await after.oldestRevision() == (isKilled ? 2 : 0))
        let since: UInt64 = isKilled ? 2 : 0
        #expect(try await after.changes(since: since).map(\.revision) == (isKilled ? [] : [1, 2]))
        await stage.stop()
    }

    @Test("the store refuses a rename → StoreFailed, and nothing changes; the store recovers → the rename succeeds")
    func storeFails() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start()
        let list = try await stage.createStored("before")
        _ = try await list.performUpdates(Self.rows)
        let view = try await TestView(list)
        try await view.setViewport(y: 0)
        try stages.hideFile()
        let failed = await error { try await stage.manager.call("RenameAdapter", "before", "after") }
        #expect(failed == Listd.error("StoreFailed"))
        try stages.restoreFile()
        #expect(try await stage.names() == ["before"])
        try await view.setViewport(y: 10)
        try await stage.manager.call("RenameAdapter", "before", "after")
        #expect(try await stage.names() == ["after"])
        await stage.stop()
    }

    @Test("a list is renamed repeatedly during writes → each write is answered, and no write is lost")
    func duringUpdates() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start()
        _ = try await stage.createStored("0")
        let (done, continuation) = AsyncStream.makeStream(of: [String].self)
        let writer = try await stage.connect()
        Task { @DBusActor in
            var written: [String] = []
            var number = 0
            while number < 60 {
                // The list exists under one of its two names.
                guard let name = try? await stage.names().first, let list = try? await stage.adapter(name) else {
                    continue
                }
                let upsert = Upsert("\(number)", "t", "last", "", [:])
                let answer = try? await list.by(writer).call(
                    "ApplyChanges", UInt64(0), [String](), [upsert], [String: DBusValue](), returning: UInt64.self)
                guard answer != nil else { continue }
                written.append("\(number)")
                number += 1
            }
            continuation.yield(written)
            continuation.finish()
        }
        for number in 0..<20 { try await stage.manager.call("RenameAdapter", "\(number)", "\(number + 1)") }
        var written: [String] = []
        for await ids in done { written = ids }
        await stage.kill()
        let again = try await stages.start()
        #expect(try await again.adapter("20").objects().rows.map(\.id) == written)
        #expect(try await again.names() == ["20"])
        await again.stop()
    }

    @Test(
        "a visible list in a worker is renamed → its view is closed, and the list continues under its new name"
    )
    func inWorker() async throws {
        let horrors = try await HorrorStage()
        let list = try await horrors.makeList("before", "Steady")
        _ = try await list.performUpdates(Self.rows)
        let view = try await TestView(list)
        try await view.setViewport(y: 0)
        try await horrors.stage.manager.call("RenameAdapter", "before", "after")
        while true {
            if case .closed(let reason) = try await view.events.next(timeout: .seconds(60)) {
                #expect(reason == "adapter-removed")
                break
            }
        }
        let after = try await horrors.stage.adapter("after")
        #expect(try await after.objects().revision == 1)
        #expect(try await after.items().count == 3)
        #expect(try await after.applyChanges(remove: ["b"]) == 2)
        // The next worker gets the new name too.
        kill(try await horrors.process, SIGKILL)
        try await horrors.wait(for: "ready", restarts: 1)
        #expect(try await after.applyChanges(remove: ["a"]) > 2)
        #expect(try await after.items().count == 1)
        await horrors.stop()
    }
}

/// A log of the paths of lists that the object manager announces as added or removed.
@DBusActor
private final class TreeLog {
    let events = EventLog<String>()
    private var subscription: Subscription?

    init(_ stage: Stage) async throws {
        let rule = MatchRule(path: Listd.manager, interface: "org.freedesktop.DBus.ObjectManager")
        subscription = try await stage.client.subscribe(rule) { [events] message in
            let path = try? message.read { (reader) throws(DBusError) in try ObjectPath(from: &reader) }
            guard let path else { return }
            events.record("\(message.member == "InterfacesAdded" ? "added" : "removed") \(path)")
        }
    }
}
