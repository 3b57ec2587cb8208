// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Foundation

/// The other processes of a benchmark: `--bus-peer service ADDRESS FILE`, `--bus-peer subscribers ADDRESS N`.
enum BusPeer {
    static func run(_ words: [String]) {
        switch words.first {
        case "service" where words.count == 3: serve(words[1], signals: words[2])
        case "subscribers" where words.count == 3: subscribe(words[1], count: Int(words[2]) ?? 1)
        default: fatalError("--bus-peer service ADDRESS FILE | subscribers ADDRESS N")
        }
    }

    /// Runs a service that uses plain libdbus. Its method `Empty` replies at once; `Signals` first sends the signals
    /// of a file. The signals are decoded into new messages each time, because a message can be sent only once, and
    /// because a real service creates a new message each time.
    private static func serve(_ address: String, signals file: String) {
        let connection = BareConnection(address)
        connection.own(BusStage.bareName)
        var signals: [UInt8] = []
        while let message = connection.next(timeout: -1) {
            guard dbus_message_get_type(message.raw) == DBUS_MESSAGE_TYPE_METHOD_CALL else { continue }
            switch message.member {
            case "Load": signals = Array(FileManager.default.contents(atPath: file) ?? Data())
            case "Signals": for signal in BareMessage.all(in: signals) { connection.send(signal) }
            default: break
            }
            let reply = BareMessage(adopting: dbus_message_new_method_return(message.raw))
            connection.send(reply)
        }
    }

    /// Runs clients that receive every signal of listd and of the bare service, and ignore it.
    private static func subscribe(_ address: String, count: Int) {
        let connections = (0..<count).map { _ in
            let connection = BareConnection(address)
            connection.match("type='signal',interface='\(BusStage.listd).Adapter',member='Updated'")
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
            for (connection, entry) in zip(connections, polled) where entry.revents != 0 { connection.drop() }
        }
    }
}
