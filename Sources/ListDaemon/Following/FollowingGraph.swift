// SPDX-License-Identifier: Apache-2.0

internal import ListKit

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
