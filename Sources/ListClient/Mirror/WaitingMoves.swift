// SPDX-License-Identifier: Apache-2.0

/// The elements of an array that have yet to move, in their old order, while other elements are placed around them.
struct WaitingMoves {
    /// The gap of each: how many staying elements are before it. Ascending.
    private var gaps: [Int] = []
    /// The number of each by its place in the new order.
    private var numbers: [Int: Int] = [:]
    /// The number of waiting elements, as a Fenwick tree: prefix sums in O(log n).
    private var sums: [Int]

    /// Makes the list from the new places in old order and those of them that stay.
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

    /// The number of waiting elements in the gaps before one.
    func count(before gap: Int) -> Int {
        waiting(among: gaps.partitionPoint { $0 < gap })
    }

    /// Removes a waiting element; returns its position, with arrivals so far in these (ascending) gaps. Nil when it
    /// does not wait.
    mutating func remove(_ place: Int, _ arrivals: [Int]) -> Int? {
        guard let number = numbers.removeValue(forKey: place) else { return nil }
        let gap = gaps[number]
        let arrived = arrivals.partitionPoint { $0 <= gap }
        let position = gap + arrived + waiting(among: number)
        var node = number + 1
        while node < sums.count {
            sums[node] -= 1
            node += node & -node
        }
        return position
    }

    private func waiting(among first: Int) -> Int {
        var (node, sum) = (first, 0)
        while node > 0 {
            sum += sums[node]
            node &= node - 1
        }
        return sum
    }
}
