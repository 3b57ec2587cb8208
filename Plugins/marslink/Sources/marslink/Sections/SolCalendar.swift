// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Counts Martian days: sols, 24 hours and 37 minutes long (the tutorial's SolFormatter).
struct SolCalendar: Sendable {
    private static let sol = 1477.0 * 60

    let landing: Date

    /// Returns the number of the sol at a time; the sol of the landing is 0.
    func sol(of date: Date) -> Int {
        let sols = (date.timeIntervalSince(landing) / Self.sol).rounded(.down)
        return Int(exactly: sols) ?? 0
    }
}
