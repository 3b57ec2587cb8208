// SPDX-License-Identifier: Apache-2.0

/// The picture of a view: the used slots with their items.
///
/// A picture makes no calls. It applies the contract's `Changed` signals and the answer of `Resync`. After each step,
/// it is equal to what `Resync` would return (contract, "Viewing").
public struct Picture: Sendable, Equatable {
    /// An item in its slot.
    public struct Shown: Sendable, Equatable {
        /// The number of the slot, which identifies the widget that shows the item.
        public var slot: UInt32
        /// The identifier of the object to whose section the item belongs; empty for the empty view.
        public var objectID: String
        /// The index of the section.
        public var section: UInt32
        /// The index of the item inside of its section; 0 for a header or footer.
        public var item: UInt32
        /// The kind of item: `cell`, `header` or `footer`.
        public var kind: String
        /// The kind of widget that can show the item.
        public var reuseIdentifier: String
        /// The frame of the item in the content, in points.
        public var frame: Frame
        /// The z order. Items with a higher value cover others.
        public var z: Int64
        /// The content that the widget draws.
        public var content: Content

        /// Creates an item in its slot.
        public init(
            slot: UInt32, objectID: String, section: UInt32, item: UInt32, kind: String, reuseIdentifier: String,
            frame: Frame, z: Int64, content: Content
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

    /// The way along which a sticky item travels while the content scrolls.
    public struct Sticky: Sendable, Hashable {
        /// The first position along the scroll axis.
        public var first: Double
        /// The last position along the scroll axis; infinite in the last section.
        public var last: Double

        /// Creates a way.
        public init(first: Double, last: Double) {
            self.first = first
            self.last = last
        }

        /// Returns the position along the scroll axis.
        ///
        /// - Parameter edge: the near edge of the viewport, with ``Picture/stickyEdge`` added.
        public func position(atEdge edge: Double) -> Double { max(first, min(edge, last)) }
    }

    /// The outcome of applying a change.
    public enum Outcome: Sendable, Equatable {
        /// The change was applied.
        case applied
        /// The change is older than the picture and was ignored.
        case ignored
        /// A sequence is missing, or a slot is not in the state that the change expects. Call `Resync`.
        case gap
    }

    /// The sequence of the last applied change.
    public private(set) var sequence: UInt64 = 0
    /// The revision of the list that the picture shows.
    public private(set) var revision: UInt64 = 0
    /// The size of the whole content, in points.
    public private(set) var contentSize = Extent(width: 0, height: 0)
    /// The offset of the viewport in the content, in points.
    public private(set) var offset = Position(x: 0, y: 0)
    /// The items by the numbers of their slots.
    public private(set) var shown: [UInt32: Shown] = [:]
    /// How far the daemon has moved the viewport, in all changes together. A client that scrolls by itself is at the sum
    /// of its own movements and of this distance, whatever ``offset`` is.
    public private(set) var shift = Position(x: 0, y: 0)
    /// Where the sticky items travel, by slot.
    public private(set) var sticky: [UInt32: Sticky] = [:]
    /// A distance that is added to the edge of the viewport for sticky items.
    public private(set) var stickyEdge = 0.0

    /// Creates the empty picture of a view before its first change.
    public init() {}

    /// Creates a picture from the answer of `Resync`.
    public init(
        sequence: UInt64, revision: UInt64, contentSize: Extent, offset: Position, shown: [Shown],
        shift: Position = Position(x: 0, y: 0), sticky: [UInt32: Sticky] = [:], stickyEdge: Double = 0
    ) {
        self.sequence = sequence
        self.revision = revision
        self.contentSize = contentSize
        self.offset = offset
        self.shown = Dictionary(shown.map { ($0.slot, $0) }, uniquingKeysWith: { _, last in last })
        (self.shift, self.sticky, self.stickyEdge) = (shift, sticky, stickyEdge)
    }

    /// Replaces the picture by the answer of `Resync`. The movements of the viewport are added.
    public mutating func replace(with picture: Picture) {
        let total = shift + picture.shift
        self = picture
        shift = total
    }

    /// Returns whether two pictures show the same, however far the viewport was moved before.
    public static func == (one: Picture, other: Picture) -> Bool {
        one.sequence == other.sequence && one.revision == other.revision && one.contentSize == other.contentSize
            && one.offset == other.offset && one.shown == other.shown && one.sticky == other.sticky
            && one.stickyEdge == other.stickyEdge
    }

    /// Returns the frame of an item while the viewport is at an offset: a sticky item travels along with the viewport, so
    /// that a client that scrolls by itself need not ask for its place.
    ///
    /// - Parameter isHorizontal: whether the list scrolls from left to right.
    public func frame(of item: Shown, at offset: Position, isHorizontal: Bool = false) -> Frame {
        guard let way = sticky[item.slot] else { return item.frame }
        var frame = item.frame
        if isHorizontal {
            frame.x = way.position(atEdge: offset.x + stickyEdge)
        } else {
            frame.y = way.position(atEdge: offset.y + stickyEdge)
        }
        return frame
    }

    /// The items, sorted from top to bottom and then from left to right.
    public var inReadingOrder: [Shown] {
        shown.values.sorted { a, b in
            (a.frame.y, a.frame.x, a.section, a.item) < (b.frame.y, b.frame.x, b.section, b.item)
        }
    }

    /// Applies a `Changed` signal, in the order release, show, place, rebind.
    public mutating func apply(_ change: PictureChange) -> Outcome {
        guard change.sequence > sequence else { return .ignored }
        guard change.sequence == sequence + 1 else { return .gap }
        var new = shown
        var ways = sticky
        for slot in change.released {
            guard new.removeValue(forKey: slot) != nil else { return .gap }
            ways[slot] = nil
        }
        for item in change.shown where new.updateValue(item, forKey: item.slot) != nil { return .gap }
        for place in change.placed {
            guard var item = new[place.slot] else { return .gap }
            (item.section, item.item, item.frame, item.z) = (place.section, place.item, place.frame, place.z)
            new[place.slot] = item
        }
        for (slot, content) in change.rebound {
            guard new[slot] != nil else { return .gap }
            new[slot]?.content = content
        }
        shown = new
        sticky = ways.merging(change.sticky) { $1 }
        (shift, stickyEdge) = (shift + change.shift, change.stickyEdge)
        (sequence, revision) = (change.sequence, change.revision)
        (contentSize, offset) = (change.contentSize, change.offset)
        return .applied
    }
}
