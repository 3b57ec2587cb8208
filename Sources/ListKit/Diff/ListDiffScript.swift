// SPDX-License-Identifier: Apache-2.0

/// The changes of a diff as steps that are applied one after the other.
///
/// Deletes come first, in descending order. Moves and then inserts follow in ascending order of their targets.
/// Updates come last.
public struct ListDiffScript: Sendable, Hashable {
    /// One step. Its indexes refer to the list after all previous steps.
    @frozen public enum Step: Sendable, Hashable {
        /// Removes an element.
        case delete(Int)
        /// Removes an element and inserts it again; `to` is its index after both.
        case move(from: Int, to: Int)
        /// Inserts an element at an index, which is also its index in the final list.
        case insert(Int)
        /// Replaces an element with the one at the same index of the final list.
        case update(Int)
    }

    /// The steps in order.
    public let steps: [Step]

    /// Makes steps from the result of a diff.
    ///
    /// If the diff was made with `ListDiffMoves.minimal`, the number of moves is the smallest possible.
    /// - Complexity: O(changes · log changes).
    public init(_ result: ListIndexSetResult) {
        var steps: [Step] = result.deletes.reversed().map { .delete($0) }
        steps += ListDiffScript.moves(result)
        steps += result.inserts.map { .insert($0) }
        let mapping = ListIndexMapping(result)
        steps += result.updates.compactMap { mapping.newIndex(forOld: $0).map { .update($0) } }
        self.steps = steps
    }

    /// Applies the steps to a list.
    ///
    /// - Parameter new: the final list, from which inserted and updated elements are taken.
    /// - Complexity: O(steps · n).
    public func apply<Element>(to list: inout [Element], new: [Element]) {
        for step in steps {
            switch step {
            case .delete(let index): list.remove(at: index)
            case .move(let from, let to): list.insert(list.remove(at: from), at: to)
            case .insert(let index): list.insert(new[index], at: index)
            case .update(let index): list[index] = new[index]
            }
        }
    }

    /// Returns the moves in ascending order of their targets. Their indexes refer to the list after the deletes and
    /// before the inserts.
    ///
    /// Between two unmoved elements, the elements that were already moved there come first. The elements that have yet
    /// to be moved away follow. So every position is a sum of counts.
    private static func moves(_ result: ListIndexSetResult) -> [Step] {
        let deletes = PositionMap(removed: result.deletes.ranges, inserted: [])
        let inserts = PositionMap(removed: result.inserts.ranges, inserted: [])
        let moves = result.moves.map { (from: deletes($0.from) ?? $0.from, to: inserts($0.to) ?? $0.to) }
        let origins = moves.map(\.from).sorted()
        var remaining = PrefixCounts(count: origins.count)
        /// For each move so far, the number of unmoved elements before its target.
        var gaps: [Int] = []
        var steps: [Step] = []
        for (position, move) in moves.enumerated() {
            let place = firstIndex(count: origins.count) { origins[$0] >= move.from }
            let (oldGap, newGap) = (move.from - place, move.to - position)
            let placedBefore = firstIndex(count: gaps.count) { gaps[$0] > oldGap }
            let from = oldGap + placedBefore + remaining.sum(below: place)
            remaining.remove(place)
            // The number of unmoved elements before an origin is the origin minus its index among the origins.
            let later = firstIndex(count: origins.count) { origins[$0] - $0 >= newGap }
            let to = newGap + position + remaining.sum(below: later)
            gaps.append(newGap)
            if from != to { steps.append(.move(from: from, to: to)) }
        }
        return steps
    }

    /// Returns the first index from which on a condition holds; `count` if there is none.
    private static func firstIndex(count: Int, where condition: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A set of numbers that counts how many of its members are smaller than a given number (a Fenwick tree).
private struct PrefixCounts {
    private var sums: [Int]

    /// Makes the set of all numbers below `count`.
    init(count: Int) { sums = (0...count).map { $0 & -$0 } }

    /// Returns the number of members that are smaller than `position`.
    func sum(below position: Int) -> Int {
        var (sum, node) = (0, position)
        while node > 0 {
            sum += sums[node]
            node -= node & -node
        }
        return sum
    }

    /// Removes a member.
    mutating func remove(_ position: Int) {
        var node = position + 1
        while node < sums.count {
            sums[node] -= 1
            node += node & -node
        }
    }
}
