// SPDX-License-Identifier: Apache-2.0

/// That the end of the list is near to a view, and was told.
struct NearEnd: Equatable {
    /// The last object then; none in an empty list.
    let last: SectionHandle?
}
