// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("The epoch, the counts and the details that travel with revisions")
@DBusActor
struct EpochTests {
    private static let conflict = Listd.error("RevisionConflict")
    private static let gone = Listd.error("RevisionGone")

    @Test(
        "a list is removed and made again → signals and answers have the new epoch, and the old one is refused",
        .rule("EP-01"), .rule("EP-02"), .rule("EP-03"), arguments: TransportKind.allCases)
    func remade(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let client = try await stage.connect(transport)
        let list = try await stage.createAdapter("list")
        let updates = EventLog<UpdatedSignal>()
        _ = try await client.subscribe(
            MatchRule(path: list.path, member: "Updated"), onBus: transport == .bus
        ) { message in
            if let update = try? UpdatedSignal(message) { updates.record(update) }
        }
        var epochs: [String] = []
        for _ in 0..<2 {
            if !epochs.isEmpty {
                try await stage.manager.call("RemoveAdapter", "list")
                _ = try await stage.createAdapter("list")
            }
            let remote = list.by(client)
            _ = try await remote.call("Subscribe", [String](), returning: UInt64.self, UInt64.self)
            _ = try await list.performUpdates([Row("a", "", [:])])
            let update = try await updates.next()
            #expect(update.base == 0 && update.revision == 1)
            let epoch = try await list.epoch()
            #expect(update.epoch == epoch)
            #expect((1...64).contains(epoch.count))
            #expect(epoch.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
            let page = try await remote.call(
                "GetObjects", UInt32(0), UInt32(9), returning: String.self, UInt64.self, UInt32.self, [Row].self)
            let opened = try await remote.call(
                "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
                UInt32.self, [String: DBusValue].self)
            #expect(page.0 == epoch && opened.1 == epoch)
            epochs.append(epoch)
        }
        #expect(epochs[0] != epochs[1])
        let remote = list.by(client)
        for since in [0, 1, 9] as [UInt64] {
            #expect(await failure { try await remote.call("GetChanges", epochs[0], since) } == Self.gone)
        }
        #expect(try await list.changes(since: 0).map(\.revision) == [1])
        await stage.stop()
    }

    @Test(
        "a write for another epoch → RevisionConflict, before faults in the objects; for this one or none → it is applied",
        .rule("EP-04"))
    func writes() async throws {
        let stage = try await Stage()
        let list = try await stage.createAdapter("list")
        let remote = list.by(stage.client)
        _ = try await list.performUpdates([Row("a", "", [:])])
        let epoch = try await list.epoch()
        func options(_ epoch: String) -> [String: DBusValue] { ["epoch": .string(epoch)] }
        for rows in [[Row("a", "", [:])], [Row("", "", [:])]] {
            let refused = await failure {
                _ = try await remote.call("PerformUpdates", UInt64(0), rows, options("other"), returning: UInt64.self)
            }
            #expect(refused == Self.conflict)
        }
        let upserts = [Upsert("b", "", "last", "", [:])]
        let refused = await failure {
            _ = try await remote.call(
                "ApplyChanges", UInt64(0), [String](), upserts, options("other"), returning: UInt64.self)
        }
        #expect(refused == Self.conflict)
        let wrong = await failure {
            _ = try await remote.call(
                "ApplyChanges", UInt64(0), [String](), upserts, ["epoch": DBusValue.uint64(1)], returning: UInt64.self)
        }
        #expect(wrong == Listd.standardError("InvalidArgs"))
        for (number, given) in [epoch, ""].enumerated() {
            let revision = try await remote.call(
                "PerformUpdates", UInt64(0), [Row("\(number)", "", [:])], options(given), returning: UInt64.self)
            #expect(revision == UInt64(number + 2))
        }
        await stage.stop()
    }

    @Test(
        "sections get more or fewer items than one → flat stands in Updated and OpenView while every section has one",
        .rule("DT-02"))
    func flat() async throws {
        let stage = try await Stage()
        let list = try await stage.createAdapter(
            "list",
            [
                "section-controllers": .dictionary(
                    key: "s", value: "s",
                    [
                        .init(key: .string("many"), value: .string("listd/binding")),
                        .init(key: .string("*"), value: .string("listd/single")),
                    ])
            ])
        let updates = EventLog<UpdatedSignal>()
        _ = try await stage.client.subscribe(MatchRule(path: list.path, member: "Updated")) { message in
            if let update = try? UpdatedSignal(message) { updates.record(update) }
        }
        func isFlat() async throws -> Bool {
            let answer = try await list.by(stage.client).call(
                "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
                UInt32.self, [String: DBusValue].self)
            return answer.5["flat"]?.unwrapped == .boolean(true)
        }
        func items(_ count: Int) -> [String: DBusValue] {
            let rows = (0..<count).map { number in
                DBusValue.dictionary(
                    key: "s", value: "v",
                    [
                        .init(key: .string("id"), value: .variant(.string("\(number)")))
                    ])
            }
            return ["items": .array(element: "a{sv}", rows)]
        }
        #expect(try await isFlat())
        // None and two are as many items as two sections have, and yet not one in each.
        let steps: [([Row], Bool)] = [
            ([Row("a", "", [:])], true), ([Row("a", "many", items(2)), Row("b", "many", items(0))], false),
            ([Row("a", "many", items(1)), Row("b", "", [:])], true), ([Row("a", "many", items(3))], false), ([], true),
        ]
        for (rows, expected) in steps {
            _ = try await list.performUpdates(rows)
            let update = try await updates.next()
            #expect(update.isFlat == expected && update.sectionCount == UInt32(rows.count))
            #expect(try await isFlat() == expected)
        }
        await stage.stop()
    }

    @Test(
        "GetItems with fields → rows have the object's id, and contents only these fields",
        .rule("DT-03"), arguments: TransportKind.allCases)
    func items(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let list = try await stage.createAdapter("list")
        _ = try await list.performUpdates([Row("a", "t", ["x": .string("1"), "y": .string("2")])])
        typealias Item = DBusStruct<UInt32, String, UInt32, String, [String: DBusValue]>
        let remote = list.by(try await stage.connect(transport))
        for (fields, expected) in [([], ["x", "y"]), (["y", "none"], ["y"])] as [([String], [String])] {
            let (_, next, items) = try await remote.call(
                "GetItems", UInt32(0), UInt32(9), fields, returning: UInt64.self, UInt32.self, [Item].self)
            let (section, id, item, reuse, content) = try #require(items.first).members
            #expect(next == 1 && items.count == 1 && section == 0 && id == "a" && item == 0 && reuse == "t")
            #expect(content.keys.sorted() == expected)
        }
        await stage.stop()
    }

    @Test(
        "GetChanges and Resync → batches have the counts after them, and the picture the list's counts",
        .rule("DT-04"))
    func counts() async throws {
        let stage = try await Stage()
        let list = try await stage.createAdapter("list")
        try await list.fill(3)
        _ = try await list.applyChanges(remove: ["o0"])
        #expect(try await list.changes(since: 0).map(\.sectionCount) == [3, 2])
        #expect(try await list.changes(since: 0).map(\.itemCount) == [3, 2])
        let view = try await TestView(list)
        try await view.setViewport(y: 0)
        let reply = try await stage.client.call(try view.remote.message("Resync") { _ in })
        let details = try reply.read { (reader) throws(DBusError) in
            for _ in 0..<5 { reader.skip() }
            return try [String: DBusValue](from: &reader)
        }
        #expect(details["sections"]?.unwrapped == .uint32(2) && details["items"]?.unwrapped == .uint32(2))
        await stage.stop()
    }
}
