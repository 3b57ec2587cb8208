// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

/// A misbehaviour of a plugin, and the callback in which it happens.
struct HorrorCase: Sendable {
    let what: String
    let place: String
    /// A part of the plugin's last error; `nil` when its worker survives.
    let blamed: String?

    init(_ what: String, at place: String, blamed: String?) {
        self.what = what
        self.place = place
        self.blamed = blamed
    }

    static let deadly = [
        HorrorCase("trap", at: "update", blamed: "didUpdate"),
        HorrorCase("trap", at: "count", blamed: "numberOfItems"),
        HorrorCase("trap", at: "size", blamed: "sizeForItem"), HorrorCase("trap", at: "item", blamed: "item"),
        HorrorCase("trap", at: "header", blamed: "item"), HorrorCase("trap", at: "display", blamed: "willDisplay"),
        HorrorCase("trap", at: "endDisplay", blamed: "didEndDisplaying"),
        HorrorCase("trap", at: "workingRange", blamed: "the working range delegate"),
        HorrorCase("trap", at: "scroll", blamed: "the scroll delegate"),
        HorrorCase("trap", at: "selection", blamed: "selection"),
        HorrorCase("trap", at: "highlight", blamed: "selection"), HorrorCase("trap", at: "move", blamed: "moveItem"),
        HorrorCase("trap", at: "timer", blamed: "a timer"), HorrorCase("trap", at: "batch", blamed: "performBatch"),
        HorrorCase("overflow", at: "item", blamed: "item"),
        HorrorCase("loop", at: "item", blamed: "CallbackTimeout"),
        HorrorCase("exit", at: "size", blamed: "exit code 0"),
        HorrorCase("abort", at: "count", blamed: "signal 6"), HorrorCase("segfault", at: "item", blamed: "signal 11"),
        HorrorCase("deadlock", at: "display", blamed: "CallbackTimeout"),
        HorrorCase("memory", at: "update", blamed: "didUpdate"), HorrorCase("huge", at: "item", blamed: "item"),
    ]
    static let harmless = [
        HorrorCase("pipe", at: "item", blamed: nil), HorrorCase("nan", at: "", blamed: nil),
        HorrorCase("infinite", at: "", blamed: nil),
    ]
    /// Calls that the kernel forbids. The plugin aborts if such a call succeeds.
    static let forbidden = [HorrorCase("changes", at: "item", blamed: nil)]
}

