// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("The bytes that views show", .timeLimit(.minutes(3)))
@DBusActor
struct ViewBytesTests {
    private static func rows(_ count: Int, bytes: Int) -> [Row] {
        let text = DBusValue.string(String(repeating: "x", count: bytes))
        return (0..<count).map { Row("o\($0)", "", ["text": text, "height": .double(10)]) }
    }

    /// Shows some rows, each of which is 10 units high.
    private func show(_ items: ClosedRange<Int>, in view: TestView, _ layout: String) async throws {
        if layout == "none" {
            _ = try await view.remote.call(
                "SetVisibleRange", UInt64(0), UInt32(items.lowerBound), UInt32(0), UInt32(items.upperBound), UInt32(0),
                returning: UInt64.self)
        } else {
            _ = try await view.remote.call(
                "SetViewport", UInt64(0), 0.0, 10.0 * Double(items.lowerBound), 100.0, 10.0 * Double(items.count),
                returning: UInt64.self)
        }
    }

    @Test(
        "views would show more than BytesPerUser → LimitsExceeded, and the view stays; an update is applied nevertheless",
        .rule("LD-06"), arguments: TransportKind.allCases, ["flow", "none"])
    func limit(transport: TransportKind, layout: String) async throws {
        let stage = try await Stage.withDirectSocket(files: [
            "listd.conf": "[Limits]\nBytesPerUser=600K\n", "photographs.list": "[List]\nDurability=memory\n",
        ])
        // The objects of a configured list count on nobody's account.
        let list = try await stage.adapter("photographs")
        _ = try await list.performUpdates(Self.rows(100, bytes: 10_000))
        let client = try await stage.connect(transport)
        let options: [String: DBusValue] = [
            "layout": .string(layout), "buffer": .double(0), "window-bytes": .uint32(1 << 30),
        ]
        let view = try await TestView(list, by: client, options)
        try await show(0...9, in: view, layout)
        let shown = try await view.property("VisibleObjects", as: [String].self)
        let (sequence, events) = (view.picture.sequence, view.events.recorded.count)
        let error = await #expect(throws: DBusError.self) { try await show(0...99, in: view, layout) }
        #expect(error?.standard == .limitsExceeded && error?.message.hasSuffix("(BytesPerUser)") == true)
        #expect(try await view.property("VisibleObjects", as: [String].self) == shown && shown.count == 10)
        #expect(view.picture.sequence == sequence && view.events.recorded.count == events)
        // The views of a user share the limit, and a closed one needs nothing.
        let second = try await TestView(list, by: client, options)
        try await show(0...39, in: second, layout)
        let third = try await TestView(list, by: client, options)
        await #expect(throws: DBusError.self) { try await show(50...69, in: third, layout) }
        try await second.remote.call("Close")
        try await show(50...69, in: third, layout)
        // An update may make pictures larger than the limit. Then views may only show less.
        _ = try await list.performUpdates(Self.rows(100, bytes: 40_000))
        try await show(50...54, in: third, layout)
        await #expect(throws: DBusError.self) { try await show(50...69, in: third, layout) }
        let texts = view.picture.shown.values.map { $0.content["text"]?.unwrapped }
        #expect(texts.count == 10 && texts.allSatisfy { $0 == .string(String(repeating: "x", count: 40_000)) })
        #expect(!view.hasGap && !third.hasGap)
        await stage.stop()
    }
}
