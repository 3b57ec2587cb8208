// SPDX-License-Identifier: Apache-2.0

extension ListItemChanges {
    /// Computes the changes between two lists of items, matched by identity. Neither list may repeat an identity; see
    /// ``unique(_:)``.
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

    /// Returns the items that have an identity, without items that repeat an earlier identity (rule BN-03).
    static func unique(_ items: [ListItem]) -> [ListItem] {
        var seen: Set<ExactText> = []
        return items.filter { item in item.identity.map { seen.insert(ExactText($0)).inserted } ?? false }
    }
}
