// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListSupport

/// Who has called and is still there, and how much: for administrators who look for what causes load.
@DBusActor
final class ClientDirectory {
    /// One client and its calls.
    struct Client {
        /// Who it is.
        let peer: Peer
        /// How many calls it has made.
        private(set) var calls: UInt64 = 0
        /// How many bytes they had, headers included.
        private(set) var bytes: UInt64 = 0
        /// When the last one came, in microseconds since 1970.
        private(set) var lastCall: UInt64 = 0
        private var recentCalls = RecentCount()
        private var recentBytes = RecentCount()
        fileprivate let number: UInt64

        fileprivate init(peer: Peer, number: UInt64) {
            self.peer = peer
            self.number = number
        }

        /// How many calls it has made in the last ten seconds, and how many bytes they had.
        var recent: (calls: UInt64, bytes: UInt64) { (recentCalls.total(), recentBytes.total()) }

        fileprivate mutating func record(bytes size: Int) {
            calls += 1
            bytes &+= UInt64(clamping: size)
            recentCalls.add()
            recentBytes.add(size)
            lastCall = Clock.microseconds(of: CLOCK_REALTIME)
        }
    }

    private var clients: [ObjectIdentifier: Client] = [:]
    private var lastNumber: UInt64 = 0

    nonisolated init() {}

    /// How many there are.
    var count: Int { clients.count }

    /// All of them, in the order in which they first called.
    var all: [Client] { clients.values.sorted { $0.number < $1.number } }

    /// Counts a call.
    func record(_ call: Call) {
        let (peer, key) = (call.peer, ObjectIdentifier(call.peer))
        let size = call.message.size
        guard clients[key]?.record(bytes: size) == nil else { return }
        lastNumber += 1
        var client = Client(peer: peer, number: lastNumber)
        client.record(bytes: size)
        clients[key] = client
        peer.onDeparture { [weak self] in self?.clients[key] = nil }
    }
}
