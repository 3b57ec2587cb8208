// SPDX-License-Identifier: Apache-2.0

/// The picture of a view: the slots in use, each with its item.
///
/// It makes no calls: it applies the contract's `Changed` signals and the answer of `Resync`; after each step it equals
/// the answer of a `Resync` (contract, "Viewing").
public struct Picture: Sendable, Equatable {
    /// One item in its slot.
    public struct Shown: Sendable, Equatable {
        /// The slot, for the widget that shows the item.
        public var slot: UInt32
        /// The object whose section the item belongs to; empty for the empty view.
        public var objectID: String
        /// The section of the item.
        public var section: UInt32
        /// The item inside its section; 0 for header and footer.
        public var item: UInt32
        /// `cell`, `header` or `footer`.
        public var kind: String
        /// The kind of widget that can show it.
        public var reuseIdentifier: String
        /// Its place in the content, in points.
        public var frame: Frame
        /// Higher ones cover lower ones.
        public var z: Int64
        /// The content that the widget draws.
        public var content: Content

        /// Makes an item in its slot.
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

    /// The result of applying a change.
    public enum Outcome: Sendable, Equatable {
        /// Applied.
        case applied
        /// Older than the picture: ignored.
        case ignored
        /// A sequence is missing or a slot is not what the change expects: call `Resync`.
        case gap
    }

    /// The sequence of the last applied change.
    public private(set) var sequence: UInt64 = 0
    /// The revision of the list that it shows.
    public private(set) var revision: UInt64 = 0
    /// Width and height of the whole content, in points.
    public private(set) var contentSize = Extent(width: 0, height: 0)
    /// The offset of the viewport in the content, in points.
    public private(set) var offset = Position(x: 0, y: 0)
    /// The items by slot.
    public private(set) var shown: [UInt32: Shown] = [:]

    /// Makes the empty picture of a view before its first change.
    public init() {}

    /// Makes the picture from an answer of `Resync`.
    public init(sequence: UInt64, revision: UInt64, contentSize: Extent, offset: Position, shown: [Shown]) {
        self.sequence = sequence
        self.revision = revision
        self.contentSize = contentSize
        self.offset = offset
        self.shown = Dictionary(shown.map { ($0.slot, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// The items from top to bottom, then from left to right.
    public var inReadingOrder: [Shown] {
        shown.values.sorted { a, b in
            (a.frame.y, a.frame.x, a.section, a.item) < (b.frame.y, b.frame.x, b.section, b.item)
        }
    }

    /// Applies a `Changed` signal: release, show, place, rebind.
    public mutating func apply(_ change: PictureChange) -> Outcome {
        guard change.sequence > sequence else { return .ignored }
        guard change.sequence == sequence + 1 else { return .gap }
        var new = shown
        for slot in change.released where new.removeValue(forKey: slot) == nil { return .gap }
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
        (sequence, revision) = (change.sequence, change.revision)
        (contentSize, offset) = (change.contentSize, change.offset)
        return .applied
    }
}
