// SPDX-License-Identifier: Apache-2.0

/// Names a section for as long as its object is in the list, whatever its number; never used again afterwards.
///
/// Sections get one when somebody takes notice of them, and lose it when nobody does any more, so that a long list of which
/// little is looked at keeps few.
struct SectionHandle: Hashable, Sendable, Comparable {
    let raw: Int32

    /// No section at all.
    static let none = SectionHandle(raw: 0)

    static func < (lhs: SectionHandle, rhs: SectionHandle) -> Bool { lhs.raw < rhs.raw }
}
