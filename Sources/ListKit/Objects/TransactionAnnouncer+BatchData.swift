// SPDX-License-Identifier: Apache-2.0

extension TransactionAnnouncer {
    /// Returns the changes in the form that IGListKit applies to a view.
    ///
    /// Every section reload becomes a delete and an insert (rules UP-33 to UP-46). Conflicting changes are left out
    /// (rules BU-01 to BU-22).
    func batchUpdateData() -> ListBatchUpdateData {
        let (sections, items) = batches()
        let forward = changes.forwarding()
        let reloads = sections.reloads.flatMap(\.range)
        let replaced = ListIndexSet(reloads.compactMap { forward($0) })
        func path(_ place: ItemPlace) -> IndexPath { IndexPath(section: Int(place.section), item: Int(place.item)) }
        return ListBatchUpdateData(
            insertSections: ListIndexSet(sections.inserts.flatMap(\.range)).union(replaced),
            deleteSections: ListIndexSet(sections.deletes.flatMap(\.range)).union(ListIndexSet(reloads)),
            moveSections: sections.moves.map { ListMoveIndex(from: Int($0.old), to: Int($0.new)) },
            insertItems: items.inserts.map(path), deleteItems: items.deletes.map(path),
            updateItems: items.reloads.map(path),
            moveItems: items.moves.map { ListMoveIndexPath(from: path($0.old), to: path($0.new)) })
    }
}
