// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

/// An element of a reference type, as in IGListKit's tests.
private final class Instance: ListDiffable, Sendable {
    let id: String
    let value: String

    init(_ element: JSON) {
        id = element["id"]?.scalar ?? ""
        value = element["value"]?.scalar ?? ""
    }

    var diffIdentifier: String { id }

    func isEqual(toDiffable other: Instance) -> Bool { value == other.value }
}

@Suite("IGListKit's diff cases")
struct DiffVectorTests {
    /// Returns the two lists of a case. Elements with the same `ref` are the same instance.
    private func lists<Item>(_ vector: VectorCase, make: (JSON) throws -> Item) rethrows -> (old: [Item], new: [Item]) {
        var shared: [String: Item] = [:]
        func item(_ element: JSON) throws -> Item {
            guard let reference = element["ref"]?.scalar else { return try make(element) }
            let item = try shared[reference] ?? make(element)
            shared[reference] = item
            return item
        }
        return try (
            (vector.json["old"]?.array ?? []).map { try item($0) },
            (vector.json["new"]?.array ?? []).map { try item($0) }
        )
    }

    private func option(_ vector: VectorCase) -> ListDiffOption {
        vector.json["option"]?.string == "pointer" ? .pointerPersonality : .equality
    }

    @Test(
        "a case of IGListKit's tests is compared → the result is the one that IGListKit expects",
        .rule("DF-01...DF-35", "DS-01...DS-05"),
        arguments: try VectorCase.load("diff"))
    func elements(vector: VectorCase) {
        let (old, new) = lists(vector) { Instance($0) }
        check(ListDiff.between(old, new, option: option(vector)), vector, counts: (old.count, new.count))
        guard let paths = vector.json["paths"] else { return }
        let result = ListDiff.paths(
            fromSection: paths["fromSection"]?.integer ?? -1, toSection: paths["toSection"]?.integer ?? -1, old, new,
            option: option(vector))
        check(result, vector)
    }

    @Test(
        "a case of IGListKit's tests has list objects as elements → the result is the one that IGListKit expects",
        arguments: try VectorCase.load("diff"))
    func objects(vector: VectorCase) throws {
        let (old, new) = try lists(vector) { element in
            try ListObject(
                id: element["id"]?.scalar ?? "", fields: ["value": .string(element["value"]?.scalar ?? "")])
        }
        check(ListDiff.between(old, new, option: option(vector)), vector, counts: (old.count, new.count))
    }

