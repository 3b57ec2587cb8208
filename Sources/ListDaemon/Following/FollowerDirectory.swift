// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit

/// The lists that follow others (`list:NAME?…`), and whom they follow.
@DBusActor
final class FollowerDirectory {
    private var followers: [ObjectIdentifier: Follower] = [:]
    /// The followers of each list that is followed at the moment.
    private var attached: [ObjectIdentifier: [Follower]] = [:]
    /// The list of a name.
    private let list: @DBusActor (String) -> (any FollowableList)?
    /// Whether all lists are there that a start brings: what is missing before may still come.
    private(set) var isSettled = false

    /// - Parameter list: finds the list of a name.
    nonisolated init(list: @escaping @DBusActor (String) -> (any FollowableList)?) {
        self.list = list
    }

    /// The list of a name.
    func base(named name: String) -> (any FollowableList)? { list(name) }

    // MARK: Circles

    /// Whether a list would follow itself, by way of others or not, if it followed another one.
    ///
    /// - Parameter configured: what lists of configuration files are about to follow, in place of what they follow now.
    func closesCircle(
        _ name: String, following base: String, configured: [(name: String, base: String)] = []
    ) -> Bool {
        var graph = graph
        for (name, base) in configured { graph.add(name, following: base) }
        return graph.closesCircle(name, following: base)
    }

    /// Whether a list would follow itself if it had another name.
    func wouldCloseCircle(renaming old: String, to new: String) -> Bool {
        graph.wouldCloseCircle(renaming: old, to: new)
    }

    private var graph: FollowingGraph {
        FollowingGraph(followers.values.compactMap { follower in follower.name.map { ($0, follower.baseName) } })
    }

    // MARK: Who follows

    func add(_ follower: Follower) { followers[ObjectIdentifier(follower)] = follower }

    func remove(_ follower: Follower) { followers[ObjectIdentifier(follower)] = nil }

    /// Has a follower told what becomes of a list, from now on.
    func attach(_ follower: Follower, to base: any FollowableList) {
        attached[ObjectIdentifier(base), default: []].append(follower)
        base.setFollowed(true)
    }

    /// Has it told no more.
    func detach(_ follower: Follower, from base: any FollowableList) {
        let rest = attached[ObjectIdentifier(base), default: []].filter { $0 !== follower }
        attached[ObjectIdentifier(base)] = rest.isEmpty ? nil : rest
        if rest.isEmpty { base.setFollowed(false) }
    }

    // MARK: What happens to lists

    /// A list is there.
    func appeared(_ adapter: any FollowableList) {
        for follower in followers.values where ExactText(follower.baseName) == ExactText(adapter.name) {
            follower.look()
        }
    }

    /// A list is gone, or has another name.
    func left(_ adapter: any FollowableList) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] { follower.look() }
    }

    /// What becomes of the objects of a list.
    func apply(_ content: PreparedTransaction.Content, of adapter: any FollowableList) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] { follower.baseChanged(content) }
    }

    /// People want to see fields of a list in another way.
    func hintsChanged(of adapter: any FollowableList) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] { follower.baseHintsChanged() }
    }

    /// Other users may read a list.
    func readersChanged(of adapter: any FollowableList) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] {
            follower.look()
            follower.readersChanged()
        }
    }

    /// Looks whether each follower can follow: rights may be others, and the start is over.
    func lookAgain() {
        isSettled = true
        for follower in followers.values { follower.look() }
    }
}
