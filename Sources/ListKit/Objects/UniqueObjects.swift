// SPDX-License-Identifier: Apache-2.0

/// A list of objects without duplicates. Of objects with equal identifiers, the first one is kept.
///
/// - Complexity: O(n).
struct UniqueObjects {
    private(set) var objects: [ListObject]
    private(set) var firstDuplicate: ListObject?

    init(_ all: [ListObject]) {
        let duplicates = UniqueObjects.duplicates(in: all)
        firstDuplicate = duplicates.first.map { all[$0] }
        guard !duplicates.isEmpty else {
            objects = all
            return
        }
        objects = []
        objects.reserveCapacity(all.count - duplicates.count)
        var next = duplicates.makeIterator()
        var duplicate = next.next()
        for (index, object) in all.enumerated() {
            if index == duplicate { duplicate = next.next() } else { objects.append(object) }
        }
    }

    /// Returns the positions of objects whose identifier an earlier object has, ascending.
    private static func duplicates(in all: [ListObject]) -> [Int] {
        DiffMemory.with(byteCount: DiffTable.byteCount(for: all.count)) { memory in
            let table = DiffTable(count: all.count, limit: all.count, in: &memory)
            return all.indices.filter { index in
                let hash = UInt32(truncatingIfNeeded: all[index].storage.identity.hash)
                return table.insert(index, hash: hash) { all[index].isSame(as: all[$0]) } != nil
            }
        }
    }
}
