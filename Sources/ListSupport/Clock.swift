// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The system's clocks.
package enum Clock {
    /// Returns the present time of a clock in microseconds; 0 if the clock cannot be read.
    package static func microseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec / 1000)
    }
}
