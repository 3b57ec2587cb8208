// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@Suite("The client's side of a view")
@DBusActor
struct ListViewClientTests {
    private func reply(_ call: Call) {
        call.reply(FakeListd.viewPath, "first", UInt64(1), UInt32(0), UInt32(0), [String: DBusValue]())
    }

    private func openView(
        _ listd: FakeListd, _ onEvent: @escaping @DBusActor (ListViewClient.Event) -> Void = { _ in }
    ) async throws -> ListViewClient {
        let adapter = try await listd.client().adapter("l")
        let opening = Task { @DBusActor in try await ListViewClient.open(adapter, onEvent: onEvent) }
        reply(try await listd.kept.next())
        return try await opening.value
    }

    @Test("a viewport is refused while another one waits → the newest viewport is sent, and every request is answered")
    func refusedViewport() async throws {
        let listd = try await FakeListd()
        let log = EventLog<String>()
        let view = try await openView(listd) { event in
            if case .failed(let error) = event { log.record(error.message) }
        }
        view.setViewport(x: 0, y: 0, width: -5, height: 10)
        view.setViewport(x: 0, y: 0, width: 70, height: 10)
        view.setViewport(x: 0, y: 0, width: 80, height: 10)
        view.whenAnswered { log.record("answered") }
        try await listd.kept.next().fail(DBusError.invalidArgs("no width"))
        #expect(try await log.next() == "no width")
        let second = try await listd.kept.next()
        let width = try second.arguments(as: UInt64.self, Double.self, Double.self, Double.self, Double.self).3
        #expect(width == 80)
        second.reply()
        #expect(try await log.next() == "answered")
        #expect(log.recorded == [] && listd.kept.recorded.isEmpty)
        await view.close()
    }

    @Test("another call fails while a viewport is in flight → the viewport still waits for its own reply")
    func unrelatedFailure() async throws {
        let listd = try await FakeListd()
        let log = EventLog<String>()
        let view = try await openView(listd) { event in
            if case .failed(let error) = event { log.record(error.message) }
        }
        view.setViewport(x: 0, y: 0, width: 80, height: 10)
        let first = try await listd.kept.next()
        view.scroll(to: "nowhere")
        #expect(try await log.next() == "nowhere")
        view.setViewport(x: 0, y: 10, width: 80, height: 10)
        view.whenAnswered { log.record("answered") }
        #expect(log.recorded == [])
        first.reply()
        try await listd.kept.next().reply()
        #expect(try await log.next() == "answered")
        await view.close()
    }

    @Test("opening a view is cancelled before the daemon replies → the new view is closed")
    func cancelledOpen() async throws {
        let listd = try await FakeListd()
        let adapter = try await listd.client().adapter("l")
        let opening = Task { @DBusActor in try await ListViewClient.open(adapter) { _ in } }
        let call = try await listd.kept.next()
        opening.cancel()
        let error = await #expect(throws: DBusError.self) { try await opening.value }
        #expect(error?.standard == .noReply)
        reply(call)
        #expect(try await listd.list.closed.next() == "closed")
    }

    @Test("a view is released or closed after the daemon was restarted → nothing is sent to the new daemon")
    func otherDaemon() async throws {
        let first = try await FakeListd()
        var views = [try await openView(first), try await openView(first)]
        let connections = views.map(\.object.connection)
        try await first.connection.releaseName(ListdName.bus)
        first.connection.close()
        let second = try await FakeListd(on: first.bus)
        await views[0].close()
        views = []
        // This call is sent after any message that the view would have sent.
        for connection in connections { _ = try await ListDaemonClient(connection: connection).adapter("l") }
        #expect(second.list.closed.recorded == [] && first.list.closed.recorded == [])
    }

    @Test("an open view is released → the view is closed; a closed view is released → it is not closed again")
    func dropped() async throws {
        let listd = try await FakeListd()
        var view: ListViewClient? = try await openView(listd)
        #expect(view?.object.path == FakeListd.viewPath)
        view = nil
        #expect(try await listd.list.closed.next() == "closed")
        view = try await openView(listd)
        await view?.close()
        view = nil
        #expect(try await listd.list.closed.next() == "closed")
        _ = try await openView(listd)
        #expect(try await listd.list.closed.next() == "closed")
        #expect(listd.list.closed.recorded == [])
    }
}
