// SPDX-License-Identifier: Apache-2.0

import ListClient

/// A list on the rows of a screen, with its scroll position and cursor. It makes no calls itself, but returns them as
/// effects.
///
/// Steps that the user makes while a call to listd is in flight are queued until the reply, because the picture does
/// not belong to the screen before.
struct Browser {
    /// A movement that the user requests.
    enum Movement: Equatable {
        /// The cursor moves down by a number of rows.
        case rows(Int)
        /// The screen moves down by a number of screens, and the cursor with it.
        case pages(Int)
        case home, end
        /// The screen moves down by a number of rows. The cursor stays on its item while the item is on the screen.
        case scroll(rows: Int)
        /// The screen moves to a fraction of the list, from 0 to 1.
        case fraction(Double)
    }

    private(set) var picture = Picture()
    private(set) var scroller: Scroller
    private(set) var cursor = Cursor()
    private var hasMeasured = false
    /// The place to which the screen and the cursor have to move, but which no picture shows yet.
    private var requestedPlace: Place?
    /// The steps that the user made while a call was in flight.
    private var queuedSteps: [Movement] = []
    /// The movement of the cursor when the screen's picture has arrived.
    private var pendingMove = CursorMove.follow

    /// A movement of the cursor after the screen has moved.
    private enum CursorMove {
        /// Stays on its item.
        case follow
        /// Moves down by a number of rows.
        case move(Int)
        /// Stays on its row; moves to the last or first row if the screen did not move because the list ends there.
        case keepRow(Int, since: Double, direction: Int)
        /// Moves to the row, or to the nearest one with items.
        case row(Int)
        /// Moves to a place to which the screen scrolls. If the first call does not reach the place, a second one
        /// follows.
        case place(Place, isLast: Bool)
    }

    init(columns: Int, rows: Int) {
        scroller = Scroller(size: Scroller.Size(columns: columns, rows: max(1, rows), pointsPerRow: 44))
    }

    /// The number of columns for the list.
    var columns: Int { scroller.size.columns }
    /// The number of rows for the list.
    var rowCount: Int { scroller.size.rows }
    /// The rows of the list that the picture contains.
    var layout: RowLayout { scroller.layout(of: picture, at: scroller.top) }
    /// The items on each row of the screen.
    var rows: Cursor.Rows { layout.screen(from: scroller.top, rows: rowCount) }
    /// The item under the cursor.
    var current: Picture.Shown? { cursor.item(in: rows) }
    /// Whether there is an item on the screen.
    var hasItems: Bool { rows.contains { !$0.isEmpty } }
    /// Whether no call is in flight, so that the picture is that of the screen.
    var hasArrived: Bool { scroller.hasArrived }

    /// Starts with a new view, which has no picture yet. Call this first.
    ///
    /// - Parameters:
    ///   - place: the place for the cursor, if it exists.
    ///   - fromTop: whether to show the beginning of the list, with the cursor on the first item.
    mutating func start(at place: Place? = nil, fromTop: Bool = false) -> [ViewerEffect] {
        (picture, requestedPlace, queuedSteps, hasMeasured, pendingMove) = (Picture(), nil, [], false, .follow)
        if fromTop { (scroller, cursor) = (Scroller(size: scroller.size), Cursor()) }
        let y = scroller.start()
        return viewportRequest(at: y) + (place.map { goTo($0) } ?? []) + [.draw]
    }

    /// Moves the cursor to the first item of the screen.
    mutating func moveCursorToFirst() {
        cursor = Cursor()
        cursor.update(in: rows)
    }

    /// Handles the end of the view.
    ///
    /// - Parameter keepingPicture: whether the last picture stays on the screen.
    mutating func stop(keepingPicture: Bool) -> [ViewerEffect] {
        scroller.dropRequest()
        (queuedSteps, requestedPlace) = ([], nil)
        if !keepingPicture { picture = Picture() }
        cursor.update(in: rows)
        return [.draw]
    }

    /// Sets the number of columns and rows for the list.
    mutating func resize(columns: Int, rows: Int) -> [ViewerEffect] {
        let size = Scroller.Size(
            columns: columns, rows: max(1, rows), pointsPerRow: scroller.size.pointsPerRow)
        let y = scroller.resize(to: size, in: picture) ?? placeCursor()
        return viewportRequest(at: y) + [.draw]
    }

