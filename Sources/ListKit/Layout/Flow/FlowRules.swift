// SPDX-License-Identifier: Apache-2.0

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
