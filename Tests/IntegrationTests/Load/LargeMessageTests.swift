// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient
import TestSupport
import Testing

@Suite("Large messages to one client", .timeLimit(.minutes(2)))
@DBusActor
struct LargeMessageTests {
    /// A call that is sent many times at once. Each answer is larger than 16 KiB.
    enum Question: String, CaseIterable, CustomTestStringConvertible {
        case properties, oneProperty, adapters, views

        var testDescription: String { rawValue }

        @DBusActor
        func message(to stage: Stage, _ adapter: TestAdapter, by client: Connection) throws -> Message {
            let properties = RemoteObject(
                client, destination: Listd.name, path: adapter.path, interface: StandardInterface.properties)
            let manager = stage.object(Listd.manager, "Manager", by: client)
            return switch self {
            case .properties:
                try properties.message("GetAll") { (message) throws(DBusError) in
                    try message.write(Listd.name + ".Adapter")
                }
            case .oneProperty:
                try properties.message("Get") { (message) throws(DBusError) in
                    try message.write(Listd.name + ".Adapter", "SelectedItems")
                }
            case .adapters: try manager.message("ListAdapters") { _ in }
            case .views: try manager.message("ListViews") { _ in }
            }
        }
    }

    @Test(
        "thirty calls have large replies → the replies are encoded one after the other, and are complete",
        arguments: Question.allCases, TransportKind.allCases)
    func questions(question: Question, transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket(
            files: ["listd.conf": "[Limits]\nAdaptersPerUser=400\nViewsPerUser=400\n"])
        let adapter = try await stage.createAdapter("selected")
        switch question {
        case .properties, .oneProperty:
            try await adapter.fill(2000)
            let view = try await TestView(adapter)
            let items = (0..<2000).map { DBusStruct("o\($0)", UInt32(0)) }
            _ = try await view.remote.call(
                "ChangeSelection", items, [DBusStruct<String, UInt32>](),
                returning: [DBusStruct<String, UInt32>].self, [DBusStruct<String, UInt32>].self)
        case .adapters:
            for number in 0..<200 { _ = try await stage.createAdapter("list\(number)") }
        case .views:
            for _ in 0..<200 { _ = try await TestView(adapter) }
        }
        let client = try await stage.connect(transport)
        let held = try await stage.statistics()["reads-held"] ?? 0
        let answers = EventLog<[DBusValue]>()
        // listd gets all calls at once, however slowly the client sends them.
        await ProcessStatus.suspend(stage.listd.identifier)
        for _ in 0..<30 {
            client.call(try question.message(to: stage, adapter, by: client), timeout: nil) { result in
                answers.record((try? result.get().values()) ?? [])
            }
        }
        #expect(await client.flush(timeout: .seconds(20)))
        kill(stage.listd.identifier, SIGCONT)
        let first = try await answers.next()
        #expect(!first.isEmpty)
        for _ in 1..<30 {
            let next = try await answers.next()
            // Answers of ListAdapters differ, because each counts the changes up to the moment of its encoding.
            #expect(question == .adapters ? next.count == first.count : next == first)
        }
        #expect(try await stage.statistics()["reads-held"] ?? 0 > held)
        while try await stage.statistics()["waiting-bytes"] ?? 1 > 0 {}
        await stage.stop()
    }

    @Test(
        "a client gets large and small pictures, replies and a resync → all arrive in the order of sending",
        arguments: TransportKind.allCases)
    func order(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("tall")
        try await adapter.fill(2000, ["text": .string(String(repeating: "x", count: 100))])
        let client = try await stage.connect(transport)
        let view = try await TestView(adapter, by: client, ["window": .uint32(8), "window-bytes": .uint32(64 << 20)])
        let events = EventLog<String>()
        let rule = MatchRule(path: view.path, interface: Listd.name + ".View", member: "Changed")
        _ = try await client.subscribe(rule, onBus: false) { message in
            let size = message.size > 16 << 10 ? "large" : "small"
            let sequence = try? message.read { (reader) throws(DBusError) in try reader.readUInt64() }
            events.record("\(size) \(sequence ?? 0)")
        }
        func send(_ name: String, _ message: Message) {
            client.call(message, timeout: nil) { result in
                let sequence = try? result.get().read { (reader) throws(DBusError) in try reader.readUInt64() }
                events.record("\(name) \(sequence ?? 0)")
            }
        }
        func viewport(_ height: Double) throws -> Message {
            try view.remote.message("SetViewport") { (message) throws(DBusError) in
                try message.write(UInt64(0), 0.0, 0.0, 320.0, height)
            }
        }
        send("set", try viewport(80_000))
        send("set", try viewport(400))
        send("set", try viewport(80_000))
        send("resync", try view.remote.message("Resync") { _ in })
        send("set", try viewport(400))
        send(
            "found",
            try adapter.by(client).message("FindObject") { (message) throws(DBusError) in
                try message.write("o7")
            })
        // Viewports that are set while an earlier one is processed may be answered together.
        var order: [String] = []
        while order.count(where: { !$0.hasPrefix("large") && !$0.hasPrefix("small") }) < 6 {
            order.append(try await events.next())
        }
        #expect(order.contains("large 1"))
        let sequences = order.filter { $0 != "found 1" }.compactMap {
            $0.split(separator: " ").last.flatMap { Int($0) }
        }
        #expect(sequences == sequences.sorted(), "\(order)")
        for (index, event) in order.enumerated() where event.hasPrefix("set") || event.hasPrefix("resync") {
            let sequence = event.drop { $0 != " " }
            let pictures = ["large\(sequence)", "small\(sequence)"]
            #expect(order.prefix(index).contains { pictures.contains($0) }, "\(order)")
        }
        #expect(!view.hasGap)
        let mine = view.picture
        #expect(try await view.resync() == mine)
        await stage.stop()
    }

