// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The direct clients that do not read their messages.
///
/// While more than 1 MiB is queued for such a client, its calls are not read, and adapters' signals to it are
/// dropped. After it has caught up, it receives one `announce` of each adapter whose signals it missed, and requests
/// the changes. Its views need no such rule, because credit limits their pictures. Other clients are not affected.
@DBusActor
final class DirectClients {
    /// The number of queued bytes above which a client counts as not reading.
    static let behindAbove = 1 << 20

    private struct Backlog {
        var peer: Peer
        /// The adapters whose signals the client missed.
        var missed: [AdapterSignals] = []
    }

    private var backlogs: [ObjectIdentifier: Backlog] = [:]

    nonisolated init() {}

    /// The number of clients that do not read at present.
    var countBehind: Int { backlogs.count }

    /// Stops reading from a direct client while too much is queued for it. Call this after a message was sent to the
    /// peer, and when the peer has made a call.
    func pauseReadingIfBehind(_ peer: Peer) {
        guard let connection = peer.connection, !connection.isBus, backlogs[ObjectIdentifier(peer)] == nil,
            connection.outgoingSize > Self.behindAbove
        else { return }
        backlogs[ObjectIdentifier(peer)] = Backlog(peer: peer)
        connection.readingIsPaused = true
        connection.onDrain(below: Self.behindAbove / 2) { [weak self, weak peer] in
            if let peer { self?.resumeReading(from: peer) }
        }
    }

    /// Returns whether a signal to a peer must be dropped because the peer does not read, and records that it missed
    /// the signal.
    func mustDropSignal(of adapter: AdapterSignals, to peer: Peer) -> Bool {
        pauseReadingIfBehind(peer)
        guard backlogs[ObjectIdentifier(peer)] != nil else { return false }
        if backlogs[ObjectIdentifier(peer)]?.missed.contains(where: { $0 === adapter }) == false {
            backlogs[ObjectIdentifier(peer)]?.missed.append(adapter)
        }
        return true
    }

    /// Removes a client that has left.
    func removeBacklog(of peer: Peer) { backlogs[ObjectIdentifier(peer)] = nil }

    /// Resumes reading from a client that has read its messages, and announces the lists whose signals the client
    /// missed.
    private func resumeReading(from peer: Peer) {
        guard let backlog = backlogs.removeValue(forKey: ObjectIdentifier(peer)) else { return }
        peer.connection?.readingIsPaused = false
        for adapter in backlog.missed { adapter.announce(to: peer) }
    }
}
