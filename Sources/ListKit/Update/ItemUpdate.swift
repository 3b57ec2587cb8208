/// An item update that a section controller asked for and that has not run yet.
struct ItemUpdate {
    let controller: ListSectionController
    let animated: Bool
    let updates: (inout ListBatchContext) -> Void
    let completion: ((Bool) -> Void)?
}

/// What item updates said about one section, as it was said.
struct CollectedItemChanges {
    var inserts: [Int] = []
    var deletes: [Int] = []
    var moves: [(from: Int, to: Int)] = []
    var reloads: [Int] = []
    var reloadsSection = false
    var invalidatesLayout = false

    /// Whether any item is inserted, deleted, moved or reloaded.
    var hasItemChanges: Bool { !inserts.isEmpty || !deletes.isEmpty || !moves.isEmpty || !reloads.isEmpty }
}

/// Collects what item updates say while they run (IGListKit F80, IC-01 to IC-03).
struct ItemUpdatesCollector {
    var changes: [SectionHandle: CollectedItemChanges] = [:]

    /// Whether anything was said.
    var hasChanges: Bool { changes.values.contains { $0.hasItemChanges || $0.reloadsSection || $0.invalidatesLayout } }
}
