// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient
import TestSupport
import Testing

/// Tests a writer that loads more objects when a viewer comes near the end of the list.
@Suite("The signal NearEnd, over the bus", .timeLimit(.minutes(3)))
@DBusActor
struct NearEndBusTests {
    private struct Said: Equatable {
        let view: ObjectPath
        let distance: Double
    }

    @Test(
        "a viewer comes near the end → the writer gets NearEnd; the list grows → NearEnd is sent at the new end too",
        .rule("VW-22"),
        arguments: TransportKind.allCases)
    func loading(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("list", ["near-end-distance": .double(440)])
        try await adapter.fill(100)
        let heard = EventLog<Said>()
        let writer = AdapterClient(adapter.by(try await stage.connect(transport)))
        let subscription = try await writer.onNearEnd { heard.record(Said(view: $0, distance: $1)) }
        let view = try await TestView(adapter, by: try await stage.connect(transport))
        try await view.setViewport(y: 0)
        try await view.setViewport(y: 3479)
        try await view.setViewport(y: 3500)
        #expect(try await heard.next() == Said(view: view.path, distance: 420))
        // After the next page of objects, the end is far away.
        try await adapter.fill(200)
        try await view.setViewport(y: 8000)
        #expect(try await heard.next() == Said(view: view.path, distance: 320))
        _ = try await adapter.applyChanges([Upsert("last", "", "last", "", [:])])
        #expect(try await heard.next() == Said(view: view.path, distance: 364))
        _ = try await writer.itemCounts(from: 0, limit: 1)
        #expect(heard.recorded.isEmpty)
        withExtendedLifetime(subscription) {}
        await stage.stop()
    }

    @Test(
        "the worker dies while a viewport is near the end → NearEnd is not repeated until the viewport has left the end"
    )
    func workerDeath() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Steady", ["near-end-distance": .double(100)])
        // Three items form a row.
        try await list.fill(60)
        let heard = EventLog<Double>()
        let subscription = try await AdapterClient(list.by(stage.stage.client)).onNearEnd { heard.record($1) }
        let view = try await TestView(list)
        try await view.setViewport(y: 300)
        #expect(try await heard.next() == 20)
        kill(try await stage.process, SIGKILL)
        try await stage.wait(for: "ready", restarts: 1)
        try await view.setViewport(y: 310)
        #expect(heard.recorded.isEmpty)
        try await view.setViewport(y: 0)
        try await view.setViewport(y: 320)
        #expect(try await heard.next() == 0)
        withExtendedLifetime(subscription) {}
        await stage.stop()
    }

    @Test(
        "a view has the layout none → NearEnd's distance is the number of items after the requested range",
        .enabled(if: Agent.canBeOthers))
    func restricted() async throws {
        let stage = try await Stage()
        let adapter = try await stage.createAdapter(
            "list", ["near-end-distance": .double(5), "layout": .string("none"), "readers": .string("owner")])
        try await adapter.fill(50)
        let stranger = try await Agent(stage.bus.address, user: Agent.nobody)
        try await stranger.match("type='signal',member='NearEnd'")
        let heard = EventLog<Double>()
        let writer = AdapterClient(adapter.by(try await stage.connect()))
        let subscription = try await writer.onNearEnd { heard.record($1) }
        let view = try await TestView(adapter)
        func show(_ last: UInt32) async throws {
            _ = try await view.remote.call(
                "SetVisibleRange", UInt64(0), UInt32(0), UInt32(0), last, UInt32(0), returning: UInt64.self)
        }
        try await show(43)
        try await show(45)
        #expect(try await heard.next() == 4)
        #expect(!(try await stranger.signals()).contains("NearEnd"))
        withExtendedLifetime(subscription) {}
        await stage.stop()
    }
}
