// SPDX-License-Identifier: Apache-2.0

public import DBus

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
    public enum ChangeOutcome: Sendable, Equatable {
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
    public mutating func apply(_ change: PictureChange) -> ChangeOutcome {
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

extension Extent {
    init(reading reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Extent(width: try inside.readDouble(), height: try inside.readDouble())
        }
    }
}

extension Position {
    init(reading reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Position(x: try inside.readDouble(), y: try inside.readDouble())
        }
    }
}

extension Frame {
    init(reading reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Frame(
                x: try inside.readDouble(), y: try inside.readDouble(), width: try inside.readDouble(),
                height: try inside.readDouble())
        }
    }
}

extension Picture.Shown: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(usuuss(dddd)xa{sv})" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Picture.Shown(
                slot: try inside.readUInt32(), objectID: try inside.readString(), section: try inside.readUInt32(),
                item: try inside.readUInt32(), kind: try inside.readString(),
                reuseIdentifier: try inside.readString(), frame: try Frame(reading: &inside),
                z: try inside.readInt64(), content: try Content(from: &inside))
        }
    }
}

extension PictureChange.Placed: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(uuu(dddd)x)" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            PictureChange.Placed(
                slot: try inside.readUInt32(), section: try inside.readUInt32(), item: try inside.readUInt32(),
                frame: try Frame(reading: &inside), z: try inside.readInt64())
        }
    }
}

extension PictureChange {
    /// Reads the body of a `Changed` signal.
    public init(signal reader: inout MessageReader) throws(DBusError) {
        self.init(
            sequence: try reader.readUInt64(), revision: try reader.readUInt64(),
            contentSize: try Extent(reading: &reader), offset: try Position(reading: &reader),
            released: try [UInt32](from: &reader), shown: try [Picture.Shown](from: &reader),
            placed: try [Placed](from: &reader),
            rebound: try [DBusStruct<UInt32, Content>](from: &reader).map(\.members))
        let details = try PictureDetails(from: &reader)
        (shift, isAnimated, causes) = (details.shift, details.isAnimated, details.causes)
        (sticky, stickyEdge) = (details.sticky, details.stickyEdge)
    }
}

extension Picture {
    /// Reads the answer of `Resync`.
    public init(resync reader: inout MessageReader) throws(DBusError) {
        let (sequence, revision) = (try reader.readUInt64(), try reader.readUInt64())
        let (size, offset) = (try Extent(reading: &reader), try Position(reading: &reader))
        let shown = try [Shown](from: &reader)
        let details = try PictureDetails(from: &reader)
        self.init(
            sequence: sequence, revision: revision, contentSize: size, offset: offset, shown: shown,
            shift: details.shift, sticky: details.sticky, stickyEdge: details.stickyEdge)
    }
}

/// The details of `Changed` and of the answer of `Resync`. Keys that are not known are ignored.
private struct PictureDetails {
    var shift = Position(x: 0, y: 0)
    var isAnimated = false
    var causes: [PictureChange.Cause] = []
    var sticky: [UInt32: Picture.Sticky] = [:]
    var stickyEdge = 0.0

    init(from reader: inout MessageReader) throws(DBusError) {
        for (name, value) in try [String: DBusValue](from: &reader) {
            switch (name, value.unwrapped) {
            case ("shift", .structure(let members)):
                guard members.count == 2, case .double(let x) = members[0], case .double(let y) = members[1] else {
                    continue
                }
                shift = Position(x: x, y: y)
            case ("animated", .boolean(let flag)): isAnimated = flag
            case ("causes", .array(_, let rows)):
                causes = rows.compactMap { row in
                    guard case .structure(let members) = row, members.count == 2, case .uint32(let slot) = members[0],
                        case .byte(let reason) = members[1]
                    else { return nil }
                    return PictureChange.Cause(slot: slot, reason: .init(rawValue: reason) ?? .moved)
                }
            case ("sticky", .array(_, let rows)):
                for case .structure(let members) in rows {
                    guard members.count == 3, case .uint32(let slot) = members[0], case .double(let first) = members[1],
                        case .double(let last) = members[2]
                    else { continue }
                    sticky[slot] = Picture.Sticky(first: first, last: last)
                }
            case ("sticky-edge", .double(let distance)): stickyEdge = distance
            default: continue
            }
        }
    }
}

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
