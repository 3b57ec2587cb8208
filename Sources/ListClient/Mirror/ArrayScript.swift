// SPDX-License-Identifier: Apache-2.0

/// A step of an ``ArrayScript``. All positions except `target` refer to the array after the steps before.
enum ArrayStep: Equatable {
    /// Removes the element at this position.
    case delete(at: Int)
    /// Inserts the element whose final position is `target`.
    case insert(at: Int, target: Int)
    /// Removes the element at `from` and inserts it at `to`, a position in the array without it. Its final position
    /// is `target`.
    case move(from: Int, to: Int, target: Int)
}

/// A script that changes one order of unique keys into another: deletes from the back, then inserts and moves from
/// the front.
///
/// The number of moves is minimal.
///
/// - Complexity: O(n) for the common prefix and suffix, O(m log m) for the m keys between them.
struct ArrayScript {
    private(set) var steps: [ArrayStep] = []

    init(from old: [UInt64], to new: [UInt64]) {
        let start = zip(old, new).prefix { $0 == $1 }.count
        let shorter = min(old.count, new.count) - start
        var tail = 0
        while tail < shorter, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
        let middle = Array(new[start..<(new.count - tail)])
        var places: [UInt64: Int] = [:]
        for (place, key) in middle.enumerated() { places[key] = place }
        var kept: [Int] = []
        for position in start..<(old.count - tail) {
            if let place = places[old[position]] {
                kept.append(place)
            } else {
                steps.append(.delete(at: position))
            }
        }
        steps.reverse()
        appendArrivals(kept: kept, count: middle.count, from: start)
    }

    /// Appends the inserts and moves, from the front of the new order.
    ///
    /// Elements that stay divide the array into gaps. An element that arrives in a gap is placed before the elements
    /// that wait in this gap for their move. So an arrival at `place` is preceded by the first `place` elements of
    /// the new order, and by the waiting elements of earlier gaps.
    private mutating func appendArrivals(kept: [Int], count: Int, from start: Int) {
        let staying = Set(Self.longestAscending(kept))
        var waiting = WaitingMoves(kept: kept, staying: staying)
        let known = Set(kept)
        var gap = 0
        var gapsOfArrivals: [Int] = []
        for place in 0..<count {
            if staying.contains(place) {
                gap += 1
                continue
            }
            let source = known.contains(place) ? waiting.remove(place, arrivals: gapsOfArrivals) : nil
            let position = start + place + waiting.count(before: gap)
            gapsOfArrivals.append(gap)
            if let source {
                steps.append(.move(from: start + source, to: position, target: start + place))
            } else {
                steps.append(.insert(at: position, target: start + place))
            }
        }
    }

    /// Returns the longest ascending subsequence of distinct numbers (patience sorting).
    static func longestAscending(_ numbers: [Int]) -> [Int] {
        var ends: [Int] = []  // ends[k]: the index of the last number of the best subsequence of length k + 1
        var previous = [Int](repeating: -1, count: numbers.count)
        for index in numbers.indices {
            let length = ends.partitionPoint { numbers[$0] < numbers[index] }
            if length > 0 { previous[index] = ends[length - 1] }
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        var choice: [Int] = []
        var index = ends.last ?? -1
        while index >= 0 {
            choice.append(numbers[index])
            index = previous[index]
        }
        return choice.reversed()
    }
}
