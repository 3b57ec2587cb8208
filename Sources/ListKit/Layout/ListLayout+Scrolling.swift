// SPDX-License-Identifier: Apache-2.0

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
