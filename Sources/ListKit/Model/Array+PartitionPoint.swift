// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// The number of elements that meet a condition which holds for a prefix of the list.
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