@Suite("A plugin that misbehaves in every way, next to other lists", .timeLimit(.minutes(10)))
@DBusActor
struct HorrorTests {
    @Test(
        "each kind of misbehaviour → only the plugin's list pauses and recovers, and other lists are served",
        .rule("OR-04"))
    func horrors() async throws {
        let stage = try await HorrorStage("CallbackTimeout=5s\nMemoryMax=128M")
        let bystanders = try await (0..<3).asyncMap { try await Bystander(stage.stage, "bystander \($0)") }
        let work = bystanders.map { bystander in Task { @DBusActor in try await bystander.run() } }
        let heartbeat = Heartbeat()
        defer { _ = heartbeat.stop() }
        if !Landlock.isThere { print("SKIPPED: a plugin that changes files, because this kernel has no Landlock") }
        let forbidden = Landlock.isThere ? HorrorCase.forbidden : []
        for (number, horror) in (HorrorCase.deadly + HorrorCase.harmless + forbidden).enumerated() {
            try await provoke(horror, number, on: stage)
        }
        for bystander in bystanders { bystander.isDone = true }
        var longest = Duration.zero
        for task in work { longest = max(longest, try await task.value) }
        // Printed for comparison only. Times on a busy machine prove nothing.
        print("longest time between two answers of the other lists: \(longest);", terminator: " ")
        print("of a thread that only sleeps: \(heartbeat.stop())")
        let said = stage.stage.listd.standardError.split(separator: "\n")
        #expect(
            said.contains {
                $0.contains("section controller horrors/Horror of object") && $0.contains("LISTD_PLUGIN=horrors")
            })
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    private func provoke(_ horror: HorrorCase, _ number: Int, on stage: HorrorStage) async throws {
        let comment = Comment(rawValue: "\(horror.what) at \(horror.place)")
        let list = try await stage.makeList("horror \(number)", "Horror", ["working-range": .uint32(2)])
        let process = try await stage.process
        let fields: [String: DBusValue] = [
            "do": .string(horror.what), "at": .string(horror.place),
            "once": .string(try stage.makeToken("once-\(number)")),
        ]
        // Each of these calls must be answered, whatever the outcome is.
        _ = try? await list.performUpdates([Row("victim", "row", fields)])
        let view = try? await list.openView(height: 100)
        view?.setViewport(x: 0, y: 1, width: 100, height: 100)
        _ = try? await view?.object.call("Select", "victim", UInt32(0), returning: Bool.self)
        _ = try? await view?.object.call("SetHighlighted", "victim", UInt32(0), true)
        _ = try? await view?.object.call(
            "MoveItem", UInt32(0), UInt32(0), UInt32(0), UInt32(0), returning: Bool.self, UInt64.self)
        _ = try? await list.items()
        _ = try? await list.performUpdates([Row("next", "row", [:])])
        if let blamed = horror.blamed {
            try await stage.wait(for: "ready", restarts: 1)
            let error = try await stage.plugin("LastError", as: String.self)
            #expect(error.contains(blamed), comment)
            #expect(error.contains("horrors/Horror on object “victim”"), comment)
            #expect(error.contains("MemoryMax") == ["memory", "huge"].contains(horror.what), comment)
            #expect(try await stage.process != process, comment)
        } else {
            #expect(try await stage.process == process, comment)
            _ = try await list.performUpdates([Row("victim", "row", fields)])
            let reuse = try await list.items().map(\.reuse)
            #expect(reuse == [horror.place.isEmpty ? "listd/fault" : "horror"], comment)
            #expect(try await stage.process == process, comment)
        }
        _ = try await list.performUpdates([Row("last", "row", [:])])
        #expect(try await list.items().map(\.reuse) == ["horror"], comment)
        #expect(try await list.state == "ready", comment)
        try await stage.stage.manager.call("RemoveAdapter", "horror \(number)")
        try await stage.unload()
    }

