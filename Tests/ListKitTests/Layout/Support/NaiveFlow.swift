// SPDX-License-Identifier: Apache-2.0

import ListKit

/// A second implementation of IGListCollectionViewLayout's algorithm, as simple as possible: points and arrays
/// instead of a tree.
///
/// Tests compare the real layout with it. Sums are exact for sizes that are multiples of a power of two. Rounding
/// to pixels hides the rounding errors of other numbers.
struct NaiveFlow {
    struct Section {
        var items: [Rect] = []
        var header = Rect.zero
        var footer = Rect.zero
        var bounds = Rect.zero
        var inset = EdgeInsets.zero
    }

    /// How a coordinate is rounded to whole pixels.
    enum Rounding {
        /// Rounds the exact number, without the rounding errors of binary fractions.
        case exact
        /// Rounds a 32-bit number, which is too coarse for the rounding errors (`floorf`, `ceilf`).
        case singlePrecision
        /// Rounds the 64-bit number with its errors: 63.99999999999999 is in pixel 63 (`floor`, `ceil`).
        case doublePrecision
    }

    let configuration: LayoutConfiguration
    let container: Size
    private let rounding: Rounding
    private(set) var sections: [Section] = []

    init(_ list: TestList, _ configuration: LayoutConfiguration, container: Size, rounding: Rounding = .exact) {
        self.configuration = configuration
        self.rounding = rounding
        self.container = container
        layOut(list)
    }

    private var isVertical: Bool { configuration.direction == .vertical }

    private func along(_ size: Size) -> Double { isVertical ? size.height : size.width }
    private func across(_ size: Size) -> Double { isVertical ? size.width : size.height }
    func start(_ rect: Rect) -> Double { isVertical ? rect.minY : rect.minX }
    func end(_ rect: Rect) -> Double { isVertical ? rect.maxY : rect.maxX }

    private func rect(along: Double, across: Double, length: Double, breadth: Double) -> Rect {
        isVertical
            ? Rect(x: across, y: along, width: breadth, height: length)
            : Rect(x: along, y: across, width: length, height: breadth)
    }

    private func pixels(_ rect: Rect) -> Rect {
        let scale = configuration.scale
        guard scale > 0 else { return rect }
        func pixels(_ value: Double, _ rule: FloatingPointRoundingRule) -> Double {
            switch rounding {
            case .exact: (value * scale + (rule == .down ? 5e-5 : -5e-5)).rounded(rule) / scale
            case .singlePrecision: Double(Float(value * scale).rounded(rule)) / scale
            case .doublePrecision: (value * scale).rounded(rule) / scale
            }
        }
        func down(_ value: Double) -> Double { pixels(value, .down) }
        func up(_ value: Double) -> Double { pixels(value, .up) }
        return Rect(x: down(rect.minX), y: down(rect.minY), width: up(rect.size.width), height: up(rect.size.height))
    }

    private func union(_ first: Rect, _ second: Rect) -> Rect {
        let (x, y) = (min(first.minX, second.minX), min(first.minY, second.minY))
        let (maxX, maxY) = (max(first.maxX, second.maxX), max(first.maxY, second.maxY))
        return Rect(x: x, y: y, width: maxX - x, height: maxY - y)
    }

