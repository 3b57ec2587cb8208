// SPDX-License-Identifier: Apache-2.0

/// An identifier of a section that does not depend on the section's position.
///
/// A section gets a handle when it is first used (shown, asked, selected) and loses the handle when it is unused or
/// removed, so that a long list has few handles. A number is not assigned again until all 2³¹ numbers were assigned.
struct SectionHandle: Hashable, Sendable, Comparable {
    let raw: Int32

    /// The handle that stands for no section.
    static let none = SectionHandle(raw: 0)

    static func < (lhs: SectionHandle, rhs: SectionHandle) -> Bool { lhs.raw < rhs.raw }
}
