// SPDX-License-Identifier: Apache-2.0

/// An item update that a section controller requested and that has not run yet.
struct ItemUpdate {
    let controller: ListSectionController
    let animated: Bool
    let updates: (inout ListBatchContext) -> Void
    let completion: ((Bool) -> Void)?
}

/// The changes that an item update recorded of one section.
struct RecordedItemChanges {
    var inserts: [Int] = []
    var deletes: [Int] = []
    var moves: [(from: Int, to: Int)] = []
    var reloads: [Int] = []
    var reloadsSection = false
    var invalidatesLayout = false
    /// Items whose sizes changed, by their indexes before.
    var resizes: [Int] = []

    /// Whether any item is inserted, deleted, moved or reloaded.
    var hasItemChanges: Bool { !inserts.isEmpty || !deletes.isEmpty || !moves.isEmpty || !reloads.isEmpty }
}

/// Records the changes of one item update while it runs (rules IC-01 to IC-03).
///
/// Shared with the running block: its records are consumed before another update runs inside of it.
final class ItemUpdateRecorder {
    private var changes: [SectionHandle: RecordedItemChanges] = [:]
    /// How many selections came before the records, which move the items of those selections.
    private(set) var selectionsBefore: Int

    init(selectionsBefore: Int) { self.selectionsBefore = selectionsBefore }

    /// Sets how many selections came before the next records.
    func setSelectionsBefore(_ count: Int) { selectionsBefore = count }

    /// Records a change of a section.
    func record(_ handle: SectionHandle, _ change: (inout RecordedItemChanges) -> Void) {
        change(&changes[handle, default: RecordedItemChanges()])
    }

    /// Empties the recorder, section by section.
    func consume() -> [(handle: SectionHandle, changes: RecordedItemChanges)] {
        defer { changes = [:] }
        return changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// A selection or deselection during an update, which is applied when the items have their final indexes.
struct PendingSelection {
    let handle: SectionHandle
    /// The index in the section controller's data; `nil` when the item is gone.
    private(set) var item: Int?
    let isSelected: Bool

    /// Moves the selection to the item's next index; `forward` returns `nil` for an item that is removed.
    mutating func move(by forward: (Int) -> Int?) { item = item.flatMap(forward) }
}
