// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@_spi(Benchmarks) @_spi(Daemon) @testable import ListKit

/// A naive model of `SectionTree`, made of plain arrays.
private struct TreeModel {
    struct Row: Equatable {
        var object: ListObject
        var items: Int
    }

    var old: [Row] = []
    var new: [Row] = []

    func rows(_ side: ListSide) -> [Row] { side == .old ? old : new }
}

@Suite("SectionTree")
struct SectionTreeTests {
    private static func object(_ id: Int, _ version: Int = 0) throws -> ListObject {
        try ListObject(id: "id-\(id)", fields: ["version": .int64(Int64(version))])
    }

    private func check(_ tree: borrowing SectionTree, _ model: TreeModel, _ random: inout SeededRandom) throws {
        let broken = tree.brokenInvariant()
        try #require(broken == nil)
        for side in [ListSide.old, .new] {
            let rows = model.rows(side)
            let (count, items) = (tree.count(side), tree.itemCount(side))
            try #require(count == rows.count)
            try #require(items == rows.reduce(0) { $0 + $1.items })
            let objects = tree.objects(side)
            try #require(objects == rows.map(\.object))
            for _ in 0..<3 {
                guard let index = rows.indices.randomElement(using: &random) else { continue }
                let section = tree.section(at: index, in: side)
                try #require(section?.object == rows[index].object)
                try #require(section?.itemCount == rows[index].items)
                let found = tree.index(of: rows[index].object.id, in: side)
                try #require(found == index)
                let before = rows[..<index].reduce(0) { $0 + $1.items }
                let offset = tree.itemOffset(ofSection: index, in: side)
                try #require(offset == before)
                let path = tree.path(ofItem: before, in: side)
                if rows[index].items > 0 { try #require(path == IndexPath(section: index, item: 0)) }
            }
            let beyond = tree.section(at: rows.count, in: side) == nil
            try #require(beyond)
        }
    }

    /// Applies changes as a client does: removes, inserts by ascending new index, replaces.
    private static func apply(_ changes: ListIndexSetResult, to old: [ListObject], new: [ListObject]) -> [ListObject] {
        let gone = ListIndexSet(Array(changes.deletes) + changes.moves.map(\.from))
        var origin = [Int: Int](uniqueKeysWithValues: changes.moves.map { ($0.to, $0.from) })
        for index in changes.inserts { origin[index] = -1 }
        var list: [(object: ListObject, old: Int)] = old.enumerated().filter { !gone.contains($0.offset) }
            .map { ($0.element, $0.offset) }
        for (index, from) in origin.sorted(by: { $0.key < $1.key }) {
            list.insert(from < 0 ? (new[index], -1) : (old[from], from), at: index)
        }
        return list.enumerated().map { index, entry in
            changes.updates.contains(entry.old) ? new[index] : entry.object
        }
    }

    @Test(
        "random edits, savepoints, commits and rollbacks are made → the content is that of plain arrays",
        arguments: 0..<30)
    func stateMachine(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var nextID = 0
        var model = TreeModel()
        var dropped: [Int] = []
        let start = try (0..<[0, 1, 5, 70, 600, 3000][seed % 6]).map { _ in
            nextID += 1
            return TreeModel.Row(
                object: try SectionTreeTests.object(nextID), items: Int.random(in: 0...3, using: &random))
        }
        model = TreeModel(old: start, new: start)
        var tree = try SectionTree(
            start.map(\.object), itemCount: { index, _ in start[index].items }, dropped: &dropped)
        #expect(dropped.isEmpty)
        var savepoints: [(savepoint: Int, rows: [TreeModel.Row])] = []
        var removed: [ListObject] = []
        for step in 0..<250 {
            let rows = model.new
            let index = rows.indices.randomElement(using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<6:
                nextID += 1
                let isReturning = Bool.random(using: &random) && !removed.isEmpty
                let object = try isReturning ? removed.removeLast() : SectionTreeTests.object(nextID)
                let row = TreeModel.Row(object: object, items: Int.random(in: 0...3, using: &random))
                let place = Int.random(in: 0...rows.count, using: &random)
                let isNew = !rows.contains { $0.object.isSame(as: object) }
                let inserted = tree.insert(object, at: place, itemCount: row.items)
                #expect(inserted == isNew)
                if isNew { model.new.insert(row, at: place) }
            case 6..<10:
                guard let index else { continue }
                removed.append(rows[index].object)
                let found = tree.remove(rows[index].object.id)
                #expect(found == index)
                model.new.remove(at: index)
            case 10..<13:
                guard let index else { continue }
                let place = Int.random(in: 0..<rows.count, using: &random)
                let moved = tree.move(rows[index].object.id, to: place)
                #expect(moved)
                model.new.insert(model.new.remove(at: index), at: place)
            case 13..<16:
                guard let index, let id = Int(rows[index].object.id.dropFirst(3)) else { continue }
                let object = try SectionTreeTests.object(id, Int.random(in: 0...2, using: &random))
                let items: Int? = Bool.random(using: &random) ? nil : Int.random(in: 0...3, using: &random)
                let found = tree.replace(object, itemCount: items)
                #expect(found == index)
                model.new[index] = TreeModel.Row(object: object, items: items ?? rows[index].items)
            case 16: savepoints.append((tree.savepoint, model.new))
            case 17:
                guard let (savepoint, state) = savepoints.popLast() else { continue }
                tree.rollback(to: savepoint)
                model.new = state
            case 18:
                let (changes, old) = (tree.changes(), model.old.map(\.object))
                let applied = SectionTreeTests.apply(changes, to: old, new: model.new.map(\.object))
                try #require(applied == model.new.map(\.object))
                let gone = tree.commit().map(\.object.id)
                let ids = Set(model.new.map(\.object.id))
                #expect(Set(gone) == Set(old.map(\.id)).subtracting(ids))
                model.old = model.new
                savepoints = []
            default:
                guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
                tree.rollback()
                model.new = model.old
                savepoints = []
            }
            if start.count < 100 || step % 25 == 0 { try check(tree, model, &random) }
        }
        try check(tree, model, &random)
    }

    @Test(
        "many sections are inserted and removed, so that nodes split and merge → the content is that of plain arrays",
        arguments: 0..<4)
    func growing(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var tree = SectionTree()
        var ids: [Int] = []
        for id in 0..<6000 {
            let place = seed == 0 ? ids.count : seed == 1 ? 0 : Int.random(in: 0...ids.count, using: &random)
            let inserted = tree.insert(try SectionTreeTests.object(id), at: place)
            try #require(inserted)
            ids.insert(id, at: place)
            if id % 500 == 0 { _ = tree.commit() }
        }
        _ = tree.commit()
        let broken = tree.brokenInvariant()
        try #require(broken == nil)
        #expect(tree.objects().map(\.id) == ids.map { "id-\($0)" })
        while ids.count > 10 {
            let place = seed == 0 ? ids.count - 1 : seed == 1 ? 0 : ids.indices.randomElement(using: &random) ?? 0
            let removed = tree.remove(at: place)
            try #require(removed)
            ids.remove(at: place)
            if ids.count % 97 == 0 { _ = tree.commit() }
        }
        _ = tree.commit()
        let finallyBroken = tree.brokenInvariant()
        #expect(finallyBroken == nil)
        #expect(tree.objects().map(\.id) == ids.map { "id-\($0)" })
        let (height, leaves) = (tree.order.tree.height, tree.order.tree.count)
        #expect(height == 1 && leaves == 1)
    }

    @Test("a list has repeated identifiers → the first object is kept, and the others are reported")
    func duplicates() throws {
        let list = try [1, 2, 1, 3, 2, 1].map { try SectionTreeTests.object($0) }
        var dropped: [Int] = []
        let tree = try SectionTree(list, dropped: &dropped)
        #expect(dropped == [2, 4, 5])
        #expect(tree.objects() == [list[0], list[1], list[3]])
    }

    @Test("a section is moved away and back → no change results; it is removed and inserted elsewhere → a move results")
    func movesThatMeanNothing() throws {
        var dropped: [Int] = []
        var tree = try SectionTree((0..<6).map { try SectionTreeTests.object($0) }, dropped: &dropped)
        tree.move("id-2", to: 5)
        tree.move("id-2", to: 2)
        var changes = tree.changes()
        #expect(!changes.hasChanges)
        tree.remove("id-0")
        let inserted = tree.insert(try SectionTreeTests.object(0, 1), at: 5)
        #expect(inserted)
        changes = tree.changes()
        #expect(changes.moves == [ListMoveIndex(from: 0, to: 5)])
        #expect(changes.updates == [0])
        #expect(changes.deletes.isEmpty && changes.inserts.isEmpty)
    }
}
