// SPDX-License-Identifier: Apache-2.0

/// A list of objects without duplicates. Of objects with equal identifiers, the first one is kept.
///
/// - Complexity: O(n).
@_spi(Daemon) public struct UniqueObjects {
    /// The objects that are kept, in order.
    public private(set) var objects: [ListObject]
    /// The other objects.
    public private(set) var dropped = DroppedDuplicates()

    /// Removes the duplicates from a list.
    public init(_ all: [ListObject]) {
        let duplicates = UniqueObjects.duplicates(in: all)
        objects = all
        guard !duplicates.isEmpty else { return }
        dropped.count = duplicates.count
        var named: Set<ExactText> = []
        for index in duplicates {
            if dropped.ids.count == DroppedDuplicates.maximumIDs { break }
            if named.insert(ExactText(all[index].id)).inserted { dropped.ids.append(all[index].id) }
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

extension UpdateRequest.DuplicatePolicy {
    /// Returns the objects that a list keeps.
    ///
    /// - Throws: `duplicateIdentifier` if there are duplicates and the policy is ``fail``.
    @_spi(Daemon) public func apply(to objects: [ListObject]) throws(ListError) -> UniqueObjects {
        let unique = UniqueObjects(objects)
        guard self == .fail, let first = unique.dropped.ids.first else { return unique }
        throw ListError(.duplicateIdentifier, "objects: the identifier \(first.quoted) occurs twice")
    }
}
