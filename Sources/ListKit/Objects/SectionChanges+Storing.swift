// SPDX-License-Identifier: Apache-2.0

extension SectionChanges {
    /// Returns the changes in the form for the store: single changes if there are few, else the whole list.
    ///
    /// - Parameter object: returns the object at a position before the changes.
    func storeContent(_ object: (Int) -> ListObject?) -> PreparedTransaction.Content {
        if let list, count > list.count / 4 { return .replace(list) }
        var changes = PreparedTransaction.Changes()
        changes.removed = deletes.compactMap { object($0)?.id }
        let moved = Set(moves.map(\.old))
        changes.updated = updates.filter { !moved.contains($0.old) }.map(\.object)
        changes.placed = placements(object)
        return .changes(changes)
    }

    /// Returns the inserted and moved objects in their final order, each with its predecessor.
    private func placements(_ oldObject: (Int) -> ListObject?) -> [PreparedTransaction.Placement] {
        let updated = Dictionary(updates.map { ($0.old, $0.object) }, uniquingKeysWith: { first, _ in first })
        var placed = inserts.map { (new: $0.new, object: Optional($0.object)) }
        placed += moves.map { move in (move.new, updated[move.old] ?? oldObject(move.old)) }
        placed.sort { $0.new < $1.new }
        let origins = Survivors(of: self)
        var result: [PreparedTransaction.Placement] = []
        result.reserveCapacity(placed.count)
        var previous: (new: Int, id: String)?
        for (index, place) in placed.enumerated() {
            guard let object = place.object else { continue }
            let id = object.id
            let predecessor: String?
            if place.new == 0 {
                predecessor = nil
            } else if let previous, previous.new == place.new - 1 {
                predecessor = previous.id
            } else {
                predecessor = oldObject(origins.position(ofRank: place.new - 1 - index))?.id
            }
            result.append(PreparedTransaction.Placement(object: object, predecessor: predecessor))
            previous = (place.new, id)
        }
        return result
    }
}

/// A lookup table for the remaining objects, which are neither removed nor moved, by their rank in this group.
struct Survivors {
    /// For each position of a removed or moved object, the number of remaining objects before it; ascending.
    private let gaps: [Int]

    init(of changes: SectionChanges) {
        let removed = (changes.deletes + changes.moves.map(\.old)).sorted()
        gaps = removed.enumerated().map { $1 - $0 }
    }

    /// Returns the position, before the changes, of the remaining object with the given rank.
    ///
    /// - Complexity: O(log changes).
    func position(ofRank rank: Int) -> Int {
        rank + gaps.partitionPoint { $0 <= rank }
    }
}
