// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListSupport

/// The connected clients that have called, with the numbers of their calls, so that administrators can find the cause
/// of load.
@DBusActor
final class ClientDirectory {
    /// One client and its calls.
    struct Client {
        let peer: Peer
        /// The number of calls that the client has made.
        private(set) var calls: UInt64 = 0
        /// The number of bytes of those calls, headers included.
        private(set) var bytes: UInt64 = 0
        /// The time of the last call, in microseconds since 1970.
        private(set) var lastCall: UInt64 = 0
        private var recentCalls = RecentCount()
        private var recentBytes = RecentCount()
        fileprivate let number: UInt64

        fileprivate init(peer: Peer, number: UInt64) {
            self.peer = peer
            self.number = number
        }

        /// The number of calls in the last ten seconds, and of their bytes.
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

    var count: Int { clients.count }

    /// All clients, in the order of their first calls.
    var all: [Client] { clients.values.sorted { $0.number < $1.number } }

    /// Counts a call for its client.
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

/// A counter of events in the last ten seconds: the present second and the nine before it.
struct RecentCount: Sendable {
    private static let seconds: UInt64 = 10

    /// The count of each second, by its number modulo ten.
    private var buckets = [UInt64](repeating: 0, count: Int(seconds))
    /// The newest second in the buckets.
    private var newest: UInt64 = 0

    /// Makes a counter without events.
    init() {}

    /// Adds to the present second.
    ///
    /// - Parameter second: the number of the present second.
    mutating func add(_ count: Int = 1, at second: UInt64 = Self.now) {
        advance(to: second)
        buckets[Int(newest % Self.seconds)] &+= UInt64(clamping: count)
    }

    /// Returns the count of the last ten seconds.
    func total(at second: UInt64 = Self.now) -> UInt64 {
        var present = self
        present.advance(to: second)
        return present.buckets.reduce(0, &+)
    }

    private mutating func advance(to second: UInt64) {
        guard second > newest else { return }
        for passed in max(newest, second - min(second, Self.seconds)) + 1...second {
            buckets[Int(passed % Self.seconds)] = 0
        }
        newest = second
    }

    /// The present second of a clock that never goes backwards.
    static var now: UInt64 { Clock.microseconds(of: CLOCK_MONOTONIC) / 1_000_000 }
}

/// The caller or signal that caused a logged change.
struct Origin: Sendable {
    /// A description of the origin for people: `user 1000, process 4711 (busctl)`.
    let text: String
    /// The origin as fields for the journal.
    let fields: [Log.Field]

    /// The origin of a reload by SIGHUP.
    static let signal = Origin(text: "SIGHUP", fields: [])

    private init(text: String, fields: [Log.Field]) {
        self.text = text
        self.fields = fields
    }

    /// Makes the origin of a client's call.
    @DBusActor
    init(_ peer: Peer) {
        let process = peer.process
        let command = peer.command
        text =
            peer.userText + (process == 0 ? "" : ", process \(process)") + (command.isEmpty ? "" : " (\(command))")
        fields =
            [.client(peer.name)] + (peer.credentials.map { [.user($0.userID)] } ?? [])
            + (process == 0 ? [] : [.process(process)])
    }
}

extension Peer {
    /// The process ID of the peer; 0 if the bus did not name one.
    var process: Int32 { credentials?.processID ?? 0 }

    /// The command name of the peer's process; empty if the process has ended or is unknown.
    var command: String {
        guard process > 0, let text = KernelFile.text("/proc/\(process)/comm") else { return "" }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
