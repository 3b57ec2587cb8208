// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The daemon's connections: one to the bus, and those of direct clients.
@DBusActor
final class Transports {
    /// The number of bytes queued for the bus above which flushes are held back.
    static let heldAbove = 4 << 20

    /// The connection to the bus; nil if there is none at present.
    private(set) var bus: Connection?
    /// The direct clients that do not read their messages.
    let direct = DirectClients()
    /// The signals that were sent to single clients over the bus.
    let unicast: UnicastSignals
    /// Called with `true` when too much is queued for the bus, and with `false` when the queue has shrunk.
    private let onCongestion: @DBusActor (Bool) -> Void
    /// Whether too much is queued for the bus.
    private(set) var isCongested = false

    nonisolated init(
        onCongestion: @escaping @DBusActor (Bool) -> Void,
        onLoss: @escaping @DBusActor (UnicastSignals.Receiver) -> Void
    ) {
        self.onCongestion = onCongestion
        unicast = UnicastSignals(onLoss: onLoss)
    }

    /// Sets the connection to the bus; nil when it has ended.
    func setBus(_ connection: Connection?) {
        bus = connection
        if let connection { unicast.observe(connection) }
        if isCongested { endCongestion() }
    }

    /// Returns whether a peer is connected through the bus, where it can receive broadcasts.
    func isOnBus(_ peer: Peer) -> Bool { peer.connection?.isBus ?? false }

    /// Sends a signal to one client; if the bus cannot deliver it, `onLoss` is called.
    func send(_ message: Message, to peer: Peer, _ receiver: UnicastSignals.Receiver) throws(DBusError) {
        let serial = try peer.send(message)
        if isOnBus(peer) { unicast.recordSent(serial, to: receiver) }
    }

    /// Broadcasts a signal on the bus; without a bus, it has no receivers.
    func broadcastOnBus(_ message: Message) throws(DBusError) {
        guard let bus, bus.isConnected else { return }
        try bus.broadcast(message)
    }

    /// Begins a congestion, during which hosts combine changes, if more than ``heldAbove`` is queued for the bus. Call
    /// this after signals were sent.
    func updateCongestion() {
        guard let bus, !isCongested, bus.outgoingSize > Self.heldAbove else { return }
        isCongested = true
        onCongestion(true)
        bus.onDrain(below: Self.heldAbove / 2) { [weak self, weak bus] in
            guard let self, self.bus === bus, isCongested else { return }
            endCongestion()
        }
    }

    /// Waits until all queued messages are sent on the bus, but at most 500 ms.
    func drain() async {
        guard let bus, bus.isConnected, bus.outgoingSize > 0 else { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var isDone = false
            let finish: @DBusActor () -> Void = {
                if !isDone { continuation.resume() }
                isDone = true
            }
            bus.onDrain(below: 0, finish)
            EventLoop.shared.addTimer(after: .milliseconds(500), finish)
        }
    }

    private func endCongestion() {
        isCongested = false
        onCongestion(false)
    }
}

/// The direct clients that do not read their messages.
///
/// While more than 1 MiB is queued for such a client, its calls are not read, and adapters' signals to it are
/// dropped. After it has caught up, it receives one `announce` of each adapter whose signals it missed, and requests
/// the changes. Its views need no such rule, because credit limits their pictures. Other clients are not affected.
@DBusActor
final class DirectClients {
    /// The clients, with the adapters whose signals they missed.
    private var backlogs: [ObjectIdentifier: (peer: Peer, missed: [AdapterSignals])] = [:]

    nonisolated init() {}

    /// The number of clients that do not read at present.
    var countBehind: Int { backlogs.count }

    /// Stops reading from a direct client while too much is queued for it. Call this after a message was sent to the
    /// peer, and when the peer has made a call.
    func pauseReadingIfBehind(_ peer: Peer) {
        guard let connection = peer.connection, !connection.isBus, backlogs[ObjectIdentifier(peer)] == nil else {
            return
        }
        let isBehind = connection.awaitsDrain { [weak self, weak peer] in
            if let peer { self?.resumeReading(from: peer) }
        }
        guard isBehind else { return }
        backlogs[ObjectIdentifier(peer)] = (peer, [])
        connection.readingIsPaused = true
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
