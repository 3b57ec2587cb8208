// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("The order of revisions on a connection")
@DBusActor
struct RevisionOrderTests {
    /// The setting of a run: the transport, the view's credit, whether the viewer writes the list itself, and the size of
    /// objects.
    struct Setting: CustomTestStringConvertible, Sendable {
        let transport: TransportKind
        let window: UInt32
        let isWriter: Bool
        var objectBytes = 100
        /// Whether pictures are so large that none is encoded on the event loop because others wait for it.
        var isHuge: Bool { objectBytes > 1000 }

        var testDescription: String {
            "\(transport.testDescription), window \(window), \(isWriter ? "one client" : "two clients"), "
                + "objects of \(objectBytes) bytes"
        }

        static let all = TransportKind.allCases.flatMap { transport in
            [100_000, 2].flatMap { window in
                [false, true].map { Setting(transport: transport, window: window, isWriter: $0) }
            } + [Setting(transport: transport, window: 1, isWriter: false, objectBytes: 6000)]
        }
    }

    @Test(
        "large pictures, while full lists and changes are written → none comes after Updated of a later revision or after the write's answer",
        .rule("AO-09"), arguments: Setting.all)
    func pictures(setting: Setting) async throws {
        let stage = try await Stage.withDirectSocket()
        let list = try await stage.createAdapter(
            "list", ["layout": .string("none"), "durability": .string("memory")])
        func rows(_ round: Int) -> [Row] {
            let text = String(repeating: "\(round % 9)", count: setting.objectBytes)
            return (0..<300).map { Row("o\($0)", "", ["text": .string(text)]) }
        }
        _ = try await list.performUpdates(rows(0))
        let viewer = try await stage.connect(setting.transport)
        let writer = setting.isWriter ? viewer : try await stage.connect(setting.transport)
        let view = try await TestView(
            list, by: viewer, ["window": .uint32(setting.window), "window-bytes": .uint32(.max)])
        let heard = EventLog<String>()
        var (announced, answered) = (UInt64(0), UInt64(0))
        var (pictures, large) = (0, 0)
        var late: [String] = []
        let updates = MatchRule(path: list.path, member: "Updated")
        _ = try await viewer.subscribe(updates, onBus: setting.transport == .bus) { message in
            if let update = try? UpdatedSignal(message) { announced = max(announced, update.revision) }
        }
        _ = try await list.by(viewer).call("Subscribe", ["updates"], returning: UInt64.self, UInt64.self)
        let changes = MatchRule(path: view.path, interface: Listd.name + ".View", member: "Changed")
        _ = try await viewer.subscribe(changes, onBus: false) { message in
            let numbers = try? message.read { (reader) throws(DBusError) in
                (try reader.readUInt64(), try reader.readUInt64())
            }
            guard let (sequence, revision) = numbers else { return }
            pictures += 1
            if message.size > 16 << 10 { large += 1 }
            // A viewer that lacks an earlier picture reads the whole one, as viewers do.
            if view.hasGap, setting.isHuge { try? viewer.callWithoutReply(view.remote.message("Resync") { _ in }) }
            if revision < announced { late.append("\(sequence) of \(revision) came after Updated to \(announced)") }
            // With little credit, a picture may show again what was answered long ago.
            if setting.window > 100, revision <= answered {
                late.append("\(sequence) of \(revision) came after the answer \(answered)")
            }
            guard setting.window < 100 else { return }
            let call = try? view.remote.message("Ack") { (message) throws(DBusError) in try message.write(sequence) }
            if let call { try? viewer.callWithoutReply(call) }
        }
        _ = try await view.remote.call(
            "SetVisibleRange", UInt64(0), UInt32(0), UInt32(0), UInt32(289), UInt32(0), returning: UInt64.self)
        for round in 1...(setting.isHuge ? 12 : 40) {
            for step in 0..<5 {
                let isFull = (round + step) % 3 == 0
                let call = try list.by(writer).message(isFull ? "PerformUpdates" : "ApplyChanges") {
                    (message) throws(DBusError) in
                    let none = [String: DBusValue]()
                    if isFull { return try message.write(UInt64(0), rows(round + step), none) }
                    let new = Upsert("n\(round)-\(step)", "", step % 2 == 0 ? "first" : "last", "", [:])
                    try message.write(UInt64(0), ["o\((round * 7 + step) % 300)"], [new], none)
                }
                writer.call(call) { result in
                    let revision = try? result.get().decode(as: UInt64.self)
                    if setting.isWriter { answered = max(answered, revision ?? 0) }
                    heard.record("answer")
                }
            }
            for _ in 0..<5 { _ = try await heard.next(timeout: .seconds(60)) }
        }
        #expect(late.isEmpty, "\(late.count) of \(pictures): \(late.prefix(3))")
        #expect((!view.hasGap || setting.isHuge) && large > 0)
        let mine = view.picture
        let now = try await view.resync()
        if mine.sequence == now.sequence { #expect(mine.shown == now.shown) }
        await stage.stop()
    }
}
