// SPDX-License-Identifier: Apache-2.0

/// A point in the content, in points from the top left corner.
public struct Position: Sendable, Hashable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the top edge.
    public var y: Double

    /// Creates a position.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Returns the position that is moved by a distance.
    public static func + (position: Position, distance: Position) -> Position {
        Position(x: position.x + distance.x, y: position.y + distance.y)
    }
}

/// A size, in points.
public struct Extent: Sendable, Hashable {
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a size.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

/// The frame of an item in the content, in points.
public struct Frame: Sendable, Hashable {
    /// The position of the left edge.
    public var x: Double
    /// The position of the top edge.
    public var y: Double
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a frame.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

/// The difference between two pictures, as in the contract's `Changed` signal.
public struct PictureChange: Sendable, Equatable {
    /// A slot whose item has moved without a change of its content.
    public struct Placed: Sendable, Equatable {
        /// The number of the slot.
        public var slot: UInt32
        /// The new section of the item.
        public var section: UInt32
        /// The new index of the item inside of its section.
        public var item: UInt32
        /// The new frame of the item.
        public var frame: Frame
        /// The new z order of the item.
        public var z: Int64

        /// Creates a placement.
        public init(slot: UInt32, section: UInt32, item: UInt32, frame: Frame, z: Int64) {
            self.slot = slot
            self.section = section
            self.item = item
            self.frame = frame
            self.z = z
        }
    }

    /// The sequence of the change, which is one more than that of the previous change.
    public var sequence: UInt64
    /// The revision of the list that the picture shows after the change.
    public var revision: UInt64
    /// The size of the whole content.
    public var contentSize: Extent
    /// The offset of the viewport.
    public var offset: Position
    /// The slots that no longer show an item.
    public var released: [UInt32]
    /// The items that were added to the picture.
    public var shown: [Picture.Shown]
    /// The items that have moved.
    public var placed: [Placed]
    /// The slots whose items have new content.
    public var rebound: [(slot: UInt32, content: Content)]
    /// How far the daemon moved the viewport since the previous change.
    public var shift = Position(x: 0, y: 0)
    /// Whether the change brings updates, all of which are animated.
    public var isAnimated = false
    /// Why slots were released, shown and placed, in this order. A slot without an entry only scrolled; one that was
    /// released and is shown again has two entries or none.
    public var causes: [Cause] = []
    /// Where the sticky items travel that are shown or placed, or have another way to go, by slot.
    public var sticky: [UInt32: Picture.Sticky] = [:]
    /// A distance that is added to the edge of the viewport for sticky items.
    public var stickyEdge = 0.0

    /// The reason why an update released, showed or placed a slot.
    public struct Cause: Sendable, Hashable {
        /// A reason. A reason of a later daemon counts as `moved`.
        public enum Reason: UInt8, Sendable, Hashable {
            case scrolled, inserted, deleted, moved, reloaded
        }

        /// The number of the slot.
        public var slot: UInt32
        /// The reason.
        public var reason: Reason

        /// Creates a cause.
        public init(slot: UInt32, reason: Reason) {
            self.slot = slot
            self.reason = reason
        }
    }

    /// Creates a change.
    public init(
        sequence: UInt64, revision: UInt64, contentSize: Extent, offset: Position, released: [UInt32] = [],
        shown: [Picture.Shown] = [], placed: [Placed] = [],
        rebound: [(slot: UInt32, content: Content)] = []
    ) {
        self.sequence = sequence
        self.revision = revision
        self.contentSize = contentSize
        self.offset = offset
        self.released = released
        self.shown = shown
        self.placed = placed
        self.rebound = rebound
    }

    /// Returns whether all parts of the changes are equal.
    public static func == (a: PictureChange, b: PictureChange) -> Bool {
        a.sequence == b.sequence && a.revision == b.revision && a.contentSize == b.contentSize && a.offset == b.offset
            && a.released == b.released && a.shown == b.shown && a.placed == b.placed
            && a.rebound.elementsEqual(b.rebound) { $0.slot == $1.slot && $0.content == $1.content }
            && a.shift == b.shift && a.isAnimated == b.isAnimated && a.causes == b.causes && a.sticky == b.sticky
            && a.stickyEdge == b.stickyEdge
    }
}
