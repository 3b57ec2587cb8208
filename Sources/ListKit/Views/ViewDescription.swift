// SPDX-License-Identifier: Apache-2.0

/// The answer to a call of a view.
@frozen public struct ViewReply: Sendable {
    /// The sequence of the last change that was sent.
    public var sequence: UInt64
    /// What to announce before the answer, in order.
    public var effects: [AdapterEvent]

    /// Makes an answer.
    public init(sequence: UInt64, effects: [AdapterEvent]) {
        self.sequence = sequence
        self.effects = effects
    }
}

/// What is known of a view.
@frozen public struct ViewDescription: Sendable, Hashable {
    /// How a view stands.
    @frozen public enum State: String, Sendable, Hashable {
        /// It has not said what it looks at.
        case new
        /// It is sent what changes.
        case active
        /// It has used up its credit.
        case stalled
    }

    /// How it stands.
    public var state: State
    /// The sequence of the last change that was sent.
    public var sequence: UInt64
    /// The last sequence that was acknowledged.
    public var acknowledgedSequence: UInt64
    /// The extent of the whole content.
    public var contentSize: Size
    /// The viewport in content coordinates; zero before the first one and in the layout `none`.
    public var viewport: Rect
    /// The sections in range.
    public var workingRange: Range<Int>
    /// The objects of which an item is shown, in list order.
    public var visibleObjects: [String]
    /// The items that the viewer named in the layout `none`, as they followed the list since.
    public var visibleItems: VisibleItems?

    /// Describes a view.
    @_spi(Daemon) public init(
        state: State, sequence: UInt64, acknowledgedSequence: UInt64, contentSize: Size, viewport: Rect,
        workingRange: Range<Int>, visibleObjects: [String], visibleItems: VisibleItems? = nil
    ) {
        self.state = state
        self.sequence = sequence
        self.acknowledgedSequence = acknowledgedSequence
        self.contentSize = contentSize
        self.viewport = viewport
        self.workingRange = workingRange
        self.visibleObjects = visibleObjects
        self.visibleItems = visibleItems
    }
}
