// SPDX-License-Identifier: Apache-2.0

import ListKit
import TestSupport
import Testing

@Suite("Diff results as edit scripts, index maps and reloads")
struct DiffFormsTests {
    @Test("an edit script with positional or minimal moves is applied step by step → the new list", arguments: 0..<12)
    func script(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for round in 0..<150 {
            let (old, new) = DiffTests.randomPair(&random, maximum: round % 10 == 0 ? 60 : 9)
            for kind in [ListDiffMoves.positional, .minimal] {
                let result = ListDiff.between(old, new, moves: kind)
                let script = ListDiffScript(result)
                var list = old
                script.apply(to: &list, new: new)
                // Without updates in the result, the script keeps the old values, so only the identifiers are equal.
                #expect(list == new || list.map(\.id) == new.map(\.id) && result.updates.isEmpty)
                #expect(script.steps.count <= result.changeCount)
            }
        }
    }

    @Test("five elements are permuted in all ways → the edit script has the minimal number of moves")
    func permutations() {
        let old = Array(0..<5)
        for new in DiffTests.lists(length: 5, ids: 5, isCanonical: false) where Set(new).count == 5 {
            let result = ListDiff.between(old, new, moves: .minimal)
            var list = old
            let script = ListDiffScript(result)
            script.apply(to: &list, new: new)
            #expect(list == new)
            #expect(script.steps.count == 5 - ReferencePairs.longestIncreasing(new))
        }
    }

    @Test("old and new indexes are looked up → the results are those of a comparison of all pairs", arguments: 0..<10)
    func mapping(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<150 {
            let (old, new) = DiffTests.randomPair(&random, maximum: 12)
            let pairs = ReferencePairs.survivors(old, new)
            let newOfOld = Dictionary(uniqueKeysWithValues: pairs.map { ($0.from, $0.to) })
            let oldOfNew = Dictionary(uniqueKeysWithValues: pairs.map { ($0.to, $0.from) })
            for kind in [ListDiffMoves.positional, .minimal] {
                let mapping = ListIndexMapping(ListDiff.between(old, new, moves: kind))
                for index in old.indices { #expect(mapping.newIndex(forOld: index) == newOfOld[index]) }
                for index in new.indices { #expect(mapping.oldIndex(forNew: index) == oldOfNew[index]) }
            }
        }
    }

    @Test("an element is reloaded outside of a diff → a delete and an insert have the same index", .rule("UP-43"))
    func reloadAlone() {
        let (deletes, inserts) = ListDiff.between([Int](), []).convertingReloads([2])
        #expect(deletes == [2])
        #expect(inserts == [2])
    }

    @Test(
        "a moved element is reloaded → the reload is at its new index; a deleted element is reloaded → no reload",
        .rule("UP-44...UP-46")
    )
    func reloadWithDiff() {
        let moved = ListDiff.between([1, 2, 3], [3, 2, 1]).convertingReloads([2])
        #expect(moved.deletes == [2])
        #expect(moved.inserts == [0])
        let gone = ListDiff.between(["a", "b", "c"], ["a", "c"]).convertingReloads([1])
        #expect(gone.deletes == [1])
        #expect(gone.inserts.isEmpty)
    }
}
