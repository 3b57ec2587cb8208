// SPDX-License-Identifier: Apache-2.0

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
