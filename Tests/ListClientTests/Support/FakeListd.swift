// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport

/// A fake daemon with one list "l" on a private bus. Some calls are answered only when the test allows it.
@DBusActor
final class FakeListd {
    let bus: PrivateBus
    let connection: Connection
    let tree = ObjectTree()
    let list = FakeList()
    /// The calls that the test answers: `OpenView` of the list, `SetViewport` of its view.
    var kept: EventLog<Call> { list.kept }

    nonisolated static let path: ObjectPath = "/org/listd/Listd1/adapters/l"
    nonisolated static let viewPath: ObjectPath = "/org/listd/Listd1/adapters/l/views/1"

    private static let manager = Interface<FakeListd>(
        ListdName.manager,
        [
            .method("GetAdapter", in: ["name": "s"], out: ["path": "o"]) { listd, call in
                try listd.list.onCall(call.member)
                guard listd.tree.object(at: FakeListd.path) != nil else {
                    throw DBusError(name: ListdName.errorPrefix + "NoSuchAdapter", message: "the list does not exist")
                }
                call.reply(FakeListd.path)
            }
        ])

    init(on bus: PrivateBus? = nil) async throws {
        self.bus = try bus ?? PrivateBus()
        connection = try await Connection.open(.address(self.bus.address))
        connection.objects = tree
        tree.add(ExportedObject(Self.manager, of: self), at: ListdName.managerPath)
        tree.addObjectManager(at: ListdName.managerPath, of: [ListdName.adaptersPath])
        tree.add(ExportedObject(FakeList.view, of: list), at: Self.viewPath)
        show()
        _ = try await connection.requestName(ListdName.bus)
    }

    /// Adds the list, and announces it.
    func show() { tree.add(ExportedObject(FakeList.interface, of: list), at: Self.path) }

    /// Removes the list, and announces the removal.
    func hide() { tree.remove(at: Self.path) }

    /// Returns a client of this daemon.
    func client() async throws -> ListDaemonClient {
        ListDaemonClient(connection: try await Connection.open(.address(bus.address)))
    }
}

/// The fake daemon's list, with one view.
@DBusActor
final class FakeList {
    var epoch = "first"
    var ids: [String] = ["a", "b"]
    let kept = EventLog<Call>()
    let closed = EventLog<String>()
    /// A closure that is called with the name of each method by which a client follows the list. An error that the
    /// closure throws is sent as the method's reply.
    var onCall: @DBusActor (String) throws -> Void = { _ in }

    static let interface = Interface<FakeList>(
        ListdName.adapter,
        [
            .method(
                "OpenView", in: ["options": "a{sv}"],
                out: ["path": "o", "e": "s", "revision": "t", "a": "u", "b": "u", "d": "a{sv}"]
            ) {
                list, call in list.kept.record(call)
            },
            .method("Subscribe", in: ["what": "as"], out: ["subscription": "t", "revision": "t"]) { list, call in
                try list.onCall(call.member)
                call.reply(UInt64(1), UInt64(1))
            },
            .method(
                "GetObjects", in: ["offset": "u", "limit": "u"],
                out: ["e": "s", "r": "t", "n": "u", "rows": "a(ssa{sv})"]
            ) {
                list, call in
                try list.onCall(call.member)
                let rows = list.ids.map { DBusStruct($0, "", [String: DBusValue]()) }
                call.reply(list.epoch, UInt64(1), UInt32(rows.count), rows)
            },
            .method(
                "GetChanges", in: ["e": "s", "since": "t"],
                out: ["r": "t", "batches": "a(ttsuu(a(uu)a(uu)a(uu)a(uu))(a(uu)a(uu)a(uuuu)a(uu)))"]
            ) { list, call in
                let (epoch, _) = try call.arguments(as: String.self, UInt64.self)
                guard epoch == list.epoch else { throw DBusError(name: ListdErrorName.revisionGone, message: "gone") }
                call.replyWriting { (writer) throws(DBusError) in
                    writer.append(UInt64(1))
                    writer.array { _ in }
                }
            },
        ])

    static let view = Interface<FakeList>(
        ListdName.view,
        [
            .method("SetViewport", in: ["sequence": "t", "x": "d", "y": "d", "width": "d", "height": "d"]) {
                list, call in list.kept.record(call)
            },
            .method("ScrollTo", in: ["id": "s", "item": "u", "position": "s"]) { _, _ in
                throw DBusError.invalidArgs("nowhere")
            },
            .method("Close") { list, call in
                list.closed.record("closed")
                call.reply()
            },
        ])
}