    @Test(
        "a plugin dies or hangs during loading → PluginFailed names reason and callback, and the plugin is not loaded",
        arguments: [("trap", "signal"), ("exit", "exit code 0"), ("loop", "CallbackTimeout")])
    func manifests(horror: String, reason: String) async throws {
        let timeout = horror == "loop" ? "1s" : "1min"
        let stage = try await HorrorStage("CallbackTimeout=\(timeout)\nManifest=\(horror)")
        let error = await #expect(throws: DBusError.self) { try await stage.load() }
        #expect(error?.name == Listd.error("PluginFailed"))
        #expect(error?.message.contains(reason) == true)
        #expect(error?.message.contains("in the plugin's manifest") == true)
        let refused = await refusal { _ = try await stage.makeList("list", "Steady") }
        #expect(refused == Listd.error("PluginFailed"))
        #expect(try await stage.stage.manager.property("AdapterCount", as: UInt32.self) == 0)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a plugin uses its worker's socket → the worker is killed, and other lists are served meanwhile",
        arguments: [
            ("babble", "the worker sent an invalid packet"), ("mute", "the worker closed its socket"),
            ("flood", "CallbackTimeout"),
        ])
    func usesSocket(horror: String, reason: String) async throws {
        let stage = try await HorrorStage("CallbackTimeout=2s")
        let bystander = try await Bystander(stage.stage, "bystander")
        let work = Task { @DBusActor in try await bystander.run() }
        let list = try await stage.makeList("list", "Horror")
        let fields: [String: DBusValue] = [
            "do": .string(horror), "at": .string("update"), "once": .string(try stage.makeToken("once")),
        ]
        _ = try? await list.performUpdates([Row("x", "row", fields)])
        try await stage.wait(for: "ready", restarts: 1)
        #expect(try await stage.plugin("LastError", as: String.self).contains(reason))
        _ = try await list.performUpdates([Row("y", "row", [:])])
        #expect(try await list.items().map(\.reuse) == ["horror"])
        bystander.isDone = true
        _ = try await work.value
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a section controller dies in its initializer → its object is at fault, and the plugin does not fail")
    func diesWhenMade() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Stillborn")
        _ = try await list.performUpdates([Row("x", "row", ["value": .int64(1)])])
        try await stage.wait(for: "ready", restarts: 2)
        let error = try await stage.plugin("LastError", as: String.self)
        #expect(error.contains("in init of section controller horrors/Stillborn on object “x”"))
        #expect(try await list.items().map(\.reuse) == ["listd/fault"])
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a data source throws, traps or exits → its list reports the error, and recovers if possible")
    func sources() async throws {
        let stage = try await HorrorStage()
        let options: @Sendable (String) -> [String: DBusValue] = { ["source": .string("horrors/source?\($0)")] }
        let good = try await stage.stage.createAdapter("good", options("nothing"))
        try await good.wait { $0.count == 3 }
        let error = await refusal { _ = try await stage.stage.createAdapter("thrown", options("throw in init")) }
        #expect(error == Listd.error("PluginFailed"))
        let thrown = try await stage.stage.createAdapter("thrown", options("throw in start"))
        try await thrown.wait(state: "failed")
        #expect(await refusal { _ = try await stage.stage.createAdapter("dead", options("exit in init")) } != nil)
        try await stage.waitUntilItRuns()
        try await good.wait { $0.count == 3 }
        try await good.wait(state: "ready")
        // The source dies in its timer again and again. Then the plugin has failed, and so have all lists that the
        // plugin fills.
        _ = try await stage.stage.createAdapter("timer", options("trap in timer"))
        try await stage.wait(for: "failed")
        try await good.wait(state: "failed")
        #expect(try await good.objects().rows.count == 3)
        try await stage.stage.manager.call("RemoveAdapter", "timer")
        try await stage.load()
        try await good.wait(state: "ready")
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a data source sends an object that is larger than the limits → the list fails and stays empty")
    func sourceLimits() async throws {
        let stage = try await HorrorStage()
        for part in ["id", "fields"] {
            let list = try await stage.stage.createAdapter(
                "long_\(part)", ["source": .string("horrors/source?long in \(part)")])
            try await list.wait(state: "failed")
            #expect(try await list.objects().rows.isEmpty)
        }
        #expect(stage.stage.listd.standardError.contains("an identifier has 5000 bytes, more than 4096"))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a data source hangs or dies in a callback → error and log name the callback, and other lists are served",
        arguments: [
            ("loop in timer", "a timer", "CallbackTimeout"),
            ("deadlock in descriptor", "a descriptor's callback", "CallbackTimeout"),
            ("trap in descriptor", "a descriptor's callback", "signal"),
        ])
    func sourceCallbacks(argument: String, callback: String, reason: String) async throws {
        let stage = try await HorrorStage("CallbackTimeout=1s")
        let steady = try await stage.makeList("steady", "Steady")
        #expect(try await steady.performUpdates([Row("x", "row", [:])]) == 1)
        _ = try await stage.stage.createAdapter("horror", ["source": .string("horrors/source?\(argument)")])
        try await stage.wait(for: "ready", restarts: 1)
        let error = try await stage.plugin("LastError", as: String.self)
        #expect(error.contains(reason))
        #expect(error.contains("in \(callback) of data source source with the argument “\(argument)”"))
        try await stage.stage.manager.call("RemoveAdapter", "horror")
        try await stage.waitUntilItRuns()
        #expect(try await steady.items().map(\.reuse) == ["steady"])
        #expect(stage.stage.listd.standardError.contains("\(callback) of data source source"))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a list is removed while its source hangs → the next worker does not start the source")
    func removedWhileItHangs() async throws {
        let stage = try await HorrorStage("CallbackTimeout=1s")
        _ = try await stage.stage.createAdapter("hang", ["source": .string("horrors/source?loop in start")])
        try await stage.stage.manager.call("RemoveAdapter", "hang")
        try await stage.wait(for: "ready", restarts: 1)
        // If the next worker started the removed list's source, the source would hang again and block this list.
        let steady = try await stage.makeList("steady", "Steady")
        #expect(try await steady.performUpdates([Row("x", "row", [:])]) == 1)
        let good = try await stage.stage.createAdapter("good", ["source": .string("horrors/source?nothing")])
        try await good.wait(state: "ready")
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 1)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "section controllers or sources never stop sending → other lists are served, and these lists can be removed"
    )
    func floods() async throws {
        let stage = try await HorrorStage()
        let bystander = try await Bystander(stage.stage, "bystander")
        let work = Task { @DBusActor in try await bystander.run() }
        let steady = try await stage.makeList("steady", "Steady")
        let changing = try await stage.makeList("changing", "Flood")
        let process = try await stage.process
        _ = try await changing.performUpdates([Row("x", "row", [:])])
        let pushed = try await stage.stage.createAdapter("pushed", ["source": .string("horrors/source?flood in start")])
        // Both lists send more than listd accepts without a pause, and continue. So do other lists in the same worker.
        for list in [changing, pushed] {
            for number in 0..<50 as Range<Int64> {
                _ = try await steady.performUpdates([Row("x", "row", ["value": .int64(number)])])
                #expect(try await steady.items().map { $0.content["value"] } == [.int64(number)])
            }
            try await list.wait(forRevision: 400)
        }
        #expect(try await changing.items().map(\.reuse) == ["flood"])
        #expect(try await stage.process == process)
        for name in ["changing", "pushed"] { try await stage.stage.manager.call("RemoveAdapter", name) }
        #expect(try await steady.items().map(\.reuse) == ["steady"])
        bystander.isDone = true
        _ = try await work.value
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a section controller reports changes endlessly → its worker is killed, and the error has the reason")
    func endlessEvents() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("selecting", "Flood")
        _ = try? await list.performUpdates([
            Row("x", "row", ["do": .string("select"), "once": .string(try stage.makeToken("once"))])
        ])
        try await stage.wait(for: "ready", restarts: 1)
        let error = try await stage.plugin("LastError", as: String.self)
        #expect(error.contains("the worker flooded the list “selecting”"))
        #expect(try await list.items().map(\.reuse) == ["flood"])
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    private func refusal(_ body: @DBusActor @Sendable () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return DBusError(error).name
        }
    }
}

/// A client that writes to its own list all the time, and checks the answers.
@DBusActor
private final class Bystander {
    private let list: TestAdapter
    private let client: Connection
    var isDone = false

    init(_ stage: Stage, _ name: String) async throws {
        list = try await stage.createAdapter(name)
        client = try await stage.connect()
    }

    /// Writes until `isDone` is set. Returns the longest time between two answers.
    func run() async throws -> Duration {
        var revision: UInt64 = 0
        var longest = Duration.zero
        var last = ContinuousClock.now
        while !isDone {
            let upsert = Upsert("object", "row", "keep", "", ["n": .uint64(revision)])
            let answer = try await list.by(client).call(
                "ApplyChanges", revision, [String](), [upsert], [String: DBusValue](), returning: UInt64.self)
            #expect(answer == revision + 1)
            revision = answer
            longest = max(longest, last.duration(to: .now))
            last = .now
            if revision % 64 == 0 {
                #expect(try await list.objects().rows.map(\.fields) == [["n": .uint64(revision - 1)]])
            }
        }
        return longest
    }
}

extension Sequence {
    func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}

extension TestAdapter {
    /// Waits until `isRight` accepts the objects. Reads the objects again at each `Updated` signal.
    func wait(until isRight: ([ObjectRow]) -> Bool) async throws {
        let updates = EventLog<Bool>()
        let subscription = try await stage.client.subscribe(MatchRule(path: path, member: "Updated")) { _ in
            updates.record(true)
        }
        defer { subscription.cancel() }
        while !isRight(try await objects().rows) { _ = try await updates.next(timeout: .seconds(60)) }
    }

    /// Waits until the list is at a revision or later. Reads the revision again at each `Updated` signal.
    func wait(forRevision revision: UInt64) async throws {
        let updates = EventLog<Bool>()
        let subscription = try await stage.client.subscribe(MatchRule(path: path, member: "Updated")) { _ in
            updates.record(true)
        }
        defer { subscription.cancel() }
        while try await objects().revision < revision { _ = try await updates.next(timeout: .seconds(60)) }
    }

    /// Waits until the list is in a state.
    func wait(state wanted: String) async throws {
        let changes = EventLog<Bool>()
        let rule = MatchRule(path: path, interface: StandardInterface.properties, member: "PropertiesChanged")
        let subscription = try await stage.client.subscribe(rule) { _ in changes.record(true) }
        defer { subscription.cancel() }
        while try await state != wanted { _ = try await changes.next(timeout: .seconds(60)) }
    }
}
