// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport

/// A real listd on a private bus, with one client.
@DBusActor
final class Stage {
    let bus: PrivateBus
    let listd: ListdProcess
    let client: Connection

    /// Starts bus, listd and client. The arguments are those of ``ListdProcess/start(bus:arguments:files:)``.
    convenience init(
        _ kind: PrivateBus.Kind = .session, arguments: [String] = [], files: [String: String] = [:]
    ) async throws {
        try await self.init(on: try PrivateBus(kind), arguments: arguments, files: files)
    }

    /// Starts listd on an existing bus.
    init(
        on bus: PrivateBus, arguments: [String] = [], files: [String: String] = [:],
        environment: [String: String] = [:], launcher: [String] = []
    ) async throws {
        self.bus = bus
        let listensAnyway = TransportKind.ofThisRun == .direct && !arguments.contains("--direct")
        listd = try await ListdProcess.start(
            bus: bus.address, arguments: arguments + (listensAnyway ? TransportKind.arguments : []), files: files,
            environment: environment, launcher: launcher)
        client = try await Connection.open(.address(Self.address(TransportKind.ofThisRun, bus, listd)))
    }

    /// Returns the address to which clients of a transport connect.
    func address(_ transport: TransportKind) -> String { Self.address(transport, bus, listd) }

    private static func address(_ transport: TransportKind, _ bus: PrivateBus, _ listd: ListdProcess) -> String {
        switch transport {
        case .bus: bus.address
        case .direct: "unix:path=" + listd.directory.appending(path: "direct").path
        }
    }

    /// Connects another client.
    func connect() async throws -> Connection { try await connect(TransportKind.ofThisRun) }

    /// Returns a proxy of an object of listd.
    func object(_ path: ObjectPath, _ interface: String, by client: Connection? = nil) -> RemoteObject {
        RemoteObject(
            client ?? self.client, destination: Listd.name, path: path, interface: Listd.name + "." + interface)
    }

    /// A proxy of the manager.
    var manager: RemoteObject { object(Listd.manager, "Manager") }

    /// Creates a list, with durability memory unless the options say otherwise.
    func createAdapter(_ name: String, _ options: [String: DBusValue] = [:]) async throws -> TestAdapter {
        let options = options.merging(["durability": .string("memory")]) { given, _ in given }
        let path = try await manager.call("CreateAdapter", name, options, returning: ObjectPath.self)
        return TestAdapter(stage: self, path: path)
    }

    /// Stops the daemon as systemd does.
    @discardableResult
    func stop() async -> ListdProcess.Outcome { await listd.stop() }
}

/// The names of the bus contract, as a client writes them.
enum Listd {
    static let name = "org.listd.Listd1"
    static let manager: ObjectPath = "/org/listd/Listd1"

    static func error(_ name: String) -> String { "org.listd.Listd1.Error." + name }
    static func standardError(_ name: String) -> String { "org.freedesktop.DBus.Error." + name }
}

/// An object of a list on the bus: id, type, fields.
typealias Row = DBusStruct<String, String, [String: DBusValue]>
/// An upsert on the bus: id, type, position, anchor, fields.
typealias Upsert = DBusStruct<String, String, String, String, [String: DBusValue]>

/// A list, as a client sees it.
@DBusActor
struct TestAdapter {
    let stage: Stage
    let path: ObjectPath

    /// Returns a proxy of the list for calls by a client.
    func by(_ client: Connection) -> RemoteObject { stage.object(path, "Adapter", by: client) }
    private var remote: RemoteObject { stage.object(path, "Adapter") }

    func performUpdates(
        _ rows: [Row], expecting revision: UInt64 = 0, _ options: [String: DBusValue] = [:]
    ) async throws -> UInt64 {
        // With a sanitizer, a debug build takes long for hundreds of thousands of rows.
        try await remote.call(
            "PerformUpdates", revision, rows, options, returning: UInt64.self, timeout: .seconds(120))
    }

    func applyChanges(
        remove: [String] = [], _ upserts: [Upsert] = [], expecting revision: UInt64 = 0
    ) async throws -> UInt64 {
        try await remote.call(
            "ApplyChanges", revision, remove, upserts, [String: DBusValue](), returning: UInt64.self)
    }

    /// Returns all objects at one revision, in as many pages as needed.
    func objects() async throws -> (revision: UInt64, rows: [ObjectRow]) {
        var rows: [ObjectRow] = []
        while true {
            let (_, revision, total, page) = try await remote.call(
                "GetObjects", UInt32(rows.count), UInt32.max, returning: String.self, UInt64.self, UInt32.self,
                [Row].self)
            rows += page.map { ObjectRow(id: $0.members.0, type: $0.members.1, fields: $0.members.2) }
            if rows.count >= Int(total) { return (revision, rows) }
        }
    }
}

/// An object of a list, for comparisons.
struct ObjectRow: Equatable, Sendable {
    var id: String
    var type: String
    var fields: [String: DBusValue]
}

extension RemoteObject {
    /// Returns a call message with the body that `write` appends. Serves for malformed calls, and for calls whose
    /// answer is awaited later.
    @DBusActor
    func message(_ member: String, _ write: (inout Message) throws(DBusError) -> Void) throws -> Message {
        var message = try Message.methodCall(to: destination, path: path, interface: interface, member: member)
        try write(&message)
        return message
    }
}
