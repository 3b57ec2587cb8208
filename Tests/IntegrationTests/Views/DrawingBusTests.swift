// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("What a client that draws is told, over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct DrawingBusTests {
    private static let reuse: [String: DBusValue] = ["reuse": .string("row"), "height": .double(44)]

    /// Returns the changes of a view that arrive until `body` has returned, with the view's picture.
    private func changes(
        _ view: RemoteObject, _ body: () async throws -> Void
    ) async throws -> [PictureChange] {
        final class Log { var changes: [PictureChange] = [] }
        let log = Log()
        let rule = MatchRule(path: view.path, interface: Listd.name + ".View")
        let subscription = try await view.connection.subscribe(rule, onBus: false) { message in
            guard message.member == "Changed",
                let change = try? message.read({ (reader) throws(DBusError) in try PictureChange(signal: &reader) })
            else { return }
            log.changes.append(change)
        }
        try await body()
        subscription.cancel()
        return log.changes
    }

    @Test(
        "an object is inserted above and within a view → causes, shift and animated say so",
        .rule("VW-25", "VW-26"), arguments: TransportKind.allCases)
    func causes(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(100, Self.reuse)
        let client = try await stage.connect(transport)
        let view = try await TestView(adapter, by: client, ["buffer": .double(0)])
        try await view.setViewport(y: 440)
        let first = try await changes(view.remote) {
            _ = try await adapter.performUpdates(
                [Row("new", "", Self.reuse)] + (0..<100).map { Row("o\($0)", "", Self.reuse) })
            try await view.setViewport(y: 484)
        }
        let change = try #require(first.first)
        #expect(change.shift == Position(x: 0, y: 44) && change.isAnimated)
        #expect(change.shown.isEmpty && change.released.isEmpty && change.placed.count == change.causes.count)
        #expect(change.causes.allSatisfy { $0.reason == .moved })
        let second = try await changes(view.remote) {
            _ = try await adapter.performUpdates(
                [Row("new", "", Self.reuse)]
                    + (0..<100).flatMap { number in
                        number == 13
                            ? [Row("inside", "", Self.reuse), Row("o13", "", Self.reuse)]
                            : [Row("o\(number)", "", Self.reuse)]
                    })
            try await view.setViewport(y: 484)
        }
        let inside = try #require(second.first)
        let slot = try #require(inside.shown.first { $0.objectID == "inside" }?.slot)
        #expect(inside.causes.contains(PictureChange.Cause(slot: slot, reason: .inserted)))
        #expect(inside.shift == Position(x: 0, y: 0))
        await stage.stop()
    }

    @Test(
        "a range refers to revisions → it follows the updates since, and a revision that is gone is refused",
        .rule("VW-30"), arguments: TransportKind.allCases)
    func revisions(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(100)
        let revision = try await adapter.objects().revision
        for count in 1...3 {
            _ = try await adapter.performUpdates(
                (0..<count).map { Row("new\($0)", "", [:]) } + (0..<100).map { Row("o\($0)", "", [:]) })
        }
        let client = try await stage.connect(transport)
        let view = try await TestView(
            adapter, by: client, ["layout": .string("none"), "range-at": .string("revision")])
        func show(_ seen: UInt64) async throws -> [String] {
            _ = try await view.remote.call(
                "SetVisibleRange", seen, UInt32(10), UInt32(0), UInt32(12), UInt32(0), returning: UInt64.self)
            return view.picture.shown.values.sorted { $0.section < $1.section }.map(\.objectID)
        }
        #expect(try await show(revision) == ["o10", "o11", "o12"])
        #expect(try await show(0) == ["o7", "o8", "o9"])
        await stage.stop()
    }

    @Test(
        "a window is dragged wider, call upon call → each call is answered, and the view has the last size",
        .rule("VW-27", "VW-32"), arguments: TransportKind.allCases)
    func sizes(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(2000)
        let client = try await stage.connect(transport)
        let view = try await TestView(adapter, by: client)
        try await view.setViewport(y: 4400)
        let answers = try (1...20).map { step in
            let message = try view.remote.message("SetViewport") { (message) throws(DBusError) in
                try message.write(UInt64(0), 0.0, 4400.0, 320 + Double(step), 480.0)
            }
            return Task { try await view.remote.connection.call(message).decode(as: UInt64.self) }
        }
        // Tasks begin in the order in which they are made, so this call is sent last.
        let scrolling = Task {
            try await view.remote.call(
                "ScrollTo", "o50", UInt32(0), "start", returning: DBusStruct<Double, Double>.self, UInt64.self)
        }
        let scrolled = try await scrolling.value.1
        for answer in answers { #expect(try await answer.value <= scrolled) }
        let viewport = try await view.property("Viewport", as: DBusStruct<Double, Double, Double, Double>.self)
        #expect(viewport.members == (0, 2200, 340, 480))
        #expect(!view.hasGap)
        await stage.stop()
    }
}
