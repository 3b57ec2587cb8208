// SPDX-License-Identifier: Apache-2.0

/// A section with its items, header and footer, for the two-level diff.
public struct ListSectionSnapshot<Section: ListDiffable, Item: ListDiffable, Supplementary: Equatable> {
    /// The section itself: its identity and its own content.
    public var section: Section
    /// The items in order.
    public var items: [Item]
    /// The header; nil for a section without one.
    public var header: Supplementary?
    /// The footer; nil for a section without one.
    public var footer: Supplementary?

    /// Makes a snapshot of a section.
    public init(_ section: Section, items: [Item], header: Supplementary? = nil, footer: Supplementary? = nil) {
        self.section = section
        self.items = items
        self.header = header
        self.footer = footer
    }
}

extension ListSectionSnapshot: Sendable where Section: Sendable, Item: Sendable, Supplementary: Sendable {}

/// The changes between two lists of sections with items.
///
/// The items of inserted and deleted sections are not listed. All changes are simultaneous, as in
/// `ListIndexSetResult`.
public struct ListSectionedResult: Sendable, Hashable {
    /// The changes between the sections. An update means that a section's own content differs.
    public var sections = ListIndexSetResult()
    /// New paths of inserted items, ascending.
    public var insertItems: [IndexPath] = []
    /// Old paths of deleted items, ascending.
    public var deleteItems: [IndexPath] = []
    /// Old paths of changed items, ascending.
    public var updateItems: [IndexPath] = []
    /// Moves of items inside their section or to another section, ascending by new path.
    public var moveItems: [ListMoveIndexPath] = []
    /// Old positions of sections whose header was added, removed or changed.
    public var headers: ListIndexSet = []
    /// Old positions of sections whose footer was added, removed or changed.
    public var footers: ListIndexSet = []

    /// Makes a result without changes.
    public init() {}

    /// Whether anything changed.
    public var hasChanges: Bool { sections.hasChanges || hasChangesInside }

    private var hasChangesInside: Bool {
        !(insertItems.isEmpty && deleteItems.isEmpty && updateItems.isEmpty && moveItems.isEmpty && headers.isEmpty
            && footers.isEmpty)
    }

    /// Old positions of sections whose own content changed while nothing inside of them did. These need a reload.
    public var reloadSections: ListIndexSet {
        let mapping = ListIndexMapping(sections)
        var touched = Set(deleteItems.map(\.section)).union(updateItems.map(\.section)).union(headers).union(footers)
        touched.formUnion(moveItems.map(\.from.section))
        let targets = insertItems.map(\.section) + moveItems.map(\.to.section)
        touched.formUnion(targets.compactMap { mapping.oldIndex(forNew: $0) })
        return ListIndexSet(sections.updates.filter { !touched.contains($0) })
    }

    /// Returns the changes as one batch for a view, without conflicts. Sections to reload become deletes and inserts.
    ///
    /// A view cannot move an item to another section if one of the two sections moves or is reloaded. Such an item is
    /// deleted from the old section and inserted into the new section instead. In a section that moves, this change is
    /// dropped, because the whole section is deleted and inserted (rules BU-06, BU-07). Headers and footers are not
    /// part of a batch.
    public func batchUpdateData() -> ListBatchUpdateData {
        let (deletes, inserts) = sections.convertingReloads(reloadSections)
        let mapping = ListIndexMapping(sections)
        let sources = deletes.union(ListIndexSet(sections.moves.map(\.from)))
        let targets = inserts.union(ListIndexSet(sections.moves.map(\.to)))
        let blockedMoves = moveItems.filter { move in
            mapping.newIndex(forOld: move.from.section) != move.to.section
                && (sources.contains(move.from.section) || targets.contains(move.to.section))
        }
        if blockedMoves.isEmpty {
            return makeBatch(
                deletes: deletes, inserts: inserts, insertItems: insertItems, deleteItems: deleteItems,
                updateItems: updateItems, moveItems: moveItems)
        }
        let isBlocked = Set(blockedMoves)
        let gone = Set(blockedMoves.map(\.from))
        return makeBatch(
            deletes: deletes, inserts: inserts,
            insertItems: (insertItems + blockedMoves.map(\.to).filter { !inserts.contains($0.section) }).sorted(),
            deleteItems: deleteItems + gone.filter { !deletes.contains($0.section) },
            updateItems: updateItems.filter { !gone.contains($0) },
            moveItems: moveItems.filter { !isBlocked.contains($0) })
    }

