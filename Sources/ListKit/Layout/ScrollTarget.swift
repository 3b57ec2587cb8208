// SPDX-License-Identifier: Apache-2.0

/// The place of an element in the viewport after the list was scrolled to it.
@frozen public enum ScrollPosition: String, Sendable, Hashable, CaseIterable {
    /// The place that needs the least scrolling; `start` if the current offset is not known (rule AD-109).
    case none
    /// The start of the viewport.
    case start
    /// The middle of the viewport.
    case center
    /// The end of the viewport.
    case end
}

/// A range of the scroll axis to scroll to, and its place in the viewport (rules AD-109 to AD-133).
public struct ScrollTarget: Sendable, Hashable {
    /// The range, in points.
    public var range: ClosedRange<Double>
    /// The place of the range in the viewport.
    public var position: ScrollPosition
    /// A distance in points that is added to the offset before the offset is clamped.
    public var additionalOffset: Double

    /// Makes a target.
    public init(range: ClosedRange<Double>, position: ScrollPosition, additionalOffset: Double = 0) {
        self.range = range
        self.position = position
        self.additionalOffset = additionalOffset
    }

    /// Returns the scroll offset that shows the target, clamped to the content and its insets.
    ///
    /// - Parameters:
    ///   - viewport: the viewport's length along the scroll axis.
    ///   - content: the content's length along the scroll axis.
    ///   - lead: the content inset before the content.
    ///   - trail: the content inset after the content.
    ///   - current: the current offset, from which `none` scrolls as little as possible. With nil, `none` is treated
    ///     as `start`.
    /// - Returns: an offset of at least `-lead`, even if the content is shorter than the viewport.
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
        // Adding zero turns a negative zero, which `-lead` is without an inset, into zero.
        return max(-lead, min(wanted + additionalOffset, content - viewport + trail)) + 0
    }
}

extension ListLayout {
    /// Returns the range of the scroll axis that shows a section: the union of its first item, its last item and the
    /// given supplementary views, without the offset of sticky headers.
    ///
    /// The result is 0…0 if the section has none of these elements (rules AD-111, AD-112), and nil if the section
    /// does not exist.
    public func scrollRange(
        ofSection section: Int, supplementary kinds: Set<ElementKind> = []
    ) -> ClosedRange<Double>? {
        guard let count = itemCount(ofSection: section) else { return nil }
        let items = [0, count - 1].compactMap { attributes(ofItem: IndexPath(section: section, item: $0)) }
        let views = kinds.compactMap { attributes(of: $0, section: section) }
        let ranges = (items + views).map { range(of: $0.frame) }
        guard let first = ranges.first else { return 0...0 }
        return ranges.reduce(first) { min($0.lowerBound, $1.lowerBound)...max($0.upperBound, $1.upperBound) }
    }

    /// Returns the range of the scroll axis that an item covers; nil if the item does not exist.
    public func scrollRange(ofItem path: IndexPath) -> ClosedRange<Double>? {
        attributes(ofItem: path).map { range(of: $0.frame) }
    }

    /// Returns the first visible item, which is the item at the viewport's corner inside of the insets (rules AD-122
    /// to AD-126).
    public func firstVisibleItem(origin: Point, contentInset: EdgeInsets = .zero) -> IndexPath? {
        item(at: Point(x: origin.x + contentInset.left, y: origin.y + contentInset.top))
    }

    /// Returns the distance by which the viewport has scrolled into its first visible item; 0 without such an item
    /// (rules AD-127 to AD-129).
    public func offsetIntoFirstVisibleItem(origin: Point, contentInset: EdgeInsets = .zero) -> Double {
        guard let path = firstVisibleItem(origin: origin, contentInset: contentInset),
            let range = scrollRange(ofItem: path)
        else { return 0 }
        switch direction {
        case .vertical: return contentInset.top + origin.y - range.lowerBound
        case .horizontal: return contentInset.left + origin.x - range.lowerBound
        }
    }

    private func range(of frame: Rect) -> ClosedRange<Double> {
        switch direction {
        case .vertical: frame.minY...max(frame.minY, frame.maxY)
        case .horizontal: frame.minX...max(frame.minX, frame.maxX)
        }
    }
}
