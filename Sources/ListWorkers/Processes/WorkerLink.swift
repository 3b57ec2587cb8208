// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// One end of the D-Bus connection between the daemon and a worker, which carries packets in both directions, in order.
///
/// Both ends export an object with the same interface at the same path. A packet is a method call without a reply. So
/// each end can limit its unsent bytes and pause its reading.
@DBusActor
final class WorkerLink {
    /// The exported object. The object tree retains it, so it must not retain the tree.
    private final class Inlet {
        let receive: @DBusActor (WorkerPacket) -> Void

        init(_ receive: @escaping @DBusActor (WorkerPacket) -> Void) { self.receive = receive }
    }

    /// The connection to the other end; nil before it is open and after it was closed.
    private(set) weak var connection: Connection?
    /// The objects that the other end can call.
    let tree = ObjectTree()

    private static let path: ObjectPath = "/org/listd/Worker"

    private static let interface = Interface<Inlet>(
        "org.listd.Worker1",
        [
            .method("Take", in: ["packet": "ay"]) { inlet, call in
                inlet.receive(.bytes(try call.arguments(as: [UInt8].self)))
            },
            .method("TakeFile", in: ["packet": "h"]) { inlet, call in
                inlet.receive(.file(try call.arguments(as: FileDescriptor.self)))
            },
        ])

    /// Makes an end that calls `receive` with each packet from the other end.
    init(_ receive: @escaping @DBusActor (WorkerPacket) -> Void) {
        tree.add(ExportedObject(Self.interface, of: Inlet(receive)), at: Self.path)
    }

    /// Sets the connection on which packets are sent; nil = packets are dropped.
    func setConnection(_ connection: Connection?) { self.connection = connection }

    /// Sends a packet, or drops it when there is no connection.
    func send(_ packet: WorkerPacket) throws(DBusError) {
        guard let connection else { return }
        switch packet {
        case .bytes(let bytes): try send("Take", bytes, on: connection)
        case .file(let file): try send("TakeFile", file, on: connection)
        }
    }

    private func send(_ member: String, _ value: some DBusEncodable, on connection: Connection) throws(DBusError) {
        let message = try Message.methodCall(
            to: nil, path: Self.path, interface: Self.interface.name, member: member)
        try message.write(value)
        try connection.callWithoutReply(message)
    }
}
