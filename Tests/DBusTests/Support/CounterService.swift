import DBus
import TestSupport

/// A private bus with a counter on it.
@DBusActor
struct CounterService {
    let bus: PrivateBus
    let counter = Counter()
    let tree: ObjectTree
    let connection: Connection

    init(on kind: PrivateBus.Kind = .session, maximumMessageSize: Int = Connection.busMessageSize) async throws {
        bus = try PrivateBus(kind)
        tree = .withCounter(counter)
        connection = try await Connection.open(.address(bus.address), maximumMessageSize: maximumMessageSize)
        connection.objects = tree
        guard try await connection.requestName(Counter.name) == .primaryOwner else {
            throw DBusError.failed("the name is taken on a new bus")
        }
    }

    /// Another connection to the bus.
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

    /// The address without the server's identity.
    var address: String { "unix:path=\(directory.path)/direct.sock" }

    /// A connection as programs make it that know they speak to one other.
    func client() async throws -> Connection { try await Connection.openDirect(.address(address)) }
}
