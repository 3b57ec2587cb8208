// SPDX-License-Identifier: Apache-2.0

/// What an item update says about the items it changed.
///
/// Indexes of deletes, reloads, measurements and move origins are those before the update, of inserts and move targets those
/// after it; an item update that runs inside of it divides it into the part before and the part after. Operations on a
/// section that is reloaded, inserted or removed by the same transaction are dropped.
public struct ListBatchContext {
    /// The list that runs the item update.
    let store: SectionStore
    /// Whose items are meant when no other controller is named.
    let controller: ListSectionController
    /// What it says.
    let recorder: ItemUpdateRecorder

    /// Items were inserted.
    public mutating func insertItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.inserts += indexes }
    }

    /// Items were deleted.
    public mutating func deleteItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.deletes += indexes }
    }

    /// Items show something else, in the same place.
    public mutating func reloadItems(at indexes: [Int], in other: ListSectionController? = nil) {
        record(other) { changes in changes.reloads += indexes }
    }

    /// An item was moved.
    public mutating func moveItem(from source: Int, to destination: Int, in other: ListSectionController? = nil) {
        record(other) { changes in changes.moves.append((source, destination)) }
    }

    /// The section is to be asked for everything anew.
    public mutating func reloadSection(_ other: ListSectionController? = nil) {
        record(other) { changes in changes.reloadsSection = true }
    }

    /// Sizes of items changed; their contents did not.
    ///
    /// Every item of the section is measured again; ``invalidateLayout(of:at:)`` measures only those that it names.
    public mutating func invalidateLayout(of other: ListSectionController? = nil) {
        record(other) { changes in changes.invalidatesLayout = true }
    }

    /// Sizes of single items changed; their contents did not.
    ///
    /// Only these items are measured again, and only they and what follows in their lines and sections is laid out anew. An
    /// index is that before the update, as of reloads; one that names no item, or one that is deleted, is ignored. A size
    /// that the client of a view measured stays in that view.
    public mutating func invalidateLayout(of other: ListSectionController? = nil, at indexes: [Int]) {
        record(other) { changes in changes.resizes += indexes }
    }

    /// Takes over what a controller found out by a diff of its items.
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
