// SPDX-License-Identifier: Apache-2.0

/// One view of a list: what it shows, and what of that its viewer was sent.
final class ListView {
    let id: ViewID
    let options: ListViewOptions
    /// Where everything lies, and where the viewer looks.
    let geometry: ViewGeometry
    /// What the viewer was sent.
    let sender: PictureSender
    private let environment: ViewEnvironment
    /// What it shows now, section by section.
    private(set) var elements: [ViewElement] = [] {
        didSet { knownObjects = nil }
    }
    /// The objects of the elements, once somebody asked.
    private var knownObjects: [String]?
    /// The sections in range, by their numbers.
    private(set) var workingRange = 0..<0
    /// Whether somebody may be looking.
    private(set) var isOnScreen = true
    /// What its content is doing.
    private(set) var scrolling: ListScrollingTraits = []
    /// Whether the end of the list is near, and was announced.
    private var nearEnd: NearEnd?

    init(_ id: ViewID, _ options: ListViewOptions, in environment: ViewEnvironment) {
        self.id = id
        self.options = options
        self.environment = environment
        geometry = ViewGeometry(id, options, in: environment)
        sender = PictureSender(id, options, in: environment)
    }

    private var map: SectionMap { environment.map }

    /// The sections of which it shows something, knows something, or has sent something.
    var handlesInUse: Set<SectionHandle> {
        var handles = geometry.handlesInUse.union(sender.handlesInUse)
        handles.formUnion(elements.compactMap(\.key.handle))
        if let last = nearEnd?.last { handles.insert(last) }
        return handles
    }

    /// The sections from the first of which it shows something to the last.
    var shownSections: Range<Int> {
        guard let first = elements.first(where: { $0.key.handle != nil })?.section,
            let last = elements.last(where: { $0.key.handle != nil })?.section
        else { return 0..<0 }
        return first..<last + 1
    }

    /// Whether its viewer was not sent what it lacks.
    var isWaiting: Bool { sender.credit.isStalled || sender.isHeld }

    /// Whether it has to follow updates of sections that it does not show.
    var followsAllUpdates: Bool { geometry.followsAlone || isWaiting || sender.isStale }

    /// The sections of whose items it keeps something by index.
    var handlesWithItems: Set<SectionHandle> {
        var handles = Set(geometry.measuredSizes.keys)
        // A view without a layout follows its items.
        if geometry.kind == .none { handles.formUnion(elements.compactMap(\.key.handle)) }
        return handles
    }

    /// Whether somebody may be looking.
    func setOnScreen(_ flag: Bool) { isOnScreen = flag }

    /// The user does something to the content.
    func follow(_ event: ListScrollEvent) {
        switch event {
        case .willBeginDragging: scrolling = [.isTracking, .isDragging]
        case .didEndDragging(let willDecelerate): scrolling = willDecelerate ? [.isDecelerating] : []
        case .didEndDecelerating: scrolling = []
        case .scrolled: break
        }
    }

    /// The items of a section have to be asked for anew.
    func invalidateContents(of handle: SectionHandle) {
        sender.invalidate(elements.lazy.filter { $0.key.handle == handle }.map(\.key))
    }

    // MARK: Following the list

    /// Follows an update up to where its elements lie now; ``step(forwarding:)`` follows.
    ///
    /// - Parameters:
    ///   - paths: where all items went; `nil` when no view has to know.
    ///   - keepsAnchors: whether what is on the screen keeps its place.
    func follow(_ effects: UpdateEffects, _ paths: PathForwarding?, keepsAnchors: Bool) {
        if keepsAnchors { geometry.rememberAnchor(elements) }
        sender.follow(effects)
        geometry.followSizes(effects.changes, effects.keptForwarding)
        geometry.followOpening(effects.keptForwarding)
        if let paths {
            sender.record(paths)
            geometry.followItems(paths)
        }
        if effects.isReload {
            let kind = geometry.kind
            geometry.relayOut()
            if kind != geometry.kind, kind == .none || geometry.kind == .none { sender.resetHistory() }
        } else {
            geometry.updateLayout(effects.layoutChanges, resized: effects.resized)
        }
        geometry.applyAnchor(forwarding: effects.forwarding, sequence: sender.sequence)
    }

    /// Brings what it shows up to date and finds out what appeared and disappeared.
    func step(forwarding: [SectionHandle: IndexForwarding] = [:]) -> DisplayStep {
        let old = elements
        elements = geometry.visibleElements()
        var step = DisplayStep()
        step.compare(old, elements, forwarding: forwarding)
        updateWorkingRange(&step)
        return step
    }

