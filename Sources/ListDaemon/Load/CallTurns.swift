// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The calls that have arrived and are not handled yet. Users take turns, the connections of a user take turns, and
/// the calls of one connection are handled in order.
///
/// A turn is measured by the bytes of the calls and the time that handling takes. Calls are read from the bus even
/// while others wait here, so that slow calls cannot fill the bus's queue to listd.
@DBusActor
final class CallTurns {
    /// The bytes of a turn: enough for several calls of a user before the next user's turn.
    private static let quantum = 8 << 10
    /// The bytes that a call without arguments counts as.
    private static let leastSize = 1 << 10
    /// The number of bytes that count as much as one microsecond of handling.
    private static let bytesPerMicrosecond = 64

    private var queue = FairQueue<ObjectIdentifier, Call>(quantum: quantum)
    /// The peers with a call in progress that their later calls must not overtake.
    private var held: Set<ObjectIdentifier> = []
    private let handle: @DBusActor (Call) -> Void
    private lazy var work = LoopWork { [weak self] in self?.handleNext() ?? false }

    /// - Parameter handle: handles a call whose turn has come.
    init(_ handle: @escaping @DBusActor (Call) -> Void) { self.handle = handle }

    /// The number of waiting calls.
    var count: Int { queue.count }

    /// Appends a call to those of its connection. If few calls wait, it is handled in this iteration of the event
    /// loop.
    func append(_ call: Call, size: Int) {
        let peer = call.peer
        queue.append(call, size: max(Self.leastSize, size), user: peer.account, connection: ObjectIdentifier(peer))
        work.begin()
    }

    /// Holds back the calls of a peer until ``release(_:)``, so that they do not overtake a call in progress.
    func hold(_ peer: Peer) {
        held.insert(ObjectIdentifier(peer))
        queue.hold(ObjectIdentifier(peer), of: peer.account)
    }

    /// Lets the calls of a peer take turns again.
    func release(_ peer: Peer) {
        held.remove(ObjectIdentifier(peer))
        queue.release(ObjectIdentifier(peer), of: peer.account)
        if queue.hasTurn { work.begin() }
    }

    /// Drops the calls of a peer that has left, except those that expect no reply.
    func removeCalls(of peer: Peer) {
        let calls = queue.removeAll(for: ObjectIdentifier(peer), of: peer.account)
        if held.contains(ObjectIdentifier(peer)) { queue.hold(ObjectIdentifier(peer), of: peer.account) }
        for call in calls {
            if call.message.noReplyExpected { append(call, size: 0) } else { call.abandon() }
        }
    }

    /// Handles the call that has the turn, if any; returns whether another call has the next turn.
    private func handleNext() -> Bool {
        guard let piece = queue.popFirst() else { return false }
        let begin = ContinuousClock.now
        if !piece.element.isAnswered { handle(piece.element) }
        let time = (ContinuousClock.now - begin) / .microseconds(1)
        queue.correctSize(of: piece, by: Int(time) * Self.bytesPerMicrosecond)
        return queue.hasTurn
    }
}

extension Peer {
    /// The user to whose account a connection's calls are charged; unknown users share one account.
    var account: UInt32 { credentials?.userID ?? .max }
}
