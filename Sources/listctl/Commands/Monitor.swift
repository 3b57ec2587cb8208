import DBus
import ListClient

/// Prints every signal of one list, or of all, until it is interrupted.
///
/// Lists that not everybody may read tell only whom they know: naming one subscribes to it.
@DBusActor
final class Monitor {
    private let name: String?
    private let address: BusAddress
    private let json: Bool
    private var subscriptions: [Subscription] = []

    init(_ name: String?, _ address: BusAddress, json: Bool) {
        self.name = name
        self.address = address
        self.json = json
    }

    func run() async throws(DBusError) -> ExitCode {
        let connection = try await Connection.open(address)
        let daemon = ListDaemonClient(connection: connection)
        var rule = MatchRule(sender: ListdName.bus, interface: ListdName.adapter)
        let adapter: RemoteObject?
        if let name { adapter = try await daemon.adapter(name) } else { adapter = nil }
        rule.path = adapter?.path
        // The handlers keep this object alive until it ends listening.
        defer { subscriptions.removeAll() }
        subscriptions.append(try await connection.subscribe(rule) { self.received($0) })
        if let adapter { _ = try await adapter.call("Subscribe", [String](), returning: UInt64.self) }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            connection.onDisconnect { continuation.resume() }
        }
        throw .disconnected("the bus has gone")
    }

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
        let arguments = values.map { (try? JSONLine($0).text) ?? "?" }
        Output.line(DisplayText.harmless("\(list)  \(member)  \(arguments.joined(separator: " "))"))
    }
}
