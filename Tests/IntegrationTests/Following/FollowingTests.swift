// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

/// Lists that follow another list: source `list:NAME?…`.
@Suite("Lists that follow other lists", .timeLimit(.minutes(3)))
@DBusActor
struct FollowingTests {
    private static let plants = [
        ("basil", "Basilikum", 12), ("rose", "Straßenrose", 80), ("oak", "Eiche", 900), ("ivy", "STRASSEN-Efeu", 40),
    ].map { Row($0.0, "plant", ["title": .string($0.1), "height": .int64(Int64($0.2))]) }

    @Test(
        "a following list filters, sorts and limits another list → its objects reflect every change of the other list",
        .rule("FO-01"),
        arguments: TransportKind.allCases)
    func follow(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let base = try await stage.createAdapter("plants")
        _ = try await base.performUpdates(Self.plants)
        let client = try await stage.connect(transport)
        let found = try await stage.createFollower(
            "found", of: "plants", "contains=strasse&in=title&sort=-height&limit=2", by: client)
        try await found.wait(until: "ready")
        #expect(try await found.objects().rows.map(\.id) == ["rose", "ivy"])
        _ = try await base.applyChanges(
            [Upsert("tall", "plant", "first", "", ["title": .string("Strassenbaum"), "height": .double(99.5)])])
        try await found.wait(forIDs: ["tall", "rose"])
        _ = try await base.by(client).call(
            "PatchObject", UInt64(0), "ivy", ["height": DBusValue.int64(85)], [String](), returning: UInt64.self)
        try await found.wait(forIDs: ["tall", "ivy"])
        _ = try await base.applyChanges(remove: ["tall", "ivy"])
        try await found.wait(forIDs: ["rose"])
        _ = try await base.performUpdates(Self.plants.reversed())
        try await found.wait(forIDs: ["rose", "ivy"])
        #expect(
            try await found.by(client).property("Source", as: String.self).hasPrefix("list:plants?contains=strasse"))
        // A follower cannot be written, but other lists can follow it.
        let error = await stage.error { _ = try await found.performUpdates([]) }
        #expect(error?.name == Listd.error("ReadOnly"))
        let second = try await stage.createFollower("second", of: "found", "sort=title")
        try await second.wait(forIDs: ["ivy", "rose"])
        await stage.stop()
    }

    @Test(
        "SetSourceArgument changes a follower's order → one update with moves, and the property Source changes",
        .rule("FO-03"),
        arguments: TransportKind.allCases)
    func setArgument(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let base = try await stage.createAdapter("plants")
        _ = try await base.performUpdates(Self.plants)
        let found = try await stage.createFollower("found", of: "plants", "sort=height")
        try await found.wait(forIDs: ["basil", "ivy", "rose", "oak"])
        let client = try await stage.connect(transport)
        let updates = EventLog<UpdatedSignal>()
        _ = try await found.by(client).call("Subscribe", ["updates"], returning: UInt64.self, UInt64.self)
        _ = try await client.subscribe(MatchRule(path: found.path, member: "Updated"), onBus: transport == .bus) {
            if let signal = try? UpdatedSignal($0) { updates.record(signal) }
        }
        let list = AdapterClient(found.by(client))
        var query = ListQueryText()
        query.sortField = "height"
        query.isDescending = true
        query.limit = 3
        let revision = try await list.setSourceArgument(query.argument)
        #expect(try await found.objects().rows.map(\.id) == ["oak", "rose", "ivy"])
        #expect(try await found.objects().revision == revision)
        #expect(try await found.by(client).property("Source", as: String.self) == query.source(of: "plants"))
        let heard = try #require(updates.recorded.last)
        #expect(heard.revision == revision && heard.kind == "update" && !heard.sections.members.2.isEmpty)
        // The same argument again changes nothing. A longer search text matches fewer objects.
        #expect(try await list.setSourceArgument(query.argument) == revision)
        query = ListQueryText()
        for (text, ids) in [
            ("s", ["basil", "rose", "ivy"]), ("st", ["rose", "ivy"]), ("stra", ["rose", "ivy"]), ("strax", []),
        ] {
            query.contains = text
            _ = try await list.setSourceArgument(query.argument)
            #expect(try await found.objects().rows.map(\.id) == ids, "\(text)")
        }
        try await list.setSourceArgument("")
        #expect(try await found.objects().rows.count == 4)
        await stage.stop()
    }

    @Test(
        "a source argument is invalid, or a list cannot be followed → a specific error is sent, and nothing changes",
        arguments: TransportKind.allCases)
    func faults(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let base = try await stage.createAdapter("base")
        try await base.fill(3)
        let found = try await stage.createFollower("found", of: "base", "limit=2")
        try await found.wait(forCount: 2)
        let client = try await stage.connect(transport)
        for (list, argument, error, name) in [
            (found, "limit=x", Listd.standardError("InvalidArgs"), "limit"),
            (found, "nope=1", Listd.standardError("InvalidArgs"), "nope"),
            (found, "sort=a&sort=b", Listd.standardError("InvalidArgs"), "sort"),
            (found, String(repeating: "x", count: 16 << 20), Listd.error("PayloadTooLarge"), "argument"),
            (base, "limit=1", Listd.error("ReadOnly"), "base"),
        ] {
            let refusal = await stage.error { try await AdapterClient(list.by(client)).setSourceArgument(argument) }
            #expect(refusal?.name == error)
            #expect(refusal?.message.contains(name) == true)
        }
        #expect(try await found.by(client).property("Source", as: String.self) == "list:base?limit=2")
        let missing = await stage.error { _ = try await stage.createFollower("x", of: "nowhere", by: client) }
        #expect(missing?.name == Listd.error("NoSuchAdapter"))
        let itself = await stage.error { _ = try await stage.createFollower("x", of: "x", by: client) }
        #expect(itself?.name == Listd.standardError("InvalidArgs"))
        // `found` follows the removed name, so a follower of `found` with this name would close a cycle.
        try await stage.manager.call("RemoveAdapter", "base")
        let circle = await stage.error { _ = try await stage.createFollower("base", of: "found", by: client) }
        #expect(circle?.name == Listd.standardError("InvalidArgs"))
        await stage.stop()
    }

    @Test(
        "the followed list is removed → the follower fails; the list is created again → the follower follows again",
        .rule("FO-05"))
    func baseGone() async throws {
        let stage = try await Stage()
        let base = try await stage.createAdapter("b s?")
        try await base.fill(5)
        let found = try await stage.createFollower("found", of: "b%20s%3F")
        try await found.wait(forCount: 5)
        let revision = try await found.objects().revision
        try await stage.manager.call("RemoveAdapter", "b s?")
        try await found.wait(until: "failed")
        try await found.wait(forCount: 0)
        #expect(try await found.sourceError.contains("b s?"))
        #expect(try await found.objects().revision > revision)
        let again = try await stage.createAdapter("b s?")
        try await again.fill(2)
        try await found.wait(forCount: 2)
        try await found.wait(until: "ready")
        #expect(try await found.sourceError == "")
        // The list is removed and created again many times without waiting.
        for count in 1...5 {
            try await stage.manager.call("RemoveAdapter", "b s?")
            try await stage.createAdapter("b s?").fill(count)
        }
        try await found.wait(forCount: 5)
        await stage.stop()
    }

    @Test("a large list changes at random during a follower's initial read → the follower gets all changes")
    func changesWhileLoading() async throws {
        let stage = try await Stage()
        let base = try await stage.createAdapter("base")
        try await base.fill(20_000)
        let found = try await stage.createFollower("found", of: "base", "sort=-n")
        for round in 0..<200 {
            let number = DBusValue.int64(Int64(round))
            _ = try await base.applyChanges(
                remove: ["o\(round * 7)"],
                [Upsert("new\(round)", "", round % 2 == 0 ? "first" : "after", "o\(19_999 - round)", ["n": number])])
        }
        let expected = (0..<200).reversed().map { "new\($0)" }
        while try await Array(found.objects().rows.map(\.id).prefix(200)) != expected {}
        let (rows, own) = (try await found.objects().rows, try await base.objects().rows)
        #expect(rows.count == own.count)
        #expect(rows.dropFirst(200).map(\.id) == own.map(\.id).filter { !$0.hasPrefix("new") })
        await stage.stop()
    }

    @Test(
        "the creator of a transient following list disconnects → the list is removed", .rule("FO-07"),
        arguments: TransportKind.allCases
    )
    func transient(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let base = try await stage.createAdapter("base")
        try await base.fill(2)
        let client = try await stage.connect(transport)
        let found = try await stage.createFollower(
            "found", of: "base", "", ["transient": .boolean(true), "durability": .string("disk")], by: client)
        _ = try await stage.createFollower("other", of: "base")
        try await found.wait(forCount: 2)
        let options = try await found.by(stage.client).property("Options", as: [String: DBusValue].self)
        #expect(options["transient"] == .boolean(true) && options["durability"] == .string("memory"))
        client.close()
        while try await stage.manager.property("AdapterCount", as: UInt32.self) != 2 {}
        // The list may still answer for a moment, until its views are closed.
        while await stage.error({ _ = try await found.objects() })?.name != Listd.standardError("UnknownObject") {}
        #expect(try await stage.names() == ["base", "other"])
        await stage.stop()
    }
}
