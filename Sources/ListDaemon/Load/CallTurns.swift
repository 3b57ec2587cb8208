// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The calls that have arrived and are not handled yet: users take turns, within a user its connections take turns, and
/// the calls of one connection are handled in order.
///
/// A turn is measured by bytes and by the time that handling takes. Calls are read from the bus even while others wait
/// here; so nobody can fill the bus's queue to listd with calls that take long.
@DBusActor
final class CallTurns {
    /// The bytes of a turn: enough for some calls of a user, before another user has its turn.
    private static let quantum = 8 << 10
    /// A call without arguments counts as so many bytes.
    private static let leastSize = 1 << 10
    /// As many bytes as are handled in a microsecond.
    private static let bytesPerMicrosecond = 64

    private var queue = FairQueue<ObjectIdentifier, Call>(quantum: quantum)
    /// Peers with a call under way that later calls of the peer must follow.
    private var held: Set<ObjectIdentifier> = []
    private let handle: @DBusActor (Call) -> Void
    private lazy var work = LoopWork { [weak self] in self?.handleNext() ?? false }

    /// - Parameter handle: handles a call whose turn has come.
    init(_ handle: @escaping @DBusActor (Call) -> Void) { self.handle = handle }

    /// How many calls wait.
    var count: Int { queue.count }

    /// Puts a call behind the others of its connection; it is handled in this turn of the loop if there are few.
    func append(_ call: Call, size: Int) {
        let peer = call.peer
        queue.append(call, size: max(Self.leastSize, size), user: peer.account, connection: ObjectIdentifier(peer))
        work.begin()
    }

    /// Keeps the calls of a peer until the call that is under way lets the others follow.
    func hold(_ peer: Peer) {
        held.insert(ObjectIdentifier(peer))
        queue.hold(ObjectIdentifier(peer), of: peer.account)
    }

    /// Handles the calls of a peer again.
    func release(_ peer: Peer) {
        held.remove(ObjectIdentifier(peer))
        queue.release(ObjectIdentifier(peer), of: peer.account)
        if queue.hasTurn { work.begin() }
    }

    /// Drops the calls of a peer that has left, except those to which it wanted no answer.
    func forget(_ peer: Peer) {
        let calls = queue.removeAll(for: ObjectIdentifier(peer), of: peer.account)
        if held.contains(ObjectIdentifier(peer)) { queue.hold(ObjectIdentifier(peer), of: peer.account) }
        for call in calls {
            if call.message.noReplyExpected { append(call, size: 0) } else { call.abandon() }
        }
    }

    private func handleNext() -> Bool {
        guard let piece = queue.popFirst() else { return false }
        let begin = ContinuousClock.now
        if !piece.element.isAnswered { handle(piece.element) }
        let time = (ContinuousClock.now - begin) / .microseconds(1)
        queue.correct(piece, by: Int(time) * Self.bytesPerMicrosecond)
        return queue.hasTurn
    }
}

extension Peer {
    /// The account of a connection's calls: its user's, or a shared one for unknown users.
    var account: UInt32 { credentials?.userID ?? .max }
}
