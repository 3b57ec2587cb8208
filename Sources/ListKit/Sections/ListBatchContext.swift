// SPDX-License-Identifier: Apache-2.0

/// Records which items an item update changed.
///
/// Indexes of deletes, reloads, measurements and move origins are those before the update, of inserts and move targets those
/// after it; a nested item update divides it into two such updates. Operations on a section that is reloaded, inserted or
/// removed by the same transaction are dropped.
public struct ListBatchContext {
    /// The list that runs the item update.
    let store: SectionStore
    /// The section that is meant without a controller.
    let controller: ListSectionController
    /// The records.
    let recorder: ItemUpdateRecorder

    /// Items were inserted.
    public mutating func insertItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.inserts += indexes }
    }

    /// Items were deleted.
    public mutating func deleteItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.deletes += indexes }
    }

    /// The contents of items changed, in the same place.
    public mutating func reloadItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.reloads += indexes }
    }

    /// An item was moved.
    public mutating func moveItem(from source: Int, to destination: Int, in other: ListSectionController? = nil) {
        record(other) { changes in changes.moves.append((source, destination)) }
    }

    /// The section has to be reloaded.
    public mutating func reloadSection(_ other: ListSectionController? = nil) {
        record(other) { changes in changes.reloadsSection = true }
    }

    /// Sizes of items changed; their contents did not.
    ///
    /// Every item of the section is measured again; ``invalidateLayout(of:at:)`` measures single ones.
    public mutating func invalidateLayout(of other: ListSectionController? = nil) {
        record(other) { changes in changes.invalidatesLayout = true }
    }

    /// Sizes of single items changed; their contents did not.
    ///
    /// Only these items are measured again, and only they and what follows in their lines and sections is laid out again.
    /// Indexes are those before the update, as of reloads; those without an item, or of a deleted one, are ignored. A size that
    /// the client of a view measured stays in that view.
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
        recorder.record(handle, change)
    }
}
