// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// Returns the number of leading elements that meet a condition. All elements that meet it must be at the start.
    ///
    /// - Complexity: O(log n).
    func partitionPoint(where passes: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if passes(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