    /// Shows a new picture of the view.
    mutating func show(_ picture: Picture) -> [ViewerEffect] {
        self.picture = picture
        var y = scroller.show(picture)
        if let size = updateRowHeight() { y = scroller.resize(to: size, in: picture) ?? y }
        y = revealRequestedPlace() ?? placeCursor() ?? y
        return viewportRequest(at: y) + (scroller.isDrawable ? [.draw] : [])
    }

    /// Handles the reply to the last request: the picture is now that of the requested viewport.
    mutating func handleAnswer() -> [ViewerEffect] {
        var requests = viewportRequest(
            at: scroller.handleAnswer(in: picture) ?? revealRequestedPlace() ?? placeCursor())
        while scroller.hasArrived, !queuedSteps.isEmpty { requests += perform(queuedSteps.removeFirst()) }
        return requests + (scroller.isDrawable ? [.draw] : [])
    }

    /// Repeats the last request, which was not answered in time.
    mutating func handleTimeout() -> [ViewerEffect] {
        let y = scroller.repeatRequest(in: picture)
        return viewportRequest(at: y) + [.draw]
    }

    /// Handles listd's refusal of the last call.
    mutating func handleFailure() -> [ViewerEffect] {
        scroller.dropRequest()
        (queuedSteps, requestedPlace, pendingMove) = ([], nil, .follow)
        return [.draw]
    }

    /// Makes a step, at once or when the picture of the screen has arrived.
    mutating func step(_ step: Movement) -> [ViewerEffect] {
        requestedPlace = nil
        guard scroller.hasArrived else {
            if queuedSteps.count < Self.maximumSteps { queuedSteps.append(step) }
            return []
        }
        return perform(step)
    }

    /// Moves the cursor to the next item in its row. Returns whether there is such an item.
    mutating func moveSideways(by step: Int) -> Bool { cursor.moveSideways(by: step, in: rows) }

    /// Moves the cursor to the item at a position in the list's part of the screen. Returns whether the cursor was
    /// there already; nil when there is no item.
    mutating func moveCursor(toColumn column: Int, row: Int) -> Bool? {
        cursor.move(toRow: row, x: Double(column), in: rows)
    }

    /// Scrolls to a place, and moves the cursor there.
    mutating func goTo(_ place: Place) -> [ViewerEffect] {
        queuedSteps = []
        if scroller.hasArrived, cursor.go(to: place, in: rows) {
            requestedPlace = nil
            return [.draw]
        }
        requestedPlace = place
        guard scroller.hasArrived else { return [.scrollTo(place), .draw] }
        let near = reveal(place) ?? placeCursor()
        return (requestedPlace == nil ? viewportRequest(at: near) : [.scrollTo(place)]) + [.draw]
    }

    // MARK: - The height of a row

    /// The minimum and maximum number of points of a terminal row. Higher items take several rows.
    private static let rowHeights = 8.0...256

    /// Updates the number of points of a terminal row from the picture. Returns the new size of the screen; nil if the
    /// number stays.
    ///
    /// The first picture with an item that fits on the screen determines the height of a row. Later pictures can only
    /// reduce the height, when the viewport contains many more items than the screen has rows. Therefore the height
    /// stops changing, whatever the items are.
    private mutating func updateRowHeight() -> Scroller.Size? {
        var size = scroller.size
        guard let (rows, advance) = RowLayout.measure(picture), advance <= size.height else { return nil }
        let height = min(max(Self.rowHeights.lowerBound, advance), Self.rowHeights.upperBound)
        guard !hasMeasured || rows > 3 * size.rows && height < size.pointsPerRow else { return nil }
        (hasMeasured, size.pointsPerRow) = (true, height)
        return size
    }

    // MARK: - Steps

    /// The maximum number of queued steps, so that the effect of a held key ends soon after it is released.
    private static let maximumSteps = 32

    private mutating func perform(_ step: Movement) -> [ViewerEffect] {
        let y: Double?
        switch step {
        case .rows(let count):
            if cursor.move(by: count, in: rows) { return [.draw] }
            y = scroller.scroll(rows: count, in: picture)
            pendingMove = .move(count)
        case .pages(let count):
            pendingMove = .keepRow(cursor.row, since: scroller.top, direction: count)
            y = scroller.scroll(rows: count * rowCount, in: picture)
        case .home:
            y = scroller.scroll(to: 0, in: picture)
            pendingMove = .row(0)
        case .end:
            y = scroller.scroll(to: .greatestFiniteMagnitude, in: picture)
            pendingMove = .row(rowCount)
        case .scroll(let count):
            y = scroller.scroll(rows: count, in: picture)
            pendingMove = .follow
        case .fraction(let fraction):
            y = scroller.scroll(to: fraction * picture.height, in: picture)
            pendingMove = .follow
        }
        let next = y ?? placeCursor()
        return next == nil ? [.draw] : viewportRequest(at: next)
    }

