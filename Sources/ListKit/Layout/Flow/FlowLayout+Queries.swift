// SPDX-License-Identifier: Apache-2.0

extension FlowLayout {
    /// The leaf of a section, with the section's index in it and the leaf's origin; O(log n).
    func find(_ section: Int) -> (leaf: Int, section: Int, origin: Units)? {
        guard section >= 0, let (leaf, before) = tree.first(where: { $0.sections > section }) else { return nil }
        return (leaf, section - before.sections, before.advance)
    }

    /// The frames around a section's items, with the header at rest; nil past the end.
    func frames(ofSection section: Int) -> SectionFrames? {
        guard let (leaf, section, origin) = find(section) else { return nil }
        return tree.leaves[leaf].frames(ofSection: section, rules: rules)?.shifted(by: origin)
    }

    /// How many items a section has; `nil` past the last section.
    public func itemCount(ofSection section: Int) -> Int? {
        find(section).flatMap { tree.leaves[$0.leaf].itemCount(ofSection: $0.section) }
    }

    /// The frame of an item; nil past the end (rules LY-37, LY-38).
    func frame(ofItem path: IndexPath) -> AxisFrame? {
        guard let (leaf, section, origin) = find(path.section) else { return nil }
        return tree.leaves[leaf].frame(ofItem: path.item, inSection: section, rules: rules)?.shifted(by: origin)
    }

    /// The chunks that reach into a window, in order; with a range of sections also those of its chunks that have
    /// headers, wherever these are.
    func chunks(in window: Interval, headersOf range: ClosedRange<Int>? = nil) -> [(leaf: Int, before: FlowSummary)] {
        tree.leaves { before, part in
            if part.extent.shifted(by: before.advance).overlaps(window) { return true }
            guard let range, part.hasHeader else { return false }
            return before.sections <= range.upperBound && before.sections + part.sections > range.lowerBound
        }
    }

    /// The first and the last section whose bounds overlap a rectangle, `nil` if none does (rule LY-45).
    public func sections(in rect: Rect) -> ClosedRange<Int>? { sections(in: rules.frame(rect)) }

    /// The first and the last section whose bounds overlap a window, or nil if none does (rule LY-45).
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

    /// The first item, by path, at a point; its far edges do not belong to it.
    public func item(at point: Point) -> IndexPath? {
        let (along, across) = (rules.along(point), rules.across(point))
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
