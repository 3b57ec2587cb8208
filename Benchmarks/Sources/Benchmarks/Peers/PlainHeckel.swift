// SPDX-License-Identifier: Apache-2.0

/// Heckel's diff algorithm as in IGListKit: a table of heap-allocated entries, each with a stack of indexes.
///
/// Unlike the original, it does not box indexes, and does not build tables of identifiers for later lookups.
enum PlainHeckel {
    private final class Entry {
        var oldCount = 0
        var newCount = 0
        var oldIndexes: [Int] = []
        var isUpdated = false
    }

    private struct Record {
        let entry: Entry
        var index: Int?
    }

    struct Result {
        var inserts: [Int] = []
        var deletes: [Int] = []
        var updates: [Int] = []
        var moves: [(from: Int, to: Int)] = []
    }

    static func between<Item>(_ old: [Item], _ new: [Item], id: (Item) -> String, isEqual: (Item, Item) -> Bool)
        -> Result
    {
        var table: [String: Entry] = [:]
        func entry(for id: String) -> Entry {
            if let entry = table[id] { return entry }
            let entry = Entry()
            table[id] = entry
            return entry
        }
        var newRecords = new.map { item -> Record in
            let entry = entry(for: id(item))
            entry.newCount += 1
            entry.oldIndexes.append(-1)
            return Record(entry: entry, index: nil)
        }
        var oldRecords = old.reversed().enumerated().map { offset, item -> Record in
            let entry = entry(for: id(item))
            entry.oldCount += 1
            entry.oldIndexes.append(old.count - 1 - offset)
            return Record(entry: entry, index: nil)
        }
        oldRecords.reverse()
        for index in new.indices {
            let entry = newRecords[index].entry
            let original = entry.oldIndexes.removeLast()
            guard original >= 0 else { continue }
            if !isEqual(old[original], new[index]) { entry.isUpdated = true }
            newRecords[index].index = original
            oldRecords[original].index = index
        }
        return makeResult(old: oldRecords, new: newRecords)
    }

    private static func makeResult(old oldRecords: [Record], new newRecords: [Record]) -> Result {
        var result = Result()
        var deletesBefore = [Int](repeating: 0, count: oldRecords.count)
        for (index, record) in oldRecords.enumerated() {
            deletesBefore[index] = result.deletes.count
            if record.index == nil { result.deletes.append(index) }
        }
        for (index, record) in newRecords.enumerated() {
            guard let original = record.index else {
                result.inserts.append(index)
                continue
            }
            if record.entry.isUpdated { result.updates.append(original) }
            if original - deletesBefore[original] + result.inserts.count != index {
                result.moves.append((original, index))
            }
        }
        return result
    }
}
