// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient
import TestSupport
import Testing

/// Tests that the section controller, or the owner of the list, handles an action that a viewer invokes on an item.
@Suite("Actions, over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct ActionBusTests {
    private typealias Invocation = AdapterClient.Invocation

    /// A client that owns the list and subscribes to actions.
    private struct Owner {
        let client: Connection
        let heard: EventLog<Invocation>
        let subscription: Subscription
    }

    private func owner(of adapter: TestAdapter, _ transport: TransportKind) async throws -> Owner {
        let client = try await adapter.stage.connect(transport)
        let heard = EventLog<Invocation>()
        let subscription = try await AdapterClient(adapter.by(client)).onInvoked { heard.record($0) }
        return Owner(client: client, heard: heard, subscription: subscription)
    }

    private func view(_ adapter: TestAdapter, _ transport: TransportKind) async throws -> ListViewClient {
        try await ListViewClient.open(adapter.by(try await adapter.stage.connect(transport))) { _ in }
    }

    @Test(
        "no client subscribes to actions → Invoke answers false; the list's owner subscribes → it gets every action",
        .rule("SE-04"),
        arguments: TransportKind.allCases)
    func handedOn(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(3)
        let view = try await view(adapter, transport)
        // A subscription to all signals does not include actions, which must be named.
        let plain = EventLog<String>()
        let other = try await stage.connect(transport)
        let all = try await other.subscribe(MatchRule(path: adapter.path), onBus: transport == .bus) {
            plain.record($0.member ?? "")
        }
        _ = try await adapter.by(other).call("Subscribe", [String](), returning: UInt64.self, UInt64.self)
        #expect(try await view.invoke("star", of: "o1") == false)
        let (first, second) = (try await owner(of: adapter, transport), try await owner(of: adapter, transport))
        #expect(try await view.invoke("star", parameters: ["on": .boolean(true)], of: "o1"))
        for owner in [first, second] {
            let heard = try await owner.heard.next()
            #expect(heard.objectID == "o1" && heard.item == 0 && heard.action == "star")
            #expect(heard.parameters["on"]?.unwrapped == .boolean(true) && heard.user == getuid())
        }
        _ = try await adapter.by(other).call(
            "GetObjects", UInt32(0), UInt32(0), returning: String.self, UInt64.self, UInt32.self, [Row].self)
        #expect(!plain.recorded.contains("Invoked"))
        // A call without a reply is executed too.
        let silent = try view.object.message("Invoke") { (call) throws(DBusError) in
            try call.write("o2", UInt32(0), "silently", [String: DBusValue]())
        }
        try view.object.connection.callWithoutReply(silent)
        #expect(try await first.heard.next().action == "silently")
        withExtendedLifetime(all) {}
        await stage.stop()
    }

    @Test(
        "the list's owner disconnects or unsubscribes → an invoked action is not handled",
        arguments: TransportKind.allCases)
    func left(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(1)
        let view = try await view(adapter, transport)
        let owner = try await owner(of: adapter, transport)
        #expect(try await view.invoke("a", of: "o0"))
        try await adapter.by(owner.client).call("Unsubscribe", UInt64(0))
        #expect(try await view.invoke("b", of: "o0") == false)
        _ = try await adapter.by(owner.client).call("Subscribe", ["actions"], returning: UInt64.self, UInt64.self)
        #expect(try await view.invoke("c", of: "o0"))
        owner.client.close()
        while try await view.invoke("d", of: "o0") { await Task.yield() }
        #expect(try await view.invoke("e", of: "o0") == false)
        await stage.stop()
    }

    @Test(
        "Invoke gets an unknown object, an unknown item or invalid parameters → a specific error is sent, and no signal"
    )
    func wrong() async throws {
        let stage = try await Stage(files: ["listd.conf": "[Limits]\nObjectBytes=1K\nIdBytes=100\n"])
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(1)
        let view = try await view(adapter, .bus)
        let owner = try await owner(of: adapter, .bus)
        func refusal(
            _ id: String, _ item: UInt32 = 0, _ action: String = "a", _ parameters: [String: DBusValue] = [:]
        ) async -> String? {
            await #expect(throws: DBusError.self) {
                try await view.invoke(action, parameters: parameters, item: item, of: id)
            }?.name
        }
        #expect(await refusal("nope") == Listd.error("NoSuchObject"))
        #expect(await refusal("o0", 1) == Listd.error("NoSuchItem"))
        #expect(await refusal("o0", 0, "a", ["d": .nested(33)]) == Listd.error("InvalidObject"))
        #expect(
            await refusal("o0", 0, "a", ["t": .string(String(repeating: "x", count: 1100))])
                == Listd.error("PayloadTooLarge"))
        #expect(await refusal("o0", 0, String(repeating: "x", count: 101)) == Listd.error("PayloadTooLarge"))
        #expect(try await view.invoke("", parameters: ["d": .nested(32)], of: "o0"))
        // The signal and the answer go to different connections, so either may arrive first.
        #expect(try await owner.heard.next().action == "")
        #expect(owner.heard.recorded.isEmpty)
        await stage.stop()
    }

    @Test(
        "another user invokes an action → AccessDenied unless invokers permits it, and only the owner gets the signal",
        .rule("SE-05"),
        .enabled(if: Agent.canBeOthers), arguments: TransportKind.allCases)
    func strangers(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let closed = try await stage.createAdapter("closed")
        let open = try await stage.createAdapter("open", ["invokers": .string("any")])
        let group = try await stage.createAdapter("group", ["invokers": .string("group:nogroup")])
        let stranger = try await Agent(stage.address(transport), user: Agent.nobody)
        for (adapter, isAllowed) in [(closed, false), (open, true), (group, true)] {
            try await adapter.fill(1)
            let owner = try await owner(of: adapter, transport)
            #expect(try await stranger.call(adapter.path, "Adapter", "Subscribe", "as", #"[["actions"]]"#).error == nil)
            let opened = try await stranger.call(adapter.path, "Adapter", "OpenView", "a{sv}", "[{}]").values ?? ""
            let view = try ObjectPath(opened.split(separator: #"""#).dropFirst().first.map(String.init) ?? "")
            let answer = try await stranger.call(view, "View", "Invoke", "susa{sv}", #"["o0",0,"a",{"n":{"u":1}}]"#)
            #expect(answer == (isAllowed ? .values("[1]") : .error(Listd.standardError("AccessDenied"))))
            if isAllowed {
                #expect(try await owner.heard.next().user == Agent.nobody)
            } else {
                #expect(owner.heard.recorded == [])
            }
            #expect(!(try await stranger.signals()).contains("Invoked"))
        }
        await stage.stop()
    }

    @Test(
        "a list's owner on the direct socket does not read → an action whose signal cannot be sent is not handled"
    )
    func unread() async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(1)
        let owner = try await Agent(stage.address(.direct))
        try await owner.begin(adapter.path, "Subscribe", "as", #"[["actions"]]"#)
        let view = try await view(adapter, .bus)
        let large: [String: DBusValue] = ["t": .string(String(repeating: "x", count: 1 << 18))]
        while try await !view.invoke("first", of: "o0") { await Task.yield() }
        var sent = 0
        while try await view.invoke("more", parameters: large, of: "o0") { sent += 1 }
        #expect((3..<64).contains(sent))
        #expect(try await adapter.objects().rows.count == 1)
        await stage.stop()
    }
}
