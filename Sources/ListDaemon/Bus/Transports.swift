// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The connections on which the daemon is found: one to the bus, and those of direct clients.
@DBusActor
final class Transports {
    /// While more than this waits to be sent on the bus, flushes are held, in bytes.
    static let heldAbove = 4 << 20

    /// The connection to the bus; nil while there is none.
    private(set) var bus: Connection?
    /// The direct clients that do not read.
    let direct = DirectClients()
    /// What went to single clients over the bus.
    let unicast: UnicastSignals
    /// Called when the bus has too much to send (true), and when it has caught up (false).
    private let onCongestion: @DBusActor (Bool) -> Void
    /// Whether the bus has too much to send.
    private(set) var isCongested = false

    nonisolated init(
        onCongestion: @escaping @DBusActor (Bool) -> Void,
        onLoss: @escaping @DBusActor (UnicastSignals.Receiver) -> Void
    ) {
        self.onCongestion = onCongestion
        unicast = UnicastSignals(onLoss: onLoss)
    }

    /// Uses a connection to the bus from now on; nil when it has ended.
    func use(_ connection: Connection?) {
        bus = connection
        if let connection { unicast.follow(connection) }
        if isCongested { relieve() }
    }

    /// Whether a peer calls over the bus, where it hears broadcasts.
    func isOnBus(_ peer: Peer) -> Bool { peer.connection?.isBus ?? false }

    /// Sends a signal to one client; what the bus gives back is noticed.
    func send(_ message: Message, to peer: Peer, _ receiver: UnicastSignals.Receiver) throws(DBusError) {
        let serial = try peer.send(message)
        if isOnBus(peer) { unicast.sent(serial, to: receiver) }
    }

    /// Sends a signal to everybody on the bus who asked for it; without a bus nobody has.
    func broadcastOnBus(_ message: Message) throws(DBusError) {
        guard let bus, bus.isConnected else { return }
        try bus.broadcast(message)
    }

    /// Looks how much waits on the bus; call it after signals were sent. What is held is composed until it is less.
    func checkBus() {
        guard let bus, !isCongested, bus.outgoingSize > Self.heldAbove else { return }
        isCongested = true
        onCongestion(true)
        bus.onDrain(below: Self.heldAbove / 2) { [weak self, weak bus] in
            guard let self, self.bus === bus, isCongested else { return }
            relieve()
        }
    }

    /// Waits until everything is sent on the bus, but not long for a bus that does not take it.
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

    private func relieve() {
        isCongested = false
        onCongestion(false)
    }
}
