// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListKit

@Suite("Summary tree: the order of numbered leaves and their sums")
struct SummaryTreeTests {
    /// A sum that joins texts, so that it depends on the order of the leaves.
    struct Text: TreeSummary, Equatable {
        var text = ""
        static let empty = Text()
        func followed(by next: Text) -> Text { Text(text: text + next.text) }
    }

    /// Numbers, which can be subtracted.
    struct Number: TreeSummary, AdditiveArithmetic {
        var number = 0
        static let zero = Number()
        static let empty = Number()
        func followed(by next: Number) -> Number { self + next }
        static func + (lhs: Number, rhs: Number) -> Number { Number(number: lhs.number + rhs.number) }
        static func - (lhs: Number, rhs: Number) -> Number { Number(number: lhs.number - rhs.number) }
    }

    /// The reference: the leaves in order, each with its number and its sum.
    private typealias Leaves<Sum> = [(leaf: Int, sum: Sum)]

    private static let sizes = [0, 1, 14, 15, 16, 17, 300, 40]

    @Test(
        "leaves are inserted, removed and changed at random → order and sums equal those of an array",
        arguments: 0..<16)
    func randomEdits(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var expected: Leaves<Text> = (0..<Self.sizes[seed % 8]).map { ($0, Text(text: String($0 % 10))) }
        var tree = SummaryTree(expected.map(\.sum))
        for step in 0..<800 {
            let sum = Text(text: String(UnicodeScalar(UInt8(97 + step % 26))))
            // The tree grows for half of the time, then shrinks.
            switch Int.random(in: 0..<10, using: &random) {
            case (step < 400 ? 3 : 8)...:
                guard let place = expected.indices.randomElement(using: &random) else { continue }
                tree.remove(expected.remove(at: place).leaf)
            case 0:
                guard let place = expected.indices.randomElement(using: &random) else { continue }
                tree.update(expected[place].leaf, to: sum)
                expected[place].sum = sum
            default:
                let place = seed % 2 == 0 ? Int.random(in: 0...expected.count, using: &random) : expected.count
                let leaf = tree.insert(sum, after: place == 0 ? nil : expected[place - 1].leaf)
                #expect(!expected.contains { $0.leaf == leaf })
                expected.insert((leaf, sum), at: place)
            }
            try expectInvariants(tree, expected)
            if step % 40 == 0 { expectSame(tree, expected) }
        }
        while !expected.isEmpty {
            tree.remove(expected.remove(at: Int.random(in: 0..<expected.count, using: &random)).leaf)
            try expectInvariants(tree, expected)
        }
        #expect(tree.isEmpty && tree.height == 1)
        expected.append((tree.insert(Text(text: "z"), after: nil), Text(text: "z")))
        expectSame(tree, expected)
    }

    private func expectInvariants(_ tree: SummaryTree<Text>, _ expected: Leaves<Text>) throws {
        let sums = Dictionary(uniqueKeysWithValues: expected.map { ($0.leaf, $0.sum) })
        let broken = tree.brokenInvariant { sums[$0] ?? Text(text: "leaf \($0) is unknown") }
        try #require(broken == nil)
        #expect(tree.total.text == expected.map(\.sum.text).joined())
    }

    private func expectSame(_ tree: SummaryTree<Text>, _ expected: Leaves<Text>) {
        var walked: [Int] = []
        tree.walk { _, _ in
            true
        } _: { leaf, before in
            #expect(before.text == expected.prefix(walked.count).map(\.sum.text).joined())
            walked.append(leaf)
            return true
        }
        #expect(walked == expected.map(\.leaf))
        #expect(tree.count == expected.count && tree.isEmpty == expected.isEmpty)
        #expect(tree.firstLeaf == expected.first?.leaf && tree.lastLeaf == expected.last?.leaf)
        for (place, leaf) in expected.map(\.leaf).enumerated() {
            let before = expected.prefix(place).map(\.sum.text).joined()
            #expect(tree.sum(before: leaf).text == before)
            #expect(tree.leaf(before: leaf) == (place > 0 ? expected[place - 1].leaf : nil))
            #expect(tree.leaf(after: leaf) == (place + 1 < expected.count ? expected[place + 1].leaf : nil))
            let found = tree.first { $0.text.count > before.count }
            #expect(found?.leaf == leaf && found?.before.text == before)
        }
        #expect(tree.first { $0.text.count > expected.count } == nil)
    }

    @Test("differences are added to leaves → the sums are those of an array", arguments: 0..<4)
    func differences(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var expected = (0..<[1, 16, 200, 1000][seed]).map { _ in Int.random(in: 0...9, using: &random) }
        var tree = SummaryTree(expected.map { Number(number: $0) })
        for _ in 0..<200 {
            let leaf = Int.random(in: expected.indices, using: &random)
            let difference = Int.random(in: -5...5, using: &random)
            tree.add(Number(number: difference), to: leaf)
            expected[leaf] += difference
            #expect(tree.total.number == expected.reduce(0, +))
            #expect(tree.sum(before: leaf).number == expected.prefix(leaf).reduce(0, +))
        }
        #expect(tree.brokenInvariant { Number(number: expected[$0]) } == nil)
        tree.updateAll { Number(number: $0) }
        #expect(tree.brokenInvariant { Number(number: $0) } == nil)
    }

    @Test("a copy is changed → the original stays the same")
    func copies() {
        let sums = (0..<100).map { Text(text: String($0 % 10)) }
        let original = SummaryTree(sums)
        var copy = original
        for leaf in 0..<50 { copy.remove(leaf * 2) }
        copy.update(1, to: Text(text: "x"))
        expectSame(original, sums.enumerated().map { ($0, $1) })
        #expect(copy.total.text == "x" + String(repeating: "3579", count: 1) + String(repeating: "13579", count: 9))
    }

    @Test("a traversal stops or skips subtrees → only the remaining leaves are visited, in order")
    func walks() {
        let tree = SummaryTree((0..<100).map { Text(text: $0 == 60 ? "x" : "-") })
        #expect(tree.leaves { _, part in part.text.contains("x") }.map(\.leaf) == [60])
        var seen: [Int] = []
        tree.walk { _, _ in
            true
        } _: { leaf, _ in
            seen.append(leaf)
            return leaf < 20
        }
        #expect(seen == Array(0...20))
    }
}
