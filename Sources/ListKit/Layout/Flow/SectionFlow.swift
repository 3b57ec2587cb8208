// SPDX-License-Identifier: Apache-2.0

/// The flow algorithm of IGListCollectionViewLayout for one section. Begin it with `init`, place the items in order,
/// then finish it.
///
/// Both layout and queries use this type, so their frames are the same. Coordinates along the scroll axis are
/// relative to the origin of the state at the start.
struct SectionFlow {
    private(set) var state: FlowState
    /// The union of the frames of the items placed so far.
    private(set) var items = AxisFrame.none

    private let rules: FlowRules
    private let style: SectionStyle
    private let isEmpty: Bool
    /// The index of the next item to place.
    private var index: Int
    /// The maximum length of an item across the scroll axis.
    private let maximumItemLength: Units
    /// The maximum end of an item across the scroll axis.
    private let rowLimit: Units

    /// The length of the header; 0 if the section is empty and empty sections hide their headers.
    private let header: Units
    /// The length of the footer; 0 if the section is empty and empty sections hide their footers.
    private let footer: Units

    /// Begins a section.
    @inline(__always)
    init(_ style: SectionStyle, itemCount: Int, after previous: FlowState, rules: FlowRules) {
        self.init(style, itemCount: itemCount, resuming: previous, at: 0, rules: rules)
        state.row += header
        state.nextRow += header
        state.column += style.rowStart
    }

    /// Resumes a section at an item.
    @inline(__always)
    init(_ style: SectionStyle, itemCount: Int, resuming state: FlowState, at index: Int, rules: FlowRules) {
        self.state = state
        self.rules = rules
        self.style = style
        self.index = index
        isEmpty = itemCount == 0
        maximumItemLength = max(0, rules.rowLength - style.rowStart - style.rowEnd)
        rowLimit = rules.rowLength - style.rowEnd + rules.scale.tolerance
        let hidden = itemCount == 0 && !rules.showHeaderWhenEmpty
        header = hidden ? 0 : style.header
        footer = hidden ? 0 : style.footer
    }

    /// Places the next item of the given size and returns its frame (rule LY-44).
    @inline(__always)
    mutating func place(_ size: AxisSize) -> AxisFrame {
        var across = min(size.across, maximumItemLength)
        if state.column + across > rowLimit || (index == 0 && header > 0) {
            state.row = state.nextRow + (index > 0 ? style.lineSpacing : 0)
            state.column = style.rowStart
        }
        // Rule LY-49, a quirk of IGListKit: `state.column` includes the inset at the start of the row, but
        // `maximumItemLength` excludes it.
        let distance = maximumItemLength - (state.column + across)
        if rules.stretchToEdge, distance > 0, distance <= rules.scale.tolerance {
            across = maximumItemLength - state.column
        }
        let start = rules.scale.floor(state.row + style.leading)
        let frame = AxisFrame(
            along: Interval(start: start, length: rules.scale.ceil(size.along)),
            across: Interval(start: rules.scale.floor(state.column), length: rules.scale.ceil(across)))
        state.nextRow = max(frame.along.end - style.leading, state.nextRow)
        state.column = min(max(state.column + across + style.interitemSpacing, -Self.columnLimit), Self.columnLimit)
        items = items.union(frame)
        index += 1
        return frame
    }

    /// Finishes the section, whose items have the given union of frames. Returns the frames of its bounds, header and
    /// footer.
    @inline(__always)
    mutating func finish(items: AxisFrame) -> SectionFrames {
        let across = Interval(start: style.rowStart, length: maximumItemLength)
        let headerStart = isEmpty ? state.edge : items.along.start - style.header
        let headerFrame = AxisFrame(along: Interval(start: headerStart, length: header), across: across)
        var bounds = isEmpty ? headerFrame : items
        // Rule LY-11, a quirk of IGListKit: the footer is shifted by the right inset, but only when scrolling
        // horizontally.
        let shift = rules.direction == .horizontal ? style.trailing : 0
        let footerFrame = AxisFrame(along: Interval(start: bounds.along.end + shift, length: footer), across: across)
        if header > 0 { bounds = bounds.union(headerFrame) }
        if footer > 0 { bounds = bounds.union(footerFrame) }
        state.column = min(max(state.column + style.rowEnd, -Self.columnLimit), Self.columnLimit)
        state.nextRow = max(state.nextRow, bounds.along.end + style.trailing)
        state.edge = bounds.along.end
        return SectionFrames(bounds: bounds, header: headerFrame, footer: footerFrame)
    }

