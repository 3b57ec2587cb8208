// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The unanswered calls of each peer that may change properties.
///
/// If a peer makes such a call and then reads a property, it gets the value after the call, even if it did not wait for
/// the answer: an `Ack` has none. Reads do not wait for the calls of other peers.
@DBusActor
struct CallsUnderWay {
    /// The number of a call.
    typealias Number = UInt64

    private var lastNumber: Number = 0
    /// The last unanswered call of each peer; the calls of a peer are answered in order.
    private var newest: [ObjectIdentifier: Number] = [:]
    private var waiting: [Number: [@DBusActor () -> Void]] = [:]

    nonisolated init() {}

    /// Records a call of a peer. The call retains the peer until it is answered, so that the peer's identifier stays
    /// valid.
    mutating func beginCall(of peer: Peer) -> Number {
        lastNumber += 1
        newest[ObjectIdentifier(peer)] = lastNumber
        return lastNumber
    }

    /// Records that a call was answered.
    ///
    /// - Returns: the closures that waited for the call, which the caller must run now.
    mutating func endCall(_ number: Number, of peer: Peer) -> [@DBusActor () -> Void] {
        if newest[ObjectIdentifier(peer)] == number { newest[ObjectIdentifier(peer)] = nil }
        return waiting.removeValue(forKey: number) ?? []
    }

    /// Keeps `body` until the present calls of a peer are answered; returns `false` if there are none.
    mutating func hold(_ body: @escaping @DBusActor () -> Void, for peer: Peer) -> Bool {
        guard let number = newest[ObjectIdentifier(peer)] else { return false }
        waiting[number, default: []].append(body)
        return true
    }
}
