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
}
