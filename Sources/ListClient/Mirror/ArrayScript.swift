// SPDX-License-Identifier: Apache-2.0

/// The steps that turn one order of unique keys into another, for an array that is changed one step after the other.
enum ArrayStep: Equatable {
    /// Remove the element at this position.
    case delete(at: Int)
    /// Insert the element whose final position is `target`.
    case insert(at: Int, target: Int)
    /// Remove the element at `from` and insert it at `to`, a position without it; its final position is `target`.
    case move(from: Int, to: Int, target: Int)
}

/// Finds the steps between two orders of unique keys: deletes from the back, then inserts and moves from the front.
///
/// As few elements as possible move. Complexity: O(n) for the common start and end, O(m log m) for the m keys between.
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
        arrive(kept: kept, count: middle.count, from: start)
    }

    /// Walks through the new order from the front.
    ///
    /// Elements that stay divide the array into gaps. An arrival in a gap is placed before those that still wait there
    /// for their move. So before an arrival at `place` are the `place` elements of the new order, and waiting elements
    /// of earlier gaps.
    private mutating func arrive(kept: [Int], count: Int, from start: Int) {
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
            let source = known.contains(place) ? waiting.remove(place, gapsOfArrivals) : nil
            let position = start + place + waiting.count(before: gap)
            gapsOfArrivals.append(gap)
            if let source {
                steps.append(.move(from: start + source, to: position, target: start + place))
            } else {
                steps.append(.insert(at: position, target: start + place))
            }
        }
    }

    /// The longest ascending subsequence of different numbers (patience sorting).
    static func longestAscending(_ numbers: [Int]) -> [Int] {
        var ends: [Int] = []  // ends[k]: where in `numbers` the best subsequence of k + 1 numbers ends
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
