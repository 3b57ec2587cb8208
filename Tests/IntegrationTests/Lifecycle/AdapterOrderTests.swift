// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Adapters that are created and removed again under the same name", .timeLimit(.minutes(3)))
@DBusActor
struct AdapterOrderTests {
    /// The outcome of a call: the name of its error, or `nil` for a success.
    private typealias Outcome = String?

    private func send(
        _ member: String, _ name: String, durability: String? = nil, to stage: Stage
    ) throws -> EventLog<Outcome> {
        let answers = EventLog<Outcome>()
        let call = try stage.manager.message(member) { (message) throws(DBusError) in
            if let durability {
                try message.write(name, ["durability": DBusValue.string(durability)])
            } else {
                try message.write(name)
            }
        }
        stage.client.call(call) { result in
            if case .failure(let error) = result { answers.record(error.name) } else { answers.record(nil) }
        }
        return answers
    }

    @Test(
        "a list is removed and recreated without waiting for replies → calls run in order, and each list starts empty",
        arguments: ["memory", "disk"])
    func order(durability: String) async throws {
        let stages = try StoreStage()
        defer { withExtendedLifetime(stages) {} }
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail", durability: durability)
        _ = try await adapter.applyChanges([Upsert("old", "t", "last", "", [:])])
        var epochs: Set<String> = [try await adapter.epoch()]
        for _ in 0..<20 {
            let removal = try send("RemoveAdapter", "mail", to: stage)
            let creation = try send("CreateAdapter", "mail", durability: durability, to: stage)
            #expect(try await removal.next() == nil)
            #expect(try await creation.next() == nil)
            let new = try await stage.adapter("mail")
            let epoch = try await new.epoch()
            #expect(epochs.insert(epoch).inserted)
            #expect(try await new.objects().rows.isEmpty)
            _ = try await new.applyChanges([Upsert("new", "t", "last", "", [:])])
        }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        #expect(try await stages.names() == (durability == "disk" ? ["mail"] : []))
    }

    @Test(
        "a list is removed twice without waiting for replies → the second call fails with NoSuchAdapter",
        arguments: ["memory", "disk"])
    func removedTwice(durability: String) async throws {
        let stages = try StoreStage()
        defer { withExtendedLifetime(stages) {} }
        let stage = try await stages.start()
        _ = try await stage.createStored("mail", durability: durability)
        let (first, second) = (
            try send("RemoveAdapter", "mail", to: stage), try send("RemoveAdapter", "mail", to: stage)
        )
        #expect(try await first.next() == nil)
        #expect(try await second.next() == Listd.error("NoSuchAdapter"))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a list is removed while a view shows it → display-end signals and Closed precede the reply",
        .rule("AO-02", "VW-17"),
        arguments: TransportKind.allCases)
    func lastWords(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("mail")
        try await adapter.fill(3)
        let client = try await stage.connect(transport)
        let said = EventLog<String>()
        _ = try await client.subscribe(MatchRule(pathNamespace: Listd.manager)) { message in
            said.record(message.member ?? "")
        }
        if transport == .direct {
            let driver = RemoteObject(
                client, destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
                interface: "org.freedesktop.DBus")
            try await driver.call("AddMatch", "type='signal'")
            _ = try await adapter.by(client).call("Subscribe", [String](), returning: UInt64.self, UInt64.self)
        }
        let view = try await TestView(adapter, by: client)
        try await view.setViewport(y: 0)
        let before = said.recorded.count
        try await stage.object(Listd.manager, "Manager", by: client).call("RemoveAdapter", "mail")
        // All signals were sent before the reply.
        let last = said.recorded.dropFirst(before).filter { $0 != "PropertiesChanged" }
        #expect(last.suffix(2) == ["Closed", "InterfacesRemoved"], "\(last)")
        #expect(last.first == "DisplayChanged", "\(last)")
        await stage.stop()
    }

    @Test("a list is removed while its source sends the first objects → no source error is logged")
    func removedWhileFilled() async throws {
        let stages = try StoreStage()
        defer { withExtendedLifetime(stages) {} }
        let stage = try await stages.start()
        let file = stage.listd.directory.path + "/x.jsonl"
        try "{\"id\": \"a\"}\n".write(toFile: file, atomically: true, encoding: .utf8)
        for round in 0..<100 {
            _ = try await stage.createAdapter(
                "mail", ["durability": .string("disk"), "source": .string("jsonl:" + file)])
            // The list is sometimes removed before the first event of the source, sometimes after it.
            for _ in 0..<round % 4 { _ = try await stage.names() }
            try await stage.manager.call("RemoveAdapter", "mail")
        }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        #expect(!stage.listd.standardError.contains("NoSuchAdapter"), "\(stage.listd.standardError)")
    }
}
