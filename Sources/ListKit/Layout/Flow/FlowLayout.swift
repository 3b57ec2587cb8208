// SPDX-License-Identifier: Apache-2.0

extension ListLayoutKind {
    /// The layout in rows of items, as in IGListCollectionViewLayout.
    public static let flow = ListLayoutKind(name: "flow") { FlowLayout($0) }
}

/// The layout of IGListCollectionViewLayout, without a view: rows of items, along either axis.
///
/// Sections are stored in chunks, the leaves of a tree. A chunk has the flow's state at its start, and coordinates
/// relative to its origin. A query runs the flow over the chunks that overlap the query. A change lays out the
/// changed chunks, and the chunks after them as long as their state at the start changes.
public struct FlowLayout: ListLayout {
    /// The settings.
    public private(set) var configuration: LayoutConfiguration
    private(set) var container = Size.zero
    private(set) var rules: FlowRules
    var tree = LeafTree<FlowChunk>()

    /// Makes a layout without sections.
    public init(_ configuration: LayoutConfiguration) {
        self.configuration = configuration
        rules = FlowRules(configuration, container: .zero)
    }

    /// The axis along which the list scrolls.
    public var direction: ScrollDirection { configuration.direction }
    /// The number of sections in the layout.
    public var numberOfSections: Int { tree.order.total.sections }
    /// Whether ``attributes(in:origin:)`` returns elements section by section: true.
    public var ordersBySection: Bool { true }

    /// A distance in points that is added to the scroll offset for sticky headers.
    public var stickyHeaderOffset: Double {
        get { configuration.stickyHeaderOffset }
        set { configuration.stickyHeaderOffset = newValue }
    }

    /// Lays out the whole list.
    ///
    /// - Complexity: O(items); O(sections) if each section has one size for all items. Runs of sections with the same
    ///   metrics take a sixty-fourth of that.
    public mutating func prepare(_ source: some LayoutSource, container: Size) {
        let rules = FlowRules(configuration, container: container)
        var builder = FlowChunkBuilder(rules: rules)
        builder.append(0..<max(0, source.numberOfSections), source: source)
        self.container = container
        self.rules = rules
        tree = LeafTree(builder.finish())
        tree.layOutAll(from: FlowState(), rules: rules)
    }

    /// Breaks the rows for a container of another size.
    ///
    /// - Complexity: O(items), without reading them; O(1) if the length of rows stays.
    public mutating func setContainer(_ container: Size) -> Bool {
        self.container = container
        let new = FlowRules(configuration, container: container)
        guard new != rules else { return true }
        rules = new
        for leaf in tree.leaves.indices { tree.leaves[leaf].forgetRows() }
        tree.layOutAll(from: FlowState(), rules: new)
        return true
    }

    /// The size of the content. Across the scroll axis it is the container's length without the content insets. Along
    /// the scroll axis it is the end of the last section including its trailing inset, even if a section beside it is
    /// longer (rule LY-46).
    public var contentSize: Size {
        guard let last = tree.order.lastLeaf else { return .zero }
        let chunk = tree.leaves[last]
        let end = tree.order.total.advance + chunk.exit.edge + chunk.lastStyle.trailing
        return rules.size(along: end, across: rules.rowLength)
    }
}

/// The state of the flow between two items. Later frames depend on the earlier items only through this state.
///
/// Coordinates along the scroll axis are relative to an origin that is stored by the owner of the state.
struct FlowState: Sendable, Hashable {
    /// The start of the open row.
    var row: Units = 0
    /// The filled length of the open row, including the spacing after its last item.
    var column: Units = 0
    /// The start of the next row.
    var nextRow: Units = 0
    /// The end of the previous section along the scroll axis, where an empty section is placed.
    var edge: Units = 0

    /// The maximum distance of a state from its origin. No valid list comes near it.
    private static let limit: Units = 1 << 60

    /// Returns the distance to the origin of the next chunk or block. The distance is a number of whole pixels, so that
    /// coordinates are rounded alike before and after the origin.
    func distanceToNextOrigin(scale: LayoutScale) -> Units {
        max(0, scale.floor(nextRow))
    }

    /// Returns the state relative to an origin that is `distance` further along the scroll axis.
    func rebased(by distance: Units) -> FlowState {
        func clamped(_ value: Units) -> Units { min(max(value - distance, -Self.limit), Self.limit) }
        return FlowState(
            row: clamped(row), column: column, nextRow: clamped(nextRow), edge: clamped(edge))
    }
}

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
    private func elements(
        in window: AxisFrame
    ) -> (sections: [FoundSection], items: [(item: Int, frame: AxisFrame)]) {
        let between = configuration.stickyHeaders ? self.sections(in: window) : nil
        var (sections, items): ([FoundSection], [(item: Int, frame: AxisFrame)]) = ([], [])
        for (leaf, before) in chunks(in: window.along, headersOf: between) {
            let relative = window.shifted(by: -before.advance)
            var first = items.count
            tree.leaves[leaf].visit(relative.along, rules: rules) { _, item, frame in
                if frame.overlaps(relative) { items.append((item, frame.shifted(by: before.advance))) }
            } section: { index, frames in
                let number = before.sections + index
                if let last = sections.indices.last, sections[last].number == number - 1 {
                    sections[last].next = frames.bounds.along.start + before.advance
                }
                let isBetween = between.map { $0.contains(number) } ?? false
                guard frames.bounds.overlaps(relative) || (isBetween && frames.header.hasArea) else { return }
                let frames = frames.shifted(by: before.advance)
                sections.append(FoundSection(number: number, frames: frames, items: first..<items.count))
                first = items.count
            }
        }
        return (sections, items)
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

extension FlowLayout {
    /// Returns the leaf that has a section, the index of the section in the leaf, and the origin of the leaf; nil if
    /// the section does not exist. O(log n).
    func locate(_ section: Int) -> (leaf: Int, section: Int, origin: Units)? {
        guard section >= 0, let (leaf, before) = tree.order.first(where: { $0.sections > section }) else { return nil }
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
        tree.order.leaves { before, part in
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
