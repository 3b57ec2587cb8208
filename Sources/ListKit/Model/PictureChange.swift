// SPDX-License-Identifier: Apache-2.0

/// Identifies a view; chosen by the caller of ``ListAdapter/openView(_:options:)``.
public typealias ViewID = UInt64

/// Identifies a slot of a view: a widget that a viewer reuses.
public typealias SlotNumber = UInt32

/// One element of a view's picture.
@frozen public struct PictureItem: Sendable, Hashable {
    /// The slot that it is drawn in.
    public var slot: SlotNumber
    /// The object; empty for the empty view.
    public var objectID: String
    /// The section.
    public var section: Int
    /// The item inside the section; 0 for header and footer.
    public var item: Int
    /// The kind of element.
    public var kind: ElementKind
    /// Identifies the kind of widget that it needs.
    public var reuseIdentifier: String
    /// The frame in content coordinates.
    public var frame: Rect
    /// Elements with a higher number lie in front.
    public var z: Int64
    /// The content, limited to the fields that the view asked for.
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

/// The difference between two pictures of a view; with it applied, the viewer's picture equals that of a resync.
@frozen public struct PictureChange: Sendable, Hashable {
    /// The view.
    public var view: ViewID
    /// One more than the change before.
    public var sequence: UInt64
    /// The revision of the list.
    public var revision: UInt64
    /// The extent of the whole content.
    public var contentSize: Size
    /// The offset of the viewport.
    public var offset: Point
    /// Slots that no longer show anything.
    public var released: [SlotNumber] = []
    /// Elements that are new in their slot.
    public var shown: [PictureItem] = []
    /// Elements with the same content in a new place.
    public var placed: [Placement] = []
    /// Elements with another content in the same place.
    public var rebound: [Rebinding] = []
    /// The frames that shown elements start from and released ones leave to, where they differ from the resting ones.
    ///
    /// For programs that animate; pictures are complete without them.
    public var transitions: [Transition] = []

    /// Makes a change without effect.
    @_spi(Daemon) public init(
        view: ViewID, sequence: UInt64, revision: UInt64, contentSize: Size, offset: Point
    ) {
        self.view = view
        self.sequence = sequence
        self.revision = revision
        self.contentSize = contentSize
        self.offset = offset
    }

    /// A slot whose element has a new place.
    @frozen public struct Placement: Sendable, Hashable {
        /// The slot.
        public var slot: SlotNumber
        /// The section.
        public var section: Int
        /// The item inside the section; 0 for header and footer.
        public var item: Int
        /// The frame in content coordinates.
        public var frame: Rect
        /// Elements with a higher number lie in front.
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

    /// The frame that the element of a slot starts from or leaves to.
    @frozen public struct Transition: Sendable, Hashable {
        /// The slot; a released one leaves, any other starts.
        public var slot: SlotNumber
        /// The frame in content coordinates.
        public var frame: Rect

        /// Makes a transition.
        public init(slot: SlotNumber, frame: Rect) {
            self.slot = slot
            self.frame = frame
        }
    }

    /// A slot whose element has another content.
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
    /// The sequence of the change that led to it.
    public var sequence: UInt64
    /// The revision of the list.
    public var revision: UInt64
    /// The extent of the whole content.
    public var contentSize: Size
    /// Where the viewport lies.
    public var offset: Point
    /// The elements, ordered by section, header first and footer last.
    public var items: [PictureItem]

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
