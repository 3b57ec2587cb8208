// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Declares that a suite may not run beside other suites, whose processes would change its results.
///
/// `scripts/run-tests` finds the trait in the source, and runs the suite when nothing else runs.
package struct AloneTrait: SuiteTrait {
    /// What the suite shares with others.
    package let reason: String
}

extension Trait where Self == AloneTrait {
    /// The suite runs when no other suite does: `@Suite("…", .alone("measures the time of calls"))`.
    package static func alone(_ reason: String) -> Self { AloneTrait(reason: reason) }
}
