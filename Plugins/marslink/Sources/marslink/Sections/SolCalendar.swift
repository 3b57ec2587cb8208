// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Counts Martian days: sols, 24 hours and 37 minutes long (the tutorial's SolFormatter).
struct SolCalendar: Sendable {
    private static let sol = 1477.0 * 60

    let landing: Date

    /// The sol of a moment; the one of the landing is 0.
    func sol(of date: Date) -> Int {
        let sols = (date.timeIntervalSince(landing) / Self.sol).rounded(.down)
        return Int(exactly: sols) ?? 0
    }
}
