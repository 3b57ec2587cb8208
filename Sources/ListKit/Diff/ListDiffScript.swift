// SPDX-License-Identifier: Apache-2.0

/// The changes as steps that are applied one after the other.
///
/// Deletes come first, from the end; then moves, then inserts, from the start; updates last.
public struct ListDiffScript: Sendable, Hashable {
    /// One step; its indexes refer to the list after the steps before it.
    @frozen public enum Step: Sendable, Hashable {
        /// Removes an element.
        case delete(Int)
        /// Removes an element and inserts it again, so that it has an index afterwards.
        case move(from: Int, to: Int)
        /// Inserts an element at an index that is also its index in the final list.
        case insert(Int)
        /// Replaces an element by that with the same index in the final list.
        case update(Int)
    }

    /// The steps in order.
    public let steps: [Step]

    /// Orders the changes into steps.
    ///
    /// With the option `minimal` of the diff there is one move for each element that must move.
    /// - Complexity: O(changes · log changes).
    public init(_ result: ListIndexSetResult) {
        var steps: [Step] = result.deletes.reversed().map { .delete($0) }
        steps += ListDiffScript.moves(result)
        steps += result.inserts.map { .insert($0) }
        let mapping = ListIndexMapping(result)
        steps += result.updates.compactMap { mapping.newIndex(forOld: $0).map { .update($0) } }
        self.steps = steps
    }

    /// Applies the steps.
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

    /// The moves in the list without deleted and inserted elements, in ascending order of their targets.
    ///
    /// Between two staying elements, those already moved there come first and those still to be moved away after them;
    /// so every position is a sum of counts.
    private static func moves(_ result: ListIndexSetResult) -> [Step] {
        let (deletes, inserts) = (ListIndexRanks(result.deletes), ListIndexRanks(result.inserts))
        let moves = result.moves.map { (from: deletes.rank(of: $0.from), to: inserts.rank(of: $0.to)) }
        let origins = moves.map(\.from).sorted()
        var remaining = PrefixCounts(count: origins.count)
        /// For each move, the number of staying elements before its target.
        var gaps: [Int] = []
        var steps: [Step] = []
        for (position, move) in moves.enumerated() {
            let place = firstIndex(count: origins.count) { origins[$0] >= move.from }
            let (oldGap, newGap) = (move.from - place, move.to - position)
            let placedBefore = firstIndex(count: gaps.count) { gaps[$0] > oldGap }
            let from = oldGap + placedBefore + remaining.sum(below: place)
            remaining.take(place)
            // The gap of an origin is the origin minus its own position among the origins.
            let later = firstIndex(count: origins.count) { origins[$0] - $0 >= newGap }
            let to = newGap + position + remaining.sum(below: later)
            gaps.append(newGap)
            if from != to { steps.append(.move(from: from, to: to)) }
        }
        return steps
    }

    /// The first position from which on a condition holds.
    private static func firstIndex(count: Int, where condition: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A set of elements, and how many are before each (a Fenwick tree).
private struct PrefixCounts {
    private var sums: [Int]

    /// Makes a set of all elements.
    init(count: Int) { sums = (0...count).map { $0 & -$0 } }

    /// The number of elements before one.
    func sum(below position: Int) -> Int {
        var (sum, node) = (0, position)
        while node > 0 {
            sum += sums[node]
            node -= node & -node
        }
        return sum
    }

    /// Removes one.
    mutating func take(_ position: Int) {
        var node = position + 1
        while node < sums.count {
            sums[node] -= 1
            node += node & -node
        }
    }
}
