// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("A working range in items, over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct WorkingRangeUnitTests {
    @Test(
        "the working range is counted in sections or items → it extends by two sections or by two items",
        .rule("VW-21"),
        arguments: TransportKind.allCases)
    func items(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let controllers = DBusValue.dictionary(
            key: "s", value: "s", [.init(key: .string("*"), value: .string("listd/binding"))])
        let adapter = try await stage.createAdapter(
            "list", ["section-controllers": controllers, "working-range": .uint32(2)])
        _ = try await adapter.performUpdates(
            (0..<9).map { section in
                let items = (0..<3).map { DBusValue.options(["id": .string("\($0)"), "height": .double(10)]) }
                return Row("o\(section)", "", ["items": .array(element: "a{sv}", items)])
            })
        let client = try await stage.connect(transport)
        for (unit, range) in [("sections", (2, 5)), ("items", (3, 3))] as [(String, (UInt32, UInt32))] {
            let view = try await TestView(
                adapter, by: client, ["working-range-unit": .string(unit), "buffer": .double(0)])
            // Shows the first two items of section 4.
            _ = try await view.remote.call("SetViewport", UInt64(0), 0.0, 120.0, 100.0, 20.0, returning: UInt64.self)
            let found = try await view.property("WorkingRange", as: DBusStruct<UInt32, UInt32>.self).members
            #expect(found == range)
            let options = try await view.property("Options", as: [String: DBusValue].self)
            #expect(options["working-range-unit"]?.unwrapped == .string(unit))
        }
        await stage.stop()
    }

    /// The content of a `WorkingRangeChanged` signal.
    private struct RangeSignal: Sendable {
        var entered: [DBusStruct<UInt32, String>]
        var exited: [DBusStruct<UInt32, String>]
        var details: [String: DBusValue]

        @DBusActor
        init(_ message: Message) throws {
            (_, _, entered, exited, details) = try message.decode(
                as: ObjectPath.self, UInt64.self, [DBusStruct<UInt32, String>].self,
                [DBusStruct<UInt32, String>].self, [String: DBusValue].self)
        }

        /// Checks which items of the album a detail names.
        func names(_ key: String, _ items: [Int], section: UInt32) -> Bool {
            let expected = items.map {
                DBusValue.structure([.uint32(section), .string("album"), .uint32(UInt32($0))])
            }
            return details[key]?.unwrapped == (expected.isEmpty ? nil : .array(element: "(usu)", expected))
        }
    }

    private static func album(_ photographs: [Int]) -> Row {
        let items = photographs.map { DBusValue.options(["id": .string("\($0)"), "height": .double(10)]) }
        return Row("album", "", ["items": .array(element: "a{sv}", items)])
    }

    @Test(
        "a section has 1,000 photographs, and a viewer scrolls → a helper hears which 20 are near, and which no longer",
        .rule("DT-05"), arguments: TransportKind.allCases)
    func photographs(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let controllers = DBusValue.dictionary(
            key: "s", value: "s", [.init(key: .string("*"), value: .string("listd/binding"))])
        let adapter = try await stage.createAdapter("list", ["section-controllers": controllers])
        _ = try await adapter.performUpdates([Self.album(Array(0..<1000))])
        let helper = try await stage.connect(transport)
        let signals = EventLog<RangeSignal>()
        _ = try await helper.subscribe(
            MatchRule(path: adapter.path, member: "WorkingRangeChanged"), onBus: transport == .bus
        ) { message in
            if let signal = try? RangeSignal(message) { signals.record(signal) }
        }
        _ = try await adapter.by(helper).call("Subscribe", ["working-range"], returning: UInt64.self, UInt64.self)
        let view = try await TestView(
            adapter,
            [
                "working-range-unit": .string("items"), "lead": .uint32(20), "trail": .uint32(0), "buffer": .double(0),
            ])
        func scroll(to y: Double) async throws {
            _ = try await view.remote.call("SetViewport", UInt64(0), 0.0, y, 100.0, 100.0, returning: UInt64.self)
        }
        try await scroll(to: 5000)
        var signal = try await signals.next()
        #expect(signal.entered.map(\.members.0) == [0] && signal.exited.isEmpty)
        #expect(signal.names("items-will-enter", Array(500..<530), section: 0) && signal.details.count == 1)
        // The section stays in range, so that only items are named.
        try await scroll(to: 5200)
        signal = try await signals.next()
        #expect(signal.entered.isEmpty && signal.exited.isEmpty && signal.details.count == 2)
        #expect(signal.names("items-will-enter", Array(530..<550), section: 0))
        #expect(signal.names("items-did-exit", Array(500..<520), section: 0))
        // The visible photographs keep their place on the screen when others are inserted in front.
        _ = try await adapter.applyChanges([Upsert("first", "", "first", "", [:])])
        _ = try await adapter.performUpdates([Self.album(Array(2000..<2005) + Array(0..<521) + Array(522..<1000))])
        signal = try await signals.next()
        #expect(signal.entered.isEmpty && signal.exited.isEmpty && signal.details.count == 2)
        #expect(signal.names("items-will-enter", [554], section: 0))
        #expect(signal.names("items-did-exit", [521], section: 1))
        try await view.remote.call("Close")
        signal = try await signals.next()
        #expect(signal.entered.isEmpty && signal.exited.map(\.members.1) == ["album"])
        #expect(signal.names("items-did-exit", Array(525..<555), section: 0) && signal.details.count == 1)
        await stage.stop()
    }
}
