// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

extension TestView {
    /// Sets the visible range from the first item of a section to the first item of another section.
    @discardableResult
    func setVisibleRange(_ sections: ClosedRange<UInt32>, seen: UInt64 = 0) async throws -> UInt64 {
        try await remote.call(
            "SetVisibleRange", seen, sections.lowerBound, UInt32(0), sections.upperBound, UInt32(0),
            returning: UInt64.self, timeout: .seconds(60))
    }

    /// The ids of the shown objects.
    var ids: [String] { picture.inReadingOrder.map(\.objectID) }
}

@Suite("Views with layout none, over the bus", .timeLimit(.minutes(5)))
@DBusActor
struct VisibleRangeBusTests {
    private static let options: [String: DBusValue] = ["layout": .string("none")]

    /// Returns a value of the option `at`.
    private static func at(_ id: String, _ item: UInt32, _ position: String) -> DBusValue {
        .structure([.string(id), .uint32(item), .string(position)])
    }

    private func ids(_ range: ClosedRange<Int>) -> [String] { range.map { "o\($0)" } }

    @Test(
        "an insert before the range → only positions change; a range given for an older picture → that picture's items",
        arguments: TransportKind.allCases)
    func followed(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(100)
        let view = try await TestView(adapter, by: try await stage.connect(transport), Self.options)
        #expect(try await view.setVisibleRange(10...14) == 1)
        let slots = view.picture.shown.mapValues(\.objectID)
        _ = try await adapter.applyChanges([Upsert("new", "", "first", "", [:])])
        _ = try await view.resync()
        #expect(view.picture.shown.mapValues(\.objectID) == slots)
        #expect(view.picture.inReadingOrder.map(\.section) == Array(11...15))
        // Picture 2 has the new object at index 0, so o29 has index 30.
        #expect(view.picture.sequence == 2)
        try await view.acknowledge(2)
        try await view.setVisibleRange(30...32, seen: 2)
        #expect(view.ids == ids(29...31))
        let sequence = view.picture.sequence
        _ = try await adapter.applyChanges(remove: ["new", "o40", "o41"])
        try await view.setVisibleRange(40...42, seen: sequence)
        // Of o39, o40 and o41, only o39 exists.
        #expect(view.ids == ["o39"])
        let mine = view.picture
        #expect(try await view.resync() == mine)
        #expect(!view.hasGap)
        await stage.stop()
    }

    @Test(
        "a view opens at an object → the first picture shows the object, and no second picture follows",
        arguments: TransportKind.allCases)
    func opened(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(20_000)
        let client = try await stage.connect(transport)
        let flow = try await TestView(
            adapter, by: client, ["at": Self.at("o19999", 0, "none"), "buffer": .double(0)])
        #expect(try await flow.setViewport(y: 0) == 1)
        #expect(flow.events.recorded == [.changed(1)])
        #expect(flow.ids == ids(19_989...19_999) && flow.picture.offset.y == 20_000 * 44 - 480)
        let options = try await flow.property("Options", as: [String: DBusValue].self)
        #expect(options["at"]?.unwrapped == Self.at("o19999", 0, "none"))
        let none = try await TestView(
            adapter, by: client, ["layout": .string("none"), "at": Self.at("o500", 0, "center")])
        #expect(try await none.setVisibleRange(0...3) == 1)
        #expect(none.events.recorded == [.changed(1)] && none.ids == ids(498...501))
        #expect(try await none.setVisibleRange(0...3) == 2)
        #expect(none.ids == ids(0...3))
        let plain = try await none.property("Options", as: [String: DBusValue].self)
        #expect(plain["at"]?.unwrapped == Self.at("o500", 0, "center"))
        await stage.stop()
    }

    @Test(
        "no view of a list is on the screen → updates of the list wait for coalesce-max",
        .rule("VW-20"), arguments: TransportKind.allCases)
    func offScreen(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter(
            "list", ["coalesce-max": .uint32(700), "layout": .string("none")])
        try await adapter.fill(5)
        let view = try await TestView(adapter, by: try await stage.connect(transport))
        try await view.setVisibleRange(0...1)
        try await view.remote.call("SetOnScreen", false)
        let start = ContinuousClock.now
        _ = try await adapter.applyChanges(remove: ["o0"])
        #expect(ContinuousClock.now - start > .milliseconds(650))
        // The view got the update although it is off the screen.
        #expect(view.ids == ids(1...2))
        try await view.remote.call("SetOnScreen", true)
        try await view.remote.call("ReportScroll", "began")
        try await view.remote.call("ReportScroll", "decelerated")
        await stage.stop()
    }

    @Test(
        "ListClient sends ranges and scroll phases → valid ranges are shown, and only the invalid one is reported",
        arguments: TransportKind.allCases)
    func client(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list")
        try await adapter.fill(100)
        let answered = EventLog<Void>()
        let failures = EventLog<String>()
        let view = try await ListViewClient.open(
            adapter.by(try await stage.connect(transport)), options: Self.options
        ) { event in
            if case .failed(let error) = event { failures.record(error.message) }
        }
        view.setVisibleRange(from: .init(section: 10), through: .init(section: 12))
        view.whenAnswered { answered.record(()) }
        _ = try await answered.next()
        let seen = view.picture.sequence
        #expect(view.picture.inReadingOrder.map(\.objectID) == ids(10...12))
        _ = try await adapter.applyChanges([Upsert("new", "", "first", "", [:])])
        view.setVisibleRange(from: .init(section: 20), through: .init(section: 22), seen: seen)
        view.whenAnswered { answered.record(()) }
        _ = try await answered.next()
        // Depending on whether the picture was acknowledged, the range refers to the list before or after the
        // insert.
        let shown = view.picture.inReadingOrder.map(\.objectID)
        #expect(shown == ids(20...22) || shown == ids(19...21))
        view.reportScroll(.began)
        view.setOnScreen(false)
        view.setOnScreen(true)
        view.setVisibleRange(from: .init(section: 2), through: .init(section: 1))
        #expect(try await failures.next().contains("before"))
        #expect(failures.recorded.isEmpty)
        await view.close()
        await stage.stop()
    }
}
