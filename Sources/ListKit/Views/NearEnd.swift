// SPDX-License-Identifier: Apache-2.0

/// A near end of the list that was announced to a view.
struct NearEnd: Equatable {
    /// The section of the last object at that time; `nil` if the list was empty.
    let last: SectionHandle?
}
