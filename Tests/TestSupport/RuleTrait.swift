// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Names the rules of `docs/rules` that a test or a suite verifies. `scripts/check-rules` counts them.
package struct RuleTrait: TestTrait, SuiteTrait {
    /// The ids (`UP-33`) of rules, or ranges of one topic (`UP-35...UP-42`).
    package let ids: [String]
}

extension Trait where Self == RuleTrait {
    /// The rules of `docs/rules` that a test verifies: `.rule("UP-33", "UP-35...UP-42")`.
    package static func rule(_ ids: String...) -> Self { RuleTrait(ids: ids) }
}
