extension FlowLayout {
    /// The chunk that holds a section, with the section's number in it and the chunk's origin; O(log n).
    func chunk(ofSection section: Int) -> (chunk: FlowChunk, section: Int, origin: Units)? {
        guard section >= 0, let (leaf, before) = tree.first(where: { $0.sections > section }) else { return nil }
        return (tree.leaves[leaf], section - before.sections, before.advance)
    }

    /// The frames around a section's items, with the header at rest; nil past the end.
    func frames(ofSection section: Int) -> SectionFrames? {
        guard let found = chunk(ofSection: section) else { return nil }
        return found.chunk.frames(ofSection: found.section, rules: rules)?.shifted(by: found.origin)
    }

    /// How many items a section has; nil past the end.
    func itemCount(ofSection section: Int) -> Int? {
        chunk(ofSection: section).flatMap { $0.chunk.itemCount(ofSection: $0.section) }
    }

    /// The frame of an item; nil past the end (IGListKit LY-37, LY-38).
    func frame(ofItem path: IndexPath) -> AxisFrame? {
        guard let found = chunk(ofSection: path.section) else { return nil }
        return found.chunk.frame(ofItem: path.item, inSection: found.section, rules: rules)?.shifted(by: found.origin)
    }

    /// The first and the last section whose bounds meet a window, or nil if none does (IGListKit LY-45).
    func sections(in window: AxisFrame) -> ClosedRange<Int>? {
        var range: ClosedRange<Int>?
        visit(
            window, item: { _, _ in },
            section: { section, frames in
                guard frames.bounds.overlaps(window) else { return }
                range = (range?.lowerBound ?? section)...section
            })
        return range
    }

    /// Runs over all sections that may meet a window, in order: their items, then their frames.
    ///
    /// With a range of sections it runs also over those of them that have headers, wherever they rest.
    func visit(
        _ window: AxisFrame, headersOf range: ClosedRange<Int>? = nil, item: (IndexPath, AxisFrame) -> Void,
        section: (Int, SectionFrames) -> Void
    ) {
        tree.walk { before, part in
            if part.extent.shifted(by: before.advance).overlaps(window.along) { return true }
            guard let range, part.hasHeader else { return false }
            return before.sections <= range.upperBound && before.sections + part.sections > range.lowerBound
        } _: { leaf, before in
            tree.leaves[leaf].visit(window.along.shifted(by: -before.advance), rules: rules) { index, number, frame in
                item(IndexPath(section: before.sections + index, item: number), frame.shifted(by: before.advance))
            } section: { index, frames in
                section(before.sections + index, frames.shifted(by: before.advance))
            }
            return true
        }
    }
}

extension FlowLayout {
    /// The first item, by path, that overlaps a rectangle.
    func firstItem(in rect: Rect) -> IndexPath? {
        let window = rules.frame(rect)
        return firstItem(reaching: window.along) { $0.overlaps(window) }
    }

    /// The first item, by path, that holds a point; its far edges do not belong to it.
    func item(at point: Point) -> IndexPath? {
        let (along, across) = (rules.along(point), rules.across(point))
        let pixel = Interval(start: along, length: 1)
        return firstItem(reaching: pixel) { $0.along.contains(along) && $0.across.contains(across) }
    }

    private func firstItem(reaching window: Interval, where matches: (AxisFrame) -> Bool) -> IndexPath? {
        var result: IndexPath?
        tree.walk { before, part in
            part.extent.shifted(by: before.advance).overlaps(window)
        } _: { leaf, before in
            tree.leaves[leaf].visit(window.shifted(by: -before.advance), rules: rules) { index, number, frame in
                if result == nil, matches(frame.shifted(by: before.advance)) {
                    result = IndexPath(section: before.sections + index, item: number)
                }
            } section: { _, _ in
            }
            return result == nil
        }
        return result
    }
}