    /// The elements whose items an update changes that changes nothing else; `nil` when the view has to follow it as any other
    /// one.
    ///
    /// - Complexity: O(changes · log elements + elements that changed).
    func changedElements(_ sections: [Int], _ effects: UpdateEffects) -> [ViewElement]? {
        guard !followsAllUpdates, elements.last?.key.handle != nil else { return nil }
        var changed: [ViewElement] = []
        let shown = shownSections
        for place in sections.partitionPoint(where: { $0 < shown.lowerBound })..<sections.count {
            guard shown.contains(sections[place]) else { break }
            for index in elements.partitionPoint(where: { $0.section < sections[place] })..<elements.count {
                guard elements[index].section == sections[place] else { break }
                if effects.isOutdated(elements[index].key) { changed.append(elements[index]) }
            }
        }
        return changed
    }

    // MARK: Working range

    /// The working range: from the first visible section to the last, and some on both sides.
    private func updateWorkingRange(_ step: inout DisplayStep) {
        let old = workingRange
        let new = presentWorkingRange()
        workingRange = new
        if !environment.isUpdating {
            step.setRanges(entered: places(in: new, without: old), exited: places(in: old, without: new))
            return
        }
        let entered = places(in: new, without: 0..<0).filter {
            map.oldPosition(of: $0.handle).map(old.contains) != true
        }
        let exited = old.compactMap { section -> (section: Int, handle: SectionHandle)? in
            guard let handle = map.oldHandle(at: section) else { return nil }
            return map.position(of: handle).map(new.contains) == true ? nil : (section, handle)
        }
        step.setRanges(entered: entered, exited: exited)
    }

    private func presentWorkingRange() -> Range<Int> {
        let visible = elements.lazy.filter { $0.key.handle != nil }.map(\.section)
        guard let first = visible.min(), let last = visible.max() else { return 0..<0 }
        let trail = options.trail ?? max(0, environment.options.workingRange)
        let lead = options.lead ?? max(0, environment.options.workingRange)
        switch options.workingRangeUnit {
        case .sections: return first - min(trail, first)..<last + 1 + min(lead, map.count - 1 - last)
        case .items: return workingRange(from: first, to: last, itemsBefore: trail, after: lead)
        }
    }

    /// The sections of the visible items, from the first visible section to the last, and of some items on both sides.
    ///
    /// - Complexity: O(elements shown + log n).
    private func workingRange(
        from first: Int, to last: Int, itemsBefore trail: Int, after lead: Int
    ) -> Range<Int> {
        // A header stands before the items of its section, a footer behind them.
        func item(of element: ViewElement, whereHeaderIs header: Int, footerIs footer: Int) -> Int {
            switch element.key.kind {
            case .cell: element.key.index
            case .header: header
            case .footer: footer
            }
        }
        let footer = map.itemCount(at: first) ?? 0
        let begin =
            elements.lazy.filter { $0.key.handle != nil && $0.section == first }
            .map { item(of: $0, whereHeaderIs: 0, footerIs: footer) }.min() ?? 0
        let lastCount = map.itemCount(at: last) ?? 0
        let end =
            elements.lazy.filter { $0.key.handle != nil && $0.section == last }
            .map { item(of: $0, whereHeaderIs: -1, footerIs: lastCount - 1) }.max() ?? 0
        let (lower, upper) = (map.itemOffset(ofSection: first) + begin, map.itemOffset(ofSection: last) + end)
        let leading = map.path(ofItem: lower - min(trail, lower))?.section ?? first
        let trailing = map.path(ofItem: upper + min(lead, map.itemCount - 1 - upper))?.section ?? last
        return min(leading, first)..<max(trailing, last) + 1
    }

    /// The sections of one range that are in no other.
    private func places(in range: Range<Int>, without other: Range<Int>) -> [(section: Int, handle: SectionHandle)] {
        let before = range.lowerBound..<max(range.lowerBound, min(range.upperBound, other.lowerBound))
        let after = min(range.upperBound, max(range.lowerBound, other.upperBound))..<range.upperBound
        return [before, after].flatMap { part in
            part.isEmpty ? [] : zip(part, map.handles(in: part)).map { ($0, $1) }
        }
    }

    // MARK: Announcing

