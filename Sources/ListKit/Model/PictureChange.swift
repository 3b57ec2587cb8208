// SPDX-License-Identifier: Apache-2.0

/// The number of a view, chosen by the caller of ``ListAdapter/openView(_:options:)``.
public typealias ViewID = UInt64

/// The number of a slot in a view. The viewer has one reusable widget for each slot.
public typealias SlotNumber = UInt32

/// One element of a view's picture.
@frozen public struct PictureItem: Sendable, Hashable {
    /// The slot whose widget draws the element.
    public var slot: SlotNumber
    /// The identifier of the object; empty for the empty view.
    public var objectID: String
    /// The position of the section.
    public var section: Int
    /// The index of the item in the section; 0 for a header and a footer.
    public var item: Int
    /// Whether the element is a cell, a header or a footer.
    public var kind: ElementKind
    /// The reuse identifier, which names the kind of widget that draws the element.
    public var reuseIdentifier: String
    /// The frame in content coordinates.
    public var frame: Rect
    /// The stacking order: elements with a higher number are in front.
    public var z: Int64
    /// The content, limited to the fields that the view requested.
    public var content: Fields

    /// Makes an element.
    @_spi(Daemon) public init(
        slot: SlotNumber, objectID: String, section: Int, item: Int, kind: ElementKind, reuseIdentifier: String,
        frame: Rect, z: Int64, content: Fields
    ) {
        self.slot = slot
        self.objectID = objectID
        self.section = section
        self.item = item
        self.kind = kind
        self.reuseIdentifier = reuseIdentifier
        self.frame = frame
        self.z = z
        self.content = content
    }
}

/// The difference between two pictures of a view. A viewer that applies all changes has the same picture as one that
/// resyncs.
@frozen public struct PictureChange: Sendable, Hashable {
    /// The view.
    public var view: ViewID
    /// The number of the change: one more than that of the previous change.
    public var sequence: UInt64
    /// The revision of the list.
    public var revision: UInt64
    /// The size of the whole content.
    public var contentSize: Size
    /// The top left corner of the viewport, in content coordinates, as of the last viewport that the engine has handled.
    public var offset: Point
    /// How far anchoring, a scroll-to or a section controller moved the viewport since the previous change. A program that
    /// scrolls by itself adds it to its own position, and ignores ``offset``.
    public var shift = Point.zero
    /// Slots that became free.
    public var released: [SlotNumber] = []
    /// Elements that a slot shows from now on, with everything that is needed to draw them.
    public var shown: [PictureItem] = []
    /// Slots whose element keeps its content and has a new place.
    public var placed: [Placement] = []
    /// Slots whose element keeps its place and has new content.
    public var rebound: [Rebinding] = []
    /// Whether the updates in the change are animated: only if all of them are. `nil` if no update is part of the change.
    public var isAnimated: Bool?
    /// Why slots were released, shown and placed, in this order. A slot without an entry only scrolled. A slot that was
    /// released and is shown again has two entries or none.
    public var causes: [Cause] = []
    /// The sticky elements that are shown or placed, or that have another way to go.
    public var sticky: [Sticky] = []
    /// A distance that is added to the edge of the viewport for sticky elements.
    public var stickyEdge = 0.0
    /// The frames from which new elements start and to which released ones leave, if they differ from the final
    /// frames.
    ///
    /// Only for viewers that animate; other viewers may ignore the transitions.
    public var transitions: [Transition] = []

    /// Makes a change without slots.
    @_spi(Daemon) public init(
        view: ViewID, sequence: UInt64, revision: UInt64, contentSize: Size, offset: Point
    ) {
        self.view = view
        self.sequence = sequence
        self.revision = revision
        self.contentSize = contentSize
        self.offset = offset
    }

    /// A slot's element in a new place.
    @frozen public struct Placement: Sendable, Hashable {
        /// The slot.
        public var slot: SlotNumber
        /// The position of the section.
        public var section: Int
        /// The index of the item in the section; 0 for a header and a footer.
        public var item: Int
        /// The frame in content coordinates.
        public var frame: Rect
        /// The stacking order: elements with a higher number are in front.
        public var z: Int64

