// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

/// A client that follows a list only by its transactions. It identifies sections and items by serial numbers.
///
/// It reads only sections and items that a transaction inserts or reloads, as a real client does. Everything else
/// must be right already.
struct Mirror {
    struct Section: Equatable {
        var object: ListObject
        var items: [ListItem]
    }

    private(set) var sections: [Section]
    private(set) var revision: UInt64

    init(_ adapter: ListAdapter) {
        revision = adapter.revision
        sections = Mirror.read(adapter)
    }

    static func read(_ adapter: ListAdapter) -> [Section] {
        adapter.objects(from: 0, limit: .max).enumerated().map {
            Section(object: $1, items: adapter.items(inSection: $0))
        }
    }

    /// Applies a transaction; reads only the inserted and reloaded sections and items.
    mutating func apply(_ transaction: Transaction, from adapter: ListAdapter) throws {
        #expect(transaction.baseRevision == revision)
        #expect(transaction.revision == revision + 1)
        revision = transaction.revision
        guard transaction.kind == .update else {
            #expect(transaction.sections.isEmpty && transaction.items.isEmpty)
            sections = Mirror.read(adapter)
            return
        }
        let present = Mirror.read(adapter)
        let batch = transaction.sections
        var old: [(old: Int, section: Section)?] = sections.enumerated().map { ($0, $1) }
        let origins = batch.deletes.flatMap(\.range) + batch.moves.map { Int($0.old) }
        #expect(Set(origins).count == origins.count)
        var moved: [Int: (old: Int, section: Section)] = [:]
        for move in batch.moves { moved[Int(move.new)] = old[Int(move.old)] }
        for index in origins { old[index] = nil }
        var order = old.compactMap { $0 }
        var inserted: [Int: (old: Int, section: Section)] = moved
        for index in batch.inserts.flatMap(\.range) { inserted[index] = (-1, present[index]) }
        for index in inserted.keys.sorted() {
            let element = try #require(inserted[index])
            order.insert(element, at: index)
        }
        let reloads = Set(batch.reloads.flatMap(\.range))
        sections = try order.enumerated().map { new, element in
            if element.old < 0 || reloads.contains(element.old) { return present[new] }
            return try applyItems(transaction.items, element, now: new, present: present[new])
        }
        #expect(transaction.sectionCount == sections.count)
        #expect(transaction.itemCount == sections.reduce(0) { $0 + $1.items.count })
    }

    private func applyItems(
        _ batch: ItemBatch, _ element: (old: Int, section: Section), now: Int, present: Section
    ) throws -> Section {
        var section = element.section
        let deletes = batch.deletes.filter { $0.section == element.old }.map { Int($0.item) }
        let inserts = batch.inserts.filter { $0.section == now }.map { Int($0.item) }
        let moves = batch.moves.filter { $0.old.section == element.old }
        let reloads = Set(batch.reloads.filter { $0.section == element.old }.map { Int($0.item) })
        if deletes.isEmpty && inserts.isEmpty && moves.isEmpty && reloads.isEmpty { return section }
        var old: [(old: Int, item: ListItem)?] = section.items.enumerated().map { ($0, $1) }
        var placed: [Int: (old: Int, item: ListItem)] = [:]
        for move in moves { placed[Int(move.new.item)] = old[Int(move.old.item)] }
        for index in deletes + moves.map({ Int($0.old.item) }) { old[index] = nil }
        for index in inserts { placed[index] = (-1, present.items[index]) }
        var order = old.compactMap { $0 }
        for index in placed.keys.sorted() { order.insert(try #require(placed[index]), at: index) }
        section.items = order.enumerated().map { new, item in
            item.old < 0 || reloads.contains(item.old) ? present.items[new] : item.item
        }
        section.object = present.object
        return section
    }

    /// Checks that the mirror equals the list.
    func expectEqual(to adapter: ListAdapter, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(revision == adapter.revision, sourceLocation: sourceLocation)
        #expect(sections == Mirror.read(adapter), sourceLocation: sourceLocation)
    }
}
