// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The content as rows of a terminal, one below the other, as far as a picture has it. Makes no calls.
///
/// A row stands for so many points, and every height at which items start has a row of its own, however close to the
/// one before: nothing is drawn over something else and nothing is left out. An item higher than a row is followed by
/// empty rows. So the viewer scrolls by rows, and requests points from the daemon.
struct RowLayout {
    /// One row: its offset in the content, and the items that start on it.
    struct Row {
        let y: Double
        var items: [Picture.Shown] = []
    }

    /// Rows in ascending order of their places; never empty.
    private(set) var rows: [Row] = []
    /// Headers that float over the items of their section.
    private(set) var floating: [Picture.Shown] = []
    private let pointsPerRow: Double

    /// The minimum distance of two offsets.
    static let tolerance = 0.01

    /// Lays out the items of a picture in and around a viewport; O(n log n) in the items, rows for twice the viewport
    /// at most.
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

    /// The first row of a screen whose viewport begins at `y`.
    func index(at y: Double) -> Int {
        // A linear search, as there are rows for a screen or two only.
        max(0, (rows.firstIndex { $0.y > y + Self.tolerance } ?? rows.count) - 1)
    }

    /// The number of different offsets at which the items of a picture start, and the median of their distances, in
    /// points; nil when it has none.
    static func measure(_ picture: Picture) -> (starts: Int, advance: Double)? {
        let cells = picture.inReadingOrder.filter { $0.kind == "cell" && $0.frame.isDrawable }
        guard let last = cells.last else { return nil }
        let ends = cells.dropFirst().map(\.frame.y) + [last.frame.y + last.frame.height]
        let advances = zip(cells, ends).map { $1 - $0.frame.y }.filter { $0 > tolerance }.sorted()
        guard !advances.isEmpty else { return nil }
        return (advances.count, advances[(advances.count - 1) / 2])
    }

    /// The offset of a row that may lie after the last known one.
    func place(of index: Int) -> Double {
        let last = rows.count - 1
        return index <= last ? rows[max(0, index)].y : rows[last].y + Double(index - last) * pointsPerRow
    }

    /// The items on each row of a screen: an item that began above is shown on the first row, if no other starts there.
    func screen(from top: Double, rows count: Int) -> [[Picture.Shown]] {
        let first = index(at: top)
        var lines = rows[first..<min(rows.count, first + max(0, count))].map(\.items)
        if lines.first?.isEmpty == true, let above = rows[..<first].last(where: { !$0.items.isEmpty }) {
            lines[0] = above.items.filter { $0.frame.y + $0.frame.height > rows[first].y }
        }
        // If there is only one row, items are more useful than floating headers.
        for header in floating where count > 1 {
            let line = ((header.frame.y - rows[first].y) / pointsPerRow).rounded()
            if line >= 0, line < Double(lines.count) { lines[Int(line)] = [header] }
        }
        return lines
    }

    /// Separates floating headers and groups the other items by their offsets.
    private mutating func separateFloating(from items: [Picture.Shown]) -> [Row] {
        let cells = Dictionary(grouping: items.filter { $0.kind == "cell" }, by: \.section)
        var starts: [Row] = []
        for item in items {
            let isFloating = item.kind != "cell" && cells[item.section, default: []].contains { $0.meets(item) }
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

    /// Empty rows between the top of the viewport and the first item.
    private mutating func appendRows(before y: Double, from top: Double, in window: ClosedRange<Double>) {
        let bottom = min(y, window.upperBound)
        // An item that begins within a view's buffer exists, although the first row begins with it.
        let count = ((bottom - top - 20) / pointsPerRow).rounded(.up)
        guard count >= 1 else { return }
        for row in 0..<Int(count) { rows.append(Row(y: bottom - (count - Double(row)) * pointsPerRow)) }
    }

    /// Empty rows that belong to the item above, down to the next one: so many that a screen of rows never has more of
    /// the content than a viewport; only those near it.
    private mutating func appendRows(behind y: Double, upTo next: Double, in window: ClosedRange<Double>) {
        let count = ((next - y - Self.tolerance) / pointsPerRow).rounded(.up)
        let first = max(1, ((window.lowerBound - y) / pointsPerRow).rounded(.up))
        let last = min(count - 1, ((window.upperBound - y) / pointsPerRow).rounded(.down))
        guard first <= last else { return }
        for row in Int(first)...Int(last) { rows.append(Row(y: y + Double(row) * pointsPerRow)) }
    }
}

extension Picture {
    /// The height of the content, if it is a finite number in range.
    var height: Double { contentSize.height < Frame.limit ? max(0, contentSize.height) : 0 }
}

extension Picture.Shown {
    /// Whether two items overlap in height.
    fileprivate func meets(_ other: Picture.Shown) -> Bool {
        frame.y + RowLayout.tolerance < other.frame.y + other.frame.height
            && other.frame.y + RowLayout.tolerance < frame.y + frame.height
    }
}

extension Frame {
    fileprivate static let limit = 1e12

    /// Whether its place can be expressed in columns and rows.
    fileprivate var isDrawable: Bool {
        abs(x) < Self.limit && abs(y) < Self.limit && abs(width) < Self.limit && abs(height) < Self.limit && width > 0
    }
}
