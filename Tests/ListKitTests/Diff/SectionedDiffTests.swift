// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

private typealias Snapshot = ListSectionSnapshot<Element, Element, String>

@Suite("Diff of sections and their items")
struct SectionedDiffTests {
    /// Applies a result as a client with the old list does: sections first, then items, with all positions at once.
    private static func apply(_ result: ListSectionedResult, to old: [Snapshot], new: [Snapshot]) -> [[Element]] {
        let mapping = ListIndexMapping(result.sections)
        let gone = Set(result.deleteItems + result.moveItems.map(\.from))
        let updated = Set(result.updateItems)
        return new.indices.map { target in
            guard let origin = mapping.oldIndex(forNew: target) else { return new[target].items }
            let stays = old[origin].items.indices.map { IndexPath(section: origin, item: $0) }.filter {
                !gone.contains($0)
            }
            var come: [Int: IndexPath?] = [:]
            for path in result.insertItems where path.section == target { come[path.item] = .some(nil) }
            for move in result.moveItems where move.to.section == target { come[move.to.item] = move.from }
            var rest = stays[...]
            return (0..<stays.count + come.count).map { index in
                let path = come[index] ?? rest.popFirst()
                guard let path, !updated.contains(path) else { return new[target].items[index] }
                return old[path.section].items[path.item]
            }
        }
    }

