// SPDX-License-Identifier: Apache-2.0

/// Section and item changes that a view can apply in one batch (IGListKit's `ListBatchUpdateData`).
public struct ListBatchUpdateData: Sendable, Hashable {
    /// New positions of inserted sections.
    public let insertSections: ListIndexSet
    /// Old positions of deleted sections.
    public let deleteSections: ListIndexSet
    /// Sections that moved.
    public let moveSections: [ListMoveIndex]
    /// New paths of inserted items.
    public let insertItems: [IndexPath]
    /// Old paths of deleted items, ascending, each once.
    public let deleteItems: [IndexPath]
    /// Old paths of changed items.
    public let updateItems: [IndexPath]
    /// Items that moved.
    public let moveItems: [ListMoveIndexPath]

    /// Cleans changes so that no section or item has two of them (rules BU-01 to BU-22).
    ///
    /// - A section move whose origin is deleted or whose target is inserted is dropped; so are item moves in deleted sections.
    /// - A section move with item deletes, inserts or moves in it becomes a delete and an insert, without those item
    ///   changes.
    /// - Repeated item deletes become one; each surplus one removes an insert at the same path, front to back.
    ///
    /// Conflicts are judged on the sets as they were given. Item updates are not changed.
    /// - Complexity: O(changes · log changes).
    public init(
        insertSections: ListIndexSet = [], deleteSections: ListIndexSet = [], moveSections: [ListMoveIndex] = [],
        insertItems: [IndexPath] = [], deleteItems: [IndexPath] = [], updateItems: [IndexPath] = [],
        moveItems: [ListMoveIndexPath] = []
    ) {
        var cleaner = SectionMoveCleaner(
            moves: moveSections.filter { !deleteSections.contains($0.from) && !insertSections.contains($0.to) })
        let (deletes, inserts) = ListBatchUpdateData.collapse(deletes: deleteItems, inserts: insertItems)
        self.deleteItems = deletes.filter { !cleaner.convert(from: $0.section) }
        self.insertItems = inserts.filter { !cleaner.convert(to: $0.section) }
        self.updateItems = updateItems
        self.moveItems = moveItems.filter { move in
            let isConverted = cleaner.convert(from: move.from.section)
            return !isConverted && !deleteSections.contains(move.from.section)
        }
        self.moveSections = cleaner.remaining
        self.deleteSections = deleteSections.union(ListIndexSet(cleaner.converted.map(\.from)))
        self.insertSections = insertSections.union(ListIndexSet(cleaner.converted.map(\.to)))
    }

    /// Reduces repeated deletes to one, and lets each surplus one remove an insert at the same path.
    private static func collapse(
        deletes: [IndexPath], inserts: [IndexPath]
    ) -> (deletes: [IndexPath], inserts: [IndexPath]) {
        var unique: [IndexPath] = []
        var surplus: [IndexPath: Int] = [:]
        for path in deletes.sorted() {
            if unique.last == path { surplus[path, default: 0] += 1 } else { unique.append(path) }
        }
        let remaining = inserts.filter { path in
            guard let count = surplus[path], count > 0 else { return true }
            surplus[path] = count - 1
            return false
        }
        return (unique, remaining)
    }
}

/// The section moves of a batch, and those that had to become a delete and an insert.
private struct SectionMoveCleaner {
    private let moves: [ListMoveIndex]
    private var isConverted: [Bool]
    private var byOrigin: [Int: Int] = [:]
    private var byTarget: [Int: Int] = [:]

    init(moves: [ListMoveIndex]) {
        var seen: Set<ListMoveIndex> = []
        self.moves = moves.filter { seen.insert($0).inserted }
        isConverted = self.moves.map { _ in false }
        for (position, move) in self.moves.enumerated() {
            byOrigin[move.from] = position
            byTarget[move.to] = position
        }
    }

    /// The moves that stay, in their order.
    var remaining: [ListMoveIndex] { zip(moves, isConverted).filter { !$1 }.map(\.0) }

    /// The moves that became a delete and an insert.
    var converted: [ListMoveIndex] { zip(moves, isConverted).filter { $1 }.map(\.0) }

    /// Converts the move of a section before the update; false when it does not move.
    mutating func convert(from section: Int) -> Bool { convert(byOrigin[section]) }

    /// Converts the move of a section after the update; false when it did not move.
    mutating func convert(to section: Int) -> Bool { convert(byTarget[section]) }

    private mutating func convert(_ position: Int?) -> Bool {
        guard let position else { return false }
        isConverted[position] = true
        return true
    }
}

extension ListBatchUpdateData: CustomStringConvertible {
    /// The numbers of changes in one line, without item moves (rule DD-01).
    public var description: String {
        "<ListBatchUpdateData; deleteSections: \(deleteSections.count); insertSections: \(insertSections.count); "
            + "moveSections: \(moveSections.count); deleteItems: \(deleteItems.count); "
            + "insertItems: \(insertItems.count); updateItems: \(updateItems.count)>"
    }
}
