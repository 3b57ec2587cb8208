// SPDX-License-Identifier: Apache-2.0

/// An item update that a section controller asked for and that has not run yet.
struct ItemUpdate {
    let controller: ListSectionController
    let animated: Bool
    let updates: (inout ListBatchContext) -> Void
    let completion: ((Bool) -> Void)?
}

/// What an item update says of one section.
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

/// Records what one item update says while it runs (rules IC-01 to IC-03).
///
/// Shared with the block that runs: what it has recorded is consumed before another update runs inside of it.
final class ItemUpdateRecorder {
    private var changes: [SectionHandle: RecordedItemChanges] = [:]
    /// How many selections were asked for before what it records: their items are moved by that.
    private(set) var selectionsBefore: Int

    init(selectionsBefore: Int) { self.selectionsBefore = selectionsBefore }

    /// What follows is recorded after so many selections.
    func setSelectionsBefore(_ count: Int) { selectionsBefore = count }

    /// Adds a change of a section.
    func record(_ handle: SectionHandle, _ change: (inout RecordedItemChanges) -> Void) {
        change(&changes[handle, default: RecordedItemChanges()])
    }

    /// Empties the recorder, section by section.
    func consume() -> [(handle: SectionHandle, changes: RecordedItemChanges)] {
        defer { changes = [:] }
        return changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// An item that is selected or deselected while its section's items change places: it waits until they have theirs.
struct PendingSelection {
    let handle: SectionHandle
    /// The index as the section controller has it; `nil` when the item is gone.
    private(set) var item: Int?
    let isSelected: Bool

    /// Follows the item to its next index; `nil` when the item goes.
    mutating func move(by forward: (Int) -> Int?) { item = item.flatMap(forward) }
}