    /// What a step announces: display, then working range.
    func events(of step: DisplayStep) -> (display: AdapterEvent?, range: AdapterEvent?) {
        // A section is named up to three times: as displayed, by its items and in range.
        var names: [SectionHandle: String] = [:]
        names.reserveCapacity(step.entered.count + step.exited.count)
        func name(of handle: SectionHandle) -> String {
            if let known = names[handle] { return known }
            let name = environment.store.id(of: handle)
            names[handle] = name
            return name
        }
        func reference(_ place: (section: Int, handle: SectionHandle)) -> SectionReference {
            SectionReference(section: place.section, objectID: name(of: place.handle))
        }
        func item(_ element: ViewElement) -> ItemReference? {
            guard element.key.kind == .cell, let handle = element.key.handle else { return nil }
            return ItemReference(section: element.section, objectID: name(of: handle), item: element.key.index)
        }
        var display = DisplayChange(view: id, revision: environment.revision)
        display.willDisplay = step.sectionsAppeared.map(reference)
        display.didEndDisplaying = step.sectionsDisappeared.map(reference)
        display.itemsWillDisplay = step.appeared.compactMap(item)
        display.itemsDidEndDisplaying = step.disappeared.compactMap(item)
        var range = WorkingRangeChange(view: id, revision: environment.revision)
        range.willEnter = step.entered.map(reference)
        range.didExit = step.exited.map(reference)
        return (display.isEmpty ? nil : .display(display), range.isEmpty ? nil : .workingRange(range))
    }

    /// Announces that the end of the list comes near, again only after it was farther away or another object became the last,
    /// and that it is no longer near.
    ///
    /// - Complexity: O(log n).
    func nearEndEvents() -> [AdapterEvent] {
        let distance = geometry.distanceToEnd
        guard let distance, distance <= environment.options.nearEndDistance else {
            guard nearEnd != nil else { return [] }
            nearEnd = nil
            return [.nearEnd(view: id, revision: environment.revision, distance: nil)]
        }
        let present = NearEnd(last: map.handle(at: map.count - 1))
        guard nearEnd != present else { return [] }
        nearEnd = present
        return [.nearEnd(view: id, revision: environment.revision, distance: distance)]
    }

    // MARK: Describing

    /// What is known of the view.
    var description: ViewDescription {
        ViewDescription(
            state: sender.credit.isStalled ? .stalled : geometry.isActive ? .active : .new, sequence: sender.sequence,
            acknowledgedSequence: sender.credit.acknowledged, contentSize: geometry.contentSize,
            viewport: geometry.viewport ?? .zero, workingRange: workingRange, visibleObjects: visibleObjects,
            visibleItems: geometry.visibleItems)
    }

    /// The objects of which an item is shown; looked up once, for a view is often described without showing others.
    private var visibleObjects: [String] {
        if let knownObjects { return knownObjects }
        let objects = handlesShown(cellsOnly: true).compactMap { map.id(of: $0) }
        knownObjects = objects
        return objects
    }

    /// The sections of which something is shown, in list order.
    func handlesShown(cellsOnly: Bool) -> [SectionHandle] {
        var known: Set<SectionHandle> = []
        return elements.compactMap { element in
            guard let handle = element.key.handle, !cellsOnly || element.key.kind == .cell else { return nil }
            return known.insert(handle).inserted ? handle : nil
        }
    }

    // MARK: Resuming

    /// Goes on where a viewer is.
    ///
    /// - Parameter opening: what the view is to be opened at, if that is still there.
    func resume(_ resumption: ViewResumption, opening: ViewOpening?) {
        isOnScreen = resumption.isOnScreen
        sender.resume(resumption, keepsHistory: geometry.kind == .none)
        nearEnd = resumption.nearEnd.flatMap { last in
            last.isEmpty ? NearEnd(last: nil) : map.handle(forID: last).map { NearEnd(last: $0) }
        }
        geometry.resume(resumption, opening: opening)
    }

    /// The view as its viewer knows it, for another list to go on with.
    var resumption: ViewResumption {
        let store = environment.store
        var resumption = ViewResumption(id: id, options: options)
        resumption.options.opening = geometry.opening.map {
            ListViewOpening(objectID: store.id(of: $0.handle), item: $0.item, position: $0.position)
        }
        resumption.viewport = geometry.kind == .none ? nil : geometry.viewport
        resumption.visibleItems = geometry.visibleItems
        resumption.isOnScreen = isOnScreen
        sender.describe(in: &resumption)
        resumption.measured = geometry.measuredSizes.flatMap { handle, sizes in
            sizes.map { MeasuredSize(objectID: store.id(of: handle), item: $0.key, size: $0.value) }
        }
        resumption.nearEnd = nearEnd.map { $0.last.map { store.id(of: $0) } ?? "" }
        return resumption
    }
}