    @Test(
        "a direct client does not read a large picture → its bytes count towards the user's limit until it disconnects")
    func unreadPictures() async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("tall")
        try await adapter.fill(4000, ["text": .string(String(repeating: "x", count: 200))])
        let pages = try await stage.createAdapter("pages")
        try await pages.fill(100, ["text": .string(String(repeating: "x", count: 200))])
        let other = try await stage.connect(.bus)
        let displayed = EventLog<Void>()
        let rule = MatchRule(path: adapter.path, interface: Listd.name + ".Adapter", member: "DisplayChanged")
        let subscription = try await other.subscribe(rule) { _ in displayed.record(()) }
        defer { _ = subscription }
        let client = try await stage.connect(.direct)
        let view = try await TestView(adapter, by: client, ["window": .uint32(8), "window-bytes": .uint32(64 << 20)])
        client.readingIsPaused = true
        client.call(
            try view.remote.message("SetViewport") { (message) throws(DBusError) in
                try message.write(UInt64(0), 0.0, 0.0, 320.0, 200_000.0)
            }, timeout: nil
        ) { _ in }
        try await displayed.next(timeout: .seconds(60))
        // Each answer takes turns with the `Changed` signals of the picture. 200 answers are more than there are
        // signals.
        let waiting = try await waitingBytes(of: stage, pages, by: other, turns: 200) { $0 >= 500_000 }
        #expect(waiting >= 500_000)
        client.close()
        #expect(try await waitingBytes(of: stage, pages, by: other, turns: 100) { $0 == 0 } == 0)
        await stage.stop()
    }

    /// Requests at most `turns` large answers, until `isReached` accepts the number of waiting bytes of all users.
    /// Returns the last number.
    ///
    /// Large messages for one user are written one at a time, and the user's connections take turns. After each
    /// answer, messages on the other connections have been written too.
    private func waitingBytes(
        of stage: Stage, _ adapter: TestAdapter, by client: Connection, turns: Int, until isReached: (UInt64) -> Bool
    ) async throws -> UInt64 {
        let manager = stage.object(Listd.manager, "Manager", by: client)
        var waiting: UInt64 = 0
        for _ in 0..<turns {
            let page = try adapter.by(client).message("GetObjects") { (message) throws(DBusError) in
                try message.write(UInt32(0), UInt32(100))
            }
            #expect(try await client.call(page).size > 16 << 10)
            waiting = try await manager.call("GetStatistics", returning: [String: UInt64].self)["waiting-bytes"] ?? 0
            if isReached(waiting) { break }
        }
        return waiting
    }

    @Test(
        "listd exits while sending a large picture → the client still gets the picture, the reply and Closed",
        arguments: TransportKind.allCases)
    func end(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("tall")
        try await adapter.fill(4000, ["text": .string(String(repeating: "x", count: 200))])
        let client = try await stage.connect(transport)
        let view = try await TestView(adapter, by: client)
        let answers = EventLog<Bool>()
        client.call(
            try view.remote.message("SetViewport") { (message) throws(DBusError) in
                try message.write(UInt64(0), 0.0, 0.0, 320.0, 200_000.0)
            }, timeout: nil
        ) { answers.record((try? $0.get()) != nil) }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        // A call that reaches listd too late fails when the connection ends.
        if try await answers.next() {
            var events: [TestView.Event] = []
            while events.last != .closed("shutting-down") { events.append(try await view.events.next()) }
            #expect(events.first == .changed(1), "\(events)")
        }
    }
}
