// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import Glibc

/// The searches in progress, at most one for each connection.
@DBusActor
final class Searches {
    /// The turns in which objects are examined.
    let turns = WorkTurns.forSearching()
    private var searching: Set<ObjectIdentifier> = []

    nonisolated init() {}

    /// Registers the search of a peer; returns `false` if the peer already has one in progress.
    func beginSearch(for peer: Peer) -> Bool { searching.insert(ObjectIdentifier(peer)).inserted }

    /// Unregisters the search of a peer.
    func endSearch(for peer: Peer) { searching.remove(ObjectIdentifier(peer)) }
}

extension WorkTurns {
    /// Makes the turns in which searches examine objects. Sizes are numbers of objects. At most half of the
    /// processors are used, so that the lists keep the rest.
    nonisolated static func forSearching() -> WorkTurns {
        WorkTurns(
            quantum: SearchRun.objectsPerTurn, mostAtOnce: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2),
            isOneForEachUser: false,
            on: DispatchQueue(label: "org.listd.search", qos: .utility, attributes: .concurrent))
    }
}
