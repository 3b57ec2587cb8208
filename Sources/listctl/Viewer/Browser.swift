// SPDX-License-Identifier: Apache-2.0

import ListClient

/// A list on the rows of a screen: its scroll position, and the cursor in it. Makes no calls.
///
/// Steps that are made while a call to listd is in flight wait for its answer, since only then the picture is that of
/// the screen.
struct Browser {
    /// A call to listd, or a request to the terminal.
    enum Effect: Equatable {
        case draw
        /// Call ``answered()`` when the picture is that of this viewport.
        case setViewport(y: Double, width: Double, height: Double)
        case scrollTo(Place)
    }

    /// A movement by the user.
    enum Step: Equatable {
        /// The cursor moves so many rows down.
        case rows(Int)
        /// The screen moves so many screens down, and the cursor with it.
        case pages(Int)
        case home, end
        /// The screen moves so many rows down; the cursor stays on its item while that is on the screen.
        case scroll(rows: Int)
        /// The screen moves to a part of the list, from 0 to 1.
        case share(Double)
    }

    private(set) var picture = Picture()
    private(set) var scroller: Scroller
    private(set) var cursor = Cursor()
    private var hasMeasured = false
    /// The place that must be on the screen, under the cursor.
    private var wanted: Place?
    /// Steps that were made while a call was in flight.
    private var steps: [Step] = []
    /// Where the cursor is put when the screen has arrived.
    private var landing = Landing.follow

    private enum Landing {
        case follow
        case move(Int)
        case keepRow(Int, since: Double, direction: Int)
        case row(Int)
        /// On a place that is being scrolled to, in several calls if the first does not reach it.
        case place(Place, isLast: Bool)
    }

    init(columns: Int, rows: Int) {
        scroller = Scroller(size: Scroller.Size(columns: columns, rows: max(1, rows), pointsPerRow: 44))
    }

    /// Columns and rows of the list.
    var columns: Int { scroller.size.columns }
    var rowCount: Int { scroller.size.rows }
    /// The rows of the list as far as the picture has them.
    var layout: RowLayout { scroller.layout(of: picture, at: scroller.top) }
    /// The items on each row of the screen.
    var rows: Cursor.Rows { layout.screen(from: scroller.top, rows: rowCount) }
    /// The item under the cursor.
    var current: Picture.Shown? { cursor.item(in: rows) }
    /// Whether an item of the list is on the screen.
    var hasItems: Bool { rows.contains { !$0.isEmpty } }
    /// Whether no call is in flight.
    var hasArrived: Bool { scroller.hasArrived }

    /// Starts with a new view, which has no picture yet; call this first.
    ///
    /// - Parameters:
    ///   - place: where the cursor must be, if it exists.
    ///   - fromTop: whether to show the beginning of the list, with the cursor on the first item.
    mutating func start(at place: Place? = nil, fromTop: Bool = false) -> [Effect] {
        (picture, wanted, steps, hasMeasured, landing) = (Picture(), nil, [], false, .follow)
        if fromTop { (scroller, cursor) = (Scroller(size: scroller.size), Cursor()) }
        let y = scroller.start()
        return ask(y) + (place.map { goTo($0) } ?? []) + [.draw]
    }

    /// Puts the cursor on the first item of the screen.
    mutating func pointAtFirst() {
        cursor = Cursor()
        cursor.settle(in: rows)
    }

    /// The view is gone; its last picture stays.
    mutating func stop(keepingPicture: Bool) -> [Effect] {
        scroller.stop()
        (steps, wanted) = ([], nil)
        if !keepingPicture { picture = Picture() }
        cursor.settle(in: rows)
        return [.draw]
    }

    /// Sets the list's room on the screen.
    mutating func resize(columns: Int, rows: Int) -> [Effect] {
        let size = Scroller.Size(
            columns: columns, rows: max(1, rows), pointsPerRow: scroller.size.pointsPerRow)
        let y = scroller.resize(size, picture) ?? settle()
        return ask(y) + [.draw]
    }

    /// The picture has changed.
    mutating func show(_ picture: Picture) -> [Effect] {
        self.picture = picture
        var y = scroller.show(picture)
        if let size = measured() { y = scroller.resize(size, picture) ?? y }
        y = revealWanted() ?? settle() ?? y
        return ask(y) + (scroller.isDrawable ? [.draw] : [])
    }

    /// The picture is that of the last viewport.
    mutating func answered() -> [Effect] {
        var requests = ask(scroller.answered(picture) ?? revealWanted() ?? settle())
        while scroller.hasArrived, !steps.isEmpty { requests += perform(steps.removeFirst()) }
        return requests + (scroller.isDrawable ? [.draw] : [])
    }

    /// An answer was given up: the call is made again.
    mutating func unanswered() -> [Effect] {
        let y = scroller.askAgain(picture)
        return ask(y) + [.draw]
    }

    /// listd has refused the last call.
    mutating func failed() -> [Effect] {
        scroller.stop()
        (steps, wanted, landing) = ([], nil, .follow)
        return [.draw]
    }

    /// Makes a step, now or when the screen has arrived.
    mutating func step(_ step: Step) -> [Effect] {
        wanted = nil
        guard scroller.hasArrived else {
            if steps.count < Self.longestQueue { steps.append(step) }
            return []
        }
        return perform(step)
    }

