// SPDX-License-Identifier: Apache-2.0

/// Where an element lies in the viewport after the list is scrolled to it.
@frozen public enum ScrollPosition: String, Sendable, Hashable, CaseIterable {
    /// Where the least movement shows it; `start` where the present offset has no effect (rule AD-109).
    case none
    /// At the start of the viewport.
    case start
    /// In the middle.
    case center
    /// At the end.
    case end
}

/// A range of the scroll axis to bring into view (rules AD-109 to AD-133).
public struct ScrollTarget: Sendable, Hashable {
    /// The range, in points.
    public var range: ClosedRange<Double>
    /// Where it lies then.
    public var position: ScrollPosition
    /// Added to the offset before it is clamped, in points.
    public var additionalOffset: Double

    /// Makes a target.
    public init(range: ClosedRange<Double>, position: ScrollPosition, additionalOffset: Double = 0) {
        self.range = range
        self.position = position
        self.additionalOffset = additionalOffset
    }

    /// The scroll offset that shows the target, clamped to the content and its insets.
    ///
    /// - Parameters:
    ///   - viewport: the viewport's length along the scroll axis.
    ///   - content: the content's length along the scroll axis.
    ///   - lead: the content inset before the content.
    ///   - trail: the content inset after it.
    ///   - current: the present offset, from which `none` moves as little as possible; nil = `none` is `start`.
    /// - Returns: an offset of at least `-lead`, even where the content is shorter than the viewport.
    public func offset(
        viewport: Double, content: Double, lead: Double = 0, trail: Double = 0, current: Double? = nil
    ) -> Double {
        let start = range.lowerBound - lead
        let end = range.upperBound - viewport + trail
        let wanted =
            switch position {
            case .none: current.map { min(max($0, min(start, end)), max(start, end)) } ?? start
            case .start: start
            case .end: end
            case .center: (range.lowerBound + range.upperBound) / 2 - viewport / 2 - (lead - trail) / 2
            }
        // Adding zero avoids a negative zero, which `-lead` is without an inset.
        return max(-lead, min(wanted + additionalOffset, content - viewport + trail)) + 0
    }
}
