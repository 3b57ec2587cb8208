// SPDX-License-Identifier: Apache-2.0

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
