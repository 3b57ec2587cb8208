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

/// The elements of an array that are still to be moved, in their old order, while other elements are placed around
/// them.
struct WaitingMoves {
    /// The gap of each waiting element, in ascending order: the number of staying elements before it.
    private var gaps: [Int] = []
    /// The index in `gaps` of each waiting element, by its place in the new order.
    private var numbers: [Int: Int] = [:]
    /// The numbers of waiting elements as a Fenwick tree, which computes prefix sums in O(log n).
    private var sums: [Int]

    /// Creates the waiting elements.
    ///
    /// - Parameters:
    ///   - kept: the places in the new order of all elements that are in both orders; sorted by the old order.
    ///   - staying: the places in the new order of the elements that need no move.
    init(kept: [Int], staying: Set<Int>) {
        var gap = 0
        for place in kept {
            if staying.contains(place) {
                gap += 1
            } else {
                numbers[place] = gaps.count
                gaps.append(gap)
            }
        }
        sums = (0...gaps.count).map { $0 & -$0 }
    }

    /// Returns the number of waiting elements in the gaps before `gap`.
    func count(before gap: Int) -> Int {
        waitingCount(amongFirst: gaps.partitionPoint { $0 < gap })
    }

    /// Removes a waiting element and returns its current position; nil if it is not waiting.
    ///
    /// - Parameters:
    ///   - place: the place of the element in the new order.
    ///   - arrivals: the gaps of the elements placed so far, in ascending order.
    mutating func remove(_ place: Int, arrivals: [Int]) -> Int? {
        guard let number = numbers.removeValue(forKey: place) else { return nil }
        let gap = gaps[number]
        let arrived = arrivals.partitionPoint { $0 <= gap }
        let position = gap + arrived + waitingCount(amongFirst: number)
        var node = number + 1
        while node < sums.count {
            sums[node] -= 1
            node += node & -node
        }
        return position
    }

    private func waitingCount(amongFirst first: Int) -> Int {
        var (node, sum) = (first, 0)
        while node > 0 {
            sum += sums[node]
            node &= node - 1
        }
        return sum
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the first position whose element does not meet a condition; the end if all elements meet it. The
    /// condition must hold for a prefix and for no element after it.
    ///
    /// - Complexity: O(log n).
    func partitionPoint(where isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
