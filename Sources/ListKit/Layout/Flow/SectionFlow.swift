// SPDX-License-Identifier: Apache-2.0

/// The flow algorithm of IGListCollectionViewLayout, for one section: begin, place the items in order, finish.
///
/// Laying out and queries both use it, so that their frames are the same. Coordinates along the scroll axis are relative to the
/// origin of the state at the entry.
struct SectionFlow {
    private(set) var state: FlowState
    /// The union of the items placed so far.
    private(set) var items = AxisFrame.none

    private let rules: FlowRules
    private let style: SectionStyle
    private let isEmpty: Bool
    /// The item to place next.
    private var index: Int
    /// The longest that an item can be across the scroll axis.
    private let padded: Units
    /// The farthest end of an item across the scroll axis.
    private let rowLimit: Units

    /// The lengths of header and footer, with the rule for empty sections applied.
    private let header: Units
    private let footer: Units

    /// Begins a section.
    @inline(__always)
    init(_ style: SectionStyle, itemCount: Int, after previous: FlowState, rules: FlowRules) {
        self.init(style, itemCount: itemCount, resuming: previous, at: 0, rules: rules)
        state.row += header
        state.nextRow += header
        state.column += style.rowStart
    }

    /// Continues inside of a section.
    @inline(__always)
    init(_ style: SectionStyle, itemCount: Int, resuming state: FlowState, at index: Int, rules: FlowRules) {
        self.state = state
        self.rules = rules
        self.style = style
        self.index = index
        isEmpty = itemCount == 0
        padded = max(0, rules.room - style.rowStart - style.rowEnd)
        rowLimit = rules.room - style.rowEnd + rules.scale.tolerance
        let hidden = itemCount == 0 && !rules.showHeaderWhenEmpty
        header = hidden ? 0 : style.header
        footer = hidden ? 0 : style.footer
    }

    /// Places the next item and returns its frame (rule LY-44).
    @inline(__always)
    mutating func place(_ size: AxisSize) -> AxisFrame {
        var across = min(size.across, padded)
        if state.column + across > rowLimit || (index == 0 && header > 0) {
            state.row = state.nextRow + (index > 0 ? style.lineSpacing : 0)
            state.column = style.rowStart
        }
        // The quirk LY-49: the distance excludes the inset at the start of the row on one side only.
        let distance = padded - (state.column + across)
        if rules.stretchToEdge, distance > 0, distance <= rules.scale.tolerance {
            across = padded - state.column
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

    /// Ends the section, whose items have the given union, and returns the frames around them.
    @inline(__always)
    mutating func finish(items: AxisFrame) -> SectionFrames {
        let across = Interval(start: style.rowStart, length: padded)
        let headerStart = isEmpty ? state.edge : items.along.start - style.header
        let headerFrame = AxisFrame(along: Interval(start: headerStart, length: header), across: across)
        var bounds = isEmpty ? headerFrame : items
        // The quirk LY-11: a footer is pushed by the right inset when scrolling horizontally, and only then.
        let push = rules.direction == .horizontal ? style.trailing : 0
        let footerFrame = AxisFrame(along: Interval(start: bounds.along.end + push, length: footer), across: across)
        if header > 0 { bounds = bounds.union(headerFrame) }
        if footer > 0 { bounds = bounds.union(footerFrame) }
        state.column = min(max(state.column + style.rowEnd, -Self.columnLimit), Self.columnLimit)
        state.nextRow = max(state.nextRow, bounds.along.end + style.trailing)
        state.edge = bounds.along.end
        return SectionFrames(bounds: bounds, header: headerFrame, footer: footerFrame)
    }

    /// Ends the section after all its items were passed to ``place(_:)``.
    @inline(__always)
    mutating func finish() -> SectionFrames {
        finish(items: items)
    }

    private static let columnLimit: Units = 1 << 55
}

/// The frames of a section that are not items, with headers at rest.
struct SectionFrames: Sendable, Hashable {
    /// The union of everything in the section.
    var bounds: AxisFrame
    /// The header's frame; without length along the scroll axis there is none.
    var header: AxisFrame
    /// The footer's frame; without length along the scroll axis there is none.
    var footer: AxisFrame

    func shifted(by distance: Units) -> SectionFrames {
        SectionFrames(
            bounds: bounds.shifted(by: distance), header: header.shifted(by: distance),
            footer: footer.shifted(by: distance))
    }
}
