// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

extension Request.Bus {
    /// Returns the address of the bus. By default that is the session bus if listd is on it, else the system bus.
    @DBusActor
    func address() async throws(DBusError) -> BusAddress {
        switch self {
        case .session: return .session
        case .system: return .system
        case .address(let address): return .address(address)
        case .automatic: return await Self.isOnSessionBus() ? .session : .system
        }
    }

    @DBusActor
    private static func isOnSessionBus() async -> Bool {
        guard let connection = try? await Connection.open(.session, timeout: .seconds(2)) else { return false }
        defer { connection.close() }
        return (try? await connection.owner(of: ListdName.bus)).flatMap { $0 } != nil
    }
}

extension BusAddress {
    /// Opens a connection to the bus, or directly to listd.
    ///
    /// - Throws: `NoServer` for every failure: a wrong address, a socket that refuses, or an error of the other end.
    @DBusActor
    func connect() async throws(DBusError) -> Connection {
        do throws(DBusError) {
            return try await Connection.open(self)
        } catch {
            throw DBusError(.noServer, error.message)
        }
    }
}

/// The search for the listd that a command needs. It prints a message while listd is not running or does not answer.
///
/// `onChange` gets each new daemon, and nil when there is none. After `retryLater` it gets the last daemon again.
@DBusActor
final class AwaitedDaemon {
    private let address: BusAddress
    private let onChange: @DBusActor (ListDaemonClient?) -> Void
    private var client: ListClient?
    private var daemon: ListDaemonClient?
    private var retry: LoopTimer?
    private var backoff = Backoff(from: .milliseconds(200), upTo: .seconds(30))
    private var notice = WaitingNotice()

    init(at address: BusAddress, onChange: @escaping @DBusActor (ListDaemonClient?) -> Void) {
        self.address = address
        self.onChange = onChange
    }

    /// Starts searching for listd, until `close` is called.
    func startSearch() {
        let client = ListClient(address: address) { [weak self] in self?.availabilityChanged($0) }
        self.client = client
        client.start()
    }

    /// Records that listd answered, so that the next timeout prints a message again.
    func recordAnswer() {
        backoff.reset()
        notice.end()
    }

    /// Calls `onChange` with the present daemon again after a delay, which grows with each retry. If the daemon ends
    /// before that, `onChange` is called only with a new daemon.
    func retryLater() {
        retry?.cancel()
        retry = EventLoop.shared.addTimer(after: backoff.next()) { [weak self] in
            guard let self, let daemon = self.daemon else { return }
            notice.report(.answer)
            onChange(daemon)
        }
    }

    /// Closes the connection. `onChange` is not called again.
    func close() {
        retry?.cancel()
        client?.close()
    }

    private func availabilityChanged(_ availability: ListClient.Availability) {
        retry?.cancel()
        switch availability {
        case .available(let daemon): self.daemon = daemon
        case .noDaemon:
            daemon = nil
            notice.report(.listd)
        case .noBus(let error):
            daemon = nil
            notice.report(.bus, error.message)
        }
        onChange(daemon)
    }
}

/// The message that says what the program waits for. It is printed once for each wait.
struct WaitingNotice {
    /// What the program waits for.
    enum Missing: Equatable {
        case bus
        case listd
        case answer
    }

    private var reported: Missing?

    /// Records that the wait has ended.
    mutating func end() { reported = nil }

    /// Prints what the program waits for, unless that was the last message.
    ///
    /// - Parameter reason: why the bus is missing; not used otherwise.
    mutating func report(_ missing: Missing, _ reason: String = "") {
        guard missing != reported else { return }
        reported = missing
        switch missing {
        case .bus: Output.printMessage("waiting for the bus: \(reason)")
        case .listd: Output.printMessage("waiting for listd")
        case .answer: Output.printMessage("listd does not answer; trying again")
        }
    }
}

/// The start of listd by the bus, which asks systemd for it.
///
/// dbus-daemon does not learn that a unit has failed, so a caller of a listd that cannot start would wait until its
/// time is over. Therefore the unit's state is watched, and its failure ends the wait.
@DBusActor
struct DaemonActivation {
    let connection: Connection
    /// Whether the unit is one of the user's manager.
    let isOfUser: Bool

    /// The name of the error for a unit that has failed.
    static let startFailed = "org.listd.Listctl.Error.StartFailed"
    private static let manager = "org.freedesktop.systemd1"
    private static let unit = "listd.service"
    private static let unitPath: ObjectPath = "/org/freedesktop/systemd1/unit/listd_2eservice"
    /// How long a unit counts as not started yet although it is not being started. dbus-broker's launcher asks systemd on
    /// another connection than this one.
    private static let grace = Duration.milliseconds(300)