    /// Returns random sections whose items have unique identifiers in the whole list, before and after some
    /// changes.
    private static func randomPair(_ random: inout SeededRandom) -> (old: [Snapshot], new: [Snapshot]) {
        func list(_ version: Int) -> [Snapshot] {
            var items = (0..<12).shuffled(using: &random).map {
                Element(id: $0, value: Int.random(in: 0..<8, using: &random) == 0 ? version : 0)
            }
            return (0..<5).shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)).map { id in
                let count = Int.random(in: 0...3, using: &random)
                defer { items.removeFirst(min(count, items.count)) }
                return Snapshot(
                    Element(id: id, value: Int.random(in: 0..<6, using: &random) == 0 ? version : 0),
                    items: Array(items.prefix(count)),
                    header: Int.random(in: 0..<4, using: &random) == 0 ? "header \(version)" : "header")
            }
        }
        return (list(0), list(1))
    }

    @Test(
        "sections and items change at random → the diff, applied as one batch, yields the new list", arguments: 0..<20)
    func random(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<100 {
            let (old, new) = SectionedDiffTests.randomPair(&random)
            for isGlobal in [false, true] {
                let result = ListSectionedDiff.between(old, new, tracksItemsAcrossSections: isGlobal)
                #expect(SectionedDiffTests.apply(result, to: old, new: new) == new.map(\.items))
                let mapping = ListIndexMapping(result.sections)
                for (target, section) in new.enumerated() {
                    guard let origin = mapping.oldIndex(forNew: target) else { continue }
                    #expect(result.headers.contains(origin) == (old[origin].header != section.header))
                    #expect(result.sections.updates.contains(origin) == (old[origin].section != section.section))
                }
                #expect(result.footers.isEmpty)
            }
        }
    }

    /// Applies a batch as a view that knows only the batch does. Returns `nil` if the batch has item changes in
    /// sections that the batch replaces.
    private static func apply(_ batch: ListBatchUpdateData, to old: [Snapshot], new: [Snapshot]) -> [[Int]]? {
        let replaced = batch.deleteSections.union(ListIndexSet(batch.moveSections.map(\.from)))
        var stays = old.indices.filter { !replaced.contains($0) }[...]
        let origins = Dictionary(uniqueKeysWithValues: batch.moveSections.map { ($0.to, $0.from) })
        let paths = batch.deleteItems + batch.moveItems.map(\.from)
        let targets = batch.insertItems + batch.moveItems.map(\.to)
        guard paths.allSatisfy({ !batch.deleteSections.contains($0.section) }), Set(paths).count == paths.count,
            targets.allSatisfy({ !batch.insertSections.contains($0.section) }), Set(targets).count == targets.count
        else { return nil }
        let gone = Set(paths)
        return new.indices.map { target in
            if batch.insertSections.contains(target) { return new[target].items.map(\.id) }
            guard let origin = origins[target] ?? stays.popFirst() else { return [] }
            let items = old[origin].items.indices.map { IndexPath(section: origin, item: $0) }
            var rest = items.filter { !gone.contains($0) }.map { old[$0.section].items[$0.item].id }[...]
            var come: [Int: Int] = [:]
            for path in batch.insertItems where path.section == target {
                guard new[target].items.indices.contains(path.item) else { return [] }
                come[path.item] = new[target].items[path.item].id
            }
            for move in batch.moveItems where move.to.section == target {
                come[move.to.item] = old[move.from.section].items[move.from.item].id
            }
            return (0..<rest.count + come.count).compactMap { come[$0] ?? rest.popFirst() }
        }
    }

    @Test(
        "random changes become a cleaned batch → the batch alone is enough to compute the new items",
        .rule("BU-06", "BU-07"),
        arguments: 0..<20
    )
    func batches(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed) &+ 1000)
        for _ in 0..<100 {
            let (old, new) = SectionedDiffTests.randomPair(&random)
            for isGlobal in [false, true] {
                let result = ListSectionedDiff.between(old, new, tracksItemsAcrossSections: isGlobal)
                let batch = result.batchUpdateData()
                #expect(SectionedDiffTests.apply(batch, to: old, new: new) == new.map { $0.items.map(\.id) })
                let gone = Set(batch.deleteItems)
                #expect(!batch.updateItems.contains { gone.contains($0) })
            }
        }
    }

    @Test("an item leaves or enters a moved section → only the section that does not move has a delete or an insert")
    func acrossMovedSections() {
        func section(_ id: Int, _ items: Int...) -> Snapshot {
            Snapshot(Element(id: id, value: 0), items: items.map { Element(id: $0, value: 0) })
        }
        let old = [section(1, 6, 3), section(2, 7), section(0, 1, 4), section(3, 0, 5)]
        let new = [section(2), section(0), section(1, 4, 3), section(3, 6)]
        let batch = ListSectionedDiff.between(old, new, tracksItemsAcrossSections: true).batchUpdateData()
        #expect(batch.insertItems == [IndexPath(section: 3, item: 0)])
        #expect(batch.deleteItems == [IndexPath(section: 3, item: 0), IndexPath(section: 3, item: 1)])
        #expect(batch.moveItems.isEmpty)
        let back = ListSectionedDiff.between(new, old, tracksItemsAcrossSections: true).batchUpdateData()
        #expect(SectionedDiffTests.apply(back, to: new, new: old) == old.map { $0.items.map(\.id) })
    }

    @Test(
        "an item moves to another section → a move is reported if identifiers are global, else a delete and an insert"
    )
    func acrossSections() {
        let item = Element(id: 7, value: 0)
        let (a, b) = (Element(id: 1, value: 0), Element(id: 2, value: 0))
        let old = [Snapshot(a, items: [item]), Snapshot(b, items: [])]
        let new = [Snapshot(b, items: [Element(id: 7, value: 1)]), Snapshot(a, items: [])]
        let separate = ListSectionedDiff.between(old, new)
        #expect(separate.deleteItems == [IndexPath(section: 0, item: 0)])
        #expect(separate.insertItems == [IndexPath(section: 0, item: 0)])
        let global = ListSectionedDiff.between(old, new, tracksItemsAcrossSections: true)
        #expect(
            global.moveItems
                == [ListMoveIndexPath(from: IndexPath(section: 0, item: 0), to: IndexPath(section: 0, item: 0))])
        #expect(global.updateItems == [IndexPath(section: 0, item: 0)])
        #expect(global.deleteItems.isEmpty && global.insertItems.isEmpty)
    }

    @Test(
        "only a section's own content changes → the section is reloaded; its items change too → only these are reported"
    )
    func reloads() {
        let (before, after) = (Element(id: 1, value: 0), Element(id: 1, value: 1))
        let items = [Element(id: 5, value: 0)]
        let alone = ListSectionedDiff.between([Snapshot(before, items: items)], [Snapshot(after, items: items)])
        #expect(alone.reloadSections == [0])
        #expect(alone.batchUpdateData().deleteSections == [0])
        #expect(alone.batchUpdateData().insertSections == [0])
        let inside = ListSectionedDiff.between([Snapshot(before, items: items)], [Snapshot(after, items: [])])
        #expect(inside.reloadSections.isEmpty)
        #expect(inside.batchUpdateData().deleteItems == [IndexPath(section: 0, item: 0)])
        let footer = ListSectionedDiff.between(
            [Snapshot(before, items: items)], [Snapshot(before, items: items, footer: "new")])
        #expect(footer.footers == [0])
        #expect(footer.hasChanges)
    }

    @Test("every two lists of up to 5 items in one section are compared → the result is the diff of the items")
    func exhaustiveItems() {
        let section = Element(id: 1, value: 0)
        let news = DiffTests.lists(length: DiffTests.exhaustiveLength, ids: 4, isCanonical: false)
        var mismatches: [String] = []
        for old in DiffTests.lists(length: DiffTests.exhaustiveLength, ids: 4, isCanonical: true) {
            let before = [Snapshot(section, items: old.map { Element(id: $0, value: 0) })]
            for new in news {
                for position in -1..<new.count {
                    let items = new.enumerated().map { Element(id: $1, value: $0 == position ? 1 : 0) }
                    let result = ListSectionedDiff.between(before, [Snapshot(section, items: items)])
                    let expected = ReferenceDiff.between(before[0].items, items)
                    if ItemEntries(result) != ItemEntries(expected, old: 0, new: 0) {
                        mismatches.append("\(old) → \(new), changed \(position)")
                    }
                }
            }
        }
        #expect(mismatches.isEmpty, "\(mismatches.prefix(5))")
    }

    @Test("all lists of up to two sections with up to two items are compared → each section has the diff of its items")
    func exhaustiveSections() {
        let lists = SectionedDiffTests.smallLists
        var mismatches: [String] = []
        for (number, old) in lists.enumerated() {
            for new in lists {
                let changed = SectionedDiffTests.changingOneItem(of: new, number)
                let result = ListSectionedDiff.between(old, changed)
                var expected = ItemEntries()
                for (target, section) in changed.enumerated() {
                    guard let origin = old.firstIndex(where: { $0.section.id == section.section.id }) else { continue }
                    let items = ReferenceDiff.between(old[origin].items, section.items)
                    expected.add(ItemEntries(items, old: origin, new: target))
                }
                let sections = ReferenceDiff.between(
                    old.map(\.section), changed.map(\.section), id: \.id, isChanged: { $0 != $1 })
                if ItemEntries(result) != expected || ReferenceDiff.Result(result.sections) != sections
                    || SectionedDiffTests.apply(result, to: old, new: changed) != changed.map(\.items)
                {
                    mismatches.append("\(old) → \(changed)")
                }
            }
        }
        #expect(mismatches.isEmpty, "\(mismatches.prefix(3))")
    }

    /// All lists of at most two sections, each with at most two items, of two identifiers.
    private static var smallLists: [[Snapshot]] {
        let items = DiffTests.lists(length: 2, ids: 2, isCanonical: false).map { $0.map { Element(id: $0, value: 0) } }
        func sections(_ id: Int) -> [Snapshot] { items.map { Snapshot(Element(id: id, value: 0), items: $0) } }
        let (first, second) = (sections(1), sections(2))
        let pairs = first.flatMap { one in second.flatMap { other in [[one, other], [other, one]] } }
        return [[]] + first.map { [$0] } + second.map { [$0] } + pairs
    }

    /// Returns the list with the content of one item changed, which `number` selects.
    private static func changingOneItem(of list: [Snapshot], _ number: Int) -> [Snapshot] {
        let count = list.reduce(0) { $0 + $1.items.count }
        guard count > 0 else { return list }
        var left = number % (count + 1)
        return list.map { section in
            let items = section.items.map { item in
                defer { left -= 1 }
                return left == 0 ? Element(id: item.id, value: 1) : item
            }
            return Snapshot(section.section, items: items)
        }
    }
}

/// The item changes of a result, without regard to their order.
private struct ItemEntries: Equatable {
    private var deletes: Set<IndexPath> = []
    private var inserts: Set<IndexPath> = []
    private var updates: Set<IndexPath> = []
    private var moves: Set<ListMoveIndexPath> = []

    init() {}

    init(_ result: ListSectionedResult) {
        deletes = Set(result.deleteItems)
        inserts = Set(result.insertItems)
        updates = Set(result.updateItems)
        moves = Set(result.moveItems)
    }

    init(_ result: ReferenceDiff.Result, old: Int, new: Int) {
        deletes = Set(result.deletes.map { IndexPath(section: old, item: $0) })
        inserts = Set(result.inserts.map { IndexPath(section: new, item: $0) })
        updates = Set(result.updates.map { IndexPath(section: old, item: $0) })
        moves = Set(
            result.moves.map {
                ListMoveIndexPath(
                    from: IndexPath(section: old, item: $0.from), to: IndexPath(section: new, item: $0.to))
            })
    }

    mutating func add(_ other: ItemEntries) {
        deletes.formUnion(other.deletes)
        inserts.formUnion(other.inserts)
        updates.formUnion(other.updates)
        moves.formUnion(other.moves)
    }
}
