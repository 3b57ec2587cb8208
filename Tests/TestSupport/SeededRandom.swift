// SPDX-License-Identifier: Apache-2.0

/// A generator whose numbers depend on the seed alone (SplitMix64), so that a failure can be repeated.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator for one seed.
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

    /// True once in `count` times.
    package mutating func chance(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// An element, or nil of an empty collection.
    package mutating func pick<C: Collection>(_ elements: C) -> C.Element? { elements.randomElement(using: &self) }
}
