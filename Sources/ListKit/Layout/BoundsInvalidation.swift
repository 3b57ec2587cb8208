// SPDX-License-Identifier: Apache-2.0

/// What a layout requires when its viewport moves or changes size (rule LY-47).
@frozen public enum BoundsInvalidation: Sendable, Hashable {
    /// Nothing: frames stay as they are.
    case nothing
    /// Ask again where the headers stick.
    case supplementaryViews
    /// Lay out everything again.
    case everything
}
