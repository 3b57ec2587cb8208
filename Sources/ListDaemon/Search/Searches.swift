// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The searches that are under way: one of each connection, beside the lists.
@DBusActor
final class Searches {
    /// In which objects are looked at.
    let turns = WorkTurns.forSearching()
    private var searching: Set<ObjectIdentifier> = []

    nonisolated init() {}

    /// Lets a peer begin a search; false while it has one.
    func begin(for peer: Peer) -> Bool { searching.insert(ObjectIdentifier(peer)).inserted }

    /// The search of a peer has ended.
    func end(for peer: Peer) { searching.remove(ObjectIdentifier(peer)) }
}
