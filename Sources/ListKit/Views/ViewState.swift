// SPDX-License-Identifier: Apache-2.0

/// What of a view outlives the engine that presents it: the state that its viewer knows, and what is displayed.
///
/// With it another engine can resume the view, and clients can be told what differs between two engines. The owner of an
/// engine in another process follows the view with the engine's reports. A report that would make the state larger than a
/// view of the list can be is refused, as that process may report anything.
@_spi(Daemon) public struct ViewState: Sendable {
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
    /// The identifier of the last object when a near end was announced, empty for an empty list; `nil` = the end is
    /// not near.
    public var nearEnd: String?
    /// The shown elements by slot.
    private var slots: [SlotNumber: PictureItem] = [:]
    /// The slots that show nothing, each with the number of its release.
    private var free: [SlotNumber: (turn: Int, reuseIdentifier: String)] = [:]
    private var releases = 0
    /// The sizes that the viewer measured.
    private var sizes: [SelectedItem: Size] = [:]
    /// The objects whose sections are displayed, and the displayed items.
    private var displayed: (sections: Set<String>, items: Set<SelectedItem>) = ([], [])
    /// The objects in the working range, and its items if the view counts items.
    private var range: (sections: Set<String>, items: Set<SelectedItem>) = ([], [])

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

    /// The minimum number of released slots that are kept for reuse.
    public static let keptReleased = SlotPool.maximumIdentifiers

    /// Makes the state of a view whose viewer has been sent nothing.
    public init(id: ViewID, options: ListViewOptions) {
        self.id = id
        self.options = options
    }

    /// The elements that the viewer shows, in list order.
    public var shown: [PictureItem] {
        get {
            slots.values.sorted {
                ($0.section, $0.kind.order, $0.item, $0.slot) < ($1.section, $1.kind.order, $1.item, $1.slot)
            }
        }
        set { slots = Dictionary(newValue.map { ($0.slot, $0) }) { $1 } }
    }

    /// The slots that show nothing, in the order of their release.
    public var released: [ReleasedSlot] {
        get {
            free.sorted { $0.value.turn < $1.value.turn }
                .map { ReleasedSlot(slot: $0, reuseIdentifier: $1.reuseIdentifier) }
        }
        set {
            (free, releases) = ([:], 0)
            for slot in newValue { keepForReuse(slot.slot, reuseIdentifier: slot.reuseIdentifier) }
        }
    }

    /// The item sizes that the viewer measured.
    public var measured: [MeasuredSize] {
        get { sizes.map { MeasuredSize(objectID: $0.objectID, item: $0.item, size: $1) } }
        set {
            sizes = Dictionary(
                newValue.map { (SelectedItem(objectID: $0.objectID, item: $0.item), $0.size) }
            ) { $1 }
        }
    }

    /// Keeps a released slot for reuse. If there are too many, the slots with the highest numbers are kept: new slots
    /// get higher numbers, so that no number is assigned twice.
    private mutating func keepForReuse(_ slot: SlotNumber, reuseIdentifier: String) {
        releases += 1
        free[slot] = (releases, reuseIdentifier)
        guard free.count > 2 * Self.keptReleased else { return }
        let first = free.keys.sorted(by: >)[Self.keptReleased - 1]
        free = free.filter { $0.key >= first }
    }
}

// MARK: - Following an engine

extension ViewState {
    /// Records an event that is sent to the viewer or announced. Other events change nothing.
    ///
    /// - Parameter limit: the maximum number of elements in a view of the list.
    /// - Returns: `false` if the view then has more.
    public mutating func apply(_ event: AdapterEvent, limit: Int) -> Bool {
        switch event {
        case .picture(let change): apply(change, limit: limit)
        case .display(let change): apply(change, limit: limit)
        case .workingRange(let change): apply(change, limit: limit)
        case .updated, .selection, .stalled, .closed, .sectionFault, .nearEnd: true
        }
    }

    private mutating func apply(_ change: PictureChange, limit: Int) -> Bool {
        sequence = change.sequence
        // Recorded for all views, as only the view's description, which comes later, says whether it has visible items.
        history.record(sequence: change.sequence)
        contentSize = change.contentSize
        let before = slots.count
        for slot in change.released { release(slot) }
        show(change.shown)
        for placement in change.placed { slots[placement.slot]?.move(to: placement) }
        for rebinding in change.rebound { slots[rebinding.slot]?.content = rebinding.content }
        return max(slots.count, change.sticky.count) <= max(limit, before)
    }

    /// Records a complete picture that is sent to the viewer. Returns `false` if it has more than `limit` elements.
    public mutating func apply(_ picture: Picture, limit: Int) -> Bool {
        sequence = picture.sequence
        history.restart(sequence: picture.sequence)
        acknowledgedSequence = picture.sequence
        isStalled = false
        contentSize = picture.contentSize
        let present = Set(picture.items.map(\.slot))
        for slot in slots.keys where !present.contains(slot) { release(slot) }
        let before = slots.count
        show(picture.items)
        return slots.count <= max(limit, before)
    }

