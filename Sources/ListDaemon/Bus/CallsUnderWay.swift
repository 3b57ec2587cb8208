// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The calls of each peer that may change properties and are not answered yet.
///
/// A peer that makes such a call, and reads a property before it has the answer, gets the value after the call, as an
/// `Ack` has no answer to wait for. Calls of other peers are not waited for.
@DBusActor
struct CallsUnderWay {
    /// Names a call.
    typealias Number = UInt64

    private var lastNumber: Number = 0
    /// The last call of each peer that has any; they are answered in their order.
    private var newest: [ObjectIdentifier: Number] = [:]
    private var waiting: [Number: [@DBusActor () -> Void]] = [:]

    nonisolated init() {}

    /// Notes a call, which keeps its peer until it is answered.
    mutating func begin(of peer: Peer) -> Number {
        lastNumber += 1
        newest[ObjectIdentifier(peer)] = lastNumber
        return lastNumber
    }

    /// A call was answered.
    ///
    /// - Returns: what waited for it, to be run now.
    mutating func end(_ number: Number, of peer: Peer) -> [@DBusActor () -> Void] {
        if newest[ObjectIdentifier(peer)] == number { newest[ObjectIdentifier(peer)] = nil }
        return waiting.removeValue(forKey: number) ?? []
    }

    /// Keeps `body` until the calls of a peer that are there now are answered; false = there are none.
    mutating func hold(_ body: @escaping @DBusActor () -> Void, for peer: Peer) -> Bool {
        guard let number = newest[ObjectIdentifier(peer)] else { return false }
        waiting[number, default: []].append(body)
        return true
    }
}