    /// Finishes the section after all its items were passed to ``place(_:)``.
    @inline(__always)
    mutating func finish() -> SectionFrames {
        finish(items: items)
    }

    private static let columnLimit: Units = 1 << 55
}

/// The frames of a section's bounds, header and footer, without stickiness.
struct SectionFrames: Sendable, Hashable {
    /// The union of all elements of the section.
    var bounds: AxisFrame
    /// The frame of the header; with length 0 along the scroll axis if the section lacks a header.
    var header: AxisFrame
    /// The frame of the footer; with length 0 along the scroll axis if the section lacks a footer.
    var footer: AxisFrame

    func shifted(by distance: Units) -> SectionFrames {
        SectionFrames(
            bounds: bounds.shifted(by: distance), header: header.shifted(by: distance),
            footer: footer.shifted(by: distance))
    }
}

/// The settings of a flow layout, and the length of its rows.
struct FlowRules: Sendable, Hashable {
    let direction: ScrollDirection
    let stretchToEdge: Bool
    let showHeaderWhenEmpty: Bool
    let scale: LayoutScale
    /// The length of a row: that of the container across the scroll axis, without the content insets.
    let rowLength: Units

    init(_ configuration: LayoutConfiguration, container: Size) {
        direction = configuration.direction
        stretchToEdge = configuration.stretchToEdge
        showHeaderWhenEmpty = configuration.showHeaderWhenEmpty
        scale = LayoutScale(pixelsPerPoint: configuration.scale)
        let inset = configuration.contentInset
        switch configuration.direction {
        case .vertical:
            rowLength = max(0, scale.length(container.width) - scale.units(inset.left) - scale.units(inset.right))
        case .horizontal:
            rowLength = max(0, scale.length(container.height) - scale.units(inset.top) - scale.units(inset.bottom))
        }
    }

    func axisSize(of size: Size) -> AxisSize {
        switch direction {
        case .vertical: AxisSize(along: scale.length(size.height), across: scale.length(size.width))
        case .horizontal: AxisSize(along: scale.length(size.width), across: scale.length(size.height))
        }
    }

    func rect(_ frame: AxisFrame) -> Rect {
        let along = (scale.points(frame.along.start), scale.points(frame.along.length))
        let across = (scale.points(frame.across.start), scale.points(frame.across.length))
        switch direction {
        case .vertical: return Rect(x: across.0, y: along.0, width: across.1, height: along.1)
        case .horizontal: return Rect(x: along.0, y: across.0, width: along.1, height: across.1)
        }
    }

    func size(along: Units, across: Units) -> Size {
        switch direction {
        case .vertical: Size(width: scale.points(across), height: scale.points(along))
        case .horizontal: Size(width: scale.points(along), height: scale.points(across))
        }
    }

    /// Converts the rectangle of a query, which may be infinite.
    func axisFrame(of rect: Rect) -> AxisFrame {
        let x = Interval(start: scale.coordinate(rect.minX), end: scale.coordinate(rect.maxX))
        let y = Interval(start: scale.coordinate(rect.minY), end: scale.coordinate(rect.maxY))
        switch direction {
        case .vertical: return AxisFrame(along: y, across: x)
        case .horizontal: return AxisFrame(along: x, across: y)
        }
    }

    func coordinateAlong(of point: Point) -> Units {
        scale.coordinate(direction == .vertical ? point.y : point.x)
    }

    func coordinateAcross(of point: Point) -> Units {
        scale.coordinate(direction == .vertical ? point.x : point.y)
    }
}

/// An interval of one axis, in units.
struct Interval: Sendable, Hashable {
    var start: Units
    var end: Units

    static let zero = Interval(start: 0, end: 0)

    /// The empty interval, which does not change a union.
    static let none = Interval(start: .max, end: .min)

    init(start: Units, end: Units) {
        self.start = start
        self.end = end
    }

    init(start: Units, length: Units) {
        self.init(start: start, end: start + length)
    }

    var length: Units { end - start }

    /// Returns whether two intervals overlap. Touching ends do not count (rule LY-27).
    func overlaps(_ other: Interval) -> Bool {
        start < other.end && other.start < end && start < end && other.start < other.end
    }

    /// Returns whether a coordinate is in the interval. The end does not belong to the interval.
    func contains(_ coordinate: Units) -> Bool {
        start <= coordinate && coordinate < end
    }

    func union(_ other: Interval) -> Interval {
        Interval(start: min(start, other.start), end: max(end, other.end))
    }

