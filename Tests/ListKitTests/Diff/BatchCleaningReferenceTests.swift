// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("ListBatchUpdateData against a reference implementation")
struct BatchCleaningReferenceTests {
    /// Raw changes of two sections with two items each.
    private struct Raw {
        var insertSections: [Int]
        var deleteSections: [Int]
        var moveSections: [ListMoveIndex]
        var insertItems: [IndexPath]
        var deleteItems: [IndexPath]
        var moveItems: [ListMoveIndexPath]
    }

    private static let places = [IndexPath(section: 0, item: 0), IndexPath(section: 1, item: 0)]

    private static func subsets<Element>(_ elements: [Element]) -> [[Element]] {
        elements.reduce([[]]) { subsets, element in subsets + subsets.map { $0 + [element] } }
    }

    /// All lists of paths in which each of `places` occurs zero, one or two times.
    private static var repeated: [[IndexPath]] {
        places.reduce([[]]) { lists, place in
            lists.flatMap { list in (0...2).map { list + Array(repeating: place, count: $0) } }
        }
    }

    private static var all: [Raw] {
        let sections = subsets([0, 1])
        let moves = subsets([ListMoveIndex(from: 0, to: 1), ListMoveIndex(from: 1, to: 0)])
        let itemMoves = subsets([
            ListMoveIndexPath(from: IndexPath(section: 0, item: 1), to: IndexPath(section: 0, item: 0)),
            ListMoveIndexPath(from: IndexPath(section: 1, item: 1), to: IndexPath(section: 0, item: 1)),
        ])
        var all: [Raw] = []
        for inserts in sections {
            for deletes in sections {
                for moves in moves {
                    for insertItems in repeated {
                        for deleteItems in repeated {
                            all += itemMoves.map {
                                Raw(
                                    insertSections: inserts, deleteSections: deletes, moveSections: moves,
                                    insertItems: insertItems, deleteItems: deleteItems, moveItems: $0)
                            }
                        }
                    }
                }
            }
        }
        return all
    }

    /// Cleans a batch by the rules of IGListKit's header, one after the other, without any table.
    private static func cleaned(_ raw: Raw) -> ListBatchUpdateData {
        var (inserts, deletes) = (raw.insertSections, raw.deleteSections)
        var moves = raw.moveSections.filter { move in
            !raw.deleteSections.contains(move.from) && !raw.insertSections.contains(move.to)
        }
        var deleteItems = raw.deleteItems
        var insertItems = raw.insertItems
        for place in places {
            while deleteItems.count(where: { $0 == place }) > 1 {
                deleteItems.remove(at: deleteItems.firstIndex(of: place) ?? 0)
                if let insert = insertItems.firstIndex(of: place) { insertItems.remove(at: insert) }
            }
        }
        var moveItems = raw.moveItems.filter { !raw.deleteSections.contains($0.from.section) }
        for move in moves {
            let isTouched =
                deleteItems.contains { $0.section == move.from } || insertItems.contains { $0.section == move.to }
                || raw.moveItems.contains { $0.from.section == move.from }
            guard isTouched else { continue }
            moves.removeAll { $0 == move }
            deletes.append(move.from)
            inserts.append(move.to)
            deleteItems.removeAll { $0.section == move.from }
            insertItems.removeAll { $0.section == move.to }
            moveItems.removeAll { $0.from.section == move.from }
        }
        // Cleaning is idempotent.
        return ListBatchUpdateData(
            insertSections: ListIndexSet(inserts), deleteSections: ListIndexSet(deletes), moveSections: moves,
            insertItems: insertItems, deleteItems: deleteItems, moveItems: moveItems)
    }

    @Test(
        "a batch of changes to two sections is cleaned → the result is that of IGListKit's rules, applied one by one",
        .rule("BU-01...BU-21"))
    func exhaustive() {
        var mismatches: [Raw] = []
        for raw in BatchCleaningReferenceTests.all {
            let data = ListBatchUpdateData(
                insertSections: ListIndexSet(raw.insertSections), deleteSections: ListIndexSet(raw.deleteSections),
                moveSections: raw.moveSections, insertItems: raw.insertItems, deleteItems: raw.deleteItems,
                moveItems: raw.moveItems)
            if data != BatchCleaningReferenceTests.cleaned(raw) { mismatches.append(raw) }
        }
        #expect(mismatches.isEmpty, "\(mismatches.count): \(mismatches.prefix(3))")
    }

    @Test(
        "the diff of every two lists of up to 5 elements, applied as a batch → the new list",
        .rule("DF-27"))
    func applied() {
        let length = DiffTests.exhaustiveLength
        var mismatches: [String] = []
        for old in DiffTests.lists(length: length, ids: 4, isCanonical: true) where Set(old).count == old.count {
            for new in DiffTests.lists(length: length, ids: 4, isCanonical: false) where Set(new).count == new.count {
                for position in -1..<new.count {
                    let after = new.enumerated().map { Element(id: $1, value: $0 == position ? 1 : 0) }
                    let before = old.map { Element(id: $0, value: 0) }
                    let result = ListDiff.between(before, after).resultForBatchUpdates()
                    let data = ListBatchUpdateData(
                        insertSections: result.inserts, deleteSections: result.deletes, moveSections: result.moves)
                    if !result.updates.isEmpty || BatchCleaningReferenceTests.apply(data, before, after) != after {
                        mismatches.append("\(old) → \(new), changed \(position)")
                    }
                }
            }
        }
        #expect(mismatches.isEmpty, "\(mismatches.prefix(5))")
    }

    /// Applies deletes and inserts as a client does, with all positions at once.
    private static func apply(_ data: ListBatchUpdateData, _ old: [Element], _ new: [Element]) -> [Element] {
        let gone = Set(Array(data.deleteSections) + data.moveSections.map(\.from))
        var list = old.indices.filter { !gone.contains($0) }.map { old[$0] }
        let come = data.insertSections.map { ($0, new[$0]) } + data.moveSections.map { ($0.to, old[$0.from]) }
        for (target, element) in come.sorted(by: { $0.0 < $1.0 }) {
            guard target <= list.count else { return [] }
            list.insert(element, at: target)
        }
        return list
    }
}
