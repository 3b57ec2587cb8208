// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The screen's offset in the content, and the requests that move the screen to another offset. It makes no calls.
///
/// The scroller can convert rows to points only where it knows the items: not at the end of the list, and not above the
/// screen. Therefore it requests a viewport in points, lays out the rows of the reply, and requests another viewport if
/// needed. A function returns the ``ViewportOffset`` of its request; nil means that the screen has arrived.
///
/// The daemon moves the viewport too, for anchoring and to scroll to an object. The scroller follows its pictures, also
/// while a request is in flight.
struct Scroller {
    /// The offset of the next viewport to request, in points.
    typealias ViewportOffset = Double

    /// The size of a screen.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
        /// The number of points that one row represents.
        var pointsPerRow: Double
        /// The height of the viewport, in points.
        var height: Double { Double(rows) * pointsPerRow }
    }

    /// An offset to which the screen shall move, in points.
    private enum Goal {
        /// Exactly at the offset.
        case place(Double)
        /// At the offset, or at the end of the content if that comes before.
        case down(Double)
        /// A number of rows above the offset.
        case up(from: Double, rows: Int)

        func shifted(by distance: Double) -> Goal {
            switch self {
            case .place(let y): .place(y + distance)
            case .down(let y): .down(y + distance)
            case .up(let y, let rows): .up(from: y + distance, rows: rows)
            }
        }
    }

    /// A viewport that was requested, and the goal of the request.
    private struct ViewportRequest {
        var y: Double
        let size: Size
        var goal: Goal
    }

    private(set) var size: Size
    /// The offset of the screen in the content, in points.
    private(set) var top = 0.0
    /// How far the daemon had moved the viewport in its last picture, in all pictures together.
    private var moved = 0.0
    /// The offset of a viewport of the current size that the picture covers, that is, of which it has all items.
    private var coveredOffset: Double?
    /// The request that is in flight.
    private var request: ViewportRequest?
    /// The height of the content when the screen last moved to the end.
    private var clampedHeight = -1.0

    init(size: Size) { self.size = size }

    /// Whether no request is in flight. Only then the picture is that of the screen, so that a step can be measured in
    /// rows.
    var hasArrived: Bool { request == nil }

    /// Whether the picture is likely to have the items of the screen, so that drawing makes sense.
    var isDrawable: Bool {
        guard let request else { return true }
        if case .down = request.goal { return request.y <= top }
        return false
    }

    /// Starts with a new view, which has no picture yet. The screen keeps its offset.
    mutating func start() -> ViewportOffset {
        (moved, coveredOffset, clampedHeight) = (0, nil, -1)
        return requestViewport(at: top, goal: .down(top))
    }

    /// Drops the request in flight, because the view has ended or refused it, so that no reply follows.
    mutating func dropRequest() { request = nil }

    /// Requests the viewport again in the current size, because no reply arrived.
    mutating func repeatRequest(in picture: Picture) -> ViewportOffset? {
        let goal = request?.goal ?? .down(top)
        (request, coveredOffset) = (nil, nil)
        return move(toward: goal, in: picture)
    }

    /// Sets the size of the screen.
    mutating func resize(to size: Size, in picture: Picture) -> ViewportOffset? {
        guard size != self.size else { return nil }
        (self.size, coveredOffset) = (size, nil)
        // A request in flight is repeated in the new size after its reply.
        return hasArrived ? move(toward: .down(top), in: picture) : nil
    }

    /// Applies a new picture, for which the daemon may have moved the viewport.
    mutating func show(_ picture: Picture) -> ViewportOffset? {
        // Invalid distances are ignored.
        if abs(picture.shift.y) < 1e12 {
            shift(by: picture.shift.y - moved)
            moved = picture.shift.y
        }
        return hasArrived ? clamp(in: picture) : nil
    }

    /// Handles the reply to the request: the picture is that of the requested viewport.
    mutating func handleAnswer(in picture: Picture) -> ViewportOffset? {
        guard let request else { return nil }
        self.request = nil
        coveredOffset = request.size == size ? request.y : nil
        return move(toward: request.goal, in: picture) ?? clamp(in: picture)
    }

    /// Scrolls down by a number of rows; a negative number scrolls up.
    mutating func scroll(rows: Int, in picture: Picture) -> ViewportOffset? {
        guard rows > 0 else { return top > 0 ? move(toward: .up(from: top, rows: -rows), in: picture) : nil }
        let layout = layout(of: picture, at: top)
        return move(toward: .down(layout.offset(ofRow: layout.index(at: top) + rows)), in: picture)
    }

    /// Scrolls to an offset in the content, or as near to it as possible.
    mutating func scroll(to y: Double, in picture: Picture) -> ViewportOffset? {
        move(toward: .down(max(0, y)), in: picture)
    }

    /// Returns the rows of a picture in and around a viewport at `y`.
    func layout(of picture: Picture, at y: Double) -> RowLayout {
        RowLayout(picture, top: y, height: size.height, pointsPerRow: size.pointsPerRow)
    }

    // MARK: - Moving to a goal

    private mutating func requestViewport(at y: Double, goal: Goal) -> ViewportOffset {
        request = ViewportRequest(y: y, size: size, goal: goal)
        return y
    }

    /// Whether the picture has all items of a viewport at `y`.
    private func isCovered(_ y: Double) -> Bool { coveredOffset.map { abs($0 - y) < RowLayout.tolerance } ?? false }

    /// Moves the screen to the goal, and returns nil. If the picture does not have the items that are needed for
    /// that, it requests a viewport with them, and returns the offset of that viewport.
    private mutating func move(toward goal: Goal, in picture: Picture) -> ViewportOffset? {
        let y: Double
        switch goal {
        case .place(let place): y = place
        case .down(let wanted):
            let limit = max(0, picture.height - size.height)
            guard isCovered(min(wanted, limit)) else { return requestViewport(at: min(wanted, limit), goal: goal) }
            if wanted >= limit { clampedHeight = picture.height }
            y = wanted < limit ? wanted : min(wanted, endOffset(of: picture, from: limit))
        case .up(let from, let rows):
            let first = max(0, from - Double(rows) * size.pointsPerRow)
            guard isCovered(first) else { return requestViewport(at: first, goal: goal) }
            y = rowOffset(rows: rows, above: from, since: first, in: picture)
        }
        guard isCovered(y) else { return requestViewport(at: y, goal: .place(y)) }
        top = y
        return nil
    }

    /// Returns the offset of the last screen of the content, measured in rows.
    ///
    /// - Parameter limit: the offset of the last screen, measured in points.
    private func endOffset(of picture: Picture, from limit: Double) -> Double {
        let layout = layout(of: picture, at: limit)
        let surplus = layout.rows.count - layout.index(at: limit) - size.rows
        return surplus <= 0 ? limit : max(limit, layout.offset(ofRow: layout.rows.count - size.rows))
    }

    /// Returns the offset of the row that is a number of rows above another offset.
    ///
    /// - Parameter first: the offset from which on the picture has the items.
    private func rowOffset(rows: Int, above from: Double, since first: Double, in picture: Picture) -> Double {
        let layout = layout(of: picture, at: first)
        let index = max(layout.index(at: first), layout.index(at: from) - rows)
        guard index > 0 || first > 0 else { return 0 }
        let place = layout.offset(ofRow: index)
        return place < from - RowLayout.tolerance ? max(0, place) : first
    }

    /// Moves the screen up if the content has become so short that the screen would extend beyond its end.
    private mutating func clamp(in picture: Picture) -> ViewportOffset? {
        guard picture.height != clampedHeight, top > max(0, picture.height - size.height) else { return nil }
        return move(toward: .down(top), in: picture)
    }

    /// Moves all offsets, after the daemon has moved the viewport.
    private mutating func shift(by distance: Double) {
        guard distance != 0 else { return }
        top += distance
        coveredOffset = coveredOffset.map { $0 + distance }
        guard var request else { return }
        request.y += distance
        request.goal = request.goal.shifted(by: distance)
        self.request = request
    }
}