    /// Returns when listd owns its name, or when it cannot be determined whether it will.
    ///
    /// - Throws: an error if the bus does not know listd, or its unit has failed.
    func awaitStart() async throws(DBusError) {
        guard try await connection.owner(of: ListdName.bus) == nil,
            (try? await connection.owner(of: Self.manager)).flatMap({ $0 }) != nil
        else { return }
        let awaited = AwaitedStart()
        let rule = MatchRule(
            sender: Self.manager, path: Self.unitPath, interface: StandardInterface.properties,
            member: "PropertiesChanged")
        let changes = try? await connection.subscribe(rule) { _ in check(awaited) }
        defer { changes?.cancel() }
        _ = try? await systemd.call("Subscribe")
        var start = try Message.methodCall(
            to: connection.bus.destination, path: connection.bus.path, interface: connection.bus.interface,
            member: "StartServiceByName")
        try start.write(ListdName.bus, UInt32(0))
        connection.call(start) { awaited.settle($0.map { _ in () }) }
        check(awaited)
        do throws(DBusError) {
            try await awaited.result()
        } catch {
            // A unit that is started again and again is not failed yet.
            guard error.isTimeout, let state = await unitState(), state.active != "active" else { throw error }
            throw failure(state)
        }
    }

    private var systemd: RemoteObject {
        RemoteObject(
            connection, destination: Self.manager, path: "/org/freedesktop/systemd1",
            interface: "\(Self.manager).Manager")
    }

    private struct UnitState {
        let active: String
        let result: String
        let exitStatus: Int32
        let hasJob: Bool

        /// Whether the unit has ended and is not being started.
        var isDown: Bool { (active == "failed" || active == "inactive") && !hasJob }
    }

    /// A start that is awaited, with its result; the first result counts.
    @DBusActor
    private final class AwaitedStart {
        private var settled: Result<Void, DBusError>?
        private var continuation: CheckedContinuation<Result<Void, DBusError>, Never>?
        /// Whether the unit's state is checked again after a moment.
        var isWatched = false

        func settle(_ result: Result<Void, DBusError>) {
            guard settled == nil else { return }
            settled = result
            continuation?.resume(returning: result)
            continuation = nil
        }

        func result() async throws(DBusError) {
            if let settled { return try settled.get() }
            try await withCheckedContinuation { continuation = $0 }.get()
        }
    }

    /// Ends the wait if the unit is down now and a moment later.
    private func check(_ awaited: AwaitedStart) {
        Task { @DBusActor in
            guard !awaited.isWatched, let state = await unitState(), state.isDown else { return }
            awaited.isWatched = true
            EventLoop.shared.addTimer(after: Self.grace) {
                Task { @DBusActor in
                    awaited.isWatched = false
                    guard let state = await unitState(), state.isDown else { return }
                    awaited.settle(.failure(failure(state)))
                }
            }
        }
    }

    private func unitState() async -> UnitState? {
        func properties(_ interface: String) async -> [String: DBusValue]? {
            let object = RemoteObject(
                connection, destination: Self.manager, path: Self.unitPath, interface: StandardInterface.properties)
            return try? await object.call(
                "GetAll", "\(Self.manager).\(interface)", returning: [String: DBusValue].self
            ).mapValues(\.unwrapped)
        }
        guard let unit = await properties("Unit"), let service = await properties("Service") else { return nil }
        var job: UInt32 = 0
        if case .structure(let members)? = unit["Job"], case .uint32(let number)? = members.first { job = number }
        var status: Int32 = 0
        if case .int32(let number)? = service["ExecMainStatus"] { status = number }
        return UnitState(
            active: unit.text("ActiveState") ?? "", result: service.text("Result") ?? "", exitStatus: status,
            hasJob: job != 0)
    }

    private func failure(_ state: UnitState) -> DBusError {
        let option = isOfUser ? " --user" : ""
        let reason =
            state.result == "exit-code" ? "it exited with status \(state.exitStatus)" : "result \(state.result)"
        return DBusError(
            name: Self.startFailed,
            message:
                "listd does not start: \(Self.unit) is \(state.active) (\(reason)). “systemctl\(option) status listd” and "
                + "“journalctl\(option) -u listd -n 20” say why; “systemctl\(option) restart listd” tries again")
    }
}
