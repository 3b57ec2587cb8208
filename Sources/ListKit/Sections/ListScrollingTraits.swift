// SPDX-License-Identifier: Apache-2.0

/// How a view's content is moving (rule AD-108).
public struct ListScrollingTraits: OptionSet, Sendable, Hashable {
    /// The bit mask of the traits.
    public let rawValue: UInt8

    /// Makes traits from a bit mask.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A finger or a pointer is on the content.
    public static let isTracking = ListScrollingTraits(rawValue: 1)
    /// The content follows the finger or pointer.
    public static let isDragging = ListScrollingTraits(rawValue: 2)
    /// The content keeps moving after the finger or pointer left it.
    public static let isDecelerating = ListScrollingTraits(rawValue: 4)
}