/// The layout of a picture's items in rows of a terminal. It makes no calls.
///
/// A row represents a number of points. Items that start at the same offset share a row, and every such offset has its
/// own row, however close it is to the previous one. Therefore no item is drawn over another, and none is left out. An
/// item that is higher than a row is followed by empty rows. The viewer scrolls by rows, and requests points from the
/// daemon.
struct RowLayout {
    /// A row, with its offset in the content in points, and the items that start on it.
    struct ItemRow {
        let y: Double
        var items: [Picture.Shown] = []
    }

    /// The rows in the order of their offsets. There is at least one row.
    private(set) var rows: [ItemRow] = []
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
        if rows.isEmpty { rows = [ItemRow(y: 0)] }
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
    private mutating func separateFloating(from items: [Picture.Shown]) -> [ItemRow] {
        let cells = Dictionary(grouping: items.filter { $0.kind == "cell" }, by: \.section)
        var starts: [ItemRow] = []
        for item in items {
            let isFloating =
                item.kind != "cell" && cells[item.section, default: []].contains { $0.overlapsVertically(item) }
            if isFloating {
                floating.append(item)
            } else if let last = starts.last, item.frame.y - last.y < Self.tolerance {
                starts[starts.count - 1].items.append(item)
            } else {
                starts.append(ItemRow(y: item.frame.y, items: [item]))
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
        for row in 0..<Int(count) { rows.append(ItemRow(y: bottom - (count - Double(row)) * pointsPerRow)) }
    }

    /// Appends the empty rows between an item and the next one, as far as the rows are near the viewport. With them, a
    /// screen of rows never shows more of the content than a viewport contains.
    private mutating func appendRows(behind y: Double, upTo next: Double, in window: ClosedRange<Double>) {
        let count = ((next - y - Self.tolerance) / pointsPerRow).rounded(.up)
        let first = max(1, ((window.lowerBound - y) / pointsPerRow).rounded(.up))
        let last = min(count - 1, ((window.upperBound - y) / pointsPerRow).rounded(.down))
        guard first <= last else { return }
        for row in Int(first)...Int(last) { rows.append(ItemRow(y: y + Double(row) * pointsPerRow)) }
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

/// The scroll direction of a list. The terminal always scrolls from top to bottom, so the axes of a horizontal list are
/// swapped.
enum Axis: Equatable {
    case vertical
    case horizontal

    /// Returns the offset and size of the viewport in the axes of the list, for a viewport in the axes of the terminal.
    func viewport(y: Double, width: Double, height: Double) -> (x: Double, y: Double, width: Double, height: Double) {
        self == .vertical ? (0, y, width, height) : (y, 0, height, width)
    }

    /// Converts a picture in the axes of the list to the axes of the terminal.
    func terminalPicture(of picture: Picture) -> Picture {
        guard self == .horizontal else { return picture }
        let shown = picture.shown.values.map { item in
            var item = item
            let frame = item.frame
            item.frame = Frame(x: frame.y, y: frame.x, width: frame.height, height: frame.width)
            return item
        }
        return Picture(
            sequence: picture.sequence, revision: picture.revision,
            contentSize: Extent(width: picture.contentSize.height, height: picture.contentSize.width),
            offset: Position(x: picture.offset.y, y: picture.offset.x), shown: shown,
            shift: Position(x: picture.shift.y, y: picture.shift.x), sticky: picture.sticky,
            stickyEdge: picture.stickyEdge)
    }
}