    /// Makes the pending movement of the cursor if the picture of the screen has arrived. Returns the viewport to
    /// request if the screen has to scroll further for that, else nil.
    private mutating func placeCursor() -> Scroller.ViewportOffset? {
        guard scroller.hasArrived else { return nil }
        let (rows, move) = (rows, pendingMove)
        pendingMove = .follow
        switch move {
        case .follow: cursor.update(in: rows)
        case .move(let count):
            cursor.update(in: rows)
            _ = cursor.move(by: count, in: rows)
        case .keepRow(let row, let top, let direction):
            let isAtEnd = abs(scroller.top - top) < RowLayout.tolerance
            cursor.move(toRowNear: isAtEnd ? (direction > 0 ? rows.count : 0) : row, in: rows)
        case .row(let row): cursor.move(toRowNear: row, in: rows)
        case .place(let place, let isLast):
            if cursor.go(to: place, in: rows) { return nil }
            if !isLast, let item = picture.shown.values.first(where: place.matches) {
                pendingMove = .place(place, isLast: true)
                // If the screen cannot scroll any further, the cursor moves as near to the place as possible.
                return scroller.scroll(to: item.frame.y, in: picture) ?? placeCursor()
            }
            cursor.update(in: rows)
        }
        return nil
    }

    /// Scrolls to the requested place if no call is in flight and the picture has the place.
    private mutating func revealRequestedPlace() -> Scroller.ViewportOffset? {
        scroller.hasArrived ? requestedPlace.flatMap { reveal($0) } : nil
    }

    /// Scrolls to a place if the picture has it, and then clears the requested place.
    private mutating func reveal(_ place: Place) -> Scroller.ViewportOffset? {
        guard let item = picture.shown.values.first(where: place.matches) else { return nil }
        requestedPlace = nil
        cursor.setPlace(place)
        pendingMove = .place(place, isLast: false)
        let layout = layout
        // A floating header is on the screen already.
        guard !layout.floating.contains(where: { $0.slot == item.slot }) else { return nil }
        // Leaves a third of the screen above the item, and at least one row if a header floats over the first row.
        let above = max(layout.floating.isEmpty ? 0 : 1, rowCount / 3)
        let row = layout.index(at: item.frame.y)
        let farthest = item.frame.y - Double(above) * scroller.size.pointsPerRow
        let y = row >= above ? max(layout.offset(ofRow: row - above), farthest) : farthest
        return scroller.scroll(to: min(y, item.frame.y), in: picture)
    }

    /// Returns the effect that requests a viewport at an offset. It uses the scroller's size, so change the size
    /// before.
    private func viewportRequest(at y: Scroller.ViewportOffset?) -> [ViewerEffect] {
        y.map { [.setViewport(y: $0, width: Double(columns), height: scroller.size.height)] } ?? []
    }
}

/// The row and the item on which keys act. It makes no calls.
///
/// The cursor is on an item and follows the item on the screen. When the item leaves the screen, the cursor stays on
/// its row.
struct Cursor: Equatable {
    typealias Rows = [[Picture.Shown]]

    /// The index of the cursor's row on the screen.
    private(set) var row = 0
    /// The index of the cursor's item among the items of its row.
    private(set) var column = 0
    /// The place of the cursor's item; nil when the screen is empty.
    private(set) var place: Place?

    /// Follows the cursor's item to its row in another picture. If the item has left, the cursor moves to the item on
    /// its row or the nearest row with items. A cursor without an item moves to the first item.
    mutating func update(in rows: Rows) {
        if place == nil, let first = rows.firstIndex(where: { $0.contains { $0.kind == "cell" } }) {
            move(toRow: first, in: rows)
        } else if let place, let (row, column) = Self.find(place, in: rows) {
            (self.row, self.column) = (row, column)
        } else {
            move(toRowNear: row, in: rows)
        }
    }

