// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListKit

@Suite("ListIndexSet")
struct IndexSetTests {
    @Test(
        "numbers are inserted and removed at random → the index set equals a set, and stores ranges", arguments: 0..<20)
    func random(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var set = ListIndexSet()
        var model: Set<Int> = []
        for _ in 0..<300 {
            let index = Int.random(in: 0..<40, using: &random)
            if Bool.random(using: &random) {
                set.insert(index)
                model.insert(index)
            } else {
                set.remove(index)
                model.remove(index)
            }
            #expect(Array(set) == model.sorted())
            #expect(set == ListIndexSet(model))
            #expect(set.contains(index) == model.contains(index))
            #expect(set.count == model.count)
            #expect(set.count(below: index) == model.count { $0 < index })
            #expect(set.first == model.min())
            #expect(set.last == model.max())
        }
        let other = ListIndexSet([3, 4, 9, 50])
        #expect(Array(set.union(other)) == model.union(other).sorted())
    }

    @Test("indexes arrive in any order → the ranges are ascending and not adjacent")
    func runs() {
        let set = ListIndexSet([5, 1, 2, 2, 9, 3])
        #expect(set.ranges == [1..<4, 5..<6, 9..<10])
        #expect(set.description == "{1, 2, 3, 5, 9}")
        #expect(ListIndexSet(4..<4).isEmpty)
    }
}
