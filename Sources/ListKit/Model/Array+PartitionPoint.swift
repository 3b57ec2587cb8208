// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// How many elements pass a test that holds for a beginning of the list.
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
