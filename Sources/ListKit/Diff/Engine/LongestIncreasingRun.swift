/// A longest increasing subsequence, by patience sorting.
enum LongestIncreasingRun {
    /// For each number, whether it belongs to the chosen subsequence; the numbers are all different.
    ///
    /// - Complexity: O(n · log n), O(n) when the numbers are nearly in order.
    static func members(of numbers: [Int32]) -> [Bool] {
        var tails: [Int32] = []
        var previous = [Int32](repeating: -1, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            let length = firstTail(above: number, in: tails, numbers)
            if length > 0 { previous[position] = tails[length - 1] }
            let tail = Int32(truncatingIfNeeded: position)
            if length == tails.count { tails.append(tail) } else { tails[length] = tail }
        }
        var members = [Bool](repeating: false, count: numbers.count)
        var position = tails.last.map { Int($0) } ?? -1
        while position >= 0 {
            members[position] = true
            position = Int(previous[position])
        }
        return members
    }

    /// How many tails are smaller than a number; looks from the end, in growing steps.
    @inline(__always)
    private static func firstTail(above number: Int32, in tails: [Int32], _ numbers: [Int32]) -> Int {
        var high = tails.count
        var step = 1
        while high > 0, numbers[Int(tails[high - 1])] > number {
            let low = max(0, high - step)
            if low == 0 || numbers[Int(tails[low - 1])] < number {
                return partition(low, high - 1, number, tails, numbers)
            }
            high = low
            step *= 2
        }
        return high
    }

    private static func partition(
        _ start: Int, _ end: Int, _ number: Int32, _ tails: [Int32], _ numbers: [Int32]
    ) -> Int {
        var (low, high) = (start, end)
        while low < high {
            let middle = (low + high) / 2
            if numbers[Int(tails[middle])] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