        /// Makes a placement.
        @_spi(Daemon) public init(slot: SlotNumber, section: Int, item: Int, frame: Rect, z: Int64) {
            self.slot = slot
            self.section = section
            self.item = item
            self.frame = frame
            self.z = z
        }
    }

    /// The reason why a slot was released, shown or placed.
    @frozen public enum Reason: UInt8, Sendable, Hashable {
        /// No update concerned the element; the viewport moved.
        case scrolled = 0
        /// The element is new in the list.
        case inserted = 1
        /// The element was removed from the list.
        case deleted = 2
        /// An update changed the frame or the index of the element.
        case moved = 3
        /// The element was made again, with another reuse identifier.
        case reloaded = 4
    }

    /// The reason why an update released, showed or placed a slot.
    @frozen public struct Cause: Sendable, Hashable {
        /// The slot.
        public var slot: SlotNumber
        /// The reason.
        public var reason: Reason

        /// Makes a cause.
        @_spi(Daemon) public init(slot: SlotNumber, reason: Reason) {
            self.slot = slot
            self.reason = reason
        }
    }

    /// The way along which a sticky element travels while the content scrolls.
    @frozen public struct Sticky: Sendable, Hashable {
        /// The slot.
        public var slot: SlotNumber
        /// The first position along the scroll axis, in points.
        public var first: Double
        /// The last position along the scroll axis, in points; infinite in the last section.
        public var last: Double

        /// Makes the way of a slot.
        @_spi(Daemon) public init(slot: SlotNumber, first: Double, last: Double) {
            self.slot = slot
            self.first = first
            self.last = last
        }

        /// Returns the position of the element along the scroll axis.
        ///
        /// - Parameter edge: the near edge of the viewport, with ``PictureChange/stickyEdge`` added.
        public func position(atEdge edge: Double) -> Double { max(first, min(edge, last)) }
    }

    /// The frame from which a slot's element starts, or to which it leaves.
    @frozen public struct Transition: Sendable, Hashable {
        /// The slot. The element of a released slot leaves to the frame; the element of any other slot starts from the
        /// frame.
        public var slot: SlotNumber
        /// The frame in content coordinates.
        public var frame: Rect

        /// Makes a transition.
        public init(slot: SlotNumber, frame: Rect) {
            self.slot = slot
            self.frame = frame
        }
    }

    /// A slot's element with new content.
    @frozen public struct Rebinding: Sendable, Hashable {
        /// The slot.
        public var slot: SlotNumber
        /// The new content.
        public var content: Fields

        /// Makes a rebinding.
        @_spi(Daemon) public init(slot: SlotNumber, content: Fields) {
            self.slot = slot
            self.content = content
        }
    }
}

/// Everything that a view shows.
@frozen public struct Picture: Sendable, Hashable {
    /// The sequence number of the last change that is included.
    public var sequence: UInt64
    /// The revision of the list.
    public var revision: UInt64
    /// The size of the whole content.
    public var contentSize: Size
    /// The top left corner of the viewport, in content coordinates.
    public var offset: Point
    /// How far the engine moved the viewport since the last change was sent.
    public var shift = Point.zero
    /// The elements, ordered by section, header first and footer last.
    public var items: [PictureItem]
    /// All sticky elements.
    public var sticky: [PictureChange.Sticky] = []
    /// A distance that is added to the edge of the viewport for sticky elements.
    public var stickyEdge = 0.0

    /// Makes a picture.
    @_spi(Daemon) public init(
        sequence: UInt64, revision: UInt64, contentSize: Size, offset: Point, items: [PictureItem]
    ) {
        self.sequence = sequence
        self.revision = revision
        self.contentSize = contentSize
        self.offset = offset
        self.items = items
    }
}

/// The role of an element in its section.
@frozen public enum ElementKind: String, Sendable, Hashable, CaseIterable {
    /// One of the section's items.
    case cell
    /// The supplementary view before the items.
    case header
    /// The supplementary view after the items.
    case footer
}

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
    /// How far the engine moved the viewport since the last change was sent.
    public var shift = Point.zero

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
