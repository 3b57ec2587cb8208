// SPDX-License-Identifier: Apache-2.0

/// The search for a longest increasing subsequence, by patience sorting of stretches, each a range of numbers.
enum LongestIncreasingRun {
    /// Returns for each stretch how many of its first numbers belong to the subsequence. All numbers must be
    /// different.
    ///
    /// The numbers of a stretch replace adjacent tails, because no other stretch has a number between them. So one
    /// search for each stretch is enough.
    /// - Complexity: O(numbers + stretches · log numbers); O(numbers) if the stretches are nearly in order.
    static func memberCounts(of stretches: [Range<UInt32>], in memory: inout DiffMemory) -> [UInt32] {
        let total = stretches.reduce(0) { $0 + $1.count }
        let tails = FlatBuffer<Tail>(uninitializedCount: total, in: &memory)
        var length = 0
        var previous = [Tail](repeating: .none, count: stretches.count)
        for (position, stretch) in stretches.enumerated() {
            let place = firstTail(above: stretch.lowerBound, tails, length)
            if place > 0 { previous[position] = tails[place - 1] }
            for offset in 0..<stretch.count {
                tails[place + offset] = Tail(
                    number: stretch.lowerBound + UInt32(truncatingIfNeeded: offset),
                    stretch: UInt32(truncatingIfNeeded: position))
            }
            length = max(length, place + stretch.count)
        }
        var members = [UInt32](repeating: 0, count: stretches.count)
        var tail = length > 0 ? tails[length - 1] : .none
        while tail != .none {
            let position = Int(tail.stretch)
            members[position] = tail.number - stretches[position].lowerBound + 1
            tail = previous[position]
        }
        return members
    }

    /// Returns for each stretch how many of its first numbers belong to the subsequence. Allocates its own working
    /// memory.
    static func memberCounts(of stretches: [Range<UInt32>]) -> [UInt32] {
        let total = stretches.reduce(0) { $0 + $1.count }
        return DiffMemory.with(byteCount: total * MemoryLayout<Tail>.stride) { memberCounts(of: stretches, in: &$0) }
    }

    /// The last number of a subsequence, and the position of the stretch that has this number.
    private struct Tail: BitwiseCopyable, Equatable {
        var number: UInt32
        var stretch: UInt32

        static let none = Tail(number: .max, stretch: .max)
    }

    /// Returns the number of tails that are smaller than a number. Searches from the end, in growing steps.
    private static func firstTail(above number: UInt32, _ tails: borrowing FlatBuffer<Tail>, _ length: Int) -> Int {
        var (low, high, step) = (length, length, 1)
        while low > 0, tails[low - 1].number > number {
            high = low - 1
            low = max(0, low - step)
            step *= 2
        }
        while low < high {
            let middle = (low + high) / 2
            if tails[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
