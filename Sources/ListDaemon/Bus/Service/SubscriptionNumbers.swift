// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSupport

/// The numbers of subscriptions to lists, and how many each connection has.
@DBusActor
final class SubscriptionNumbers {
    private var last: SubscriptionID = 0
    private var counts: [ObjectIdentifier: Int] = [:]

    nonisolated init() {}

    /// Counts a new subscription of a peer and returns its number.
    ///
    /// - Throws: `limitsExceeded`.
    func begin(for peer: Peer, limit: Limits) throws(ListError) -> SubscriptionID {
        let count = count(of: peer)
        guard count < limit.subscriptionsPerConnection else {
            throw LimitKey.subscriptionsPerConnection.refusal(
                .limitsExceeded, "connection \(peer.name) already has \(count) subscriptions")
        }
        counts[ObjectIdentifier(peer)] = count + 1
        last += 1
        return last
    }

    /// Forgets subscriptions that have ended.
    func end(_ count: Int, of peer: Peer) {
        let left = self.count(of: peer) - count
        counts[ObjectIdentifier(peer)] = left > 0 ? left : nil
    }

    /// The number of subscriptions of a peer that have not ended.
    func count(of peer: Peer) -> Int { counts[ObjectIdentifier(peer)] ?? 0 }
}
