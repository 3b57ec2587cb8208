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
            bus.onDisconnect(finish)
            EventLoop.shared.addTimer(after: .milliseconds(500), finish)
        }
    }

    private func endCongestion() {
        isCongested = false
        onCongestion(false)
    }
}
