// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListKit

@Suite("Leaf tree: the sequence type that stores layouts")
struct LeafTreeTests {
    /// A leaf with a text. The summary joins the texts, so that it depends on their order.
    struct Word: SummarisedLeaf {
        var text: String
        static let vacant = Word(text: "")
        var summary: Sentence { Sentence(text: text) }
    }

    struct Sentence: TreeSummary {
        var text: String
        static let empty = Sentence(text: "")
        func followed(by next: Sentence) -> Sentence { Sentence(text: text + next.text) }
    }

    @Test(
        "leaves are inserted, removed and changed at random → sequence and summaries equal those of an array",
        arguments: 0..<6)
    func randomEdits(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        let count = [0, 1, 16, 17, 300, 40][seed]
        var words = (0..<count).map { Word(text: String($0 % 10)) }
        var tree = LeafTree(words)
        var ids = Array(words.indices)
        for step in 0..<600 {
            let grows = step < 300 ? 3 : 8
            let text = String(UnicodeScalar(UInt8(97 + step % 26)))
            switch Int.random(in: 0..<10, using: &generator) {
            case grows...:
                guard let place = ids.indices.randomElement(using: &generator) else { continue }
                tree.remove(ids.remove(at: place))
                words.remove(at: place)
            case 0:
                guard let place = ids.indices.randomElement(using: &generator) else { continue }
                tree.update(ids[place]) { $0.text = text }
                words[place].text = text
            default:
                let place = Int.random(in: 0...ids.count, using: &generator)
                ids.insert(tree.insert(Word(text: text), after: place == 0 ? nil : ids[place - 1]), at: place)
                words.insert(Word(text: text), at: place)
            }
            #expect(tree.brokenInvariant == nil)
            #expect(tree.total.text == words.map(\.text).joined())
            guard step % 40 == 0 else { continue }
            expectSame(tree, words, ids)
        }
        while let last = ids.popLast() { tree.remove(last) }
        #expect(tree.isEmpty && tree.brokenInvariant == nil)
        tree.insert(Word(text: "again"), after: nil)
        #expect(tree.total.text == "again")
    }

    private func expectSame(_ tree: LeafTree<Word>, _ words: [Word], _ ids: [Int]) {
        var walked: [Int] = []
        tree.walk { _, _ in
            true
        } _: { leaf, before in
            #expect(before.text == words.prefix(walked.count).map(\.text).joined())
            walked.append(leaf)
            return true
        }
        #expect(walked == ids)
        #expect(tree.firstLeaf == ids.first && tree.lastLeaf == ids.last && tree.count == ids.count)
        for (place, leaf) in ids.enumerated() {
            let before = words.prefix(place).map(\.text).joined()
            #expect(tree.sum(before: leaf).text == before)
            #expect(tree.leaf(before: leaf) == (place > 0 ? ids[place - 1] : nil))
            #expect(tree.leaf(after: leaf) == (place + 1 < ids.count ? ids[place + 1] : nil))
            let found = tree.first { $0.text.count > before.count }
            #expect(found?.leaf == leaf && found?.before.text == before)
        }
        let length = words.map(\.text.count).reduce(0, +)
        #expect(tree.first { $0.text.count > length } == nil)
    }

    @Test("a traversal stops or skips subtrees → only the remaining leaves are visited, in order")
    func walks() {
        let tree = LeafTree((0..<100).map { Word(text: $0 == 60 ? "x" : "-") })
        var seen: [Int] = []
        tree.walk { _, part in
            part.text.contains("x")
        } _: { leaf, _ in
            seen.append(leaf)
            return true
        }
        #expect(seen == [60])
        seen = []
        tree.walk { _, _ in
            true
        } _: { leaf, _ in
            seen.append(leaf)
            return leaf < 20
        }
        #expect(seen == Array(0...20))
    }
}
