// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import PluginAPI

/// The lists that follow others (`list:NAME?…`), and the lists that they follow.
@DBusActor
final class FollowerDirectory {
    private var followers: [ObjectIdentifier: Follower] = [:]
    /// The followers of each followed list.
    private var attached: [ObjectIdentifier: [Follower]] = [:]
    /// Finds a list by its name.
    private let list: @DBusActor (String) -> AdapterObject?
    /// Whether all lists that exist at the start of listd are loaded. Until then, a missing list may still appear.
    private(set) var areInitialListsLoaded = false

    /// - Parameter list: finds the list of a name.
    nonisolated init(list: @escaping @DBusActor (String) -> AdapterObject?) {
        self.list = list
    }

    /// Returns the list with this name.
    func base(named name: String) -> AdapterObject? { list(name) }

    // MARK: Cycles

    /// Returns whether a list would follow itself, directly or through others, if it followed `base`.
    ///
    /// - Parameter configured: what lists from configuration files are about to follow; these pairs replace what the
    ///   lists follow now.
    func closesCycle(
        _ name: String, following base: String, configured: [(name: String, base: String)] = []
    ) -> Bool {
        var graph = graph
        for (name, base) in configured { graph.add(name, following: base) }
        return graph.closesCycle(name, following: base)
    }

    /// Returns whether a list would follow itself if it were renamed.
    func wouldCloseCycle(renaming old: String, to new: String) -> Bool {
        graph.wouldCloseCycle(renaming: old, to: new)
    }

    private var graph: FollowingGraph {
        FollowingGraph(followers.values.compactMap { follower in follower.name.map { ($0, follower.baseName) } })
    }

    // MARK: Followers

    func add(_ follower: Follower) { followers[ObjectIdentifier(follower)] = follower }

    func remove(_ follower: Follower) { followers[ObjectIdentifier(follower)] = nil }

    /// Reports all further changes of a list to a follower.
    func attach(_ follower: Follower, to base: AdapterObject) {
        attached[ObjectIdentifier(base), default: []].append(follower)
        base.host.setReportsChanges(true)
    }

    /// Stops reporting the changes of a list to a follower.
    func detach(_ follower: Follower, from base: AdapterObject) {
        let rest = attached[ObjectIdentifier(base), default: []].filter { $0 !== follower }
        attached[ObjectIdentifier(base)] = rest.isEmpty ? nil : rest
        if rest.isEmpty { base.host.setReportsChanges(false) }
    }

    // MARK: Changes of lists

    /// Handles that a list was added, or has got its name.
    func handleAppearance(of adapter: AdapterObject) {
        for follower in followers.values where ExactText(follower.baseName) == ExactText(adapter.name) {
            follower.reevaluateBase()
        }
    }

    /// Handles that a list was removed or renamed.
    func handleDisappearance(of adapter: AdapterObject) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] { follower.reevaluateBase() }
    }

    /// Reports a change of a list's objects to its followers.
    func reportChange(_ change: Change, of adapter: AdapterObject) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] { follower.handleBaseChange(change) }
    }

    /// Reports changed display hints of a list to its followers.
    func reportHintsChange(of adapter: AdapterObject) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] { follower.handleBaseHintsChange() }
    }

    /// Reports to the followers of a list that the set of users who may read it has changed.
    func reportReadersChange(of adapter: AdapterObject) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] {
            follower.reevaluateBase()
            follower.updateReaders()
        }
    }

    /// Reevaluates all followers. Call this after all lists that exist at the start of listd were loaded, and later
    /// when access rights may have changed.
    func reevaluateFollowers() {
        areInitialListsLoaded = true
        for follower in followers.values { follower.reevaluateBase() }
    }
}

/// A graph of which list follows which. Each list follows at most one other by its name, whether or not a list of
/// that name exists.
struct FollowingGraph {
    private var bases: [ExactText: ExactText] = [:]

    /// Makes a graph of lists, each with the name of the list that it follows.
    init(_ following: [(name: String, base: String)] = []) {
        for (name, base) in following { add(name, following: base) }
    }

    /// Adds a list with the name of the list that it follows.
    mutating func add(_ name: String, following base: String) { bases[ExactText(name)] = ExactText(base) }

    /// Returns whether a list would follow itself, directly or through others, if it followed `base`.
    ///
    /// - Complexity: O(lists in the chain).
    func closesCycle(_ name: String, following base: String) -> Bool {
        leads(from: ExactText(base), to: ExactText(name), without: nil)
    }

    /// Returns whether a list would follow itself if it were renamed; other lists may already follow the new name.
    ///
    /// - Complexity: O(lists in the chain).
    func wouldCloseCycle(renaming old: String, to new: String) -> Bool {
        guard let base = bases[ExactText(old)] else { return false }
        return leads(from: base, to: ExactText(new), without: ExactText(old))
    }

    /// - Parameter missing: a name that no list will have; the chain ends there.
    private func leads(from start: ExactText, to end: ExactText, without missing: ExactText?) -> Bool {
        var seen: Set<ExactText> = []
        var next = Optional(start)
        while let name = next, seen.insert(name).inserted {
            if name == end { return true }
            next = name == missing ? nil : bases[name]
        }
        return false
    }
}
