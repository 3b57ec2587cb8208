// SPDX-License-Identifier: Apache-2.0

@testable @_spi(Daemon) import ListKit

/// Presents a list as a worker does. Each section has one item, whose content is a number that is never reused.
final class FalsePresenter {
    private(set) var objects: [ListObject] = []
    /// The content of the item of each object, by object identifier.
    private(set) var values: [String: Int] = [:]
    var options = ListOptions(name: "presented")
    private var lastValue: Int

    /// - Parameter name: A number that distinguishes this presenter's contents from those of other presenters.
    init(_ name: Int = 0) { lastValue = name * 1_000_000 }

    /// A presentation, with the contents of the new or changed items.
    struct Report {
        var presented: Announcement
        var values: [String: Int]
    }

    /// Opens a list with these objects.
    func open(_ objects: [ListObject]) -> Report {
        self.objects = objects
        values = [:]
        return Report(presented: Announcement(itemCount: objects.count), values: renew(objects.map(\.id)))
    }

    /// Presents an update of the list.
    func present(_ change: Change) -> Report {
        let before = objects
        objects = change.applied(to: before)
        if let new = change.options { options = new }
        for (position, _) in change.removed { values[before[position].id] = nil }
        let reloads = Set(change.updated.map(\.old)).union(change.reloads.flatMap(\.range)).sorted()
        let changed = reloads.map { before[$0].id } + change.inserted.map(\.object.id)
        let fresh = renew(change.scope.contains(.controllers) ? objects.map(\.id) : changed)
        guard change.isAnnounced else { return Report(presented: Announcement(itemCount: objects.count), values: [:]) }
        var announcer = TransactionAnnouncer(changes: change, options: options)
        for old in reloads { announcer.addReload(ofSection: old, itemCount: 1, oldItemCount: 1) }
        var transaction = transaction(animated: change.animated)
        (transaction.sections, transaction.items) = announcer.batches()
        let isReload = change.isReload || transaction.isTooLarge(threshold: options.reloadThreshold)
        return report(isReload ? transaction.asReload : transaction, isReload ? values : fresh)
    }

    /// Changes the item of a section, without an update of the list.
    func changeItem(at index: Int) -> Report {
        var transaction = transaction(animated: true)
        transaction.items.reloads = [ItemPlace(index, 0)]
        return report(transaction, renew([objects[index].id]))
    }

    /// Returns a report of all items.
    func reload() -> Report { report(transaction(animated: false).asReload, values) }

    private func report(_ transaction: Transaction, _ values: [String: Int]) -> Report {
        Report(
            presented: Announcement(events: [.updated(transaction)], itemCount: objects.count),
            values: values)
    }

    private func transaction(animated: Bool) -> Transaction {
        Transaction(
            baseRevision: 0, revision: 0, kind: .update, animated: animated, sectionCount: objects.count,
            itemCount: objects.count)
    }

    private func renew(_ ids: [String]) -> [String: Int] {
        var fresh: [String: Int] = [:]
        for id in ids {
            lastValue += 1
            fresh[id] = lastValue
            values[id] = lastValue
        }
        return fresh
    }
}

/// A client that follows a list by its transactions. It reads only items that a transaction reports as new.
struct ObjectMirror {
    struct Row: Equatable {
        var object: ListObject
        /// The content of the object's item; `nil` = unknown.
        var value: Int?
    }

    private(set) var rows: [Row]
    private(set) var revision: UInt64

    init(_ objects: [ListObject], revision: UInt64) {
        rows = objects.map { Row(object: $0) }
        self.revision = revision
    }

    enum Fault: Error {
        case gap(base: UInt64, revision: UInt64)
        case places
    }

    /// Applies a transaction, and reads the inserted and reloaded items from the present list.
    mutating func apply(_ transaction: Transaction, reading objects: [ListObject], _ values: [String: Int]) throws {
        guard transaction.baseRevision == revision, transaction.revision == revision + 1 else {
            throw Fault.gap(base: transaction.baseRevision, revision: transaction.revision)
        }
        revision = transaction.revision
        func read(_ index: Int) -> Row { Row(object: objects[index], value: values[objects[index].id]) }
        guard transaction.kind == .update else {
            rows = objects.indices.map(read)
            return
        }
        let batch = transaction.sections
        var kept: [(old: Int, row: Row)?] = rows.enumerated().map { ($0, $1) }
        var placed: [Int: (old: Int, row: Row)] = [:]
        for index in batch.inserts.flatMap(\.range) { placed[index] = (-1, read(index)) }
        for move in batch.moves { placed[Int(move.new)] = kept[Int(move.old)] }
        for index in batch.deletes.flatMap(\.range) + batch.moves.map({ Int($0.old) }) { kept[index] = nil }
        var order = kept.compactMap { $0 }
        for (index, element) in placed.sorted(by: { $0.key < $1.key }) {
            guard index <= order.count else { throw Fault.places }
            order.insert(element, at: index)
        }
        guard order.count == objects.count else { throw Fault.places }
        let reloads = Set(batch.reloads.flatMap(\.range)).union(transaction.items.reloads.map { Int($0.section) })
        rows = order.enumerated().map { new, element in reloads.contains(element.old) ? read(new) : element.row }
    }

    /// Reads all items.
    mutating func read(_ values: [String: Int]) {
        for index in rows.indices { rows[index].value = values[rows[index].object.id] }
    }
}
