// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListKit

@Suite("Leaf tree: the sequence type that stores layouts")
struct LeafTreeTests {
    /// A leaf with a text. The summary joins the texts, so that it depends on their order.
    struct Word: SummarisedLeaf {
        var text: String
        static let vacant = Word(text: "")
        var summary: SummaryTreeTests.Text { SummaryTreeTests.Text(text: text) }
    }

    @Test(
        "leaves are inserted, removed and changed at random → sequence and summaries equal those of an array",
        arguments: 0..<6)
    func randomEdits(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var words = (0..<[0, 1, 16, 17, 300, 40][seed]).map { Word(text: String($0 % 10)) }
        var tree = LeafTree(words)
        var ids = Array(words.indices)
        for step in 0..<600 {
            let word = Word(text: String(UnicodeScalar(UInt8(97 + step % 26))))
            switch Int.random(in: 0..<10, using: &random) {
            case (step < 300 ? 3 : 8)...:
                guard let place = ids.indices.randomElement(using: &random) else { continue }
                tree.remove(ids.remove(at: place))
                words.remove(at: place)
            case 0:
                guard let place = ids.indices.randomElement(using: &random) else { continue }
                tree.update(ids[place]) { $0 = word }
                words[place] = word
            default:
                let place = Int.random(in: 0...ids.count, using: &random)
                ids.insert(tree.insert(word, after: place == 0 ? nil : ids[place - 1]), at: place)
                words.insert(word, at: place)
            }
            #expect(tree.order.brokenInvariant { tree.leaves[$0].summary } == nil)
            #expect(tree.order.total.text == words.map(\.text).joined())
            #expect(ids.map { tree.leaves[$0].text } == words.map(\.text))
        }
        for leaf in tree.leaves.indices { tree.leaves[leaf].text += "." }
        tree.recomputeSums()
        #expect(tree.order.total.text == words.map { $0.text + "." }.joined())
    }
}
