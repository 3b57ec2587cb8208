// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Foundation

/// The other processes of a benchmark: `--bus-peer service ADDRESS FILE [STORE]`, `--bus-peer subscribers ADDRESS N`.
enum BusPeer {
    static func run(_ words: [String]) {
        switch words.first {
        case "service" where words.count == 3: serve(words[1], as: BusStage.bareName, signals: words[2])
        case "service" where words.count == 4:
            serve(words[1], as: BusStage.storingName, signals: words[2], store: PlainSQLite(at: words[3]))
        case "subscribers" where words.count == 3: subscribe(words[1], count: Int(words[2]) ?? 1)
        default: fatalError("--bus-peer service ADDRESS FILE [STORE] | subscribers ADDRESS N")
        }
    }

    /// Runs a service that uses plain libdbus. Its method `Empty` only replies; `Signals` first sends the signals of a
    /// file. The signals are decoded into new messages each time, because a message can be sent only once, and
    /// because a real service creates a new message each time.
    ///
    /// With a store, the calls that have arrived together are written in one transaction before any of them is
    /// answered (group commit).
    private static func serve(
        _ address: String, as name: String, signals file: String, store: PlainSQLite? = nil
    ) {
        let connection = BareConnection(address)
        connection.requestName(name)
        var signals: [UInt8] = []
        while let first = connection.nextMessage(timeout: -1) {
            var calls = [first]
            if let store {
                while let next = connection.nextMessage(timeout: 0) { calls.append(next) }
                _ = store.writeChanges(calls.count { $0.member == "Signals" }, together: true)
            }
            for call in calls where dbus_message_get_type(call.raw) == DBUS_MESSAGE_TYPE_METHOD_CALL {
                switch call.member {
                case "Load": signals = Array(FileManager.default.contents(atPath: file) ?? Data())
                case "Signals": for signal in BareMessage.decodeAll(in: signals) { connection.send(signal) }
                default: break
                }
                connection.send(BareMessage(adopting: dbus_message_new_method_return(call.raw)))
            }
        }
    }

    /// Runs clients that receive every signal of listd and of the bare service, and ignore it.
    private static func subscribe(_ address: String, count: Int) {
        let connections = (0..<count).map { _ in
            let connection = BareConnection(address)
            connection.addMatchRule("type='signal',interface='\(BusStage.listd).Adapter',member='Updated'")
            return connection
        }
        print("ready")
        fflush(nil)
        var polled = connections.map { connection in
            var descriptor: Int32 = -1
            dbus_connection_get_unix_fd(connection.raw, &descriptor)
            return pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        }
        while poll(&polled, nfds_t(polled.count), -1) > 0 {
            for (connection, entry) in zip(connections, polled) where entry.revents != 0 {
                connection.discardReceivedMessages()
            }
        }
    }
}
