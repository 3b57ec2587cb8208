// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Prints every signal of one list, or of all that its user may read, until it is interrupted.
///
/// Restricted lists, and a direct connection, send signals to subscribers only: so it subscribes to every list, to new
/// ones, to those whose options have changed, as they may have other readers now, and again with every new daemon.
@DBusActor
final class Monitor {
    private let path: ObjectPath?
    private let address: BusAddress
    private let json: Bool
    private var awaited: AwaitedDaemon?
    private var daemon: ListDaemonClient?
    /// The connection with the match rules, which outlives a daemon.
    private var connection: Connection?
    private var signals: [Subscription] = []
    private var listening: Task<Void, Never>?
    private var end: CheckedContinuation<ExitCode, Never>?

    /// A monitor of the list at a path, or of all lists.
    init(_ path: ObjectPath?, _ address: BusAddress, json: Bool) {
        self.path = path
        self.address = address
        self.json = json
    }

    func run() async -> ExitCode {
        let awaited = AwaitedDaemon(at: address) { [weak self] in self?.daemonChanged($0) }
        self.awaited = awaited
        Output.endWithReader()
        return await withCheckedContinuation { continuation in
            end = continuation
            awaited.start()
        }
    }

    private func daemonChanged(_ daemon: ListDaemonClient?) {
        self.daemon = daemon
        guard let daemon else { return }
        if daemon.connection !== connection { dropSignals() }
        connection = daemon.connection
        listen(to: daemon)
    }

    private func dropSignals() {
        for subscription in signals { subscription.cancel() }
        signals = []
        connection = nil
    }

    // MARK: - Subscribing

    /// One call after the other, so that no rule is added twice; a call to a daemon that has ended fails at once.
    private func listen(to daemon: ListDaemonClient) {
        listening = Task { @DBusActor [listening] in
            await listening?.value
            if daemon === self.daemon { await matchAndSubscribe(to: daemon) }
        }
    }

    /// Adds the match rules first, which outlive a daemon, then subscribes to existing lists.
    private func matchAndSubscribe(to daemon: ListDaemonClient) async {
        do throws(DBusError) {
            if signals.isEmpty { try await match(on: daemon.connection) }
            let paths = if let path { [path] } else { try await daemon.adapters().map(\.path) }
            for path in paths { try await subscribe(to: path, of: daemon) }
            awaited?.hasAnswered()
        } catch {
            guard daemon === self.daemon else { return }
            if error.isTimeout {
                awaited?.askLater()
                return
            }
            if error.standard == .disconnected || error.standard == .serviceUnknown { return }
            Output.complain(error.explanation)
            finish(.failed)
        }
    }

    private func match(on connection: Connection) async throws(DBusError) {
        let lists = MatchRule(sender: ListdName.bus, path: path, interface: ListdName.adapter)
        let arrivals = MatchRule(
            sender: ListdName.bus, path: ListdName.adaptersPath, interface: StandardInterface.objectManager,
            member: "InterfacesAdded")
        let changes = MatchRule(
            sender: ListdName.bus, path: path, interface: StandardInterface.properties, member: "PropertiesChanged",
            arguments: [0: ListdName.adapter])
        signals = [
            try await connection.subscribe(lists) { [weak self] in self?.received($0) },
            try await connection.subscribe(arrivals) { [weak self] in self?.appeared($0) },
            try await connection.subscribe(changes) { [weak self] in self?.changed($0) },
        ]
    }

    private func subscribe(to path: ObjectPath, of daemon: ListDaemonClient) async throws(DBusError) {
        let adapter = RemoteObject(
            daemon.connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
        do throws(DBusError) {
            _ = try await adapter.call("Subscribe", [String](), returning: UInt64.self)
        } catch  where error.standard == .unknownObject {
            // The list was removed, or does not exist yet: its creation will be announced.
        } catch  where error.standard == .accessDenied && self.path == nil {
            // Lists that others may read, but not this user.
        }
    }

    private func appeared(_ message: Message) {
        guard let path = try? message.read({ (reader) throws(DBusError) in try reader.readObjectPath() }),
            self.path == nil || self.path == path
        else { return }
        subscribe(to: path)
    }

    /// Other options may have other readers.
    private func changed(_ message: Message) {
        let names = try? message.read { (reader) throws(DBusError) in
            _ = try reader.readString()
            return try [String: DBusValue](from: &reader).keys
        }
        if let path = message.path, names?.contains("Options") == true { subscribe(to: path) }
    }

    private func subscribe(to path: ObjectPath) {
        guard let daemon else { return }
        Task { @DBusActor in
            do throws(DBusError) {
                try await subscribe(to: path, of: daemon)
            } catch  where error.isTimeout {
                if daemon === self.daemon { awaited?.askLater() }
            } catch  where error.standard == .accessDenied {
                guard daemon === self.daemon else { return }
                Output.complain(error.explanation)
                finish(.failed)
            } catch {
                // The end of a daemon or a connection is reported by `AwaitedDaemon`.
            }
        }
    }

    private func finish(_ code: ExitCode) {
        dropSignals()
        awaited?.close()
        end?.resume(returning: code)
        end = nil
    }

    // MARK: - Printing

    private func received(_ message: Message) {
        guard let path = message.path, let member = message.member,
            let values = try? message.values()
        else { return }
        let list = ListdName.unescaped(path) ?? path.text
        if json {
            let arguments = values.map { DBusValue.variant($0) }
            return Output.json([
                "list": .string(list), "signal": .string(member), "arguments": .array(element: "v", arguments),
            ])
        }
        let text = SignalText.text(of: member, values) ?? values.map { JSONLine($0).text }.joined(separator: " ")
        Output.line(DisplayText.harmless("\(ClockTime.now)  \(list)  \(member)  \(text)"))
    }
}
