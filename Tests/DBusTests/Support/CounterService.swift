// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport

/// A private bus with a counter service on it.
@DBusActor
struct CounterService {
    let bus: PrivateBus
    let counter = Counter()
    let tree: ObjectTree
    let connection: Connection

    private init(bus: PrivateBus, connection: Connection) {
        self.bus = bus
        self.connection = connection
        tree = .withCounter(counter)
        connection.objects = tree
    }

    /// Starts a bus and connects the service to it. This is not an initializer, because the optimiser of Swift
    /// 6.3.1 would crash.
    static func start(
        on kind: PrivateBus.Kind = .session, maximumMessageSize: Int = Connection.busMessageSize
    ) async throws -> CounterService {
        let bus = try PrivateBus(kind)
        let connection = try await Connection.open(.address(bus.address), maximumMessageSize: maximumMessageSize)
        let service = CounterService(bus: bus, connection: connection)
        guard try await connection.requestName(Counter.name) == .primaryOwner else {
            throw DBusError.failed("the name is taken on a new bus")
        }
        return service
    }

    /// Opens another connection to the bus.
    func client() async throws -> Connection { try await Connection.open(.address(bus.address)) }
}

/// A server for direct connections with a counter, on a socket of its own.
@DBusActor
struct CounterServer {
    let counter = Counter()
    let tree: ObjectTree
    let server: Server
    let directory = TemporaryDirectory()

    init(_ change: (inout Server.Configuration) -> Void = { _ in }) throws {
        var configuration = Server.Configuration(names: [Counter.name])
        change(&configuration)
        tree = .withCounter(counter)
        server = try Server.listen("unix:path=\(directory.path)/direct.sock", configuration)
        server.objects = tree
    }

    /// The address of the server, without its GUID.
    var address: String { "unix:path=\(directory.path)/direct.sock" }

    /// Opens a direct connection to the server, without a bus.
    func client() async throws -> Connection { try await Connection.openDirect(.address(address)) }
}
