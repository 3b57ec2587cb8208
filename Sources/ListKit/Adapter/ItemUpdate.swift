// SPDX-License-Identifier: Apache-2.0

/// An item update that a section controller asked for and that has not run yet.
struct ItemUpdate {
    let controller: ListSectionController
    let animated: Bool
    let updates: (inout ListBatchContext) -> Void
    let completion: ((Bool) -> Void)?
    /// Its place among the requests of a list whose table the adapter shares.
    var ticket = Ticket.none
    /// Whether it was in a flush that the store refused.
    var wasRefused = false
}

/// What item updates said about one section, as it was said.
struct CollectedItemChanges {
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

/// Collects what one item update says while it runs (rules IC-01 to IC-03).
///
/// Shared with the block that runs: what it said so far is taken before another update runs inside of it.
final class ItemUpdatesCollector {
    private var changes: [SectionHandle: CollectedItemChanges] = [:]
    /// How many selections were asked for before what it says: their items are moved by that.
    var selectionsBefore: Int

    init(selectionsBefore: Int) { self.selectionsBefore = selectionsBefore }

    /// Adds something that was said of a section.
    func note(_ handle: SectionHandle, _ change: (inout CollectedItemChanges) -> Void) {
        change(&changes[handle, default: CollectedItemChanges()])
    }

    /// What was said since the last time, section by section.
    func take() -> [(handle: SectionHandle, changes: CollectedItemChanges)] {
        defer { changes = [:] }
        return changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
