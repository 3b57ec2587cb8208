// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("ListDiff")
struct DiffTests {
    /// Returns all lists of up to `length` identifiers below `ids`. If `isCanonical`, only lists whose identifiers
    /// are numbered by first occurrence.
    static func lists(length: Int, ids: Int, isCanonical: Bool) -> [[Int]] {
        var all: [[Int]] = [[]]
        var previous: [[Int]] = [[]]
        for _ in 0..<length {
            previous = previous.flatMap { list in
                let limit = isCanonical ? min(ids, (list.max() ?? -1) + 2) : ids
                return (0..<limit).map { list + [$0] }
            }
            all += previous
        }
        return all
    }

    /// The maximum length for exhaustive tests. Debug builds use one less, to be fast.
    static var exhaustiveLength: Int {
        #if DEBUG
        4
        #else
        5
        #endif
    }

    // Identifiers are interchangeable, so one naming of the old list is enough.
    @Test(
        "every two lists of up to 5 elements with 4 identifiers are compared → the result is that of IGListKit",
        .rule("DF-01...DF-35"))
    func exhaustive() throws {
        let before = try (0..<4).map { try Element(id: $0, value: 0).object }
        let after = try (0..<4).map { try Element(id: $0, value: 0).object }
        let changed = try (0..<4).map { try Element(id: $0, value: 1).object }
        let olds = DiffTests.lists(length: DiffTests.exhaustiveLength, ids: 4, isCanonical: true)
        let news = DiffTests.lists(length: DiffTests.exhaustiveLength, ids: 4, isCanonical: false)
        var mismatches: [String] = []
        for old in olds {
            let oldObjects = old.map { before[$0] }
            for new in news {
                for position in -1..<new.count {
                    let newObjects = new.enumerated().map { $0 == position ? changed[$1] : after[$1] }
                    let oldElements = old.map { Element(id: $0, value: 0) }
                    let newElements = new.enumerated().map { Element(id: $1, value: $0 == position ? 1 : 0) }
                    let expected = ReferenceDiff.between(oldElements, newElements)
                    let results = [
                        ListDiff.between(oldObjects, newObjects), ListDiff.between(oldElements, newElements),
                    ]
                    if results.contains(where: { ReferenceDiff.Result($0) != expected }) {
                        mismatches.append("\(old) → \(new), changed \(position)")
                    }
                }
            }
        }
        #expect(mismatches.isEmpty, "\(mismatches.prefix(5))")
    }

