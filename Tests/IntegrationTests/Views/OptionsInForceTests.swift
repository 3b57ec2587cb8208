// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("The property Options of a view", .timeLimit(.minutes(3)))
@DBusActor
struct OptionsInForceTests {
    private func options(of view: TestView) async throws -> [String: DBusValue?] {
        let options = try await view.property("Options", as: [String: DBusValue].self)
        return ["layout", "lead", "trail", "buffer"].reduce(into: [:]) { $0[$1] = options[$1]?.unwrapped }
    }

    @Test(
        "a view sets some options → the property has the view's values, and the list's values for other options",
        .rule("VW-18"),
        arguments: TransportKind.allCases)
    func defaults(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter(
            "list", ["layout": .string("absolute"), "working-range": .uint32(3)])
        let client = try await stage.connect(transport)
        let plain = try await options(of: try await TestView(adapter, by: client))
        #expect(plain["layout"] == .string("absolute") && plain["buffer"] == .double(20))
        #expect(plain["lead"] == .uint32(3) && plain["trail"] == .uint32(3))
        let given: [String: DBusValue] = ["layout": .string("flow"), "lead": .uint32(7), "buffer": .double(0)]
        let own = try await options(of: try await TestView(adapter, by: client, given))
        #expect(own["layout"] == .string("flow") && own["buffer"] == .double(0))
        #expect(own["lead"] == .uint32(7) && own["trail"] == .uint32(3))
        await stage.stop()
    }

    @Test("a reload changes the list's options → options that the view did not set change too")
    func reloaded() async throws {
        let stage = try await Stage(files: ["news.list": "[List]\nWorkingRange=1\n"])
        let adapter = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/news")
        let view = try await TestView(adapter, ["trail": .uint32(9)])
        #expect(try await options(of: view)["lead"] == .uint32(1))
        try "[List]\nWorkingRange=4\nLayout=none\n".write(
            toFile: stage.listd.directory.appending(path: "config/news.list").path, atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
        let options = try await options(of: view)
        #expect(options["lead"] == .uint32(4) && options["trail"] == .uint32(9) && options["layout"] == .string("none"))
        // The property must not be declared constant, because clients read a constant property only once.
        let described = RemoteObject(
            stage.client, destination: Listd.name, path: view.path, interface: StandardInterface.introspectable)
        let text = try await described.call("Introspect", returning: String.self)
        let property = try #require(text.firstMatch(of: /<property name="Options"(?s:.*?)<\/property>/))
        #expect(!property.0.contains("const"))
        await stage.stop()
    }
}