    private mutating func layOut(_ list: TestList) {
        let content = configuration.contentInset
        let room = across(
            Size(
                width: container.width - content.left - content.right,
                height: container.height - content.top - content.bottom))
        var row = 0.0
        var column = 0.0
        var nextRow = 0.0
        var edge = 0.0
        for section in list.sections {
            let (inset, items) = (section.inset, section.items)
            let (leading, trailing) = isVertical ? (inset.top, inset.bottom) : (inset.left, inset.right)
            let (rowStart, rowEnd) = isVertical ? (inset.left, inset.right) : (inset.top, inset.bottom)
            let isHidden = items.isEmpty && !configuration.showHeaderWhenEmpty
            let (header, footer) = isHidden ? (0, 0) : (section.header, section.footer)
            let padded = max(0, room - rowStart - rowEnd)
            row += header
            nextRow += header
            column += rowStart
            var laid = Section()
            laid.inset = inset
            for (index, size) in items.enumerated() {
                var breadth = min(across(size), padded)
                if column + breadth > room - rowEnd + 1 || (index == 0 && header > 0) {
                    row = nextRow + (index > 0 ? section.lineSpacing : 0)
                    column = rowStart
                }
                let gap = padded - (column + breadth)
                if configuration.stretchToEdge, gap > 0, gap <= 1 { breadth = padded - column }
                let frame = pixels(rect(along: row + leading, across: column, length: along(size), breadth: breadth))
                laid.items.append(frame)
                nextRow = max(nextRow, end(frame) - leading)
                column += breadth + section.interitemSpacing
                laid.bounds = index == 0 ? frame : union(laid.bounds, frame)
            }
            let headerStart = items.isEmpty ? edge : start(laid.bounds) - section.header
            laid.header = rect(along: headerStart, across: rowStart, length: header, breadth: padded)
            if items.isEmpty { laid.bounds = laid.header }
            let footerStart = end(laid.bounds) + (isVertical ? 0 : inset.right)
            laid.footer = rect(along: footerStart, across: rowStart, length: footer, breadth: padded)
            if header > 0 { laid.bounds = union(laid.bounds, laid.header) }
            if footer > 0 { laid.bounds = union(laid.bounds, laid.footer) }
            column += rowEnd
            nextRow = max(nextRow, end(laid.bounds) + trailing)
            edge = end(laid.bounds)
            sections.append(laid)
        }
    }

    var contentSize: Size {
        guard let last = sections.last else { return .zero }
        let content = configuration.contentInset
        return isVertical
            ? Size(width: container.width - content.left - content.right, height: end(last.bounds) + last.inset.bottom)
            : Size(width: end(last.bounds) + last.inset.right, height: container.height - content.top - content.bottom)
    }

    /// Returns the frame of a sticky header for a viewport at `origin`.
    func header(_ section: Int, origin: Point) -> Rect {
        let rest = sections[section].header
        guard configuration.stickyHeaders else { return rest }
        let scrolled = isVertical ? origin.y : origin.x
        var offset = max(
            start(sections[section].bounds),
            scrolled + configuration.topContentInset + configuration.stickyHeaderOffset)
        if let last = lastHeaderStart(section) { offset = min(offset, last) }
        return isVertical
            ? Rect(x: rest.minX, y: offset, width: rest.size.width, height: rest.size.height)
            : Rect(x: offset, y: rest.minY, width: rest.size.width, height: rest.size.height)
    }

    /// Returns the last start of a sticky header, whose end does not cover the next section.
    private func lastHeaderStart(_ section: Int) -> Double? {
        guard section + 1 < sections.count else { return nil }
        return start(sections[section + 1].bounds) - along(sections[section].header.size)
    }

    /// Returns all elements that overlap a rectangle, by checking every frame.
    func attributes(in window: Rect, origin: Point) -> [LayoutAttributes] {
        let hits = sections.indices.filter { sections[$0].bounds.intersects(window) }
        guard let first = hits.first, let last = hits.last else { return [] }
        var result: [LayoutAttributes] = []
        for section in first...last {
            let top = section * 1000 + 999
            func add(_ kind: ElementKind, _ item: Int, _ frame: Rect, _ zIndex: Int) {
                guard frame.intersects(window) else { return }
                let path = IndexPath(section: section, item: item)
                var attributes = LayoutAttributes(path: path, kind: kind, frame: frame, zIndex: zIndex)
                if kind == .header, configuration.stickyHeaders {
                    let last = lastHeaderStart(section) ?? .infinity
                    attributes.travel = min(start(sections[section].bounds), last)...last
                }
                result.append(attributes)
            }
            add(.header, 0, header(section, origin: origin), top)
            for (item, frame) in sections[section].items.enumerated() {
                add(.cell, item, frame, section * 1000 + min(item, 998))
            }
            add(.footer, 0, sections[section].footer, top)
        }
        return result
    }
}
