// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// A copy of a view's state outside of its engine. With it another engine can resume the view, and clients can be sent
/// what differs between two engines' states.
///
/// A report that would make the state larger than a view of the list can be is refused, as a worker may report
/// anything.
package struct ViewMemory: Sendable {
    /// The minimum number of released slots that are kept for reuse.
    static let keptReleased = SlotPool.maximumIdentifiers

    /// The state with which another engine resumes the view, without the slots and measured sizes below.
    private(set) var resumption: ViewResumption
    /// The shown elements by slot.
    private var shown: [SlotNumber: PictureItem] = [:]
    /// The released slots, each with the number of its release.
    private var released: [SlotNumber: (turn: Int, reuseIdentifier: String)] = [:]
    private var releases = 0
    /// The sizes that the viewer measured.
    private var measured: [SelectedItem: Size] = [:]
    /// The objects whose sections are displayed.
    private(set) var sections: Set<String> = []
    /// The displayed items.
    private(set) var items: Set<SelectedItem> = []
    /// The objects in the working range.
    private(set) var range: Set<String> = []
    /// The items in the working range of a view that counts items.
    private var itemsInRange: Set<SelectedItem> = []

    /// Makes the state of a view that has just been opened.
    init(id: ViewID, options: ListViewOptions) {
        resumption = ViewResumption(id: id, options: options)
    }

    /// Makes the state of a view that is to be resumed; nothing counts as displayed in it.
    init(_ resumption: ViewResumption) {
        self.resumption = resumption
        for item in resumption.shown { shown[item.slot] = item }
        self.resumption.shown = []
        for slot in resumption.released { keepForReuse(slot.slot, reuseIdentifier: slot.reuseIdentifier) }
        self.resumption.released = []
        for size in resumption.measured { measured[SelectedItem(objectID: size.objectID, item: size.item)] = size.size }
        self.resumption.measured = []
    }

    /// Makes the state of a view before it was closed.
    ///
    /// - Parameter ended: the events of the closing, whose sections and items were displayed before.
    init(_ resumption: ViewResumption, displaying ended: [AdapterEvent]) {
        self.init(resumption)
        for event in ended {
            if case .display(let change) = event {
                sections.formUnion(change.didEndDisplaying.map(\.objectID))
                items.formUnion(change.itemsDidEndDisplaying.map(SelectedItem.init))
            }
            if case .workingRange(let change) = event {
                range.formUnion(change.didExit.map(\.objectID))
                itemsInRange.formUnion(change.itemsDidExit.map(SelectedItem.init))
            }
        }
    }

    /// The state with which another engine resumes the view.
    var fullResumption: ViewResumption {
        var present = resumption
        present.shown = shown.values.sorted { ($0.section, $0.item, $0.slot) < ($1.section, $1.item, $1.slot) }
        present.released = released.sorted { $0.value.turn < $1.value.turn }.map { slot, known in
            ViewResumption.ReleasedSlot(slot: slot, reuseIdentifier: known.reuseIdentifier)
        }
        present.measured = measured.map { MeasuredSize(objectID: $0.objectID, item: $0.item, size: $1) }
        return present
    }

    /// Records a command of the view's owner that was carried out.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of elements in a view of the list.
    ///   - isKnown: whether the list has an object with an identifier.
    mutating func record(_ command: ViewCommand, limit: Int, isKnown: (String) -> Bool) {
        switch command {
        // The view was shown, so the position at which it was to open has no more use.
        case .setViewport, .setVisibleRange: resumption.options.opening = nil
        case .reportSizes(let sizes): recordSizes(sizes, limit: limit, isKnown: isKnown)
        case .scrollTo, .reportScroll, .setOnScreen, .select, .changeSelection, .invoke, .setHighlighted, .acknowledge,
            .resync, .close:
            break
        }
    }

    /// Records whether the view is on screen.
    mutating func setOnScreen(_ flag: Bool) { resumption.isOnScreen = flag }

    private mutating func recordSizes(_ sizes: [MeasuredSize], limit: Int, isKnown: (String) -> Bool) {
        for size in sizes where size.size.isPossible {
            measured[SelectedItem(objectID: size.objectID, item: size.item)] = size.size
        }
        guard measured.count > limit else { return }
        measured = measured.filter { isKnown($0.key.objectID) }
        // There are more items than the list can have, so the worker invented some. The viewer measures shown items
        // again.
        if measured.count > limit { measured = [:] }
    }

    /// Records the view's state.
    mutating func record(_ description: ViewDescription) {
        if description.state != .new, resumption.options.layout != ListLayoutKind.none, description.viewport != .zero,
            description.viewport.isPossible
        {
            let wasWide = resumption.viewport?.size
            resumption.viewport = description.viewport
            // Measured sizes are valid for one width (or height) only; the viewer measures again.
            if let wasWide, wasWide != description.viewport.size { measured = [:] }
        }
        resumption.visibleItems = description.visibleItems
        if description.shift.isPossible { resumption.shift = description.shift }
        resumption.history.forget(upTo: description.acknowledgedSequence)
        resumption.acknowledgedSequence = description.acknowledgedSequence
        resumption.isStalled = description.state == .stalled
    }

    /// Records whether the end of the list is near.
    ///
    /// - Parameter last: the identifier of the last object, empty for an empty list; nil = the end is not near.
    mutating func setNearEnd(lastObject last: String?) { resumption.nearEnd = last }

    /// Records a picture change that is sent to the viewer. Returns false when the view then shows more than `limit`
    /// elements.
    mutating func record(_ change: PictureChange, limit: Int) -> Bool {
        resumption.sequence = change.sequence
        // Recorded for all views, as only the view's description, which comes later, says whether it has visible items.
        resumption.history.record(sequence: change.sequence)
        resumption.contentSize = change.contentSize
        let before = shown.count
        for slot in change.released { recordRelease(of: slot) }
        recordShown(change.shown)
        for placement in change.placed {
            shown[placement.slot]?.section = placement.section
            shown[placement.slot]?.item = placement.item
            shown[placement.slot]?.frame = placement.frame
            shown[placement.slot]?.z = placement.z
        }
        for rebinding in change.rebound { shown[rebinding.slot]?.content = rebinding.content }
        return max(shown.count, change.sticky.count) <= max(limit, before)
    }

    /// Records a complete picture that is sent to the viewer. Returns false when it has more than `limit` elements.
    mutating func record(_ picture: Picture, limit: Int) -> Bool {
        resumption.sequence = picture.sequence
        resumption.history.restart(sequence: picture.sequence)
        resumption.acknowledgedSequence = picture.sequence
        resumption.isStalled = false
        resumption.contentSize = picture.contentSize
        let present = Set(picture.items.map(\.slot))
        for slot in shown.keys where !present.contains(slot) { recordRelease(of: slot) }
        let before = shown.count
        recordShown(picture.items)
        return shown.count <= max(limit, before)
    }

    /// Whether the view's owner names items by revision.
    package var namesRevisions: Bool { resumption.options.rangeAt == .revision }

    /// Whether the view has visible items, whose index paths follow the changes of the list.
    var followsItems: Bool { resumption.visibleItems != nil }

    /// Moves the view's index paths to the new places of the same items, after the list has changed. This is needed
    /// if the engine dies before it reports the new places.
    mutating func forwardPaths(by change: PathForwarding) { resumption.follow(change) }

    private mutating func recordShown(_ items: [PictureItem]) {
        for item in items {
            shown[item.slot] = item
            released[item.slot] = nil
        }
    }

    private mutating func recordRelease(of slot: SlotNumber) {
        guard let item = shown.removeValue(forKey: slot), !item.reuseIdentifier.isEmpty else { return }
        keepForReuse(slot, reuseIdentifier: item.reuseIdentifier)
    }

    /// Keeps a released slot for reuse. If there are too many, the slots with the highest numbers are kept: new slots
    /// get higher numbers, so that no number is assigned twice.
    private mutating func keepForReuse(_ slot: SlotNumber, reuseIdentifier: String) {
        releases += 1
        released[slot] = (releases, reuseIdentifier)
        guard released.count > 2 * Self.keptReleased else { return }
        let first = released.keys.sorted(by: >)[Self.keptReleased - 1]
        released = released.filter { $0.key >= first }
    }

    /// Records a change of the displayed sections and items. Returns false when more than `limit` of them are
    /// displayed then.
    mutating func record(_ change: DisplayChange, limit: Int) -> Bool {
        let before = max(sections.count, items.count)
        for section in change.didEndDisplaying { sections.remove(section.objectID) }
        for section in change.willDisplay { sections.insert(section.objectID) }
        for item in change.itemsDidEndDisplaying { items.remove(SelectedItem(item)) }
        for item in change.itemsWillDisplay { items.insert(SelectedItem(item)) }
        return max(sections.count, items.count) <= max(limit, before)
    }

    /// Records a change of the working range. Returns false when it has more than `limit` sections or items then.
    mutating func record(_ change: WorkingRangeChange, limit: Int) -> Bool {
        let before = max(range.count, itemsInRange.count)
        for section in change.didExit { range.remove(section.objectID) }
        for section in change.willEnter { range.insert(section.objectID) }
        for item in change.itemsDidExit { itemsInRange.remove(SelectedItem(item)) }
        for item in change.itemsWillEnter { itemsInRange.insert(SelectedItem(item)) }
        return max(range.count, itemsInRange.count) <= max(limit, before)
    }

    /// Clears the displayed items and the working range, as the next engine reports them from scratch.
    mutating func forgetDisplay() {
        sections = []
        items = []
        range = []
        itemsInRange = []
    }

    /// Returns the events with the differences from an old state, in the displayed items and the working range.
    ///
    /// - Parameter position: returns the section of the object with an identifier.
    func displayEvents(since old: ViewMemory, revision: UInt64, position: (String) -> Int?) -> [AdapterEvent] {
        var display = DisplayChange(view: resumption.id, revision: revision)
        func references(_ ids: Set<String>) -> [SectionReference] {
            ids.map { SectionReference(section: position($0) ?? 0, objectID: $0) }
                .sorted { ($0.section, $0.objectID) < ($1.section, $1.objectID) }
        }
        func references(_ items: Set<SelectedItem>) -> [ItemReference] {
            items.map { ItemReference(section: position($0.objectID) ?? 0, objectID: $0.objectID, item: $0.item) }
                .sorted { ($0.section, $0.item) < ($1.section, $1.item) }
        }
        display.willDisplay = references(sections.subtracting(old.sections))
        display.didEndDisplaying = references(old.sections.subtracting(sections))
        display.itemsWillDisplay = references(items.subtracting(old.items))
        display.itemsDidEndDisplaying = references(old.items.subtracting(items))
        var entered = WorkingRangeChange(view: resumption.id, revision: revision)
        entered.willEnter = references(range.subtracting(old.range))
        entered.didExit = references(old.range.subtracting(range))
        entered.itemsWillEnter = references(itemsInRange.subtracting(old.itemsInRange))
        entered.itemsDidExit = references(old.itemsInRange.subtracting(itemsInRange))
        return (display.isEmpty ? [] : [.display(display)]) + (entered.isEmpty ? [] : [.workingRange(entered)])
    }
}

extension SelectedItem {
    /// The item of a reference, without the position of its section.
    fileprivate init(_ reference: ItemReference) { self.init(objectID: reference.objectID, item: reference.item) }
}

extension Rect {
    /// Whether the rectangle is valid for a viewport. The engine accepts no other, but a worker may report any.
    fileprivate var isPossible: Bool { origin.isPossible && size.isPossible }
}

extension Point {
    fileprivate var isPossible: Bool { x.isFinite && y.isFinite }
}

extension Size {
    /// Whether the size is valid for a view or an item.
    fileprivate var isPossible: Bool { width.isFinite && height.isFinite && width >= 0 && height >= 0 }
}
