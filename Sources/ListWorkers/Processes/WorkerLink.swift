// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// One end of the connection between the daemon and a worker: packets in, packets out, in order.
///
/// Both ends have the same object at the same path. A packet is a call without an answer, so that each end can wait until
/// what it sent is gone, and stop reading.
@DBusActor
final class WorkerLink {
    /// Receives packets; the object tree keeps this object, and this object does not keep the tree.
    private final class Inlet {
        let receive: @DBusActor (WorkerPacket) -> Void

        init(_ receive: @escaping @DBusActor (WorkerPacket) -> Void) { self.receive = receive }
    }

    /// The way to the other end; nil before it is there and after it has ended.
    private(set) weak var connection: Connection?
    /// What the connection's calls reach.
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

    /// Makes an end that hands over what it receives.
    init(_ receive: @escaping @DBusActor (WorkerPacket) -> Void) {
        tree.add(ExportedObject(Self.interface, of: Inlet(receive)), at: Self.path)
    }

    /// Sends on a connection from now on; nil = there is none any more.
    func use(_ connection: Connection?) { self.connection = connection }

    /// Sends a packet; without a connection nobody wants it.
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
