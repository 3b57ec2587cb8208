/// Which of the objects that changes named have to be announced as moved.
///
/// All other objects keep their order, so a named one may stay if as many of them are before it as were; of those in one
/// gap a longest increasing run stays.
enum NamedMoves {
    /// - Parameters:
    ///   - named: old and new positions of the named objects that stay in the list.
    ///   - deletes: positions before of objects that go, ascending.
    ///   - inserts: positions after of objects that come, ascending.
    /// - Returns: those that moved, ascending in the position after.
    /// - Complexity: O(k log k) for k positions.
    static func moved(
        _ named: [(old: Int, new: Int)], deletes: [Int], inserts: [Int]
    ) -> [(old: Int, new: Int)] {
        let byOld = named.sorted { $0.old < $1.old }
        let byNew = named.map(\.new).sorted()
        var deleted = deletes[...]
        var deletesBefore = 0
        var candidates: [(old: Int, new: Int)] = []
        var moved: [(old: Int, new: Int)] = []
        for (namedBefore, place) in byOld.enumerated() {
            while let next = deleted.first, next < place.old {
                deleted.removeFirst()
                deletesBefore += 1
            }
            let gapBefore = place.old - deletesBefore - namedBefore
            let gapAfter = place.new - countBelow(place.new, in: inserts) - countBelow(place.new, in: byNew)
            if gapBefore == gapAfter { candidates.append(place) } else { moved.append(place) }
        }
        let stays = longestIncreasingRun(candidates.map(\.new))
        for (index, place) in candidates.enumerated() where !stays[index] { moved.append(place) }
        return moved.sorted { $0.new < $1.new }
    }

    private static func countBelow(_ bound: Int, in sorted: [Int]) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < bound { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Which elements belong to a longest increasing subsequence.
    private static func longestIncreasingRun(_ values: [Int]) -> [Bool] {
        var tails: [Int] = []
        var tailValues: [Int] = []
        var previous = [Int](repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            let length = countBelow(value, in: tailValues)
            if length > 0 { previous[index] = tails[length - 1] }
            if length == tails.count {
                tails.append(index)
                tailValues.append(value)
            } else {
                tails[length] = index
                tailValues[length] = value
            }
        }
        var stays = [Bool](repeating: false, count: values.count)
        var index = tails.last ?? -1
        while index >= 0 {
            stays[index] = true
            index = previous[index]
        }
        return stays
    }
}
