// SPDX-License-Identifier: Apache-2.0

/// Records which items an item update changed.
///
/// Deletes, reloads, invalidated sizes and the sources of moves have indexes before the update. Inserts and the
/// destinations of moves have indexes after the update. A nested item update divides the outer update in two: for the
/// operations that the outer update records later, "before the update" means after the nested update. Operations on a
/// section that the update's transaction reloads, inserts or removes are dropped.
public struct ListBatchContext {
    /// The list that runs the item update.
    let store: SectionStore
    /// The section controller whose section is changed by default.
    let controller: ListSectionController
    /// The recorder of the changes.
    let recorder: ItemUpdateRecorder

    /// Records that items were inserted.
    public mutating func insertItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.inserts += indexes }
    }

    /// Records that items were deleted.
    public mutating func deleteItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.deletes += indexes }
    }

    /// Records that the contents of items changed.
    public mutating func reloadItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.reloads += indexes }
    }

    /// Records that an item was moved.
    public mutating func moveItem(from source: Int, to destination: Int, in other: ListSectionController? = nil) {
        record(other) { changes in changes.moves.append((source, destination)) }
    }

    /// Records that the section must be reloaded.
    public mutating func reloadSection(_ other: ListSectionController? = nil) {
        record(other) { changes in changes.reloadsSection = true }
    }

    /// Records that the sizes of items changed, but not their contents.
    ///
    /// Every item of the section is measured again; ``invalidateLayout(of:at:)`` measures only single items.
    public mutating func invalidateLayout(of other: ListSectionController? = nil) {
        record(other) { changes in changes.invalidatesLayout = true }
    }

    /// Records that the sizes of single items changed, but not their contents.
    ///
    /// Only these items are measured again. Only these items and the elements after them in their lines and sections
    /// are laid out again. Indexes are those before the update, as for reloads. Indexes of deleted items, and indexes
    /// without an item, are ignored. A size that the client of a view measured stays valid in that view.
    public mutating func invalidateLayout(of other: ListSectionController? = nil, at indexes: [Int]) {
        record(other) { changes in changes.resizes += indexes }
    }

    /// Records item changes that a controller found by a diff.
    mutating func apply(_ changes: ListItemChanges, in other: ListSectionController) {
        record(other) { recorded in
            recorded.inserts += changes.inserts
            recorded.deletes += changes.deletes
            recorded.moves += changes.moves
            recorded.reloads += changes.updates
        }
    }

    private mutating func record(_ other: ListSectionController?, _ change: (inout RecordedItemChanges) -> Void) {
        guard let handle = store.handle(of: other ?? controller) else { return }
        recorder.recordChange(of: handle, change)
    }
}
