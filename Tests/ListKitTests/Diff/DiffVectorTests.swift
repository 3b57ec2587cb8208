import ListKit
import Testing

/// An element with an instance of its own, as IGListKit's tests have them.
private final class Instance: ListDiffable, Sendable {
    let id: Scalar
    let value: Scalar

    init(_ element: DiffCase.Element) {
        id = element.id
        value = element.value
    }

    var diffIdentifier: Scalar { id }

    func isEqual(toDiffable other: Instance) -> Bool { value == other.value }
}

@Suite("IGListKit's diff cases")
struct DiffVectorTests {
    @Test(
        "a case of IGListKit's tests → its result (DF-01 … DF-35, DS-01 … DS-05)",
        arguments: try DiffVectors.diff.get().cases)
    func elements(vector: DiffCase) {
        var shared: [Scalar: Instance] = [:]
        func instance(_ element: DiffCase.Element) -> Instance {
            guard let reference = element.ref else { return Instance(element) }
            let instance = shared[reference] ?? Instance(element)
            shared[reference] = instance
            return instance
        }
        let (old, new) = (vector.old.map(instance), vector.new.map(instance))
        let option: ListDiffOption = vector.option == "pointer" ? .pointerPersonality : .equality
        check(ListDiff.between(old, new, option: option), vector) { $0 }
        if let paths = vector.paths {
            let result = ListDiff.paths(
                fromSection: paths.fromSection, toSection: paths.toSection, old, new, option: option)
            check(result, vector)
        }
    }

    @Test("the same cases with objects → the same results", arguments: try DiffVectors.diff.get().cases)
    func objects(vector: DiffCase) throws {
        var shared: [Scalar: ListObject] = [:]
        func object(_ element: DiffCase.Element) throws -> ListObject {
            let object = try ListObject(id: "\(element.id)", fields: ["value": .string("\(element.value)")])
            guard let reference = element.ref else { return object }
            let known = shared[reference] ?? object
            shared[reference] = known
            return known
        }
        let (old, new) = (try vector.old.map(object), try vector.new.map(object))
        let option: ListDiffOption = vector.option == "pointer" ? .pointerPersonality : .equality
        check(ListDiff.between(old, new, option: option), vector) { "\($0)" }
    }

    private func check<Identifier: Hashable & Sendable>(
        _ result: ListIndexSetResult, _ vector: DiffCase, identifier: (Scalar) -> Identifier
    ) {
        #expect(changes(result) == vector.derivedFromSource.described)
        let batch = result.resultForBatchUpdates()
        #expect(changes(batch) == vector.derivedFromSourceBatch.described)
        #expect(vector.old.count - result.deletes.count + result.inserts.count == vector.new.count)
        #expect(Set(result.moves.map(\.from)).count == result.moves.count)
        let expected = vector.expected
        if let hasChanges = expected.hasChanges { #expect(result.hasChanges == hasChanges) }
        if let changeCount = expected.changeCount { #expect(result.changeCount == changeCount) }
        if let countAfter = expected.countAfter { #expect(vector.new.count == countAfter) }
        for lookup in expected.oldIndex ?? [] {
            #expect(result.oldIndex(forIdentifier: identifier(lookup.id)) == lookup.index)
        }
        for lookup in expected.newIndex ?? [] {
            #expect(result.newIndex(forIdentifier: identifier(lookup.id)) == lookup.index)
        }
    }

    private func check(_ result: ListIndexPathResult, _ vector: DiffCase) {
        let changes = vector.derivedFromSource
        #expect(result.inserts == changes.inserts.map { IndexPath(section: result.toSection, item: $0) })
        #expect(result.deletes == changes.deletes.map { IndexPath(section: result.fromSection, item: $0) })
        #expect(Set(result.updates) == Set(changes.updates.map { IndexPath(section: result.fromSection, item: $0) }))
        #expect(result.moves.map { [$0.from.item, $0.to.item] } == changes.moves)
        #expect(result.moves.allSatisfy { $0.from.section == result.fromSection && $0.to.section == result.toSection })
        let batch = result.resultForBatchUpdates()
        #expect(batch.updates.isEmpty)
        #expect(Set(batch.deletes.map(\.item)) == Set(vector.derivedFromSourceBatch.deletes))
        for lookup in vector.expected.oldIndex ?? [] {
            let path = lookup.index.map { IndexPath(section: result.fromSection, item: $0) }
            #expect(result.oldIndexPath(forIdentifier: lookup.id) == path)
        }
        for lookup in vector.expected.newIndex ?? [] {
            let path = lookup.index.map { IndexPath(section: result.toSection, item: $0) }
            #expect(result.newIndexPath(forIdentifier: lookup.id) == path)
        }
    }

    private func changes(_ result: ListIndexSetResult) -> String {
        let moves = result.moves.map { [$0.from, $0.to] }
        return "\(Array(result.inserts)) \(Array(result.deletes)) \(Array(result.updates)) \(moves)"
    }
}

extension DiffCase.Changes {
    fileprivate var described: String { "\(inserts.sorted()) \(deletes.sorted()) \(updates.sorted()) \(moves)" }
}

@Suite("Moves")
struct MoveTests {
    @Test(
        "moves as values → set, order and equality (DR-01 … DR-10)", arguments: try DiffVectors.diff.get().moveRecords)
    func records(record: MoveRecord) {
        var (indexes, paths): ([ListMoveIndex], [ListMoveIndexPath]) = ([], [])
        for move in record.moves {
            switch (move[0], move[1]) {
            case (.index(let from), .index(let to)): indexes.append(ListMoveIndex(from: from, to: to))
            case (.path(let from), .path(let to)):
                paths.append(
                    ListMoveIndexPath(
                        from: IndexPath(section: from[0], item: from[1]), to: IndexPath(section: to[0], item: to[1])))
            default: Issue.record("a move from an index to a path")
            }
        }
        if let count = record.expectedSetCount { #expect(Set(indexes).count + Set(paths).count == count) }
        if let order = record.expectedSortedPermutation {
            #expect(paths.sorted() == order.map { paths[$0] })
            #expect(paths.map(\.from.section).enumerated().sorted { ($0.1, $0.0) < ($1.1, $1.0) }.count == order.count)
        }
    }

    @Test(
        "moves that differ in an end → different, sorted by where they come from (DR-02, DR-03, DR-05 … DR-07, DR-10)")
    func different() {
        #expect(ListMoveIndex(from: 1, to: 2) != ListMoveIndex(from: 2, to: 1))
        #expect(ListMoveIndex(from: 1, to: 2) != ListMoveIndex(from: 1, to: 3))
        let sorted = [ListMoveIndex(from: 3, to: 0), ListMoveIndex(from: 1, to: 9)].sorted()
        #expect(sorted.map(\.from) == [1, 3])
    }

    @Test("descriptions → numbers and ends (DD-01 … DD-05)")
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
