// SPDX-License-Identifier: Apache-2.0

/// The kinds of layouts.
@frozen public enum ListLayoutKind: String, Sendable, Hashable, CaseIterable {
    /// IGListCollectionViewLayout.
    case flow
    /// Each item brings its frame, as in LazyScrollView.
    case absolute
    /// The viewer lays out; frames are zero.
    case none
}
