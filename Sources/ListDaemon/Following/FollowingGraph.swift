// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// Which list follows which: each at most one, by its name, whether that is there or not.
struct FollowingGraph {
    private var bases: [ExactText: ExactText] = [:]

    /// Makes a graph of lists, each with the name of the one that it follows.
    init(_ following: [(name: String, base: String)] = []) {
        for (name, base) in following { add(name, following: base) }
    }

    /// Has a list follow another one.
    mutating func add(_ name: String, following base: String) { bases[ExactText(name)] = ExactText(base) }

    /// Whether a list would follow itself, by way of others or not, if it followed another one.
    ///
    /// - Complexity: O(lists in the chain).
    func closesCircle(_ name: String, following base: String) -> Bool {
        leads(from: ExactText(base), to: ExactText(name), without: nil)
    }

    /// Whether a list would follow itself if it had another name: others may follow that name already.
    ///
    /// - Complexity: O(lists in the chain).
    func wouldCloseCircle(renaming old: String, to new: String) -> Bool {
        guard let base = bases[ExactText(old)] else { return false }
        return leads(from: base, to: ExactText(new), without: ExactText(old))
    }

    /// - Parameter missing: a name that no list has then; whoever follows it follows nobody.
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