    /// Returns the interval moved by a distance. Its ends are clamped to a bound that no valid list reaches; `none`
    /// is not changed.
    func shifted(by distance: Units) -> Interval {
        start > end ? self : Interval(start: min(start + distance, 1 << 62), end: min(end + distance, 1 << 62))
    }
}

/// A rectangle in terms of the scroll axis, along it and across it, so that one algorithm serves both directions.
struct AxisFrame: Sendable, Hashable {
    var along: Interval
    var across: Interval

    static let zero = AxisFrame(along: .zero, across: .zero)
    static let none = AxisFrame(along: .none, across: .none)

    var hasArea: Bool { along.start < along.end && across.start < across.end }

    func overlaps(_ other: AxisFrame) -> Bool {
        along.overlaps(other.along) && across.overlaps(other.across)
    }

    func union(_ other: AxisFrame) -> AxisFrame {
        AxisFrame(along: along.union(other.along), across: across.union(other.across))
    }

    func shifted(by distance: Units) -> AxisFrame {
        AxisFrame(along: along.shifted(by: distance), across: across)
    }
}

/// A size in terms of the scroll axis, along it and across it.
struct AxisSize: Sendable, Hashable {
    var along: Units
    var across: Units
}

/// A length or coordinate as a whole number of units. A unit is a millionth of a point, or of a device pixel if
/// frames are rounded to pixels.
///
/// Whole numbers make sums exact. So a part that is laid out alone has the same frames as in a full layout, and sizes
/// with up to six decimals do not change when they are converted back.
typealias Units = Int64

/// A converter between points and units, which also rounds lengths to device pixels (rule LY-51).
struct LayoutScale: Sendable, Hashable {
    /// The number of units per point.
    let unitsPerPoint: Double
    /// The number of units per device pixel; 1 if nothing is rounded.
    let unitsPerPixel: Units
    /// The overlap that IGListKit tolerates at the end of a row: 1 point, in units.
    let tolerance: Units

    /// The maximum length of an element. Sums of fewer than 2¹⁶ of them are far from overflow.
    private static let maximumLength = Double(1 << 45)
    private static let maximumCoordinate = Double(1 << 61)
    /// The maximum remainder that is not rounded up to a pixel. Each length is rounded to a unit, so nine ninths of a
    /// point may be some units less than a point, and a row of a hundred items may be up to 50 units too short.
    /// IGListKit rounds in 32 bits, with about the same tolerance.
    private static let roundingTolerance: Units = 50

    init(pixelsPerPoint scale: Double) {
        let rounds = scale.isFinite && scale > 0
        unitsPerPoint = 1_000_000 * (rounds ? min(max(scale, 1 / 16), 16) : 1)
        unitsPerPixel = rounds ? 1_000_000 : 1
        tolerance = Units(unitsPerPoint)
    }

    /// Converts a length or distance to units. NaN and infinite numbers become 0; huge numbers are clamped.
    func units(_ points: Double) -> Units {
        guard points.isFinite else { return 0 }
        let exact = min(max(points * unitsPerPoint, -Self.maximumLength), Self.maximumLength)
        return Units(exact + (exact < 0 ? -0.5 : 0.5))
    }

    /// Converts a length to units. Negative lengths become 0.
    func length(_ points: Double) -> Units {
        max(0, units(points))
    }

    /// Converts the coordinate of a query, which may be anywhere, to units. NaN becomes 0; huge numbers are clamped.
    func coordinate(_ points: Double) -> Units {
        guard !points.isNaN else { return 0 }
        let exact = min(max(points * unitsPerPoint, -Self.maximumCoordinate), Self.maximumCoordinate)
        return Units(exact + (exact < 0 ? -0.5 : 0.5))
    }

    func points(_ units: Units) -> Double {
        Double(units) / unitsPerPoint
    }

    /// Rounds a coordinate down to the edge of a pixel, or up if the edge is at most ``roundingTolerance`` away.
    func floor(_ units: Units) -> Units {
        guard unitsPerPixel > 1 else { return units }
        let rest = (units + Self.roundingTolerance) % unitsPerPixel
        return units + Self.roundingTolerance - (rest < 0 ? rest + unitsPerPixel : rest)
    }

    /// Rounds a length up to whole pixels, or down if the remainder is at most ``roundingTolerance``.
    func ceil(_ units: Units) -> Units {
        guard unitsPerPixel > 1 else { return units }
        let rest = (units - Self.roundingTolerance) % unitsPerPixel
        return units - Self.roundingTolerance + (rest > 0 ? unitsPerPixel - rest : -rest)
    }
}
