// SPDX-License-Identifier: Apache-2.0

extension FlowLayout {
    /// Returns the leaf that has a section, the index of the section in the leaf, and the origin of the leaf; nil if
    /// the section does not exist. O(log n).
    func locate(_ section: Int) -> (leaf: Int, section: Int, origin: Units)? {
        guard section >= 0, let (leaf, before) = tree.first(where: { $0.sections > section }) else { return nil }
        return (leaf, section - before.sections, before.advance)
    }

    /// Returns the frames of a section's bounds, header and footer, without stickiness; nil past the last section.
    func frames(ofSection section: Int) -> SectionFrames? {
        guard let (leaf, section, origin) = locate(section) else { return nil }
        return tree.leaves[leaf].frames(ofSection: section, rules: rules)?.shifted(by: origin)
    }

    /// Returns the number of items in a section; `nil` past the last section.
    public func itemCount(ofSection section: Int) -> Int? {
        locate(section).flatMap { tree.leaves[$0.leaf].itemCount(ofSection: $0.section) }
    }

    /// Returns the frame of an item; nil if the item does not exist (rules LY-37, LY-38).
    func frame(ofItem path: IndexPath) -> AxisFrame? {
        guard let (leaf, section, origin) = locate(path.section) else { return nil }
        return tree.leaves[leaf].frame(ofItem: path.item, inSection: section, rules: rules)?.shifted(by: origin)
    }

    /// Returns the chunks that overlap a window, in order. If a range of sections is given, all chunks of the range
    /// that have headers are included too.
    func chunks(in window: Interval, headersOf range: ClosedRange<Int>? = nil) -> [(leaf: Int, before: FlowSummary)] {
        tree.leaves { before, part in
            if part.extent.shifted(by: before.advance).overlaps(window) { return true }
            guard let range, part.hasHeader else { return false }
            return before.sections <= range.upperBound && before.sections + part.sections > range.lowerBound
        }
    }

    /// Returns the first and the last section whose bounds overlap a rectangle; `nil` if no section does (rule
    /// LY-45).
    public func sections(in rect: Rect) -> ClosedRange<Int>? { sections(in: rules.axisFrame(of: rect)) }

    /// Returns the first and the last section whose bounds overlap a window; nil if no section does (rule LY-45).
    func sections(in window: AxisFrame) -> ClosedRange<Int>? {
        var range: ClosedRange<Int>?
        for (leaf, before) in chunks(in: window.along) {
            let relative = window.shifted(by: -before.advance)
            tree.leaves[leaf].visit(relative.along, rules: rules) { _, _, _ in
            } section: { index, frames in
                guard frames.bounds.overlaps(relative) else { return }
                let section = before.sections + index
                range = (range?.lowerBound ?? section)...section
            }
        }
        return range
    }

    /// Returns the first item, by path, at a point. The right and bottom edges of a frame do not belong to the item.
    public func item(at point: Point) -> IndexPath? {
        let (along, across) = (rules.coordinateAlong(of: point), rules.coordinateAcross(of: point))
        for (leaf, before) in chunks(in: Interval(start: along, length: 1)) {
            var result: IndexPath?
            let relative = along - before.advance
            tree.leaves[leaf].visit(Interval(start: relative, length: 1), rules: rules) { index, number, frame in
                if result == nil, frame.along.contains(relative), frame.across.contains(across) {
                    result = IndexPath(section: before.sections + index, item: number)
                }
            } section: { _, _ in
            }
            if result != nil { return result }
        }
        return nil
    }
}
