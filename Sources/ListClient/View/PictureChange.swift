// SPDX-License-Identifier: Apache-2.0

/// A place in the content, in points from the top left corner.
public struct Position: Sendable, Hashable {
    /// Distance from the left edge.
    public var x: Double
    /// Distance from the top edge.
    public var y: Double

    /// Makes a position.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// Width and height, in points.
public struct Extent: Sendable, Hashable {
    /// Horizontal extent.
    public var width: Double
    /// Vertical extent.
    public var height: Double

    /// Makes an extent.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

/// The place and extent of an item in the content, in points.
public struct Frame: Sendable, Hashable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// Horizontal extent.
    public var width: Double
    /// Vertical extent.
    public var height: Double

    /// Makes a frame.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

/// The difference between two pictures: the contract's `Changed` signal as a value.
public struct PictureChange: Sendable, Equatable {
    /// The same content at another place.
    public struct Placed: Sendable, Equatable {
        /// The slot that moves.
        public var slot: UInt32
        /// The new section of its item.
        public var section: UInt32
        /// The new index of its item inside the section.
        public var item: UInt32
        /// Its new frame.
        public var frame: Frame
        /// The new z order.
        public var z: Int64

        /// Makes a new place.
        public init(slot: UInt32, section: UInt32, item: UInt32, frame: Frame, z: Int64) {
            self.slot = slot
            self.section = section
            self.item = item
            self.frame = frame
            self.z = z
        }
    }

    /// One more than that of the change before.
    public var sequence: UInt64
    /// The revision of the list that the picture shows afterwards.
    public var revision: UInt64
    /// Extent of the whole content.
    public var contentSize: Extent
    /// The offset of the viewport.
    public var offset: Position
    /// Slots that no longer show anything.
    public var released: [UInt32]
    /// Items that are new in the picture.
    public var shown: [Picture.Shown]
    /// Items at another place.
    public var placed: [Placed]
    /// Slots with new content.
    public var rebound: [(slot: UInt32, content: Content)]

    /// Makes a difference.
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

    /// Changes are equal when all their parts are.
    public static func == (a: PictureChange, b: PictureChange) -> Bool {
        a.sequence == b.sequence && a.revision == b.revision && a.contentSize == b.contentSize && a.offset == b.offset
            && a.released == b.released && a.shown == b.shown && a.placed == b.placed
            && a.rebound.elementsEqual(b.rebound) { $0.slot == $1.slot && $0.content == $1.content }
    }
}
