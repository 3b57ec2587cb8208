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
    private let list: @DBusActor (String) -> (any FollowableList)?
    /// Whether all lists that exist at the start of listd are loaded. Until then, a missing list may still appear.
    private(set) var areInitialListsLoaded = false

    /// - Parameter list: finds the list of a name.
    nonisolated init(list: @escaping @DBusActor (String) -> (any FollowableList)?) {
        self.list = list
    }

    /// Returns the list with this name.
    func base(named name: String) -> (any FollowableList)? { list(name) }

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
    func attach(_ follower: Follower, to base: any FollowableList) {
        attached[ObjectIdentifier(base), default: []].append(follower)
        base.setFollowed(true)
    }

    /// Stops reporting the changes of a list to a follower.
    func detach(_ follower: Follower, from base: any FollowableList) {
        let rest = attached[ObjectIdentifier(base), default: []].filter { $0 !== follower }
        attached[ObjectIdentifier(base)] = rest.isEmpty ? nil : rest
        if rest.isEmpty { base.setFollowed(false) }
    }

    // MARK: Changes of lists

    /// Handles that a list was added, or has got its name.
    func handleAppearance(of adapter: any FollowableList) {
        for follower in followers.values where ExactText(follower.baseName) == ExactText(adapter.name) {
            follower.reevaluateBase()
        }
    }

    /// Handles that a list was removed or renamed.
    func handleDisappearance(of adapter: any FollowableList) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] { follower.reevaluateBase() }
    }

    /// Reports a change of a list's objects to its followers.
    func reportChange(_ change: Change, of adapter: any FollowableList) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] { follower.handleBaseChange(change) }
    }

    /// Reports changed display hints of a list to its followers.
    func reportHintsChange(of adapter: any FollowableList) {
        for follower in attached[ObjectIdentifier(adapter)] ?? [] { follower.handleBaseHintsChange() }
    }

    /// Reports to the followers of a list that the set of users who may read it has changed.
    func reportReadersChange(of adapter: any FollowableList) {
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

/// A list that can follow another list and can be followed, as the code for following sees it.
@DBusActor
protocol FollowableList: AnyObject {
    /// The name of the list, byte for byte as the client or the file gave it.
    var name: String { get }
    /// The access rules of the list.
    var access: AdapterAccess { get }
    /// Whether the access rules exclude some users from reading the list.
    var isRestricted: Bool { get }
    /// The hints for displaying the list's fields.
    var hints: [String: FieldHint] { get }

    // MARK: The list as the followed one

    /// Returns whether `caller` may read the list.
    func allowsReading(_ caller: Caller) -> Bool

    /// Reads objects from an offset on, without a caller whose rights are checked. If the answer is not a page,
    /// `completion` is not called.
    func readPage(
        from offset: Int, limit: Int, byteLimit: Int,
        _ completion: @escaping @DBusActor (_ total: Int, _ objects: [ListObject]) -> Void)

    /// Turns on or off the reporting of object changes to the followers.
    func setFollowed(_ isFollowed: Bool)

    // MARK: The list as the follower

    /// Whether the list has failed, so that it applies no changes.
    var hasFailed: Bool { get }

    /// Returns whether the user that created this list may read another one.
    func ownerMayRead(_ list: any FollowableList) -> Bool

    /// Marks the list as being loaded.
    func beginLoading()

    /// Records the error because of which the list is not filled any more.
    func fail(_ error: ListError)

    /// Removes all objects from the list.
    func removeAllObjects(_ completion: @escaping @DBusActor (ListError?) -> Void)

    /// Runs a closure that may change the hints of the list's source, and announces changed hints to the clients that
    /// read them.
    func changeHints(_ change: () -> Void)

    /// Announces to clients that the hints of the list have changed.
    func announceHintsChange()

    /// Ends the subscriptions and views of clients that may no longer read the list, and notifies its followers. Call
    /// this when the set of users who may read the list may have changed.
    func updateReaders()
}

/// The weak link from a follower to the list that it fills. It exists before the list does, and does not retain it.
@DBusActor
protocol FollowingRelay: AnyObject, Sendable {
    /// The list that follows; nil before it is created and after it is removed.
    var list: (any FollowableList)? { get }

    /// Passes a change of objects on to the list; without a list, the change is dropped.
    func apply(_ event: SourceEvent, _ completion: @escaping @DBusActor (ListError?) -> Void)
}
