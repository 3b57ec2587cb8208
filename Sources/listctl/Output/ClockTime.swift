// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Times of day and dates in the user's time zone.
enum ClockTime {
    /// The present time of day, such as `17:14:03`.
    static var now: String {
        guard let date = unsafe parts(of: time(nil)) else { return "" }
        return unsafe [date.tm_hour, date.tm_min, date.tm_sec].map(twoDigits).joined(separator: ":")
    }

    /// Returns the date and time, such as `2022-09-20 17:14`; `nil` beyond the calendar of the C library.
    static func text(secondsSince1970 seconds: Double) -> String? {
        guard seconds.magnitude < 1e14, let date = unsafe parts(of: time_t(seconds.rounded(.down))) else { return nil }
        let day = unsafe "\(Int(date.tm_year) + 1900)-\(twoDigits(date.tm_mon + 1))-\(twoDigits(date.tm_mday))"
        return unsafe "\(day) \(twoDigits(date.tm_hour)):\(twoDigits(date.tm_min))"
    }

    private static func parts(of time: time_t) -> tm? {
        var (time, parts) = unsafe (time, tm())
        // Both pointers are to local variables. `tm_zone`, which points elsewhere, is not read.
        return unsafe localtime_r(&time, &parts) == nil ? nil : parts
    }

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