    /// Moves to a place. Returns whether the place is on the screen.
    mutating func go(to place: Place, in rows: Rows) -> Bool {
        guard let (row, column) = Self.find(place, in: rows) else { return false }
        (self.row, self.column, self.place) = (row, column, place)
        return true
    }

    /// Moves the cursor to a place that is not on the screen yet.
    mutating func setPlace(_ place: Place) { self.place = place }

    /// Moves to the next row with items, down or up. Returns whether there is such a row.
    mutating func move(by step: Int, in rows: Rows) -> Bool {
        var next = row + step
        while rows.indices.contains(next) {
            if !rows[next].isEmpty {
                move(toRow: next, in: rows)
                return true
            }
            next += step
        }
        return false
    }

    /// Moves to the next item of the row. Returns whether there is such an item.
    mutating func moveSideways(by step: Int, in rows: Rows) -> Bool {
        guard rows.indices.contains(row), rows[row].indices.contains(column + step) else { return false }
        column += step
        place = Place(of: rows[row][column])
        return true
    }

    /// Moves to the row, or to the nearest row with items.
    mutating func move(toRowNear wanted: Int, in rows: Rows) {
        let filled = rows.indices.filter { !rows[$0].isEmpty }
        guard let nearest = filled.min(by: { abs($0 - wanted) < abs($1 - wanted) }) else {
            (row, column, place) = (0, 0, nil)
            return
        }
        move(toRow: nearest, in: rows)
    }

    /// Moves to the item at a position of the screen. Returns whether the cursor was there already; nil when there is
    /// no item.
    mutating func move(toRow row: Int, x: Double, in rows: Rows) -> Bool? {
        guard rows.indices.contains(row), !rows[row].isEmpty else { return nil }
        let before = (self.row, column)
        move(toRow: row, in: rows)
        column = rows[row].lastIndex { $0.frame.x <= x } ?? 0
        place = Place(of: rows[row][column])
        return before == (self.row, column)
    }

    /// Returns the item under the cursor.
    func item(in rows: Rows) -> Picture.Shown? {
        rows.indices.contains(row) && rows[row].indices.contains(column) ? rows[row][column] : nil
    }

    private mutating func move(toRow row: Int, in rows: Rows) {
        self.row = row
        column = min(column, rows[row].count - 1)
        place = Place(of: rows[row][column])
    }

    private static func find(_ place: Place, in rows: Rows) -> (row: Int, column: Int)? {
        for (row, items) in rows.enumerated() {
            if let column = items.firstIndex(where: place.matches) { return (row, column) }
        }
        return nil
    }
}

/// The identity of an item, header or footer of an object, wherever it is on the screen. Cursor and hits use it.
struct Place: Equatable, Sendable {
    let objectID: String
    let part: Search.SectionPart

    /// The item index for `ScrollTo`; 0 for a header or footer.
    var item: UInt32 { if case .item(let item) = part { item } else { 0 } }

    init(objectID: String, part: Search.SectionPart) {
        self.objectID = objectID
        self.part = part
    }

    /// The place of a shown item; nil for the element that stands in for an empty list.
    init?(of shown: Picture.Shown) {
        guard let position = Search.Position(of: shown), !shown.objectID.isEmpty else { return nil }
        self.init(objectID: shown.objectID, part: position.part)
    }

    func matches(_ shown: Picture.Shown) -> Bool { Place(of: shown) == self }

    // Ids are compared as bytes, because canonically equivalent ids are different.
    static func == (a: Place, b: Place) -> Bool {
        a.part == b.part && a.objectID.utf8.elementsEqual(b.objectID.utf8)
    }
}

extension Browser {
    /// The list as plain lines of text: a line for each row, as wide as the screen.
    var lines: [String] {
        let blank = String(repeating: " ", count: columns)
        var lines = [String](repeating: blank, count: rowCount)
        for (row, items) in rows.enumerated() where !items.isEmpty { lines[row] = text(of: items) }
        return lines
    }

    /// Returns the line of a row, with each item at its column. A point equals a column, because the viewport's width
    /// in points is the terminal's width in columns.
    private func text(of items: [Picture.Shown]) -> String {
        var text = ""
        for item in items {
            let first = max(Int(item.frame.x), DisplayText.columns(of: text))
            let width = min(Int(item.frame.width.rounded(.up)), columns - first)
            guard width > 0 else { continue }
            text = DisplayText.fitted(text, to: first) + ItemText.line(item, width: width)
        }
        return DisplayText.fitted(text, to: columns)
    }
}
