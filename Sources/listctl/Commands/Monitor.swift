// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The output of all signals of one list, or of all lists that the user may read, until the program is interrupted.
///
/// Restricted lists, and all lists on a direct connection, send signals to subscribers only. Therefore it subscribes to
/// every list: to existing and to new lists, to lists whose options changed, because they may have other readers now,
/// and again to all lists of each new daemon.
@DBusActor
final class Monitor {
    private let path: ObjectPath?
    private let address: BusAddress
    private let json: Bool
    private var awaited: AwaitedDaemon?
    private var daemon: ListDaemonClient?
    /// The connection that has the match rules. It stays open when the daemon on the bus ends.
    private var connection: Connection?
    private var subscriptions: [Subscription] = []
    /// The numbers of the subscriptions to lists on this connection to this daemon.
    private var numbers: [ObjectPath: UInt64] = [:]
    private var listening: Task<Void, Never>?
    private var end: CheckedContinuation<ExitCode, Never>?

    /// Creates a monitor for the list at a path; nil for all lists.
    init(_ path: ObjectPath?, _ address: BusAddress, json: Bool) {
        self.path = path
        self.address = address
        self.json = json
    }

    func run() async -> ExitCode {
        let awaited = AwaitedDaemon(at: address) { [weak self] in self?.daemonChanged($0) }
        self.awaited = awaited
        Output.exitWhenReaderCloses()
        return await withCheckedContinuation { continuation in
            end = continuation
            awaited.startSearch()
        }
    }

    private func daemonChanged(_ daemon: ListDaemonClient?) {
        self.daemon = daemon
        guard let daemon else { return }
        if daemon.connection !== connection { cancelSubscriptions() }
        numbers = [:]
        connection = daemon.connection
        listen(to: daemon)
    }

    private func cancelSubscriptions() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        connection = nil
    }

    // MARK: - Subscribing

    /// Adds the match rules and subscribes, after an earlier task for that has ended, so that no rule is added twice.
    /// The earlier task ends soon: a call to a daemon that has ended fails at once.
    private func listen(to daemon: ListDaemonClient) {
        listening = Task { @DBusActor [listening] in
            await listening?.value
            if daemon === self.daemon { await addMatchRulesAndSubscribe(to: daemon) }
        }
    }

    /// Adds the match rules if the connection has none yet, then subscribes to the existing lists.
    private func addMatchRulesAndSubscribe(to daemon: ListDaemonClient) async {
        do throws(DBusError) {
            if subscriptions.isEmpty { try await addMatchRules(on: daemon.connection) }
            let paths = if let path { [path] } else { try await daemon.adapters().map(\.path) }
            for path in paths { try await subscribe(to: path, of: daemon) }
            awaited?.recordAnswer()
        } catch {
            guard daemon === self.daemon else { return }
            if error.isTimeout {
                awaited?.retryLater()
                return
            }
            if error.standard == .disconnected || error.standard == .serviceUnknown { return }
            Output.printMessage(error.explanation)
            finish(.failed)
        }
    }

    private func addMatchRules(on connection: Connection) async throws(DBusError) {
        let lists = MatchRule(sender: ListdName.bus, path: path, interface: ListdName.adapter)
        let arrivals = MatchRule(
            sender: ListdName.bus, path: ListdName.managerPath, interface: StandardInterface.objectManager,
            member: "InterfacesAdded")
        let changes = MatchRule(
            sender: ListdName.bus, path: path, interface: StandardInterface.properties, member: "PropertiesChanged",
            arguments: [0: ListdName.adapter])
        subscriptions = [
            try await connection.subscribe(lists) { [weak self] in self?.printSignal($0) },
            try await connection.subscribe(arrivals) { [weak self] in self?.listAdded($0) },
            try await connection.subscribe(changes) { [weak self] in self?.propertiesChanged($0) },
        ]
    }

    private func subscribe(to path: ObjectPath, of daemon: ListDaemonClient) async throws(DBusError) {
        let adapter = RemoteObject(
            daemon.connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
        do throws(DBusError) {
            let (number, _) = try await adapter.call("Subscribe", [String](), returning: UInt64.self, UInt64.self)
            // The list may have ended the earlier subscription itself.
            let earlier = numbers.updateValue(number, forKey: path)
            if let earlier { try? await adapter.call("Unsubscribe", earlier) }
        } catch  where error.standard == .unknownObject {
            // The list was removed, or does not exist yet. `InterfacesAdded` will announce it.
        } catch  where error.standard == .accessDenied && self.path == nil {
            // Other users may read the list, but not this one.
        }
    }

    private func listAdded(_ message: Message) {
        guard let path = try? message.read({ (reader) throws(DBusError) in try reader.readObjectPath() }),
            self.path == path || (self.path == nil && path.parent == ListdName.adaptersPath)
        else { return }
        subscribe(to: path)
    }

    /// Subscribes again when the options of a list changed, because its readers may have changed too.
    private func propertiesChanged(_ message: Message) {
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
                if daemon === self.daemon { awaited?.retryLater() }
            } catch  where error.standard == .accessDenied {
                guard daemon === self.daemon else { return }
                Output.printMessage(error.explanation)
                finish(.failed)
            } catch {
                // `AwaitedDaemon` reports that the daemon or the connection has ended.
            }
        }
    }

    private func finish(_ code: ExitCode) {
        cancelSubscriptions()
        awaited?.close()
        end?.resume(returning: code)
        end = nil
    }

    // MARK: - Printing

    private func printSignal(_ message: Message) {
        guard let path = message.path, let member = message.member,
            let values = try? message.values()
        else { return }
        let list = ListdName.unescaped(path) ?? path.text
        if json {
            let arguments = values.map { DBusValue.variant($0) }
            return Output.writeJSON([
                "list": .string(list), "signal": .string(member), "arguments": .array(element: "v", arguments),
            ])
        }
        let text = SignalText.text(of: member, values) ?? values.map { JSONLine($0).text }.joined(separator: " ")
        Output.writeLine(DisplayText.sanitized("\(ClockTime.now)  \(list)  \(member)  \(text)"))
    }
}
