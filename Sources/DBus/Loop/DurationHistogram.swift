// SPDX-License-Identifier: Apache-2.0

/// A histogram of durations. The width of each bucket is at most a sixteenth of its durations.
public struct DurationHistogram: Sendable {
    /// The number of buckets for each power of two. Durations below 16 microseconds have one bucket per microsecond.
    private static let bucketsPerPower: UInt64 = 16
    /// The longest counted duration in microseconds, more than an hour. Longer durations are counted as this one.
    private static let longestCounted = UInt64(UInt32.max)

    private var counts = [UInt64](repeating: 0, count: bucket(of: longestCounted) + 1)
    private var total: UInt64 = 0
    /// The longest duration in microseconds; 0 if none was counted.
    public private(set) var longest: UInt64 = 0

    /// Creates an empty histogram.
    public init() {}

    /// Counts a duration.
    ///
    /// - Complexity: O(1)
    public mutating func add(microseconds: UInt64) {
        counts[Self.bucket(of: microseconds)] &+= 1
        total &+= 1
        longest = max(longest, microseconds)
    }

    /// Returns a quantile in microseconds; `part` is between 0 and 1. The result is at most a sixteenth too long, and
    /// 0 when nothing was counted.
    ///
    /// - Complexity: O(1), for some hundred buckets
    public func quantile(_ part: Double) -> UInt64 {
        let rank = max(1, UInt64((Double(total) * min(max(part, 0), 1)).rounded(.up)))
        var seen: UInt64 = 0
        for (bucket, count) in counts.enumerated() {
            seen &+= count
            if seen >= rank { return min(Self.longest(in: bucket), longest) }
        }
        return longest
    }

    private static func bucket(of microseconds: UInt64) -> Int {
        let time = min(microseconds, longestCounted)
        guard time >= bucketsPerPower else { return Int(time) }
        let shift = UInt64(UInt64.bitWidth - 1 - time.leadingZeroBitCount - bucketsPerPower.trailingZeroBitCount)
        return Int(shift * bucketsPerPower + (time >> shift))
    }

    private static func longest(in bucket: Int) -> UInt64 {
        let bucket = UInt64(bucket)
        guard bucket >= bucketsPerPower else { return bucket }
        let shift = bucket / bucketsPerPower - 1
        return ((bucket - shift * bucketsPerPower + 1) << shift) - 1
    }
}
