// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("The order of signals and answers on a connection", .timeLimit(.minutes(5)))
@DBusActor
struct AnswerOrderTests {
    /// What a client has received, and what of it came too late.
    @DBusActor
    private final class Receiver {
        var late: [String] = []
        /// The last sequence and the last revision that an answer named.
        var answered = (sequence: UInt64(0), revision: UInt64(0))
        var selected: Set<String> = []
        var closed: Set<ObjectPath> = []
        var (signals, large) = (0, 0)

        func receive(_ message: Message, _ view: ObjectPath) throws {
            signals += 1
            if message.size > 16 << 10 { large += 1 }
            switch message.member {
            case "Updated":
                let signal = try UpdatedSignal(message)
                // A list that has been quiet announces its revision once more, as when this program did not run for a while.
                if signal.base < signal.revision, signal.revision <= answered.revision {
                    late.append("Updated to \(signal.revision)")
                }
            case "SelectionChanged":
                let (_, selected, _, _) = try message.decode(
                    as: UInt64.self, [DBusStruct<String, UInt32>].self, [DBusStruct<String, UInt32>].self,
                    [String: DBusValue].self)
                self.selected.formUnion(selected.map(\.members.0))
            case "DisplayChanged", "WorkingRangeChanged":
                let path = try message.read { (reader) throws(DBusError) in try reader.readObjectPath() }
                if closed.contains(path) { late.append("\(message.member ?? "") of a closed view") }
            case "Changed":
                let sequence = try message.read { (reader) throws(DBusError) in try reader.readUInt64() }
                if sequence <= answered.sequence { late.append("Changed \(sequence)") }
                if closed.contains(view) { late.append("Changed \(sequence) of a closed view") }
            case "Closed":
                if !closed.insert(view).inserted { late.append("a second Closed") }
            default: if closed.contains(view) { late.append("\(message.member ?? "") of a closed view") }
            }
        }
    }

    @Test(
        "a client makes many calls at once → no signal comes after the answer of its call, and none after Closed",
        .rule("AO-10"), arguments: TransportKind.allCases)
    func calls(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let list = try await stage.createAdapter("list", ["working-range": .uint32(3)])
        let text = DBusValue.string(String(repeating: "x", count: 300))
        _ = try await list.performUpdates((0..<900).map { Row("o\($0)", "", ["text": text]) })
        let client = try await stage.connect(transport)
        let view = try await TestView(
            list, by: client, ["window": .uint32(100_000), "window-bytes": .uint32(.max)])
        let (receiver, answers) = (Receiver(), EventLog<String?>())
        func receive(_ message: Message) {
            do { try receiver.receive(message, view.path) } catch { receiver.late.append("\(error)") }
        }
        _ = try await client.subscribe(
            MatchRule(path: list.path), onBus: transport == .bus
        ) { receive($0) }
        _ = try await list.by(client).call("Subscribe", [String](), returning: UInt64.self, UInt64.self)
        _ = try await client.subscribe(MatchRule(path: view.path), onBus: false) { receive($0) }

        /// Makes a call without waiting for its answer.
        func begin(
            _ remote: RemoteObject, _ member: String, _ write: (inout Message) throws(DBusError) -> Void,
            then check: @escaping @DBusActor (Message) throws -> Void
        ) throws {
            let call = try remote.message(member) { (message) throws(DBusError) in try write(&message) }
            client.call(call) { result in
                do {
                    try check(result.get())
                    answers.record(nil)
                } catch { answers.record(DBusError(error).name) }
            }
        }
        func setViewport(_ y: Double) throws {
            try begin(view.remote, "SetViewport") { (writer) throws(DBusError) in
                try writer.write(UInt64(0), 0.0, y, 300.0, 4400.0)
            } then: { answer in
                receiver.answered.sequence = max(receiver.answered.sequence, try answer.decode(as: UInt64.self))
            }
        }
        func select(_ id: String) throws {
            try begin(view.remote, "Select") { (writer) throws(DBusError) in
                try writer.write(id, UInt32(0))
            } then: { answer in
                if try answer.decode(as: Bool.self), !receiver.selected.contains(id) {
                    receiver.late.append("the selection of \(id)")
                }
            }
        }
        for round in 0..<30 {
            try setViewport(Double(round * 997 % 30_000))
            try select("o\(round)")
            try begin(list.by(client), "ApplyChanges") { (writer) throws(DBusError) in
                try writer.write(
                    UInt64(0), [String](), [Upsert("n\(round)", "", "first", "", [:])], [String: DBusValue]())
            } then: { answer in
                receiver.answered.revision = max(receiver.answered.revision, try answer.decode(as: UInt64.self))
            }
            try begin(view.remote, "ScrollTo") { (writer) throws(DBusError) in
                try writer.write("o\(round * 31 % 900)", UInt32(0), "center")
            } then: { answer in
                let sequence = try answer.decode(as: DBusStruct<Double, Double>.self, UInt64.self).1
                receiver.answered.sequence = max(receiver.answered.sequence, sequence)
            }
            // The calls of two rounds are under way together.
            guard round % 2 == 1 else { continue }
            for _ in 0..<8 { #expect(try await answers.next(timeout: .seconds(60)) == nil) }
        }
        // Calls after Close find no view.
        try setViewport(0)
        try begin(view.remote, "Close") { (_) throws(DBusError) in
        } then: { _ in
            if !receiver.closed.contains(view.path) { receiver.late.append("Closed") }
        }
        try setViewport(9000)
        try select("o899")
        var outcomes: [String?] = []
        while outcomes.count < 4 { outcomes.append(try await answers.next(timeout: .seconds(60))) }
        #expect(outcomes.filter { $0 == Listd.standardError("UnknownObject") }.count == 2)
        #expect(outcomes.filter { $0 == nil }.count == 2)
        // A view of a list that is removed is closed before the answer of RemoveAdapter, and nothing follows.
        let other = try await TestView(list, by: client)
        var closings: [String] = []
        _ = try await client.subscribe(MatchRule(path: other.path), onBus: false) { message in
            closings.append(message.member ?? "")
        }
        try await other.setViewport(y: 0)
        try await stage.object(Listd.manager, "Manager", by: client).call("RemoveAdapter", "list")
        #expect(closings.last == "Closed" && closings.filter { $0 == "Closed" }.count == 1)
        _ = try await stage.object(Listd.manager, "Manager", by: client).property("AdapterCount", as: UInt32.self)
        #expect(closings.last == "Closed")
        #expect(receiver.late.isEmpty, "\(receiver.late.count) of \(receiver.signals): \(receiver.late.prefix(5))")
        #expect(receiver.large > 10)
        await stage.stop()
    }
}
