// SPDX-License-Identifier: Apache-2.0

extension ListItemChanges {
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
