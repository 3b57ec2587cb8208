// SPDX-License-Identifier: Apache-2.0

extension ListLayout {
    /// The range of the scroll axis to bring into view for a section: the union of its first item, its last one and the named
    /// supplementary views, at rest.
    ///
    /// 0…0 if none of them exists, as in an empty section (rules AD-111, AD-112). Nil past the last section.
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

    /// The range of the scroll axis that an item takes; nil if there is none at the path.
    public func scrollRange(ofItem path: IndexPath) -> ClosedRange<Double>? {
        attributes(ofItem: path).map { range(of: $0.frame) }
    }

    /// The first visible item: the one at the viewport's inset corner (rules AD-122 to AD-126).
    public func firstVisibleItem(origin: Point, contentInset: EdgeInsets = .zero) -> IndexPath? {
        item(at: Point(x: origin.x + contentInset.left, y: origin.y + contentInset.top))
    }

    /// How far the viewport has scrolled into its first visible item; 0 if there is none (rules AD-127 to AD-129).
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
