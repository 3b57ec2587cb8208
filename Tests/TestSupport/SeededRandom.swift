// SPDX-License-Identifier: Apache-2.0

/// A random number generator whose numbers depend only on the seed (SplitMix64), so that failures can be
/// reproduced.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator with a seed.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Returns `true` with a probability of 1 in `count`.
    package mutating func chance(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// Returns a random element, or `nil` if the collection is empty.
    package mutating func pick<C: Collection>(_ elements: C) -> C.Element? { elements.randomElement(using: &self) }
}
