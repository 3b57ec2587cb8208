// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient
import TestSupport
import Testing

@Suite("Views with layout none when the list's worker dies", .timeLimit(.minutes(5)))
@DBusActor
struct RangeOverDeathTests {
    private func makeList(_ stage: HorrorStage, _ count: Int = 60) async throws -> TestAdapter {
        let list = try await stage.makeList("list", "Steady", ["layout": .string("none")])
        _ = try await list.performUpdates((0..<count).map { Row("o\($0)", "row", ["value": .int64(1)]) })
        return list
    }

    private func killWorker(_ stage: HorrorStage, restarts: UInt32) async throws {
        kill(try await stage.process, SIGKILL)
        try await stage.wait(for: "ready", restarts: restarts)
    }

    private func ids(_ range: ClosedRange<Int>) -> [String] { range.map { "o\($0)" } }

    @Test(
        "the worker dies → the next worker shows the same items, and accepts ranges that refer to earlier pictures"
    )
    func followed() async throws {
        let stage = try await HorrorStage()
        let list = try await makeList(stage)
        let view = try await TestView(list, ["layout": .string("none")])
        try await view.setVisibleRange(10...14)
        _ = try await list.applyChanges([Upsert("a", "row", "first", "", [:])])
        #expect(view.picture.sequence == 2 && view.picture.inReadingOrder.map(\.section) == Array(11...15))
        let slots = view.picture.shown.mapValues(\.objectID)
        try await killWorker(stage, restarts: 1)
        _ = try await list.applyChanges([Upsert("b", "row", "first", "", [:])])
        #expect(view.ids == ids(10...14) && view.picture.inReadingOrder.map(\.section) == Array(12...16))
        #expect(view.picture.shown.mapValues(\.objectID) == slots)
        // The worker that died sent picture 1, in which o30 had index 30. Now o30 has index 32.
        try await view.setVisibleRange(30...32, seen: 1)
        #expect(view.ids == ids(30...32))
        try await view.setVisibleRange(30...32, seen: 2)
        #expect(view.ids == ids(29...31))
        let mine = view.picture
        #expect(try await view.resync() == mine)
        #expect(!view.hasGap)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "a view opens at an object, and the worker dies before the first picture → the next worker opens there too"
    )
    func opened() async throws {
        let stage = try await HorrorStage()
        let list = try await makeList(stage)
        let place = DBusValue.structure([.string("o40"), .uint32(0), .string("start")])
        let view = try await TestView(list, ["layout": .string("none"), "at": place])
        try await killWorker(stage, restarts: 1)
        try await view.setVisibleRange(0...2)
        #expect(view.ids == ids(40...42) && view.picture.sequence == 1)
        try await killWorker(stage, restarts: 2)
        try await view.setVisibleRange(0...2)
        #expect(view.ids == ids(0...2))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a view is off the screen when its worker dies → the next worker also treats the view as off the screen")
    func offScreen() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList(
            "list", "Steady", ["layout": .string("none"), "coalesce-max": .uint32(700)])
        _ = try await list.performUpdates([Row("a", "row", [:]), Row("b", "row", [:])])
        let view = try await TestView(list, ["layout": .string("none")])
        try await view.setVisibleRange(0...1)
        try await view.remote.call("SetOnScreen", false)
        try await killWorker(stage, restarts: 1)
        _ = try await list.objects()
        let start = ContinuousClock.now
        _ = try await list.applyChanges(remove: ["a"])
        #expect(ContinuousClock.now - start > .milliseconds(650))
        #expect(view.ids == ["b"])
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("ReportScroll kills the worker → PluginFailed; then the object is at fault, and gets no phase of scrolling")
    func phases() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror", ["layout": .string("none")])
        let poison = Row("poison", "row", ["do": .string("trap"), "at": .string("scroll")])
        _ = try await list.performUpdates([Row("good", "row", [:]), poison])
        let (bad, good) = (
            try await TestView(list, ["layout": .string("none")]), try await TestView(list, ["layout": .string("none")])
        )
        try await bad.setVisibleRange(0...1)
        try await good.setVisibleRange(0...0)
        let refused = await failure {
            try await bad.remote.call("ReportScroll", "began", timeout: .seconds(60))
        }
        #expect(refused == Listd.error("PluginFailed"))
        try await stage.wait(for: "ready", restarts: 1)
        try await bad.remote.call("ReportScroll", "began", timeout: .seconds(60))
        try await good.remote.call("ReportScroll", "began", timeout: .seconds(60))
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 1)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }
}
