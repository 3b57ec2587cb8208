@_spi(Daemon) internal import ListKit

/// What is known of a view outside of its engine: enough to let it go on in another one, and to say what is different then.
struct ViewMemory: Sendable {
    private(set) var resumption: ViewResumption
    private var shown: [SlotNumber: PictureItem] = [:]
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
    }

    /// The view as its viewer knows it.
    var present: ViewResumption {
        var present = resumption
        present.shown = shown.values.sorted { ($0.section, $0.item, $0.slot) < ($1.section, $1.item, $1.slot) }
        return present
    }

    /// Follows what its owner asked for.
    mutating func note(_ command: ViewCommand) {
        switch command {
        case .setVisibleRange(let first, let last) where first <= last: resumption.visibleRange = first...last
        case .reportSizes(let sizes): note(sizes)
        default: break
        }
    }

    private mutating func note(_ sizes: [MeasuredSize]) {
        let new = Set(sizes.map { SelectedItem(objectID: $0.objectID, item: $0.item) })
        resumption.measured.removeAll { new.contains(SelectedItem(objectID: $0.objectID, item: $0.item)) }
        resumption.measured += sizes.filter {
            $0.size.width.isFinite && $0.size.height.isFinite && $0.size.width >= 0 && $0.size.height >= 0
        }
    }

    /// Follows how it stands.
    mutating func note(_ description: ViewDescription) {
        if description.state != .new, resumption.options.layout != ListLayoutKind.none, description.viewport != .zero,
            description.viewport.isPossible
        {
            let wasWide = resumption.viewport?.size
            resumption.viewport = description.viewport
            // Measured sizes hold for one width (or height) only; the viewer measures again.
            if let wasWide, wasWide != description.viewport.size { resumption.measured = [] }
        }
        resumption.acknowledgedSequence = description.acknowledgedSequence
        resumption.isStalled = description.state == .stalled
    }

    /// Follows what its viewer is sent.
    mutating func note(_ change: PictureChange) {
        resumption.sequence = change.sequence
        resumption.contentSize = change.contentSize
        for slot in change.released { release(slot) }
        for item in change.shown {
            shown[item.slot] = item
            resumption.released.removeAll { $0.slot == item.slot }
        }
        for placement in change.placed {
            shown[placement.slot]?.section = placement.section
            shown[placement.slot]?.item = placement.item
            shown[placement.slot]?.frame = placement.frame
            shown[placement.slot]?.z = placement.z
        }
        for rebinding in change.rebound { shown[rebinding.slot]?.content = rebinding.content }
    }

    /// Follows a picture that replaces everything its viewer had.
    mutating func note(_ picture: Picture) {
        resumption.sequence = picture.sequence
        resumption.acknowledgedSequence = picture.sequence
        resumption.isStalled = false
        resumption.contentSize = picture.contentSize
        let present = Set(picture.items.map(\.slot))
        for slot in shown.keys where !present.contains(slot) { release(slot) }
        for item in picture.items {
            shown[item.slot] = item
            resumption.released.removeAll { $0.slot == item.slot }
        }
    }

    private mutating func release(_ slot: SlotNumber) {
        guard let item = shown.removeValue(forKey: slot), !item.reuseIdentifier.isEmpty else { return }
        resumption.released.append(
            ViewResumption.ReleasedSlot(slot: slot, reuseIdentifier: item.reuseIdentifier))
    }

    /// Follows what helpers are told.
    mutating func note(_ change: DisplayChange) {
        for section in change.didEndDisplaying { sections.remove(section.objectID) }
        for section in change.willDisplay { sections.insert(section.objectID) }
        for item in change.itemsDidEndDisplaying {
            items.remove(SelectedItem(objectID: item.objectID, item: item.item))
        }
        for item in change.itemsWillDisplay { items.insert(SelectedItem(objectID: item.objectID, item: item.item)) }
    }

    /// Follows what helpers are told.
    mutating func note(_ change: WorkingRangeChange) {
        for section in change.didExit { range.remove(section.objectID) }
        for section in change.willEnter { range.insert(section.objectID) }
    }

    /// The engine is gone, and begins anew to say what is displayed.
    mutating func forgetDisplay() {
        sections = []
        items = []
        range = []
    }

    /// The engine did not get as far as saying what is displayed.
    mutating func restoreDisplay(of old: ViewMemory) {
        sections = old.sections
        items = old.items
        range = old.range
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
        origin.x.isFinite && origin.y.isFinite && size.width.isFinite && size.height.isFinite && size.width >= 0
            && size.height >= 0
    }
}
