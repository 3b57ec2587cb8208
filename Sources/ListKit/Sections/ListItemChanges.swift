// SPDX-License-Identifier: Apache-2.0

/// What happened to the items of one section, in IGListKit's simultaneous form: old positions for `deletes`, `updates`
/// and the origins of moves, new ones for `inserts` and targets.
struct ListItemChanges {
    var deletes: [Int] = []
    var inserts: [Int] = []
    var moves: [(from: Int, to: Int)] = []
    var updates: [Int] = []

    var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    init(updates: [Int]) { self.updates = updates }

    /// Follows items by their identity; both lists must be free of repeated ones (`unique`).
    init(from old: [ListItem], to new: [ListItem]) {
        var places: [ExactText: Int] = [:]
        places.reserveCapacity(old.count)
        for (index, item) in old.enumerated() { places[ExactText(item.identity ?? "")] = index }
        let origins = new.map { places[ExactText($0.identity ?? "")] }
        self.init(origins: origins, itemCount: old.count)
        for (index, origin) in origins.enumerated() {
            if let origin, old[origin] != new[index] { updates.append(origin) }
        }
        updates.sort()
    }

    /// The items that have an identity, the first of each (rule BN-03).
    static func unique(_ items: [ListItem]) -> [ListItem] {
        var seen: Set<ExactText> = []
        return items.filter { item in item.identity.map { seen.insert(ExactText($0)).inserted } ?? false }
    }
}
