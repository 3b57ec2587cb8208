// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The screen's offset in the content, and the way to a requested one. Makes no calls.
///
/// The end of a list in rows, and the number of points for some rows up, are known only once the items there are: the
/// scroller requests a viewport in points, checks the rows of the answer, and requests another if needed. Each of its
/// results is the next viewport to request; nil means that it has arrived. The daemon moves the viewport too
/// (anchoring, scrolling to an object): the scroller follows its pictures, also while a request is in flight.
struct Scroller {
    /// The size of a screen.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
        /// Points that one row stands for.
        var pointsPerRow: Double
        /// Height of the viewport, in points.
        var height: Double { Double(rows) * pointsPerRow }
    }

    /// A requested offset, in points.
    private enum Goal {
        /// Exactly there.
        case place(Double)
        /// There, or as far down as the content goes.
        case down(Double)
        /// So many rows above there.
        case up(from: Double, rows: Int)

        func shifted(by distance: Double) -> Goal {
            switch self {
            case .place(let y): .place(y + distance)
            case .down(let y): .down(y + distance)
            case .up(let y, let rows): .up(from: y + distance, rows: rows)
            }
        }
    }

    /// A requested viewport that was not answered yet.
    private struct ViewportRequest {
        var y: Double
        let size: Size
        var goal: Goal
    }

    private(set) var size: Size
    /// Where the screen starts, in points.
    private(set) var top = 0.0
    /// The offset of the viewport in the daemon's last picture.
    private var offset = 0.0
    /// The offset of a viewport of the present size of which the picture has all items.
    private var known: Double?
    private var request: ViewportRequest?
    /// The height of the content when the end was last searched.
    private var clampedHeight = -1.0

    init(size: Size) { self.size = size }

    /// Whether no request is in flight: only then the picture is that of the screen, and a step can be measured in
    /// rows.
    var hasArrived: Bool { request == nil }

    /// Whether the picture has the items of the screen, as far as that is known.
    var isDrawable: Bool {
        guard let request else { return true }
        if case .down = request.goal { return request.y <= top }
        return false
    }

    /// Starts with a new view, which has no picture yet; the screen keeps its offset.
    mutating func start() -> Double {
        (offset, known, clampedHeight) = (0, nil, -1)
        return ask(for: top, goal: .down(top))
    }

    /// The view is gone, or refused the request, so no answer follows.
    mutating func stop() { request = nil }

    /// No answer came: the viewport is requested again, in the present size.
    mutating func askAgain(_ picture: Picture) -> Double? {
        let goal = request?.goal ?? .down(top)
        (request, known) = (nil, nil)
        return pursue(goal, picture)
    }

    /// Sets the size of the screen.
    mutating func resize(_ size: Size, _ picture: Picture) -> Double? {
        guard size != self.size else { return nil }
        (self.size, known) = (size, nil)
        // A request in flight is repeated in the new size after its answer.
        return hasArrived ? pursue(.down(top), picture) : nil
    }

    /// Applies another picture.
    mutating func show(_ picture: Picture) -> Double? {
        // Offsets that are no valid numbers are ignored.
        let place = abs(picture.offset.y) < 1e12 ? picture.offset.y : 0
        let expected = [offset] + (request.map { [$0.y] } ?? [])
        shift(by: place - (expected.min { abs(place - $0) < abs(place - $1) } ?? place))
        offset = place
        return hasArrived ? clamp(picture) : nil
    }

    /// The picture is that of the requested viewport.
    mutating func answered(_ picture: Picture) -> Double? {
        guard let request else { return nil }
        self.request = nil
        (offset, known) = (request.y, request.size == size ? request.y : nil)
        return pursue(request.goal, picture) ?? clamp(picture)
    }

    /// A step of so many rows down, or up.
    mutating func scroll(rows: Int, _ picture: Picture) -> Double? {
        guard rows > 0 else { return top > 0 ? pursue(.up(from: top, rows: -rows), picture) : nil }
        let layout = layout(of: picture, at: top)
        return pursue(.down(layout.place(of: layout.index(at: top) + rows)), picture)
    }

    /// Scrolls to an offset in the content, or as near as possible.
    mutating func scroll(to y: Double, _ picture: Picture) -> Double? { pursue(.down(max(0, y)), picture) }

    /// The rows of a picture in a viewport that starts at `y`.
    func layout(of picture: Picture, at y: Double) -> RowLayout {
        RowLayout(picture, top: y, height: size.height, pointsPerRow: size.pointsPerRow)
    }

    // MARK: - The way there

    private mutating func ask(for y: Double, goal: Goal) -> Double {
        request = ViewportRequest(y: y, size: size, goal: goal)
        return y
    }

    private func isKnown(_ y: Double) -> Bool { known.map { abs($0 - y) < RowLayout.tolerance } ?? false }

    private mutating func pursue(_ goal: Goal, _ picture: Picture) -> Double? {
        let y: Double
        switch goal {
        case .place(let place): y = place
        case .down(let wanted):
            let limit = max(0, picture.height - size.height)
            guard isKnown(min(wanted, limit)) else { return ask(for: min(wanted, limit), goal: goal) }
            if wanted >= limit { clampedHeight = picture.height }
            y = wanted < limit ? wanted : min(wanted, end(of: picture, from: limit))
        case .up(let from, let rows):
            let first = max(0, from - Double(rows) * size.pointsPerRow)
            guard isKnown(first) else { return ask(for: first, goal: goal) }
            y = place(rows: rows, above: from, since: first, picture)
        }
        guard isKnown(y) else { return ask(for: y, goal: .place(y)) }
        top = y
        return nil
    }

    /// The offset of a screen that ends with the content, when a screen in points would start at `limit`.
    private func end(of picture: Picture, from limit: Double) -> Double {
        let layout = layout(of: picture, at: limit)
        let surplus = layout.rows.count - layout.index(at: limit) - size.rows
        return surplus <= 0 ? limit : max(limit, layout.place(of: layout.rows.count - size.rows))
    }

    private func place(rows: Int, above from: Double, since first: Double, _ picture: Picture) -> Double {
        let layout = layout(of: picture, at: first)
        let index = max(layout.index(at: first), layout.index(at: from) - rows)
        guard index > 0 || first > 0 else { return 0 }
        let place = layout.place(of: index)
        return place < from - RowLayout.tolerance ? max(0, place) : first
    }

    /// Moves the screen back into content that has become shorter.
    private mutating func clamp(_ picture: Picture) -> Double? {
        guard picture.height != clampedHeight, top > max(0, picture.height - size.height) else { return nil }
        return pursue(.down(top), picture)
    }

    private mutating func shift(by distance: Double) {
        guard distance != 0 else { return }
        top += distance
        known = known.map { $0 + distance }
        guard var request else { return }
        request.y += distance
        request.goal = request.goal.shifted(by: distance)
        self.request = request
    }
}
