// SPDX-License-Identifier: Apache-2.0

/// The changes of sections and items that a view can apply in one batch (IGListKit's `ListBatchUpdateData`).
public struct ListBatchUpdateData: Sendable, Hashable {
    /// New positions of inserted sections.
    public let insertSections: ListIndexSet
    /// Old positions of deleted sections.
    public let deleteSections: ListIndexSet
    /// The moves of sections.
    public let moveSections: [ListMoveIndex]
    /// New paths of inserted items.
    public let insertItems: [IndexPath]
    /// Old paths of deleted items, ascending, without duplicates.
    public let deleteItems: [IndexPath]
    /// Old paths of changed items.
    public let updateItems: [IndexPath]
    /// The moves of items.
    public let moveItems: [ListMoveIndexPath]

    /// Makes a batch from changes, and resolves conflicts so that no section or item has two changes (rules BU-01 to
    /// BU-22).
    ///
    /// - A section move whose origin is deleted or whose target is inserted is dropped. Item moves in deleted
    ///   sections are dropped too.
    /// - A section move with item deletes, inserts or moves in it becomes a delete and an insert, without those item
    ///   changes.
    /// - Repeated item deletes become one. Each surplus delete cancels the first remaining insert at the same path.
    ///
    /// Conflicts are determined by the arguments as passed, before any change is dropped. Item updates are never
    /// changed.
    /// - Complexity: O(changes · log changes).
    public init(
        insertSections: ListIndexSet = [], deleteSections: ListIndexSet = [], moveSections: [ListMoveIndex] = [],
        insertItems: [IndexPath] = [], deleteItems: [IndexPath] = [], updateItems: [IndexPath] = [],
        moveItems: [ListMoveIndexPath] = []
    ) {
        var sectionMoves = SectionMoves(
            moves: moveSections.filter { !deleteSections.contains($0.from) && !insertSections.contains($0.to) })
        let (deletes, inserts) = ListBatchUpdateData.collapse(deletes: deleteItems, inserts: insertItems)
        self.deleteItems = deletes.filter { !sectionMoves.convertMove(from: $0.section) }
        self.insertItems = inserts.filter { !sectionMoves.convertMove(to: $0.section) }
        self.updateItems = updateItems
        self.moveItems = moveItems.filter { move in
            let isConverted = sectionMoves.convertMove(from: move.from.section)
            return !isConverted && !deleteSections.contains(move.from.section)
        }
        self.moveSections = sectionMoves.remaining
        self.deleteSections = deleteSections.union(ListIndexSet(sectionMoves.converted.map(\.from)))
        self.insertSections = insertSections.union(ListIndexSet(sectionMoves.converted.map(\.to)))
    }

    /// Merges repeated deletes. Each surplus delete cancels the first remaining insert at the same path.
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

/// The section moves of a batch, each either kept or converted to a delete and an insert.
private struct SectionMoves {
    private let moves: [ListMoveIndex]
    private var isConverted: [Bool]
    private var byOrigin: [Int: Int] = [:]
    private var byTarget: [Int: Int] = [:]

    /// Stores the moves without duplicates. No move is converted yet.
    init(moves: [ListMoveIndex]) {
        var seen: Set<ListMoveIndex> = []
        self.moves = moves.filter { seen.insert($0).inserted }
        isConverted = self.moves.map { _ in false }
        for (position, move) in self.moves.enumerated() {
            byOrigin[move.from] = position
            byTarget[move.to] = position
        }
    }

    /// The moves that were not converted, in their order.
    var remaining: [ListMoveIndex] { zip(moves, isConverted).filter { !$1 }.map(\.0) }

    /// The moves that were converted to a delete and an insert.
    var converted: [ListMoveIndex] { zip(moves, isConverted).filter { $1 }.map(\.0) }

    /// Converts the move whose origin is an old section. Returns false when no move has this origin.
    mutating func convertMove(from section: Int) -> Bool { convertMove(at: byOrigin[section]) }

    /// Converts the move whose target is a new section. Returns false when no move has this target.
    mutating func convertMove(to section: Int) -> Bool { convertMove(at: byTarget[section]) }

    private mutating func convertMove(at position: Int?) -> Bool {
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
