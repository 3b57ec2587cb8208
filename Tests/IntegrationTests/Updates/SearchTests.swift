// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("Search, over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct SearchBusTests {
    private func fill(_ adapter: TestAdapter) async throws {
        _ = try await adapter.performUpdates([
            Row("a", "", ["name": .string("Straße"), "n": .int32(1)]),
            Row("b", "", ["name": .string("Weg"), "city": .string("Ulm")]),
            Row("c", "", ["name": .string("STRASSE"), "city": .string("Köln")]),
            Row("d", "", ["name": .array(element: "s", [.string("straße")])]),
        ])
    }

    @Test(
        "a client searches some or all fields in either direction → the next match is found, without wrapping around",
        .rule("FO-08"),
        arguments: TransportKind.allCases)
    func places(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await fill(adapter)
        let list = AdapterClient(adapter.by(try await stage.connect(transport)))
        func find(_ text: String, in fields: [String] = [], from: UInt32, backwards: Bool = false) async throws
            -> String?
        {
            let found = try await list.search(text, in: fields, from: from, backwards: backwards)
            #expect(found.revision == 1)
            if let match = found.match { #expect(["a", "b", "c", "d"][Int(match.section)] == match.objectID) }
            return found.match?.objectID
        }
        let cases: [(text: String, fields: [String], from: UInt32, backwards: Bool, id: String?)] = [
            ("strasse", [], 0, false, "a"), ("strasse", [], 1, false, "c"), ("strasse", [], 3, false, nil),
            ("STRAẞE", [], 3, true, "c"), ("strasse", [], 1, true, "a"), ("weg", [], 0, true, nil),
            ("strasse", [], .max, true, "c"), ("strasse", [], .max, false, nil), ("köln", ["city"], 0, false, "c"),
            ("köln", ["name", "no"], 0, false, nil), ("", [], 0, false, nil), ("nowhere", [], 0, false, nil),
        ]
        for each in cases {
            let id = try await find(each.text, in: each.fields, from: each.from, backwards: each.backwards)
            #expect(id == each.id, "\(each)")
        }
        await stage.stop()
    }

    @Test("a search in a list of a worker → objects are found as in other lists")
    func hosts() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Steady")
        try await list.fill(5000, ["t": .string("hay")])
        _ = try await list.applyChanges([Upsert("needle", "", "last", "", ["t": .string("Needle")])])
        let found = try await AdapterClient(list.by(stage.stage.client)).search("needle")
        #expect(found.match?.section == 5000 && found.match?.objectID == "needle" && found.revision == 2)
        await stage.stop()
    }

    @Test(
        "a connection starts a second search during its first → LimitsExceeded; another connection → it succeeds"
    )
    func atOnce() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(20_000, ["t": .string("hay")])
        let list = AdapterClient(adapter.by(stage.client))
        let other = AdapterClient(adapter.by(try await stage.connect()))
        let searches = (0..<3).map { _ in Task { @DBusActor in try await list.search("needle") } }
        let fourth = Task { @DBusActor in try await other.search("needle") }
        var errors: [String] = []
        for search in searches {
            do {
                #expect(try await search.value.match == nil)
            } catch {
                errors.append(DBusError(error).name)
            }
        }
        #expect(errors == Array(repeating: Listd.standardError("LimitsExceeded"), count: 2))
        #expect(try await fourth.value.match == nil)
        #expect(try await list.search("needle").match == nil)
        await stage.stop()
    }

    @Test("a list changes continuously during a search → the result is correct at its revision")
    func changing() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(30_000, ["t": .string("hay")])
        let list = AdapterClient(adapter.by(try await stage.connect()))
        let writer = Task { @DBusActor in
            for number in 0... where !Task.isCancelled {
                // Inserts objects before the object with the searched text, which every second revision has.
                let needle = number % 2 == 0 ? ["needle"] : []
                let upserts =
                    [Upsert("new\(number)", "", "first", "", ["t": .string("hay")])]
                    + (number % 2 == 1 ? [Upsert("needle", "", "last", "", ["t": .string("needle")])] : [])
                _ = try await adapter.applyChanges(remove: needle, upserts)
            }
        }
        for _ in 0..<20 {
            let found = try await list.search("needle", from: 10)
            // Revision 1 does not have the searched object. Of the later revisions, each odd one has it.
            #expect(
                (found.match != nil) == (found.revision % 2 == 1 && found.revision > 1), "revision \(found.revision)")
            #expect(found.match.map { $0.section == 30_000 + UInt32(found.revision) - 1 } ?? true)
        }
        writer.cancel()
        _ = await writer.result
        await stage.stop()
    }

    @Test("the list is removed during a search → the caller gets an error; the caller disconnects → the search ends")
    func ends() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(60_000, ["t": .string("hay")])
        let other = try await stage.createAdapter("other")
        let client = try await stage.connect()
        let search = Task { @DBusActor in try await AdapterClient(adapter.by(client)).search("needle") }
        let leaving = try await stage.connect()
        let abandoned = Task { @DBusActor in try await AdapterClient(adapter.by(leaving)).search("needle") }
        _ = try await other.by(client).call(
            "GetObjects", UInt32(0), UInt32(0), returning: String.self, UInt64.self, UInt32.self, [Row].self)
        leaving.close()
        try await stage.manager.call("RemoveAdapter", "list")
        _ = await abandoned.result
        switch await search.result {
        case .success(let found): #expect(found.match == nil)
        case .failure(let error):
            #expect(
                [Listd.error("NoSuchAdapter"), Listd.standardError("UnknownObject")].contains(DBusError(error).name))
        }
        #expect(try await AdapterClient(other.by(client)).search("x").match == nil)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a search has 16 MiB of text or 20,000 fields → it is answered; its caller may not read the list → AccessDenied"
    )
    func large() async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list", ["readers": .string("owner")])
        try await fill(adapter)
        let long = String(repeating: "ß", count: 7_900_000)
        #expect(try await AdapterClient(adapter.by(stage.client)).search(long).match == nil)
        for transport in TransportKind.allCases {
            let list = AdapterClient(adapter.by(try await stage.connect(transport)))
            let fields = (0..<20_000).map { "field \($0)" }
            #expect(try await list.search("weg", in: fields).match == nil)
            #expect(try await list.search("weg", in: fields + ["name"]).match?.objectID == "b")
        }
        if Agent.canBeOthers {
            let stranger = try await Agent(stage.bus.address, user: Agent.nobody)
            let answer = try await stranger.call(adapter.path, "Adapter", "Search", "sasub", #"["weg",[],0,false]"#)
            #expect(answer.error == Listd.standardError("AccessDenied"))
        }
        await stage.stop()
    }
}
