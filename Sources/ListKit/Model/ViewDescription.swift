// SPDX-License-Identifier: Apache-2.0

/// The result of a command to a view.
@frozen public struct ViewReply: Sendable {
    /// The sequence of the last change that was sent.
    public var sequence: UInt64
    /// The events to announce before the result, in order.
    public var effects: [AdapterEvent]

    /// Makes a result.
    public init(sequence: UInt64, effects: [AdapterEvent]) {
        self.sequence = sequence
        self.effects = effects
    }
}

/// A description of a view's state.
@frozen public struct ViewDescription: Sendable, Hashable {
    /// The state of a view.
    @frozen public enum State: String, Sendable, Hashable {
        /// The viewer has not set a viewport or a range of items yet.
        case new
        /// The viewer is sent changes.
        case active
        /// The viewer has used up its credit, so that changes are held back.
        case stalled
    }

    /// The state of the view.
    public var state: State
    /// The sequence of the last change that was sent.
    public var sequence: UInt64
    /// The last sequence that was acknowledged.
    public var acknowledgedSequence: UInt64
    /// The size of the whole content.
    public var contentSize: Size
    /// The viewport in content coordinates; zero before the viewer has set one, and in the layout `none`.
    public var viewport: Rect
    /// The positions of the sections in range.
    public var workingRange: Range<Int>
    /// The positions of the sections from the first to the last one with a visible item.
    public var visibleSections: Range<Int>
    /// The identifiers of the objects with a visible item, in list order.
    public var visibleObjects: [String]
    /// The range of items that the viewer requested in the layout `none`. It follows the changes of the list.
    public var visibleItems: VisibleItems?
    /// The approximate bytes of what the view shows.
    public var byteCount: Int

    /// Makes a description.
    @_spi(Daemon) public init(
        state: State, sequence: UInt64, acknowledgedSequence: UInt64, contentSize: Size, viewport: Rect,
        workingRange: Range<Int>, visibleSections: Range<Int> = 0..<0, visibleObjects: [String],
        visibleItems: VisibleItems? = nil, byteCount: Int = 0
    ) {
        self.state = state
        self.sequence = sequence
        self.acknowledgedSequence = acknowledgedSequence
        self.contentSize = contentSize
        self.viewport = viewport
        self.workingRange = workingRange
        self.visibleSections = visibleSections
        self.visibleObjects = visibleObjects
        self.visibleItems = visibleItems
        self.byteCount = byteCount
    }
}

/// The range of items that a viewer requested in the layout `none`: `length` items from `first` on.
///
/// Both values stay as requested while the list is too short for the range.
@frozen public struct VisibleItems: Sendable, Hashable {
    /// The path of the first item. Sections past the end of the list count as one item each.
    public var first: IndexPath
    /// The number of items, at least 1.
    public var length: Int

    /// Makes a range of `length` items from `first` on.
    public init(first: IndexPath, length: Int) {
        self.first = first
        self.length = length
    }
}
