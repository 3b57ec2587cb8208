// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The layout of a picture's items in rows of a terminal. It makes no calls.
///
/// A row represents a number of points. Items that start at the same offset share a row, and every such offset has its
/// own row, however close it is to the previous one. Therefore no item is drawn over another, and none is left out. An
/// item that is higher than a row is followed by empty rows. The viewer scrolls by rows, and requests points from the
/// daemon.
struct RowLayout {
    /// A row, with its offset in the content in points, and the items that start on it.
    struct Row {
        let y: Double
        var items: [Picture.Shown] = []
    }

    /// The rows in the order of their offsets. There is at least one row.
    private(set) var rows: [Row] = []
    /// The headers and footers that float over the items of their section.
    private(set) var floating: [Picture.Shown] = []
    private let pointsPerRow: Double

    /// The distance in points below which two offsets count as equal.
    static let tolerance = 0.01

    /// Lays out the items of a picture in and around a viewport.
    ///
    /// The cost is O(n log n) in the items. Empty rows are created for at most twice the viewport.
    init(_ picture: Picture, top: Double, height: Double, pointsPerRow: Double) {
        self.pointsPerRow = pointsPerRow
        let drawable = picture.inReadingOrder.filter(\.frame.isDrawable)
        let starts = separateFloating(from: drawable)
        let window = (top - pointsPerRow)...(top + 2 * height)
        let end = max(picture.height, starts.last.map { $0.y } ?? 0)
        appendRows(before: starts.first?.y ?? end, from: max(0, top), in: window)
        for (index, start) in starts.enumerated() {
            rows.append(start)
            let next = index + 1 < starts.count ? starts[index + 1].y : end
            appendRows(behind: start.y, upTo: next, in: window)
        }
        if rows.isEmpty { rows = [Row(y: 0)] }
    }

    /// Returns the index of the first row on a screen whose viewport begins at `y`.
    func index(at y: Double) -> Int {
        // A linear search is enough, because there are rows for only one or two screens.
        max(0, (rows.firstIndex { $0.y > y + Self.tolerance } ?? rows.count) - 1)
    }

    /// Returns the number of different offsets at which the cells of a picture start, and the median of the distances
    /// between these offsets, in points; nil when the picture has no such cells.
    static func measure(_ picture: Picture) -> (starts: Int, advance: Double)? {
        let cells = picture.inReadingOrder.filter { $0.kind == "cell" && $0.frame.isDrawable }
        guard let last = cells.last else { return nil }
        let ends = cells.dropFirst().map(\.frame.y) + [last.frame.y + last.frame.height]
        let advances = zip(cells, ends).map { $1 - $0.frame.y }.filter { $0 > tolerance }.sorted()
        guard !advances.isEmpty else { return nil }
        return (advances.count, advances[(advances.count - 1) / 2])
    }

    /// Returns the offset of a row, which may be after the last row of the layout.
    func offset(ofRow index: Int) -> Double {
        let last = rows.count - 1
        return index <= last ? rows[max(0, index)].y : rows[last].y + Double(index - last) * pointsPerRow
    }

    /// Returns the items on each row of a screen. If no item starts on the first row, that row shows the items that
    /// start above the screen and extend into the row.
    func screen(from top: Double, rows count: Int) -> [[Picture.Shown]] {
        let first = index(at: top)
        var lines = rows[first..<min(rows.count, first + max(0, count))].map(\.items)
        if lines.first?.isEmpty == true, let above = rows[..<first].last(where: { !$0.items.isEmpty }) {
            lines[0] = above.items.filter { $0.frame.y + $0.frame.height > rows[first].y }
        }
        // On a single row, items are more useful than floating headers.
        for header in floating where count > 1 {
            let line = ((header.frame.y - rows[first].y) / pointsPerRow).rounded()
            if line >= 0, line < Double(lines.count) { lines[Int(line)] = [header] }
        }
        return lines
    }

    /// Stores the floating headers and footers, and returns the other items grouped by their offsets.
    private mutating func separateFloating(from items: [Picture.Shown]) -> [Row] {
        let cells = Dictionary(grouping: items.filter { $0.kind == "cell" }, by: \.section)
        var starts: [Row] = []
        for item in items {
            let isFloating =
                item.kind != "cell" && cells[item.section, default: []].contains { $0.overlapsVertically(item) }
            if isFloating {
                floating.append(item)
            } else if let last = starts.last, item.frame.y - last.y < Self.tolerance {
                starts[starts.count - 1].items.append(item)
            } else {
                starts.append(Row(y: item.frame.y, items: [item]))
            }
        }
        return starts
    }

    /// Appends empty rows between the top of the viewport and the first item.
    private mutating func appendRows(before y: Double, from top: Double, in window: ClosedRange<Double>) {
        let bottom = min(y, window.upperBound)
        // The picture has items up to 20 points beyond the viewport. The gap above them needs no row.
        let count = ((bottom - top - 20) / pointsPerRow).rounded(.up)
        guard count >= 1 else { return }
        for row in 0..<Int(count) { rows.append(Row(y: bottom - (count - Double(row)) * pointsPerRow)) }
    }

    /// Appends the empty rows between an item and the next one, as far as the rows are near the viewport. With them, a
    /// screen of rows never shows more of the content than a viewport contains.
    private mutating func appendRows(behind y: Double, upTo next: Double, in window: ClosedRange<Double>) {
        let count = ((next - y - Self.tolerance) / pointsPerRow).rounded(.up)
        let first = max(1, ((window.lowerBound - y) / pointsPerRow).rounded(.up))
        let last = min(count - 1, ((window.upperBound - y) / pointsPerRow).rounded(.down))
        guard first <= last else { return }
        for row in Int(first)...Int(last) { rows.append(Row(y: y + Double(row) * pointsPerRow)) }
    }
}

extension Picture {
    /// The height of the content; 0 when it is not a valid number.
    var height: Double { contentSize.height < Frame.limit ? max(0, contentSize.height) : 0 }
}

extension Picture.Shown {
    /// Whether the vertical ranges of two items overlap.
    fileprivate func overlapsVertically(_ other: Picture.Shown) -> Bool {
        frame.y + RowLayout.tolerance < other.frame.y + other.frame.height
            && other.frame.y + RowLayout.tolerance < frame.y + frame.height
    }
}

extension Frame {
    fileprivate static let limit = 1e12

    /// Whether the frame can be expressed in columns and rows.
    fileprivate var isDrawable: Bool {
        abs(x) < Self.limit && abs(y) < Self.limit && abs(width) < Self.limit && abs(height) < Self.limit && width > 0
    }
}