    /// Returns two lists with some overlap. Few distinct identifiers cause many duplicates.
    static func randomPair(
        _ random: inout SeededRandom, maximum: Int
    ) -> (old: [Element], new: [Element]) {
        let identifiers = Bool.random(using: &random) ? maximum * 4 : Int.random(in: 1...maximum, using: &random)
        func element() -> Element { Element(id: Int.random(in: 0..<identifiers, using: &random), value: 0) }
        let old = (0..<Int.random(in: 0...maximum, using: &random)).map { _ in element() }
        var new = old
        for _ in 0..<Int.random(in: 0...maximum, using: &random) {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: new.insert(element(), at: Int.random(in: 0...new.count, using: &random))
            case 1: if let index = new.indices.randomElement(using: &random) { new.remove(at: index) }
            case 2:
                if let index = new.indices.randomElement(using: &random) {
                    new[index] = Element(id: new[index].id, value: 1)
                }
            case 3:
                guard let index = new.indices.randomElement(using: &random) else { continue }
                let moved = new.remove(at: index)
                new.insert(moved, at: Int.random(in: 0...new.count, using: &random))
            default: if random.next() % 64 == 0 { new.shuffle(using: &random) }
            }
        }
        return (old, new)
    }

    @Test(
        "random lists of objects or of other elements repeat identifiers → the result is that of IGListKit",
        arguments: 0..<20)
    func random(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for round in 0..<500 {
            let (old, new) = DiffTests.randomPair(&random, maximum: round % 50 == 0 ? 400 : 12)
            let expected = ReferenceDiff.between(old, new)
            let objects = try ListDiff.between(old.map { try $0.object }, new.map { try $0.object })
            try #require(ReferenceDiff.Result(objects) == expected, "\(old) → \(new)")
            try #require(ReferenceDiff.Result(ListDiff.between(old, new)) == expected, "\(old) → \(new)")
        }
    }

    /// The common prefix of two lists is compared a second time only if an element changed, so mistakes are likely
    /// there.
    @Test(
        "two lists have a long common prefix, whose identifiers are repeated → the result is that of IGListKit",
        arguments: 0..<10)
    func commonStart(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<100 {
            let start = (0..<30).map { _ in Element(id: Int.random(in: 0..<60, using: &random), value: 0) }
            let (old, new) = DiffTests.randomPair(&random, maximum: 20)
            let (before, after) = (start + old, start + new)
            let objects = try ListDiff.between(before.map { try $0.object }, after.map { try $0.object })
            let expected = ReferenceDiff.between(before, after)
            try #require(ReferenceDiff.Result(objects) == expected, "\(before) → \(after)")
            try #require(ReferenceDiff.Result(ListDiff.between(before, after)) == expected, "\(before) → \(after)")
        }
    }

    @Test("a repeated element is inserted in front of a long list or moved in it → the result is that of IGListKit")
    func fewIdentifiers() throws {
        let list = (0..<200).map { Element(id: $0, value: 0) }
        for id in [-1, 0, 100, 199] {
            for place in [0, 100, 200] {
                for value in 0...1 {
                    var new = list
                    new.insert(Element(id: id, value: value), at: place)
                    try #require(ReferenceDiff.Result(ListDiff.between(list, new)) == ReferenceDiff.between(list, new))
                    try #require(ReferenceDiff.Result(ListDiff.between(new, list)) == ReferenceDiff.between(new, list))
                    let later = Array(new.dropFirst(3) + new.prefix(1))
                    try #require(
                        ReferenceDiff.Result(ListDiff.between(new, later)) == ReferenceDiff.between(new, later))
                }
            }
        }
    }

    /// An element that is not Sendable, while its identifier is.
    private struct LocalElement: ListDiffable {
        final class Content { var value = 0 }
        let id: String
        let content = Content()

        var diffIdentifier: String { id }
        func isEqual(toDiffable other: LocalElement) -> Bool { content === other.content }
    }

    @Test("elements are not Sendable → the result has lookups by identifier")
    func notSendable() {
        let old = ["a", "b", "c"].map { LocalElement(id: $0) }
        let result = ListDiff.between(old, [old[2], old[0], LocalElement(id: "b"), LocalElement(id: "d")])
        #expect(Array(result.inserts) == [3] && Array(result.updates) == [1])
        #expect(result.newIndex(forIdentifier: "c") == 0 && result.oldIndex(forIdentifier: "c") == 2)
    }

    @Test(
        "minimal moves are requested for repeated identifiers → IGListKit's pairs of elements have the fewest moves",
        .rule("DF-17"))
    func minimalOfRepeated() {
        func elements(_ ids: Int...) -> [Element] { ids.map { Element(id: $0, value: 0) } }
        let result = ListDiff.between(elements(1, 2, 1), elements(2, 1), moves: .minimal)
        #expect(Array(result.deletes) == [2] && result.moves.count == 1)
        #expect(ListDiff.between(elements(2, 1), elements(2, 1), moves: .minimal).moves.isEmpty)
    }

    @Test(
        "minimal moves are requested → the moves are the fewest possible, and all else is as without the option",
        arguments: 0..<10)
    func minimal(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<200 {
            let (old, new) = DiffTests.randomPair(&random, maximum: 10)
            let positional = ListDiff.between(old, new)
            let minimal = ListDiff.between(old, new, moves: .minimal)
            #expect(minimal.inserts == positional.inserts)
            #expect(minimal.deletes == positional.deletes)
            #expect(minimal.updates == positional.updates)
            #expect(minimal.moves.count <= positional.moves.count)
            let pairs = ReferencePairs.survivors(old, new)
            #expect(minimal.moves.count == pairs.count - ReferencePairs.longestIncreasing(pairs.map(\.from)))
            #expect(minimal.moves.allSatisfy { pairs.contains($0) })
        }
    }

    @Test(
        "elements are compared by pointer → another instance counts as an update, and the same instance does not",
        .rule("DF-15", "DF-16", "DS-04")
    )
    func pointer() throws {
        let old = try [1, 2, 3].map { try Element(id: $0, value: 0).object }
        let new = try [old[0], Element(id: 2, value: 0).object, old[2]]
        #expect(ListDiff.between(old, new, option: .pointerPersonality).updates == [1])
        #expect(!ListDiff.between(old, new).hasChanges)
        #expect(!ListDiff.between(old, old, option: .pointerPersonality).hasChanges)
    }
}

/// Finds the elements that are in both lists by comparing all pairs.
enum ReferencePairs {
    /// Returns the old and the new index of each element in both lists, by its new index.
    static func survivors(_ old: [Element], _ new: [Element]) -> [ListMoveIndex] {
        var free = Array(old.indices)
        var pairs: [ListMoveIndex] = []
        for (index, element) in new.enumerated() {
            guard let position = free.firstIndex(where: { old[$0].id == element.id }) else { continue }
            pairs.append(ListMoveIndex(from: free.remove(at: position), to: index))
        }
        return pairs
    }

    /// Returns the length of a longest increasing subsequence, by comparing all pairs.
    static func longestIncreasing(_ numbers: [Int]) -> Int {
        var lengths: [Int] = []
        for (position, number) in numbers.enumerated() {
            let before = zip(numbers[..<position], lengths).filter { $0.0 < number }.map(\.1)
            lengths.append((before.max() ?? 0) + 1)
        }
        return lengths.max() ?? 0
    }
}
