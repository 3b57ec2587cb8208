// SPDX-License-Identifier: Apache-2.0

/// The part of a layout that has to be computed again when the viewport moves or changes its size (rule LY-47).
@frozen public enum BoundsInvalidation: Sendable, Hashable {
    /// Nothing. All frames are unchanged.
    case nothing
    /// The sticky headers.
    case supplementaryViews
    /// The whole layout.
    case everything
}
