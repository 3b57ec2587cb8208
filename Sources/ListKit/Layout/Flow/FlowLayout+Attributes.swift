// SPDX-License-Identifier: Apache-2.0

extension FlowLayout {
    /// The elements that overlap a rectangle with area, section by section: header, items, footer.
    ///
    /// O(log n + what lies in the rectangle).
    public func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes] {
        let window = rules.frame(rect)
        let found = elements(in: window)
        var result: [LayoutAttributes] = []
        result.reserveCapacity(found.items.count + found.sections.count)
        for section in found.sections {
            let header = header(of: section, origin: origin)
            if header.overlaps(window) { result.append(attributes(of: .header, section: section.number, header)) }
            for (item, frame) in found.items[section.items] {
                result.append(attributes(ofItem: IndexPath(section: section.number, item: item), frame))
            }
            let footer = section.frames.footer
            if footer.overlaps(window) { result.append(attributes(of: .footer, section: section.number, footer)) }
        }
        return result
    }

    /// The attributes of an item; nil past the end (rules LY-37, LY-38). O(log n).
    public func attributes(ofItem path: IndexPath) -> LayoutAttributes? {
        frame(ofItem: path).map { attributes(ofItem: path, $0) }
    }

    /// The attributes of a header, stuck if it has to be, or a footer; nil where there is none (rules LY-39, LY-40).
    /// O(log n).
    public func attributes(of kind: ElementKind, section: Int, origin: Point?) -> LayoutAttributes? {
        guard kind != .cell, let frames = frames(ofSection: section) else { return nil }
        var frame = kind == .header ? frames.header : frames.footer
        if kind == .header, let origin {
            frame = header(of: FoundSection(number: section, frames: frames), origin: origin)
        }
        return frame.hasArea ? attributes(of: kind, section: section, frame) : nil
    }

    /// Another size requires everything; an origin moved along the scroll axis, the sticky headers.
    public func invalidation(from old: Rect, to new: Rect) -> BoundsInvalidation {
        if old.size != new.size { return .everything }
        let moved = direction.along(old.origin) != direction.along(new.origin)
        return moved && configuration.stickyHeaders ? .supplementaryViews : .nothing
    }

    private func attributes(ofItem path: IndexPath, _ frame: AxisFrame) -> LayoutAttributes {
        LayoutAttributes(
            path: path, kind: .cell, frame: rules.rect(frame),
            zIndex: path.section * Self.levels + min(path.item, Self.levels - 2))
    }

    private func attributes(of kind: ElementKind, section: Int, _ frame: AxisFrame) -> LayoutAttributes {
        LayoutAttributes(
            path: IndexPath(section: section, item: 0), kind: kind, frame: rules.rect(frame),
            zIndex: section * Self.levels + Self.levels - 1)
    }

    /// The distance of z between two sections. The highest z of a section is that of its header and footer; items from 998
    /// on share the one below, so that a stuck header covers all items.
    private static var levels: Int { 1000 }
}

/// The elements that overlap a rectangle.
private struct FoundElements {
    var sections: [FoundSection] = []
    var items: [(item: Int, frame: AxisFrame)] = []
}

/// A section that overlaps a rectangle, with the items of it that do.
private struct FoundSection {
    let number: Int
    let frames: SectionFrames
    /// Where the next section starts, if that was found.
    var next: Units?
    var items = 0..<0
}

extension FlowLayout {
    /// The sections that overlap a window; with sticky headers also those between them, of which only the header may overlap it.
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

    /// The header's frame: between the start of its section and that of the next one, as near to the edge of the
    /// viewport as possible; for the last section there is no end.
    private func header(of section: FoundSection, origin: Point) -> AxisFrame {
        let rest = section.frames.header
        guard configuration.stickyHeaders, rest.hasArea else { return rest }
        let edge =
            rules.along(origin) + rules.scale.units(configuration.topContentInset)
            + rules.scale.units(configuration.stickyHeaderOffset)
        var start = max(section.frames.bounds.along.start, edge)
        if let next = section.next ?? frames(ofSection: section.number + 1)?.bounds.along.start {
            start = min(start, next - rest.along.length)
        }
        return AxisFrame(along: Interval(start: start, length: rest.along.length), across: rest.across)
    }
}
