// SPDX-License-Identifier: Apache-2.0

extension ListItemChanges {
    /// Makes consistent changes from the records of an item update. Fails if that is impossible (rules BU-11, UP-47,
    /// UP-48).
    ///
    /// Repeated deletes and reloads count once. The reload of a deleted item is dropped. Items that are inserted at
    /// the same index get consecutive indexes.
    init?(_ recorded: RecordedItemChanges, itemCount: Int) {
        let before = 0..<itemCount
        let deleted = Set(recorded.deletes)
        let origins = recorded.moves.map(\.from)
        deletes = deleted.sorted()
        moves = recorded.moves.filter { !deleted.contains($0.from) }.sorted { $0.to < $1.to }
        updates = Set(recorded.reloads).subtracting(deleted).sorted()
        guard (deletes + origins + updates).allSatisfy(before.contains), Set(moves.map(\.from)).count == moves.count,
            Set(moves.map(\.to)).count == moves.count
        else { return nil }
        let after = 0..<itemCount - deletes.count + recorded.inserts.count
        guard (recorded.inserts + moves.map(\.to)).allSatisfy(after.contains) else { return nil }
        let taken = Set(moves.map(\.to))
        var next = 0
        for index in recorded.inserts.sorted() {
            var place = max(index, next)
            while taken.contains(place) { place += 1 }
            inserts.append(place)
            next = place + 1
        }
        guard inserts.allSatisfy(after.contains) else { return nil }
    }

    /// Returns the number of items after the changes, from the number before.
    func newCount(oldCount: Int) -> Int { oldCount - deletes.count + inserts.count }

    /// Returns the combination of earlier changes and these changes, or `nil` if these changes have indexes of items
    /// that do not exist after the earlier changes.
    ///
    /// - Parameter itemCount: the number of items before the earlier changes.
    func combined(after earlier: ListItemChanges?, itemCount: Int) -> ListItemChanges? {
        let earlier = earlier ?? ListItemChanges(updates: [])
        let between = 0..<max(0, earlier.newCount(oldCount: itemCount))
        guard (deletes + moves.map(\.from) + updates).allSatisfy(between.contains) else { return nil }
        return earlier.followed(by: self, itemCount: itemCount)
    }

    /// Returns the combination of these changes and later changes.
    ///
    /// - Parameter itemCount: the number of items before these changes.
    func followed(by next: ListItemChanges, itemCount: Int) -> ListItemChanges {
        if isEmpty { return next }
        if next.isEmpty { return self }
        let middle = origins(itemCount: itemCount)
        let origins = next.origins(itemCount: middle.count).map { $0.flatMap { middle[$0] } }
        var result = ListItemChanges(origins: origins, itemCount: itemCount)
        let survivors = Set(origins.compactMap { $0 })
        result.updates = Set(updates + next.updates.compactMap { middle[$0] }).intersection(survivors).sorted()
        return result
    }

    /// Returns, for each item after the changes, its index before the changes; `nil` for an inserted item.
    func origins(itemCount: Int) -> [Int?] {
        let gone = Set(deletes + moves.map(\.from))
        var stays = (0..<itemCount).filter { !gone.contains($0) }.makeIterator()
        var placed: [Int: Int?] = [:]
        for index in inserts { placed.updateValue(nil, forKey: index) }
        for move in moves { placed[move.to] = move.from }
        return (0..<newCount(oldCount: itemCount)).map { index in
            if let origin = placed[index] { return origin }
            return stays.next()
        }
    }

    /// Makes the changes from an old list to a new list of items.
    ///
    /// - Parameters:
    ///   - origins: for each new item, its index in the old list; `nil` = the item was inserted.
    ///   - itemCount: the number of items in the old list.
    init(origins: [Int?], itemCount: Int) {
        var survives = [Bool](repeating: false, count: itemCount)
        for case .some(let origin) in origins { survives[origin] = true }
        deletes = survives.indices.filter { !survives[$0] }
        var rankBefore = [Int](repeating: 0, count: itemCount)
        var rank = 0
        for index in survives.indices where survives[index] {
            rankBefore[index] = rank
            rank += 1
        }
        var rankAfter = 0
        for (index, origin) in origins.enumerated() {
            guard let origin else {
                inserts.append(index)
                continue
            }
            // As in IGListKit, an item is moved only if deletes and inserts do not explain its new index.
            if rankBefore[origin] != rankAfter { moves.append((origin, index)) }
            rankAfter += 1
        }
    }

    /// Returns the mapping of item indexes before the changes to indexes after them.
    func forwarding() -> IndexForwarding {
        IndexForwarding(deletes: deletes, inserts: inserts, moves: moves.map { ($0.from, $0.to) })
    }
}
