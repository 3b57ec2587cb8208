// SPDX-License-Identifier: Apache-2.0

/// Builds the batches of an announced transaction from its changes, in the form that the list's options require.
struct TransactionAnnouncer {
    let changes: Change
    private let options: ListOptions
    private var reloads: [(old: Int, itemCount: Int, oldItemCount: Int)] = []
    private var items: [(old: Int, new: Int, changes: ListItemChanges)] = []

    init(changes: Change, options: ListOptions) {
        self.changes = changes
        self.options = options
    }

    /// Adds the reload of a section that stays in the list.
    ///
    /// - Parameter old: the index of the section before the update.
    mutating func addReload(ofSection old: Int, itemCount: Int, oldItemCount: Int) {
        reloads.append((old, itemCount, oldItemCount))
    }

    /// Adds item changes of a section that stays in the list.
    ///
    /// - Parameters:
    ///   - old: the index of the section before the update.
    ///   - new: the index of the section after the update.
    mutating func addItemChanges(_ changes: ListItemChanges, from old: Int, to new: Int) {
        if options.singleItemSectionUpdates {
            reloads.append((old, 1, 1))
        } else {
            items.append((old, new, changes))
        }
    }

    /// Returns the batches of section changes and item changes.
    func batches() -> (SectionBatch, ItemBatch) {
        var sections = SectionBatch()
        var deletes = changes.removed.map(\.old)
        var inserts = changes.inserted.map(\.new)
        var replaced: Set<Int> = []
        if options.sectionMovesAsDeletesInserts {
            deletes = (deletes + changes.moved.map(\.old)).sorted()
            inserts = (inserts + changes.moved.map(\.new)).sorted()
            replaced = Set(changes.moved.map(\.old))
        } else {
            sections.moves = changes.moved.map {
                IndexMove(old: UInt32(clamping: $0.old), new: UInt32(clamping: $0.new))
            }
        }
        sections.deletes = [IndexRun](ascending: deletes)
        sections.inserts = [IndexRun](ascending: inserts)
        var reloads = self.reloads.filter { !replaced.contains($0.old) }
        var batch = ItemBatch()
        if options.preferItemReloads, sections.isEmpty {
            let preferred = reloads.filter { $0.itemCount == $0.oldItemCount && $0.itemCount > 0 }
            reloads.removeAll { $0.itemCount == $0.oldItemCount && $0.itemCount > 0 }
            for section in preferred {
                batch.reloads += (0..<section.itemCount).map { ItemPlace(section.old, $0) }
            }
        }
        sections.reloads = [IndexRun](ascending: reloads.map(\.old).sorted())
        for section in items where !replaced.contains(section.old) { batch.append(section) }
        batch.sort()
        return (sections, batch)
    }
}

extension ItemBatch {
    fileprivate mutating func append(_ section: (old: Int, new: Int, changes: ListItemChanges)) {
        deletes += section.changes.deletes.map { ItemPlace(section.old, $0) }
        inserts += section.changes.inserts.map { ItemPlace(section.new, $0) }
        moves += section.changes.moves.map {
            ItemMove(old: ItemPlace(section.old, $0.from), new: ItemPlace(section.new, $0.to))
        }
        reloads += section.changes.updates.map { ItemPlace(section.old, $0) }
    }

    fileprivate mutating func sort() {
        deletes.sort()
        inserts.sort()
        moves.sort { $0.new < $1.new }
        reloads.sort()
    }
}

extension ItemPlace {
    init(_ section: Int, _ item: Int) {
        self.init(section: UInt32(clamping: section), item: UInt32(clamping: item))
    }
}

extension [IndexRun] {
    /// Creates the runs of ascending positions. Adjacent positions share a run.
    init(ascending positions: [Int]) {
        self.init()
        for position in positions {
            if let last, last.range.upperBound == position {
                self[count - 1].length += 1
            } else {
                append(IndexRun(first: UInt32(clamping: position), length: 1))
            }
        }
    }
}

extension Transaction {
    /// The maximum size of the batches on the bus, in bytes. A larger transaction is announced as a reload.
    static let maximumBatchBytes = 65_536

    /// The size of the batches on the bus, in bytes.
    var batchBytes: Int {
        let runs = sections.deletes.count + sections.inserts.count + sections.reloads.count
        let places = items.deletes.count + items.inserts.count + items.reloads.count
        return 8 * (runs + sections.moves.count + places) + 16 * items.moves.count
    }

    /// The transaction converted to a reload, without batches.
    var asReload: Transaction {
        var reload = self
        reload.kind = .reload
        reload.sections = SectionBatch()
        reload.items = ItemBatch()
        return reload
    }

    /// Returns whether the transaction has too many changes for batches, so that it is announced as a reload.
    ///
    /// - Parameter threshold: the maximum number of section changes; 0 for no maximum.
    func isTooLarge(threshold: Int) -> Bool {
        (threshold > 0 && sections.changeCount > threshold) || batchBytes > Transaction.maximumBatchBytes
    }
}
