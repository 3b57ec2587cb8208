// SPDX-License-Identifier: Apache-2.0

extension SectionChanges {
    /// The write of these changes: single changes when they are few, else the whole list.
    ///
    /// - Parameter object: the object that was at a position.
    func stored(_ object: (Int) -> ListObject?) -> PreparedTransaction.Content {
        if let list, count > list.count / 4 { return .replace(list) }
        var changes = PreparedTransaction.Changes()
        changes.removed = deletes.compactMap { object($0)?.id }
        let moved = Set(moves.map(\.old))
        changes.updated = updates.filter { !moved.contains($0.old) }.map(\.object)
        changes.placed = placements(object)
        return .changes(changes)
    }

    /// New and moved objects in final order, each with the object before it.
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

/// Finds the objects that are neither removed nor moved, by their rank among themselves.
struct Survivors {
    /// For each position that is taken away, how many others stay before it; ascending.
    private let gaps: [Int]

    init(of changes: SectionChanges) {
        let removed = (changes.deletes + changes.moves.map(\.old)).sorted()
        gaps = removed.enumerated().map { $1 - $0 }
    }

    /// The position before of the survivor with a rank; O(log changes).
    func position(ofRank rank: Int) -> Int {
        rank + gaps.partitionPoint { $0 <= rank }
    }
}