    private func check(_ result: ListIndexSetResult, _ vector: VectorCase, counts: (old: Int, new: Int)) {
        #expect(description(of: result) == description(ofChanges: vector.json["derivedFromSource"]))
        let batch = vector.json["derivedFromSourceBatch"]
        #expect(description(of: result.resultForBatchUpdates()) == description(ofChanges: batch))
        #expect(counts.old - result.deletes.count + result.inserts.count == counts.new)
        #expect(Set(result.moves.map(\.from)).count == result.moves.count)
        let expected = vector.json["expected"]
        if let hasChanges = expected?["hasChanges"]?.boolean { #expect(result.hasChanges == hasChanges) }
        if let changeCount = expected?["changeCount"]?.integer { #expect(result.changeCount == changeCount) }
        if let countAfter = expected?["countAfter"]?.integer { #expect(counts.new == countAfter) }
        for move in expected?["movesInclude"]?.moves ?? [] { #expect(result.moves.contains(move)) }
        for lookup in expected?["oldIndex"]?.array ?? [] {
            #expect(result.oldIndex(forIdentifier: lookup[0]?.scalar ?? "") == lookup[1]?.integer)
        }
        for lookup in expected?["newIndex"]?.array ?? [] {
            #expect(result.newIndex(forIdentifier: lookup[0]?.scalar ?? "") == lookup[1]?.integer)
        }
    }

    private func check(_ result: ListIndexPathResult, _ vector: VectorCase) {
        let changes = vector.json["derivedFromSource"]
        func paths(_ key: String, _ section: Int) -> [IndexPath] {
            (changes?[key]?.integers ?? []).sorted().map { IndexPath(section: section, item: $0) }
        }
        #expect(result.inserts == paths("inserts", result.toSection))
        #expect(result.deletes == paths("deletes", result.fromSection))
        #expect(result.updates == paths("updates", result.fromSection))
        #expect(result.moves.map { ListMoveIndex(from: $0.from.item, to: $0.to.item) } == changes?["moves"]?.moves)
        #expect(result.moves.allSatisfy { $0.from.section == result.fromSection && $0.to.section == result.toSection })
        let batch = result.resultForBatchUpdates()
        #expect(batch.updates.isEmpty)
        let deletes = vector.json["derivedFromSourceBatch"]?["deletes"]?.integers ?? []
        #expect(Set(batch.deletes.map(\.item)) == Set(deletes))
        for lookup in vector.json["expected"]?["oldIndex"]?.array ?? [] {
            let path = lookup[1]?.integer.map { IndexPath(section: result.fromSection, item: $0) }
            #expect(result.oldIndexPath(forIdentifier: lookup[0]?.scalar ?? "") == path)
        }
        for lookup in vector.json["expected"]?["newIndex"]?.array ?? [] {
            let path = lookup[1]?.integer.map { IndexPath(section: result.toSection, item: $0) }
            #expect(result.newIndexPath(forIdentifier: lookup[0]?.scalar ?? "") == path)
        }
    }

    private func description(of result: ListIndexSetResult) -> String {
        "\(Array(result.inserts)) \(Array(result.deletes)) \(Array(result.updates)) \(result.moves)"
    }

    private func description(ofChanges json: JSON?) -> String {
        func sorted(_ key: String) -> [Int] { (json?[key]?.integers ?? []).sorted() }
        return "\(sorted("inserts")) \(sorted("deletes")) \(sorted("updates")) \(json?["moves"]?.moves ?? [])"
    }
}

@Suite("Moves and diff results as values")
struct MoveTests {
    @Test(
        "moves are values → they can be put into sets, sorted and compared", .rule("DR-01...DR-10"),
        arguments: try VectorCase.load("diff", "moveRecords"))
    func records(record: VectorCase) {
        let isPath = record.json["kind"]?.string == "path"
        let indexes = isPath ? [] : record.json["moves"]?.moves ?? []
        let paths = isPath ? record.json["moves"]?.pathMoves ?? [] : []
        #expect(indexes.count + paths.count == record.json["moves"]?.array?.count)
        if let count = record.json["expectedSetCount"]?.integer {
            #expect(Set(indexes).count + Set(paths).count == count)
        }
        if let order = record.json["expectedSortedPermutation"]?.integers {
            #expect(paths.sorted() == order.map { paths[$0] })
        }
    }

    @Test(
        "two moves differ in one index → they are not equal, and are sorted by their origin",
        .rule("DR-02", "DR-03", "DR-05...DR-07", "DR-10"))
    func different() {
        #expect(ListMoveIndex(from: 1, to: 2) != ListMoveIndex(from: 2, to: 1))
        #expect(ListMoveIndex(from: 1, to: 2) != ListMoveIndex(from: 1, to: 3))
        let sorted = [ListMoveIndex(from: 3, to: 0), ListMoveIndex(from: 1, to: 9)].sorted()
        #expect(sorted.map(\.from) == [1, 3])
    }

    @Test("moves and results are described → the descriptions have the counts and both indexes", .rule("DD-01...DD-05"))
    func descriptions() {
        let result = ListDiff.between(["a", "b", "c"], ["c", "d", "a"])
        #expect(result.description == "<ListIndexSetResult; 1 inserts; 1 deletes; 0 updates; 2 moves>")
        let paths = ListDiff.paths(fromSection: 0, toSection: 1, ["a", "b", "c"], ["c", "d", "a"])
        #expect(paths.description == "<ListIndexPathResult; 1 inserts; 1 deletes; 0 updates; 2 moves>")
        #expect(ListMoveIndex(from: 1, to: 2).description == "<ListMoveIndex; from: 1; to: 2>")
        #expect(paths.moves[0].description == "<ListMoveIndexPath; from: (0, 2); to: (1, 0)>")
        let data = ListBatchUpdateData(insertSections: [1, 2], deleteSections: [7])
        #expect(
            data.description
                == "<ListBatchUpdateData; deleteSections: 1; insertSections: 2; moveSections: 0; deleteItems: 0; "
                + "insertItems: 0; updateItems: 0>")
    }
}