    /// Moves the cursor to the next item beside; returns whether there is one.
    mutating func moveSideways(by step: Int) -> Bool { cursor.moveSideways(by: step, in: rows) }

    /// Moves the cursor to the item at a position of the list's part of the screen; returns whether it was there
    /// already.
    mutating func point(column: Int, row: Int) -> Bool? { cursor.point(row: row, x: Double(column), in: rows) }

    /// Scrolls to a place, and moves the cursor there.
    mutating func goTo(_ place: Place) -> [Effect] {
        steps = []
        if scroller.hasArrived, cursor.go(to: place, in: rows) {
            wanted = nil
            return [.draw]
        }
        wanted = place
        guard scroller.hasArrived else { return [.scrollTo(place), .draw] }
        let near = reveal(place) ?? settle()
        return (wanted == nil ? ask(near) : [.scrollTo(place)]) + [.draw]
    }

    // MARK: - The height of a row

    /// The fewest and the most points of a terminal row: higher items take several rows.
    private static let rowHeights = 8.0...256

    /// The size of a screen in points, from a picture; nil when that changes nothing.
    ///
    /// The first picture with an item that fits on the screen decides how high a row is. Later ones only make rows
    /// lower, when items are so close that the viewport has many more of them than the screen, so that this ends for
    /// any items.
    private mutating func measured() -> Scroller.Size? {
        var size = scroller.size
        guard let (rows, advance) = RowLayout.measure(picture), advance <= size.height else { return nil }
        let height = min(max(Self.rowHeights.lowerBound, advance), Self.rowHeights.upperBound)
        guard !hasMeasured || rows > 3 * size.rows && height < size.pointsPerRow else { return nil }
        (hasMeasured, size.pointsPerRow) = (true, height)
        return size
    }

    // MARK: - Steps

    /// The maximum number of waiting steps: a held key must not go on for long after it is released.
    private static let longestQueue = 32

    private mutating func perform(_ step: Step) -> [Effect] {
        let y: Double?
        switch step {
        case .rows(let count):
            if cursor.move(by: count, in: rows) { return [.draw] }
            y = scroller.scroll(rows: count, picture)
            landing = .move(count)
        case .pages(let count):
            landing = .keepRow(cursor.row, since: scroller.top, direction: count)
            y = scroller.scroll(rows: count * rowCount, picture)
        case .home:
            y = scroller.scroll(to: 0, picture)
            landing = .row(0)
        case .end:
            y = scroller.scroll(to: .greatestFiniteMagnitude, picture)
            landing = .row(rowCount)
        case .scroll(let count):
            y = scroller.scroll(rows: count, picture)
            landing = .follow
        case .share(let share):
            y = scroller.scroll(to: share * picture.height, picture)
            landing = .follow
        }
        let next = y ?? settle()
        return next == nil ? [.draw] : ask(next)
    }

    /// Puts the cursor where it belongs, once the screen has arrived; returns the place to scroll to if that is not the
    /// end.
    private mutating func settle() -> Double? {
        guard scroller.hasArrived else { return nil }
        let (rows, landed) = (rows, landing)
        landing = .follow
        switch landed {
        case .follow: cursor.settle(in: rows)
        case .move(let count):
            cursor.settle(in: rows)
            _ = cursor.move(by: count, in: rows)
        case .keepRow(let row, let top, let direction):
            let isAtEnd = abs(scroller.top - top) < RowLayout.tolerance
            cursor.stand(onOrNear: isAtEnd ? (direction > 0 ? rows.count : 0) : row, in: rows)
        case .row(let row): cursor.stand(onOrNear: row, in: rows)
        case .place(let place, let isLast):
            if cursor.go(to: place, in: rows) { return nil }
            if !isLast, let item = picture.shown.values.first(where: place.isPlace) {
                landing = .place(place, isLast: true)
                // When the screen is there already, the cursor is put as near as possible.
                return scroller.scroll(to: item.frame.y, picture) ?? settle()
            }
            cursor.settle(in: rows)
        }
        return nil
    }

    /// Scrolls to the requested place, once the screen has arrived.
    private mutating func revealWanted() -> Double? {
        scroller.hasArrived ? wanted.flatMap { reveal($0) } : nil
    }

    /// Scrolls to a place, if the picture has it: then the request is done.
    private mutating func reveal(_ place: Place) -> Double? {
        guard let item = picture.shown.values.first(where: place.isPlace) else { return nil }
        wanted = nil
        cursor.aim(at: place)
        landing = .place(place, isLast: false)
        let layout = layout
        // A floating header is on the screen.
        guard !layout.floating.contains(where: { $0.slot == item.slot }) else { return nil }
        // A third of the screen is above it, and at least one row if a header floats over the first.
        let above = max(layout.floating.isEmpty ? 0 : 1, rowCount / 3)
        let row = layout.index(at: item.frame.y)
        let farthest = item.frame.y - Double(above) * scroller.size.pointsPerRow
        let y = row >= above ? max(layout.place(of: row - above), farthest) : farthest
        return scroller.scroll(to: min(y, item.frame.y), picture)
    }

    /// The viewport to request, of the present size: change the scroller before this is called.
    private func ask(_ y: Double?) -> [Effect] {
        y.map { [.setViewport(y: $0, width: Double(columns), height: scroller.size.height)] } ?? []
    }
}
