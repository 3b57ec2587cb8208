// SPDX-License-Identifier: Apache-2.0

/// The state of a view as its viewer knows it, from which another engine of the same list can resume the view.
@_spi(Daemon) public struct ViewResumption: Sendable {
    /// The identifier of the view.
    public var id: ViewID
    /// The options with which the view was opened.
    public var options: ListViewOptions
    /// The viewport in content coordinates; `nil` before the viewer has set one, and in the layout `none`.
    public var viewport: Rect?
    /// The range of items that the viewer requested in the layout `none`. It follows the changes of the list.
    public var visibleItems: VisibleItems?
    /// How far the engine moved the viewport since the last change was sent.
    public var shift = Point.zero
    /// The changes of the list since the pictures that the viewer may still refer to. Used only in the layout `none`.
    public var history = PictureHistory()
    /// Whether the view may be visible to a user.
    public var isOnScreen = true
    /// The sequence of the last change that the viewer was sent.
    public var sequence: UInt64 = 0
    /// The last sequence that the viewer acknowledged.
    public var acknowledgedSequence: UInt64 = 0
    /// Whether the viewer was notified that its credit is used up.
    public var isStalled = false
    /// The size of the content that the viewer was sent last.
    public var contentSize = Size.zero
    /// The elements that the viewer shows.
    public var shown: [PictureItem] = []
    /// The slots that show nothing, in the order of their release.
    public var released: [ReleasedSlot] = []
    /// The item sizes that the viewer measured.
    public var measured: [MeasuredSize] = []
    /// The identifier of the last object when a near end was announced, empty for an empty list; `nil` = the end is
    /// not near.
    public var nearEnd: String?

    /// A slot that shows nothing, and the reuse identifier that it belongs to.
    public struct ReleasedSlot: Sendable, Hashable {
        /// The slot.
        public var slot: SlotNumber
        /// The reuse identifier.
        public var reuseIdentifier: String

        /// Makes a released slot.
        public init(slot: SlotNumber, reuseIdentifier: String) {
            self.slot = slot
            self.reuseIdentifier = reuseIdentifier
        }
    }

    /// Makes the state of a view whose viewer has been sent nothing.
    public init(id: ViewID, options: ListViewOptions) {
        self.id = id
        self.options = options
    }
}

extension ViewResumption {
    /// Applies a change of the list that happened while no engine presented the view.
    ///
    /// Without an engine, only the objects are known. Each object counts as one item.
    public mutating func follow(_ change: PathForwarding) {
        history.record(change)
        guard let items = visibleItems, options.isAnchored,
            options.isAnchoredAtStart || items.first != IndexPath(section: 0, item: 0)
        else { return }
        let last = IndexPath(section: items.first.section + items.length - 1, item: .max)
        let count = change.sections.newCount
        let order = ItemOrder(
            sectionCount: count, itemCount: count, itemOffset: { $0 }, itemCountOfSection: { $0 < count ? 1 : 0 },
            path: { $0 < count ? IndexPath(section: $0, item: 0) : nil })
        // If the first section still exists, the range starts at the same item of that section.
        if change.sections(items.first.section).map({ visibleItems?.first.section = $0 }) != nil { return }
        if let first = order.start(ofLength: items.length, following: items.first...last, applying: change) {
            visibleItems?.first = first
        }
    }
}
