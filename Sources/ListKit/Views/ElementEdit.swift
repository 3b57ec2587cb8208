// SPDX-License-Identifier: Apache-2.0

/// The elements of a view that a scroll or a move of sections replaces, where most elements stay.
///
/// A view, the cache of its items and the picture of its viewer mostly have the same elements, in one array. An edit changes
/// few of them in place, so that a step costs as much beside many elements as beside few.
struct ElementEdit {
    /// The replaced ranges of the elements, ascending, each with the elements that take the place of it.
    private(set) var parts: [(range: Range<Int>, elements: [ViewElement])]

    /// Makes an edit.
    ///
    /// - Parameters:
    ///   - parts: the replaced ranges, ascending, with the elements that take the place of them.
    ///   - all: the elements to edit. New elements get the contents of the same ones among those that they replace.
    ///   - isOutdated: whether the content of an element is to be fetched again.
    init(
        _ parts: [(range: Range<Int>, elements: [ViewElement])], of all: [ViewElement],
        isOutdated: (ElementKey) -> Bool = { _ in false }
    ) {
        self.parts = parts.map { part in
            guard !part.range.isEmpty else { return part }
            var known: [ElementKey: ViewElement.Content] = [:]
            known.reserveCapacity(part.range.count)
            for element in all[part.range] { known[element.key] = element.content }
            var elements = part.elements
            for index in elements.indices where !isOutdated(elements[index].key) {
                elements[index].content = known[elements[index].key]
            }
            return (part.range, elements)
        }
    }

    private init(undoing parts: [(range: Range<Int>, elements: [ViewElement])]) { self.parts = parts }

    /// The elements that take the place of others.
    var elements: [ViewElement] { parts.flatMap(\.elements) }

    /// The ranges in which elements are replaced.
    var indexes: [Int] { parts.flatMap(\.range) }

    /// Replaces the elements. Returns the edit that brings the former ones back.
    ///
    /// - Complexity: O(replaced elements), and a move of the memory behind them.
    func apply(to all: inout [ViewElement]) -> ElementEdit {
        var (undoing, growth) = ([(range: Range<Int>, elements: [ViewElement])](), 0)
        for part in parts {
            let start = part.range.lowerBound + growth
            let range = start..<start + part.range.count
            undoing.append((start..<start + part.elements.count, Array(all[range])))
            all.replaceSubrange(range, with: part.elements)
            growth += part.elements.count - range.count
        }
        return ElementEdit(undoing: undoing)
    }
}

// MARK: - What a step replaces

extension ViewGeometry {
    /// Whether the view shows elements in list order whose frames do not depend on the viewport, and no others.
    private var isEditable: Bool {
        guard let viewport, kind != .none, !kind.usesPlacements, !isAsleep, layout.ordersBySection else { return false }
        return layout.invalidation(from: viewport, to: viewport.moved(by: 1, along: layout.direction)) == .nothing
            && !showsEmptyView
    }

    /// Returns how a scroll changes the elements that the view shows.
    ///
    /// - Parameters:
    ///   - shown: the elements before the scroll, in list order.
    ///   - place: the place of the view before it.
    /// - Returns: `nil` if most elements may change, or if it is not known which ones.
    /// - Complexity: O(log n + elements near the edges of the viewport that move).
    func edit(of shown: [ViewElement], scrolledFrom place: Place) -> ElementEdit? {
        guard let viewport, let former = formerViewport(place), isEditable else { return nil }
        let (old, new) = (shownPart(of: former), shownPart(of: viewport))
        // A point more on each side, so that rounded coordinates are inside.
        let edges = [(old.lowerBound, new.lowerBound), (old.upperBound, new.upperBound)]
        let strips = edges.map { min($0, $1) - 1...max($0, $1) + 1 }
        guard (strips[0].upperBound - strips[0].lowerBound) * 4 < new.upperBound - new.lowerBound else { return nil }
        var parts: [(range: Range<Int>, elements: [ViewElement])] = []
        for strip in strips {
            let met = elements(inPart: strip, of: viewport)
            guard ViewElement.areInListOrder(met) else { return nil }
            guard let first = met.first, let last = met.last else { continue }
            let start = shown.partitionPoint { ViewElement.isBefore($0, first) }
            let range = start..<shown[start...].partitionPoint { !ViewElement.isBefore(last, $0) }
            if let before = parts.last, before.range.upperBound > range.lowerBound { return nil }
            // All elements from the first to the last, and not only those that meet the strip.
            let part = (met + shown[range]).reduce(strip) { part, element in
                let start = layout.direction.along(element.frame.origin)
                let end = start + layout.direction.along(element.frame.size)
                return min(part.lowerBound, start - 1)...max(part.upperBound, end + 1)
            }
            let present = elements(inPart: part.clamped(to: new), of: viewport).filter {
                !ViewElement.isBefore($0, first) && !ViewElement.isBefore(last, $0)
            }
            guard ViewElement.areInListOrder(present) else { return nil }
            parts.append((range, present))
        }
        return ElementEdit(parts, of: shown)
    }

    /// Returns how an update that moves sections changes the elements that the view shows.
    ///
    /// - Parameters:
    ///   - shown: the elements before the update, in list order.
    ///   - sections: the sections outside of which the update keeps all sections with their items.
    ///   - isOutdated: whether the content of an element is to be fetched again.
    /// - Returns: `nil` if frames of other sections may have changed.
    /// - Complexity: O(log n + elements of the sections).
    func edit(
        of shown: [ViewElement], moving sections: Range<Int>, isOutdated: (ElementKey) -> Bool
    ) -> ElementEdit? {
        guard let viewport, isEditable, let flow = layout as? FlowLayout else { return nil }
        var moved = sections
        if let part = changedPart {
            guard part.lowerBound.isFinite, part.upperBound.isFinite else { return nil }
            // The last row before them, and the first one after them, may have changed too.
            moved = max(0, sections.lowerBound - 1)..<min(sections.upperBound + 1, flow.numberOfSections)
        }
        let range = ViewElement.indexes(of: moved, in: shown)
        let shownPart = shownPart(of: viewport)
        var present: [ViewElement] = []
        if let part = flow.extent(of: moved), part.overlaps(shownPart) {
            present = elements(inPart: part.clamped(to: shownPart), of: viewport).filter { moved.contains($0.section) }
        }
        guard ViewElement.areInListOrder(present) else { return nil }
        return ElementEdit([(range, present)], of: shown, isOutdated: isOutdated)
    }

    /// The part of the content along the scroll axis of which a view with a viewport displays elements.
    private func shownPart(of viewport: Rect) -> ClosedRange<Double> {
        let shown = displayedRect(of: viewport)
        let start = layout.direction.along(shown.origin)
        return start...max(start, start + layout.direction.along(shown.size))
    }

    private func elements(inPart part: ClosedRange<Double>, of viewport: Rect) -> [ViewElement] {
        let rect = displayedRect(of: viewport)
        let length = part.upperBound - part.lowerBound
        return elements(
            in: layout.direction == .vertical
                ? Rect(x: rect.minX, y: part.lowerBound, width: rect.size.width, height: length)
                : Rect(x: part.lowerBound, y: rect.minY, width: length, height: rect.size.height),
            origin: viewport.origin)
    }
}

extension Rect {
    fileprivate func moved(by distance: Double, along direction: ScrollDirection) -> Rect {
        Rect(
            origin: origin + (direction == .vertical ? Point(x: 0, y: distance) : Point(x: distance, y: 0)), size: size)
    }
}
