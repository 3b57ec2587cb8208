// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Names the rules of `docs/rules` that a test or a suite holds; `scripts/check-rules` counts them.
package struct RuleTrait: TestTrait, SuiteTrait {
    /// Ids (`UP-33`), or two of one topic for them and all between (`UP-35...UP-42`).
    package let ids: [String]
}

extension Trait where Self == RuleTrait {
    /// The rules of `docs/rules` that this test holds: `.rule("UP-33", "UP-35...UP-42")`.
    package static func rule(_ ids: String...) -> Self { RuleTrait(ids: ids) }
}
