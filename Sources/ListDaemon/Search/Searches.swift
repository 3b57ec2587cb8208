// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
internal import Glibc

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

extension WorkTurns {
    /// Looks for texts in objects, and leaves half of the machine to the lists. Sizes are objects.
    nonisolated static func forSearching() -> WorkTurns {
        WorkTurns(
            quantum: SearchRun.objectsPerTurn, mostAtOnce: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2),
            isOneForEachUser: false,
            on: DispatchQueue(label: "org.listd.search", qos: .utility, attributes: .concurrent))
    }
}
