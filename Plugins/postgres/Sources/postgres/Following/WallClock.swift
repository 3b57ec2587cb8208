// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The system's real-time clock, for messages and for the property SourceSynced.
enum WallClock {
    /// The present time in microseconds since 1970.
    static var now: UInt64 {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec) / 1000
    }

    /// Returns the local time of day, such as 09:14:03.
    static func timeOfDay(_ microseconds: UInt64) -> String {
        var seconds = time_t(clamping: microseconds / 1_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return "?" }
        let numbers = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return numbers.map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":")
    }
}
