// SPDX-License-Identifier: Apache-2.0

/// The last object of the list when the view was told that the end is near.
struct NearEnd: Equatable {
    /// The last object then; none in an empty list.
    let last: SectionHandle?
}
