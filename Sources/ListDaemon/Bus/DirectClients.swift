// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The direct clients that do not read what they are sent.
///
/// While more than 1 MiB is queued for one, its calls are not read, and signals of adapters to it are dropped: once it
/// has caught up it gets one `announce` of each adapter of which it missed signals, and requests the changes. Its views
/// need no rule, because their credit bounds them. Other clients are not affected.
@DBusActor
final class DirectClients {
    /// More than this waiting, a client counts as one that does not read, in bytes.
    static let behindAbove = 1 << 20

    private struct Backlog {
        var peer: Peer
        /// Adapters of which it missed signals.
        var missed: [AdapterSignals] = []
    }

    private var backlogs: [ObjectIdentifier: Backlog] = [:]

    nonisolated init() {}

    /// How many clients do not read at the moment.
    var countBehind: Int { backlogs.count }

    /// Looks whether a peer reads; call it after something was sent to it, or when it calls.
    func check(_ peer: Peer) {
        guard let connection = peer.connection, !connection.isBus, backlogs[ObjectIdentifier(peer)] == nil,
            connection.outgoingSize > Self.behindAbove
        else { return }
        backlogs[ObjectIdentifier(peer)] = Backlog(peer: peer)
        connection.readingIsPaused = true
        connection.onDrain(below: Self.behindAbove / 2) { [weak self, weak peer] in
            if let peer { self?.caughtUp(peer) }
        }
    }

    /// Notes that a peer is not sent a signal of an adapter because it does not read; false when it does.
    func drops(signalOf adapter: AdapterSignals, to peer: Peer) -> Bool {
        check(peer)
        guard backlogs[ObjectIdentifier(peer)] != nil else { return false }
        if backlogs[ObjectIdentifier(peer)]?.missed.contains(where: { $0 === adapter }) == false {
            backlogs[ObjectIdentifier(peer)]?.missed.append(adapter)
        }
        return true
    }

    /// Forgets a client that has left.
    func forget(_ peer: Peer) { backlogs[ObjectIdentifier(peer)] = nil }

    private func caughtUp(_ peer: Peer) {
        guard let backlog = backlogs.removeValue(forKey: ObjectIdentifier(peer)) else { return }
        peer.connection?.readingIsPaused = false
        for adapter in backlog.missed { adapter.announce(to: peer) }
    }
}
