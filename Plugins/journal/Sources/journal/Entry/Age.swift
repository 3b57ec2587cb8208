// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The time since an entry was written, as text for people.
struct Age: Equatable {
    /// The age in whole seconds, at least zero.
    let seconds: UInt64

    /// Computes the age of `time` at the moment `now`, both in microseconds since 1970.
    init(of time: Int64, at now: Int64) {
        let (difference, overflow) = now.subtractingReportingOverflow(time)
        seconds = overflow || difference < 0 ? 0 : UInt64(difference) / 1_000_000
    }

    /// The age as text: `now`, `3 min`, `2 h`, `5 d`.
    var text: String {
        switch seconds {
        case ..<60: "now"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    /// The time until the text changes.
    var untilChange: Duration {
        let unit: UInt64 = seconds < 3600 ? 60 : seconds < 86_400 ? 3600 : 86_400
        return .seconds(Int64(unit - seconds % unit))
    }

    /// Returns the present time, in microseconds since 1970.
    static func now() -> Int64 {
        var time = timespec()
        // The time is a local variable.
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
