// SPDX-License-Identifier: Apache-2.0

import ListKit

/// An element of a test list, with an identifier and a value.
struct Element: Hashable, ListDiffable {
    let id: Int
    let value: Int

    var diffIdentifier: Int { id }

    /// The element as a new list object.
    var object: ListObject {
        get throws { try ListObject(id: "id-\(id)", fields: ["value": .int64(Int64(value))]) }
    }
}

/// Heckel's algorithm as IGListKit implements it: one heap entry for each identifier, three passes, then the
/// result.
enum ReferenceDiff {
    private final class Entry {
        var oldCount = 0
        var newCount = 0
        var oldIndexes: [Int?] = []
        var isUpdated = false
    }

    struct Result: Equatable {
        var inserts: [Int] = []
        var deletes: [Int] = []
        var updates: [Int] = []
        var moves: [ListMoveIndex] = []

        init() {}

        init(_ result: ListIndexSetResult) {
            inserts = Array(result.inserts)
            deletes = Array(result.deletes)
            updates = Array(result.updates)
            moves = result.moves
        }
    }

    /// Returns the differences. `isChanged` compares an old element with a new one.
    static func between<Item, ID: Hashable>(
        _ old: [Item], _ new: [Item], id: (Item) -> ID, isChanged: (Item, Item) -> Bool
    ) -> Result {
        var result = Result()
        if old.isEmpty || new.isEmpty {
            result.inserts = Array(new.indices)
            result.deletes = Array(old.indices)
            return result
        }
        var table: [ID: Entry] = [:]
        func entry(_ id: ID) -> Entry {
            if let entry = table[id] { return entry }
            let entry = Entry()
            table[id] = entry
            return entry
        }
        let newEntries = new.map { item in
            let entry = entry(id(item))
            entry.newCount += 1
            entry.oldIndexes.append(nil)
            return entry
        }
        for index in old.indices.reversed() {
            let entry = entry(id(old[index]))
            entry.oldCount += 1
            entry.oldIndexes.append(index)
        }
        var newOfOld = [Int?](repeating: nil, count: old.count)
        var oldOfNew = [Int?](repeating: nil, count: new.count)
        for index in new.indices {
            let entry = newEntries[index]
            guard let original = entry.oldIndexes.popLast() ?? nil else { continue }
            if isChanged(old[original], new[index]) { entry.isUpdated = true }
            if entry.oldCount > 0, entry.newCount > 0 {
                oldOfNew[index] = original
                newOfOld[original] = index
            }
        }
        var deletesBefore: [Int] = []
        for index in old.indices {
            deletesBefore.append(result.deletes.count)
            if newOfOld[index] == nil { result.deletes.append(index) }
        }
        for index in new.indices {
            guard let original = oldOfNew[index] else {
                result.inserts.append(index)
                continue
            }
            if newEntries[index].isUpdated { result.updates.append(original) }
            if original - deletesBefore[original] + result.inserts.count != index {
                result.moves.append(ListMoveIndex(from: original, to: index))
            }
        }
        result.updates.sort()
        return result
    }

    static func between(_ old: [Element], _ new: [Element]) -> Result {
        between(old, new, id: \.id, isChanged: { $0 != $1 })
    }
}
