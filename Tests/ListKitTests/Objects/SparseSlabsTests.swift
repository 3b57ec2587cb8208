// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListKit

@Suite("Slabs of numbers that are nearly all the same")
struct SparseSlabsTests {
    @Test("random writes and moves → the same numbers as in an array", arguments: UInt64(0)..<10)
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var slabs = SparseSlabs<Int32>(blockSize: 8, filler: 1)
        slabs.reserve(60)
        var expected = [Int32](repeating: 1, count: slabs.capacity)
        #expect(slabs.capacity == 64)
        for _ in 0..<100 {
            let index = Int.random(in: 0..<64, using: &random)
            if Bool.random(using: &random) {
                let number = Int32.random(in: 0...2, using: &random)
                slabs[index] = number
                expected[index] = number
            } else {
                let (source, target) = (index / 2, Int.random(in: 0..<32, using: &random))
                let moved = Array(expected[source..<source + 20])
                slabs.move(from: source, to: target, count: 20)
                expected.replaceSubrange(target..<target + 20, with: moved)
            }
            #expect((0..<64).map { slabs[$0] } == expected)
        }
    }

    @Test("a number is written to one block → runs of the other blocks keep the filler")
    func runs() {
        var slabs = SparseSlabs<Int32>(blockSize: 4, filler: 7)
        slabs.reserve(12)
        slabs[5] = 2
        for (start, numbers) in [(0, [7, 7, 7, 7]), (4, [7, 2, 7, 7]), (8, [7, 7, 7, 7])] as [(Int, [Int32])] {
            #expect(slabs.withRun(from: start, count: 4) { run in run.indices.map { run[$0] } } == numbers)
        }
    }
}
