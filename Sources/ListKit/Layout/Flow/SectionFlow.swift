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
