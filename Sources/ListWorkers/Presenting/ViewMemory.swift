// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// What is known of a view outside of its engine: enough to continue it in another engine, and to report the
/// differences then.
///
/// A worker may report anything: a state that grows beyond what a view of its list can show is refused.
package struct ViewMemory: Sendable {
    /// How many slots that show nothing are kept at least.
    static let keptReleased = SlotPool.maximumIdentifiers

    private(set) var resumption: ViewResumption
    private var shown: [SlotNumber: PictureItem] = [:]
    /// Slots that show nothing, each with the number of its release.
    private var released: [SlotNumber: (turn: Int, reuseIdentifier: String)] = [:]
    private var releases = 0
    /// What the viewer measured.
    private var measured: [SelectedItem: Size] = [:]
    /// Objects of which something is displayed, and their items.
    private(set) var sections: Set<String> = []
    private(set) var items: Set<SelectedItem> = []
    /// Objects in the working range.
    private(set) var range: Set<String> = []

    /// A view that has just been opened.
    init(id: ViewID, options: ListViewOptions) {
        resumption = ViewResumption(id: id, options: options)
    }

    /// A view that another host has served until now; nothing is displayed in it.
    init(_ resumption: ViewResumption) {
        self.resumption = resumption
        for item in resumption.shown { shown[item.slot] = item }
        self.resumption.shown = []
        for slot in resumption.released { keep(slot.slot, slot.reuseIdentifier) }
        self.resumption.released = []
        for size in resumption.measured { measured[SelectedItem(objectID: size.objectID, item: size.item)] = size.size }
        self.resumption.measured = []
    }

    /// A view in which is displayed what has just ended to be.
    init(_ resumption: ViewResumption, displaying ended: [AdapterEvent]) {
        self.init(resumption)
        for event in ended {
            if case .display(let change) = event {
                sections.formUnion(change.didEndDisplaying.map(\.objectID))
                items.formUnion(change.itemsDidEndDisplaying.map { SelectedItem(objectID: $0.objectID, item: $0.item) })
            }
            if case .workingRange(let change) = event { range.formUnion(change.didExit.map(\.objectID)) }
        }
    }

    /// The view as its viewer knows it.
    var present: ViewResumption {
        var present = resumption
        present.shown = shown.values.sorted { ($0.section, $0.item, $0.slot) < ($1.section, $1.item, $1.slot) }
        present.released = released.sorted { $0.value.turn < $1.value.turn }.map { slot, known in
            ViewResumption.ReleasedSlot(slot: slot, reuseIdentifier: known.reuseIdentifier)
        }
        present.measured = measured.map { MeasuredSize(objectID: $0.objectID, item: $0.item, size: $1) }
        return present
    }

    /// Follows what its owner asked for.
    ///
    /// - Parameters:
    ///   - limit: how many elements a view of the list can show.
    ///   - isKnown: whether there is an object with an identifier.
    mutating func record(_ command: ViewCommand, limit: Int, isKnown: (String) -> Bool) {
        switch command {
        // It shows what it was opened at.
        case .setViewport, .setVisibleRange: resumption.options.opening = nil
        case .reportSizes(let sizes): record(sizes, limit, isKnown)
        case .scrollTo, .reportScroll, .setOnScreen, .select, .changeSelection, .invoke, .setHighlighted, .acknowledge,
            .resync, .close:
            break
        }
    }

    /// Its viewer says whether it can be seen.
    mutating func setOnScreen(_ flag: Bool) { resumption.isOnScreen = flag }

    private mutating func record(_ sizes: [MeasuredSize], _ limit: Int, _ isKnown: (String) -> Bool) {
        for size in sizes where size.size.isPossible {
            measured[SelectedItem(objectID: size.objectID, item: size.item)] = size.size
        }
        guard measured.count > limit else { return }
        measured = measured.filter { isKnown($0.key.objectID) }
        // Items that no object has: the viewer measures again what it shows.
        if measured.count > limit { measured = [:] }
    }

    /// Follows how it stands.
    mutating func record(_ description: ViewDescription) {
        if description.state != .new, resumption.options.layout != ListLayoutKind.none, description.viewport != .zero,
            description.viewport.isPossible
        {
            let wasWide = resumption.viewport?.size
            resumption.viewport = description.viewport
            // Measured sizes hold for one width (or height) only; the viewer measures again.
            if let wasWide, wasWide != description.viewport.size { measured = [:] }
        }
        resumption.visibleItems = description.visibleItems
        resumption.history.forget(upTo: description.acknowledgedSequence)
        resumption.acknowledgedSequence = description.acknowledgedSequence
        resumption.isStalled = description.state == .stalled
    }

    /// Follows whether the end of the list is near.
    ///
    /// - Parameter last: the last object, empty for a list without any; nil = the end is not near.
    mutating func setNearEnd(_ last: String?) { resumption.nearEnd = last }

    /// Follows what its viewer is sent; false when the view shows more than `limit` elements then.
    mutating func record(_ change: PictureChange, limit: Int) -> Bool {
        resumption.sequence = change.sequence
        // Whether the view names its items is known only when its description has come.
        resumption.history.record(sequence: change.sequence)
        resumption.contentSize = change.contentSize
        let before = shown.count
        for slot in change.released { release(slot) }
        show(change.shown)
        for placement in change.placed {
            shown[placement.slot]?.section = placement.section
            shown[placement.slot]?.item = placement.item
            shown[placement.slot]?.frame = placement.frame
            shown[placement.slot]?.z = placement.z
        }
        for rebinding in change.rebound { shown[rebinding.slot]?.content = rebinding.content }
        return shown.count <= max(limit, before)
    }

    /// Follows a picture that replaces everything its viewer had; false when that is more than `limit` elements.
    mutating func record(_ picture: Picture, limit: Int) -> Bool {
        resumption.sequence = picture.sequence
        resumption.history.restart(sequence: picture.sequence)
        resumption.acknowledgedSequence = picture.sequence
        resumption.isStalled = false
        resumption.contentSize = picture.contentSize
        let present = Set(picture.items.map(\.slot))
        for slot in shown.keys where !present.contains(slot) { release(slot) }
        let before = shown.count
        show(picture.items)
        return shown.count <= max(limit, before)
    }

    /// Whether it names the items that it shows.
    var followsItems: Bool { resumption.visibleItems != nil }

    /// The objects of the list have changed: the view still refers to what it showed, even if the engine dies before it
    /// reports the new places.
    mutating func record(_ change: PathForwarding) { resumption.follow(change) }

    private mutating func show(_ items: [PictureItem]) {
        for item in items {
            shown[item.slot] = item
            released[item.slot] = nil
        }
    }

    private mutating func release(_ slot: SlotNumber) {
        guard let item = shown.removeValue(forKey: slot), !item.reuseIdentifier.isEmpty else { return }
        keep(slot, item.reuseIdentifier)
    }

    /// Of too many, those with the highest numbers stay: new ones come after them, so that no number is given out twice.
    private mutating func keep(_ slot: SlotNumber, _ reuseIdentifier: String) {
        releases += 1
        released[slot] = (releases, reuseIdentifier)
        guard released.count > 2 * Self.keptReleased else { return }
        let first = released.keys.sorted(by: >)[Self.keptReleased - 1]
        released = released.filter { $0.key >= first }
    }

    /// Follows what helpers are told; false when more than `limit` sections or items are displayed then.
    mutating func record(_ change: DisplayChange, limit: Int) -> Bool {
        let before = max(sections.count, items.count)
        for section in change.didEndDisplaying { sections.remove(section.objectID) }
        for section in change.willDisplay { sections.insert(section.objectID) }
        for item in change.itemsDidEndDisplaying {
            items.remove(SelectedItem(objectID: item.objectID, item: item.item))
        }
        for item in change.itemsWillDisplay { items.insert(SelectedItem(objectID: item.objectID, item: item.item)) }
        return max(sections.count, items.count) <= max(limit, before)
    }

    /// Follows what helpers are told; false when more than `limit` sections are in the working range then.
    mutating func record(_ change: WorkingRangeChange, limit: Int) -> Bool {
        let before = range.count
        for section in change.didExit { range.remove(section.objectID) }
        for section in change.willEnter { range.insert(section.objectID) }
        return range.count <= max(limit, before)
    }

    /// The engine is gone; the next one reports what is displayed from scratch.
    mutating func forgetDisplay() {
        sections = []
        items = []
        range = []
    }

    /// What helpers have to be told, who know what was displayed before; `position` finds objects.
    func display(since old: ViewMemory, revision: UInt64, position: (String) -> Int?) -> [AdapterEvent] {
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
        return (display.isEmpty ? [] : [.display(display)]) + (entered.isEmpty ? [] : [.workingRange(entered)])
    }
}

extension Rect {
    /// Whether a view can lie there: the engine takes no other, and a worker may say anything.
    fileprivate var isPossible: Bool {
        origin.x.isFinite && origin.y.isFinite && size.isPossible
    }
}

extension Size {
    /// Whether a view or an item can be so large.
    fileprivate var isPossible: Bool { width.isFinite && height.isFinite && width >= 0 && height >= 0 }
}
