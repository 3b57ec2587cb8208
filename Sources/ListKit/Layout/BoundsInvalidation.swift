// SPDX-License-Identifier: Apache-2.0

/// What a layout requires when its viewport moves or changes size (rule LY-47).
@frozen public enum BoundsInvalidation: Sendable, Hashable {
    /// Nothing: frames stay.
    case nothing
    /// Compute the sticky headers again.
    case supplementaryViews
    /// Lay out everything again.
    case everything
}
