// SPDX-License-Identifier: Apache-2.0

/// A view as its viewer knows it, from which it goes on in another engine of the same list.
@_spi(Daemon) public struct ViewResumption: Sendable {
    /// Its name.
    public var id: ViewID
    /// What it was opened with.
    public var options: ListViewOptions
    /// The viewport in content coordinates; `nil` before the first one and in the layout `none`.
    public var viewport: Rect?
    /// The items that the viewer named in the layout `none`, as they followed the list since.
    public var visibleItems: VisibleItems?
    /// What happened since the pictures that the viewer may go by, in the layout `none`.
    public var history = PictureHistory()
    /// Whether the viewer can be seen.
    public var isOnScreen = true
    /// The sequence of the last change that the viewer was sent.
    public var sequence: UInt64 = 0
    /// The last sequence that it acknowledged.
    public var acknowledgedSequence: UInt64 = 0
    /// Whether it was told that its credit is used up.
    public var isStalled = false
    /// The extent of the content as it was sent.
    public var contentSize = Size.zero
    /// What the viewer shows.
    public var shown: [PictureItem] = []
    /// Slots that show nothing, in the order of their release.
    public var released: [ReleasedSlot] = []
    /// What the viewer measured.
    public var measured: [MeasuredSize] = []
    /// The last object when it was told that the end of the list is near, empty for a list without any; `nil` = it is not near.
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

    /// Describes a view that has not been sent anything.
    public init(id: ViewID, options: ListViewOptions) {
        self.id = id
        self.options = options
    }
}

extension ViewResumption {
    /// Follows a change of the list that no engine has told the view of, as far as it is known without one: objects, with one
    /// item each.
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
        // Of a section of which something is shown, the same item is shown where the section is still there.
        if change.sections(items.first.section).map({ visibleItems?.first.section = $0 }) != nil { return }
        if let first = order.first(of: items.length, following: items.first...last, before: change) {
            visibleItems?.first = first
        }
    }
}
