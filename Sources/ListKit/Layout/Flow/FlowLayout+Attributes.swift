// SPDX-License-Identifier: Apache-2.0

extension FlowLayout {
    /// Returns the elements that overlap a rectangle, section by section: header, items, footer. Touching edges do
    /// not count.
    ///
    /// - Complexity: O(log n + elements in the rectangle).
    public func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes] {
        let window = rules.axisFrame(of: rect)
        let found = elements(in: window)
        var result: [LayoutAttributes] = []
        result.reserveCapacity(found.items.count + found.sections.count)
        for section in found.sections {
            let (header, travel) = header(of: section, origin: origin)
            if header.overlaps(window) {
                result.append(attributes(of: .header, section: section.number, header, travel))
            }
            for (item, frame) in found.items[section.items] {
                result.append(attributes(ofItem: IndexPath(section: section.number, item: item), frame))
            }
            let footer = section.frames.footer
            if footer.overlaps(window) { result.append(attributes(of: .footer, section: section.number, footer)) }
        }
        return result
    }

    /// Returns the attributes of an item; nil if the item does not exist (rules LY-37, LY-38). O(log n).
    public func attributes(ofItem path: IndexPath) -> LayoutAttributes? {
        frame(ofItem: path).map { attributes(ofItem: path, $0) }
    }

    /// Returns the attributes of a header, at its sticky position if `origin` is given, or of a footer; nil if the
    /// section lacks it (rules LY-39, LY-40). O(log n).
    public func attributes(of kind: ElementKind, section: Int, origin: Point?) -> LayoutAttributes? {
        guard kind != .cell, let frames = frames(ofSection: section) else { return nil }
        var (frame, travel): (AxisFrame, Travel?) = (kind == .header ? frames.header : frames.footer, nil)
        if kind == .header, let origin {
            (frame, travel) = header(of: FoundSection(number: section, frames: frames), origin: origin)
        }
        return frame.hasArea ? attributes(of: kind, section: section, frame, travel) : nil
    }

    /// Returns everything if the size changes, and the sticky headers if the origin moves along the scroll axis.
    public func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation {
        if old.size != new.size { return .everything }
        let moved = direction.along(old.origin) != direction.along(new.origin)
        return moved && configuration.stickyHeaders ? .supplementaryViews : .nothing
    }

    private func attributes(ofItem path: IndexPath, _ frame: AxisFrame) -> LayoutAttributes {
        LayoutAttributes(
            path: path, kind: .cell, frame: rules.rect(frame),
            zIndex: path.section * Self.zIndexesPerSection + min(path.item, Self.zIndexesPerSection - 2))
    }

    private func attributes(
        of kind: ElementKind, section: Int, _ frame: AxisFrame, _ travel: Travel? = nil
    ) -> LayoutAttributes {
        var attributes = LayoutAttributes(
            path: IndexPath(section: section, item: 0), kind: kind, frame: rules.rect(frame),
            zIndex: section * Self.zIndexesPerSection + Self.zIndexesPerSection - 1)
        attributes.travel = travel.map { travel in
            rules.scale.points(travel.first)...(travel.last.map { rules.scale.points($0) } ?? .infinity)
        }
        return attributes
    }

    /// The number of stacking orders of each section. The header and the footer have the highest one. All items from
    /// index 998 on have the second highest one, so that a sticky header covers all items of its section.
    private static var zIndexesPerSection: Int { 1000 }
}

/// The sections and items that overlap a rectangle.
private struct FoundElements {
    var sections: [FoundSection] = []
    var items: [(item: Int, frame: AxisFrame)] = []
}

/// A section that overlaps a rectangle, or whose sticky header may, with the items that overlap it.
private struct FoundSection {
    let number: Int
    let frames: SectionFrames
    /// The start of the next section along the scroll axis; nil if it is not known yet.
    var next: Units?
    var items = 0..<0
}

extension FlowLayout {
    /// Returns the sections that overlap a window, with their items in the window. With sticky headers, all sections
    /// between the first and the last of these sections are included, as their headers may overlap the window.
    private func elements(in window: AxisFrame) -> FoundElements {
        let between = configuration.stickyHeaders ? sections(in: window) : nil
        var found = FoundElements()
        for (leaf, before) in chunks(in: window.along, headersOf: between) {
            let relative = window.shifted(by: -before.advance)
            var first = found.items.count
            tree.leaves[leaf].visit(relative.along, rules: rules) { _, item, frame in
                if frame.overlaps(relative) { found.items.append((item, frame.shifted(by: before.advance))) }
            } section: { index, frames in
                let number = before.sections + index
                if let last = found.sections.indices.last, found.sections[last].number == number - 1 {
                    found.sections[last].next = frames.bounds.along.start + before.advance
                }
                let isBetween = between.map { $0.contains(number) } ?? false
                guard frames.bounds.overlaps(relative) || (isBetween && frames.header.hasArea) else { return }
                let frames = frames.shifted(by: before.advance)
                found.sections.append(FoundSection(number: number, frames: frames, items: first..<found.items.count))
                first = found.items.count
            }
        }
        return found
    }

    /// The first and the last start of a sticky header along the scroll axis; in the last section there is no last one.
    private typealias Travel = (first: Units, last: Units?)

    /// Returns the frame of a header, and where it travels if it is sticky. A sticky header is between the start of its
    /// section and that of the next section, as near to the edge of the viewport as possible.
    private func header(of section: FoundSection, origin: Point) -> (frame: AxisFrame, travel: Travel?) {
        let rest = section.frames.header
        guard configuration.stickyHeaders, rest.hasArea else { return (rest, nil) }
        let edge =
            rules.coordinateAlong(of: origin) + rules.scale.units(configuration.topContentInset)
            + rules.scale.units(configuration.stickyHeaderOffset)
        let next = section.next ?? frames(ofSection: section.number + 1)?.bounds.along.start
        let last = next.map { $0 - rest.along.length }
        // A section can be shorter than its header. Then the header does not travel.
        let first = min(section.frames.bounds.along.start, last ?? .max)
        let start = max(first, min(edge, last ?? .max))
        let frame = AxisFrame(along: Interval(start: start, length: rest.along.length), across: rest.across)
        return (frame, (first, last))
    }
}