    /// Records how the engine describes the view.
    public mutating func apply(_ description: ViewDescription) {
        if description.state != .new, options.layout != ListLayoutKind.none, description.viewport != .zero,
            description.viewport.viewportFault == nil
        {
            let wasWide = viewport?.size
            viewport = description.viewport
            // Measured sizes are valid for one width (or height) only; the viewer measures again.
            if let wasWide, wasWide != description.viewport.size { sizes = [:] }
        }
        visibleItems = description.visibleItems
        if description.shift.x.isFinite, description.shift.y.isFinite { shift = description.shift }
        history.forget(upTo: description.acknowledgedSequence)
        acknowledgedSequence = description.acknowledgedSequence
        isStalled = description.state == .stalled
    }

    /// Records sizes that the viewer measured.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of elements in a view of the list.
    ///   - isKnown: whether the list has an object with an identifier.
    public mutating func apply(_ measured: [MeasuredSize], limit: Int, isKnown: (String) -> Bool) {
        for size in measured where size.size.isValid {
            sizes[SelectedItem(objectID: size.objectID, item: size.item)] = size.size
        }
        guard sizes.count > limit else { return }
        sizes = sizes.filter { isKnown($0.key.objectID) }
        // There are more items than the list can have, so some were invented. The viewer measures shown items again.
        if sizes.count > limit { sizes = [:] }
    }

    /// Records the events by which the view's contents stopped being displayed when it was closed.
    mutating func applyClosing(_ ended: [AdapterEvent]) {
        for event in ended {
            if case .display(let change) = event {
                displayed.sections.formUnion(change.didEndDisplaying.map(\.objectID))
                displayed.items.formUnion(change.itemsDidEndDisplaying.map(SelectedItem.init))
            }
            if case .workingRange(let change) = event {
                range.sections.formUnion(change.didExit.map(\.objectID))
                range.items.formUnion(change.itemsDidExit.map(SelectedItem.init))
            }
        }
    }

    private mutating func show(_ items: [PictureItem]) {
        for item in items {
            slots[item.slot] = item
            free[item.slot] = nil
        }
    }

    private mutating func release(_ slot: SlotNumber) {
        guard let item = slots.removeValue(forKey: slot), !item.reuseIdentifier.isEmpty else { return }
        keepForReuse(slot, reuseIdentifier: item.reuseIdentifier)
    }

    private mutating func apply(_ change: DisplayChange, limit: Int) -> Bool {
        let before = max(displayed.sections.count, displayed.items.count)
        for section in change.didEndDisplaying { displayed.sections.remove(section.objectID) }
        for section in change.willDisplay { displayed.sections.insert(section.objectID) }
        for item in change.itemsDidEndDisplaying { displayed.items.remove(SelectedItem(item)) }
        for item in change.itemsWillDisplay { displayed.items.insert(SelectedItem(item)) }
        return max(displayed.sections.count, displayed.items.count) <= max(limit, before)
    }

    private mutating func apply(_ change: WorkingRangeChange, limit: Int) -> Bool {
        let before = max(range.sections.count, range.items.count)
        for section in change.didExit { range.sections.remove(section.objectID) }
        for section in change.willEnter { range.sections.insert(section.objectID) }
        for item in change.itemsDidExit { range.items.remove(SelectedItem(item)) }
        for item in change.itemsWillEnter { range.items.insert(SelectedItem(item)) }
        return max(range.sections.count, range.items.count) <= max(limit, before)
    }
}

// MARK: - Changing the engine

extension ViewState {
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

    /// Clears the displayed items and the working range, as the next engine reports them from scratch.
    public mutating func forgetDisplay() { (displayed, range) = (([], []), ([], [])) }

    /// Returns the events with the differences from an old state, in the displayed items and the working range.
    ///
    /// - Parameter position: returns the section of the object with an identifier.
    public func displayEvents(since old: ViewState, revision: UInt64, position: (String) -> Int?) -> [AdapterEvent] {
        func references(_ ids: Set<String>) -> [SectionReference] {
            ids.map { SectionReference(section: position($0) ?? 0, objectID: $0) }
                .sorted { ($0.section, $0.objectID) < ($1.section, $1.objectID) }
        }
        func references(_ items: Set<SelectedItem>) -> [ItemReference] {
            items.map { ItemReference(section: position($0.objectID) ?? 0, objectID: $0.objectID, item: $0.item) }
                .sorted { ($0.section, $0.item) < ($1.section, $1.item) }
        }
        var display = DisplayChange(view: id, revision: revision)
        display.willDisplay = references(displayed.sections.subtracting(old.displayed.sections))
        display.didEndDisplaying = references(old.displayed.sections.subtracting(displayed.sections))
        display.itemsWillDisplay = references(displayed.items.subtracting(old.displayed.items))
        display.itemsDidEndDisplaying = references(old.displayed.items.subtracting(displayed.items))
        var entered = WorkingRangeChange(view: id, revision: revision)
        entered.willEnter = references(range.sections.subtracting(old.range.sections))
        entered.didExit = references(old.range.sections.subtracting(range.sections))
        entered.itemsWillEnter = references(range.items.subtracting(old.range.items))
        entered.itemsDidExit = references(old.range.items.subtracting(range.items))
        return (display.isEmpty ? [] : [.display(display)]) + (entered.isEmpty ? [] : [.workingRange(entered)])
    }
}

extension SelectedItem {
    /// The item of a reference, without the position of its section.
    fileprivate init(_ reference: ItemReference) { self.init(objectID: reference.objectID, item: reference.item) }
}