    private func makeBatch(
        deletes: ListIndexSet, inserts: ListIndexSet, insertItems: [IndexPath], deleteItems: [IndexPath],
        updateItems: [IndexPath], moveItems: [ListMoveIndexPath]
    ) -> ListBatchUpdateData {
        ListBatchUpdateData(
            insertSections: inserts, deleteSections: deletes, moveSections: sections.moves, insertItems: insertItems,
            deleteItems: deleteItems, updateItems: updateItems, moveItems: moveItems)
    }
}

/// The two-level diff. It compares the sections first, then the content of the sections that are in both lists.
public enum ListSectionedDiff {
    /// Returns the changes between two lists of sections.
    ///
    /// - Parameters:
    ///   - option: the condition under which a section or an item with the same identifier counts as changed.
    ///   - moves: the rule by which sections and items are reported as moved.
    ///   - tracksItemsAcrossSections: whether an identifier stands for the same item in all sections. If so, an item
    ///     that goes from one section to another counts as moved, not as deleted and inserted, provided that both
    ///     sections are in both lists.
    /// - Complexity: O(sections + items of the sections that are in both lists).
    public static func between<Section, Item, Supplementary>(
        _ old: [ListSectionSnapshot<Section, Item, Supplementary>],
        _ new: [ListSectionSnapshot<Section, Item, Supplementary>], option: ListDiffOption = .equality,
        moves: ListDiffMoves = .positional, tracksItemsAcrossSections: Bool = false
    ) -> ListSectionedResult {
        var result = ListSectionedResult()
        result.sections = ListDiff.between(old.map(\.section), new.map(\.section), option: option, moves: moves)
        let mapping = ListIndexMapping(result.sections)
        for target in new.indices {
            guard let origin = mapping.oldIndex(forNew: target) else { continue }
            let (before, after) = (old[origin], new[target])
            if before.header != after.header { result.headers.insert(origin) }
            if before.footer != after.footer { result.footers.insert(origin) }
            let items = ListDiff.paths(
                fromSection: origin, toSection: target, before.items, after.items, option: option, moves: moves)
            guard items.hasChanges else { continue }
            result.insertItems += items.inserts
            result.deleteItems += items.deletes
            result.updateItems += items.updates
            result.moveItems += items.moves
        }
        if tracksItemsAcrossSections { mergeIntoMovesAcrossSections(&result, old, new, option) }
        result.deleteItems.sort()
        result.updateItems.sort()
        return result
    }

    /// Replaces deletes and inserts of items with the same identifier by moves. The first delete is paired with the
    /// first insert, the second delete with the second insert, and so on.
    private static func mergeIntoMovesAcrossSections<Section, Item, Supplementary>(
        _ result: inout ListSectionedResult, _ old: [ListSectionSnapshot<Section, Item, Supplementary>],
        _ new: [ListSectionSnapshot<Section, Item, Supplementary>], _ option: ListDiffOption
    ) {
        guard !result.deleteItems.isEmpty, !result.insertItems.isEmpty else { return }
        result.deleteItems.sort()
        let (from, to) = (result.deleteItems, result.insertItems)
        let gone = from.map { old[$0.section].items[$0.item] }
        let come = to.map { new[$0.section].items[$0.item] }
        let pairs = ListDiff.between(gone, come, option: option)
        let mapping = ListIndexMapping(pairs)
        for index in come.indices {
            guard let origin = mapping.oldIndex(forNew: index) else { continue }
            result.moveItems.append(ListMoveIndexPath(from: from[origin], to: to[index]))
        }
        result.moveItems.sort { $0.to < $1.to }
        result.updateItems += pairs.updates.map { from[$0] }
        result.deleteItems = pairs.deletes.map { from[$0] }
        result.insertItems = pairs.inserts.map { to[$0] }
    }
}
