// SPDX-License-Identifier: Apache-2.0

/// An item update that a section controller requested and that has not run yet.
struct ItemUpdate {
    /// The section.
    let link: SectionLink
    /// The controller that requested the update; `nil` if it was requested before the controller was made.
    let user: ListSectionController?
    let animated: Bool
    let updates: (inout ListBatchContext) -> Void
    let completion: ((Bool) -> Void)?

    /// The section controller; `nil` before it has been made.
    var controller: ListSectionController? { user ?? link.controller }
}

/// The changes of one section that an item update recorded.
struct RecordedItemChanges {
    var inserts: [Int] = []
    var deletes: [Int] = []
    var moves: [(from: Int, to: Int)] = []
    var reloads: [Int] = []
    var reloadsSection = false
    var invalidatesLayout = false
    /// The indexes, before the update, of items whose sizes changed.
    var resizes: [Int] = []

    /// Whether any item is inserted, deleted, moved or reloaded.
    var hasItemChanges: Bool { !inserts.isEmpty || !deletes.isEmpty || !moves.isEmpty || !reloads.isEmpty }
}

/// Records the changes of one item update while it runs (rules IC-01 to IC-03).
///
/// The closure of the item update and ``SectionUpdate`` use the same recorder. ``SectionUpdate`` consumes the records
/// before it runs a nested item update.
final class ItemUpdateRecorder {
    private var changes: [SectionHandle: RecordedItemChanges] = [:]
    /// The number of selections that were made before the recorded changes. The changes move only the items of these
    /// selections.
    private(set) var selectionsBefore: Int

    init(selectionsBefore: Int) { self.selectionsBefore = selectionsBefore }

    /// Sets the number of selections that were made before the changes that are recorded next.
    func setSelectionsBefore(_ count: Int) { selectionsBefore = count }

    /// Records a change of a section.
    func recordChange(of handle: SectionHandle, _ change: (inout RecordedItemChanges) -> Void) {
        change(&changes[handle, default: RecordedItemChanges()])
    }

    /// Removes and returns the records of all sections, ordered by handle.
    func consume() -> [(handle: SectionHandle, changes: RecordedItemChanges)] {
        defer { changes = [:] }
        return changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// A selection or deselection during an update, which is applied when the items have their final indexes.
struct PendingSelection {
    let handle: SectionHandle
    /// The index in the section controller's data; `nil` when the item was removed.
    private(set) var item: Int?
    let isSelected: Bool

    /// Moves the selection to the item's new index. `forward` returns `nil` for an item that is removed.
    mutating func move(by forward: (Int) -> Int?) { item = item.flatMap(forward) }
}
