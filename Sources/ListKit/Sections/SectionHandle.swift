// SPDX-License-Identifier: Apache-2.0

/// Identifies a section for as long as its object is in the list, whatever its position; never used again afterwards.
///
/// A section gets one when it is first used (shown, asked, selected) and loses it when it is unused, so that a long list
/// keeps few.
struct SectionHandle: Hashable, Sendable, Comparable {
    let raw: Int32

    /// No section at all.
    static let none = SectionHandle(raw: 0)

    static func < (lhs: SectionHandle, rhs: SectionHandle) -> Bool { lhs.raw < rhs.raw }
}
