// SPDX-License-Identifier: Apache-2.0

/// One view of a list: the elements that it shows, and the picture that its viewer was sent.
final class ListView {
    let id: ViewID
    let options: ListViewOptions
    /// The layout and the viewport.
    let geometry: ViewGeometry
    /// The picture that the viewer was sent, and the viewer's credit.
    let sender: PictureSender
    private let environment: ViewEnvironment
    /// The elements that the view shows now in slots, section by section.
    private(set) var elements: [ViewElement] = []
    /// The elements that are displayed: all but those that are shown because of ``ListViewOptions/prefetch``.
    private(set) var displayed: [ViewElement] = []
    /// The sections of elements that are shown but not displayed.
    private var prefetched: Set<SectionHandle> = []
    /// The sections with a visible item, ascending, and their objects; `nil` if they must be looked up again.
    private var knownObjects: (sections: [Int], ids: [String])?
    /// The sections and items that are visible or near what is visible.
    private(set) var workingRange = WorkingRange()
    /// Whether the view may be visible to a user.
    private(set) var isOnScreen = true
    /// How the view's content is moving.
    private(set) var scrolling: ListScrollingTraits = []
    /// The near end of the list that was announced; `nil` = the end is not near.
    private var nearEnd: (last: SectionHandle?, isAnnounced: Bool) = (nil, false)
    /// The update that is being presented, and the layout before it.
    private var update: (effects: UpdateEffects, layout: (any ListLayout)?)?
    /// How that update changes ``elements``, if it concerns few of them.
    private var edit: ElementEdit?

    init(_ id: ViewID, _ options: ListViewOptions, in environment: ViewEnvironment) {
        self.id = id
        self.options = options
        self.environment = environment
        geometry = ViewGeometry(id, options, in: environment)
        sender = PictureSender(id, options, in: environment)
    }

    private var map: SectionMap { environment.map }

    /// The sections that the view shows, stores state for, or has sent to its viewer.
    var handlesInUse: Set<SectionHandle> {
        var handles = geometry.handlesInUse.union(sender.handlesInUse)
        handles.formUnion(elements.compactMap(\.key.handle))
        if let last = nearEnd.last { handles.insert(last) }
        return handles
    }

    /// The range from the first to the last section of which the view shows an element.
    var shownSections: Range<Int> {
        guard let first = elements.first(where: { $0.key.handle != nil })?.section,
            let last = elements.last(where: { $0.key.handle != nil })?.section
        else { return 0..<0 }
        return first..<last + 1
    }

    /// The range of the sections whose changes concern the view: the shown ones, and those with items in range.
    var followedSections: Range<Int> { options.workingRangeUnit == .items ? placedSections : shownSections }

    /// The range of the sections whose places concern the view: the shown ones, and those in range.
    var placedSections: Range<Int> { shownSections.hull(with: workingRange.sections) }

    /// Whether the view has to process updates that move sections, wherever they are. A view without a cell on the
    /// screen follows the next one of the list, or shows that the list is empty.
    var followsAllMoves: Bool {
        guard geometry.isActive else { return false }
        guard geometry.layoutID != nil, let viewport = geometry.viewport else { return true }
        return !displayed.contains { $0.isAnchor(in: viewport) }
    }

    /// Whether the viewer was told that the end of the list is near.
    var isNearEnd: Bool { nearEnd.isAnnounced }

    /// Whether changes for the viewer are held back.
    var isWaiting: Bool { sender.credit.isStalled || sender.isHeld }

    /// Whether the view has to process updates of sections that it does not show.
    var followsAllUpdates: Bool {
        geometry.requiresAllUpdates || geometry.isAsleep || isWaiting || sender.isStale
    }

    /// The sections for which the view stores state by item index.
    var handlesWithItems: Set<SectionHandle> {
        var handles = Set(geometry.measuredSizes.keys)
        // A view with the layout `none` follows the items that it shows.
        if geometry.kind == .none { handles.formUnion(elements.compactMap(\.key.handle)) }
        return handles
    }

    /// Sets whether the view may be visible to a user.
    func setOnScreen(_ flag: Bool) { isOnScreen = flag }

    /// Updates ``scrolling`` by a scroll event.
    func updateScrolling(_ event: ListScrollEvent) {
        switch event {
        case .willBeginDragging: scrolling = [.isTracking, .isDragging]
        case .didEndDragging(let willDecelerate): scrolling = willDecelerate ? [.isDecelerating] : []
        case .didEndDecelerating: scrolling = []
        case .scrolled: break
        }
    }

    /// Invalidates the cached items of a section.
    func invalidateContents(of handle: SectionHandle) {
        sender.invalidate(handle, isShown: elements.contains { $0.key.handle == handle })
    }

    // MARK: Following the list

    /// Applies an update to the layout, the viewport and the sent picture. ``updateElements()`` must be called
    /// next.
    ///
    /// - Parameters:
    ///   - paths: the mapping of old to new item paths; `nil` when no view needs it.
    ///   - keepsAnchors: whether the elements on the screen keep their place.
    func apply(_ effects: UpdateEffects, _ paths: PathForwarding?, keepsAnchors: Bool) {
        let (isInStep, viewport) = (sender.isInStep(with: self), geometry.viewport)
        if keepsAnchors { geometry.saveAnchor(displayed) }
        update = (effects, geometry.oldLayout)
        sender.recordUpdate(effects, paths)
        geometry.moveMeasuredSizes(effects.change, effects.stateForwarding)
        geometry.moveOpening(effects.stateForwarding)
        if let paths, geometry.kind == .none {
            sender.record(paths)
            geometry.moveVisibleItems(paths)
        }
        if effects.isReload {
            let kind = geometry.kind
            geometry.layOutAgain()
            if kind != geometry.kind, kind == .none || geometry.kind == .none { sender.resetHistory() }
        } else {
            geometry.updateLayout(effects.layoutChanges, resized: effects.resized)
        }
        geometry.applyAnchor(forwarding: effects.forwarding, sequence: sender.sequence)
        if isInStep, geometry.viewport == viewport, let sections = effects.movedSections, effects.forwarding.isEmpty {
            edit = geometry.edit(of: elements, moving: sections, isOutdated: effects.isOutdated)
        }
        if edit == nil { sender.apply(effects) }
    }

    /// Returns how a scroll changes the elements that the view shows; `nil` if ``updateElements()`` must be called, because
    /// many change, or because the viewer was not sent all of them.
    ///
    /// - Parameter place: the place of the view before the scroll.
    func edit(scrolledFrom place: ViewGeometry.Place) -> ElementEdit? {
        guard !environment.isUpdating, sender.isInStep(with: self) else { return nil }
        return geometry.edit(of: elements, scrolledFrom: place)
    }

    /// Changes the elements that the view shows after a scroll. Returns the elements that appeared and disappeared, and the
    /// edit that brings the former elements back.
    func scroll(_ edit: ElementEdit) -> (step: DisplayStep, undoing: ElementEdit) {
        var step = DisplayStep()
        step.setScrolled(from: edit.indexes.map { elements[$0] }, to: edit.elements, of: elements)
        let undoing = sender.edit(edit, moved: 0..<0, of: self)
        step.leaveOutSections(disappearingFrom: elements)
        updateObjects(edit, undoing)
        setRange(&step, forwarding: nil, isInOrder: true)
        return (step, undoing)
    }

    /// Brings back what the view showed before a scroll that is refused.
    func undo(_ undoing: ElementEdit, _ range: WorkingRange, _ place: ViewGeometry.Place) {
        geometry.restore(place)
        sender.undo(undoing, of: self)
        knownObjects = nil
        workingRange = range
    }

    /// Changes the elements that the view shows after an update that moved few of them.
    private func updateElements(
        _ edit: ElementEdit, _ effects: UpdateEffects, before layout: (any ListLayout)?
    ) -> DisplayStep {
        var step = DisplayStep()
        let undoing = sender.edit(edit, moved: effects.movedSections, of: self)
        step.setChanges(from: undoing.elements, to: edit.elements, forwarding: [:])
        updateObjects(edit, undoing)
        sender.recordAppeared(step.appeared, among: edit.elements, before: layout)
        setRange(&step, forwarding: [:], in: effects.movedSections, isInOrder: true)
        return step
    }

    /// Advances the working range, and records in a step which sections and items entered and left it.
    private func setRange(
        _ step: inout DisplayStep, forwarding: [SectionHandle: PositionMap]?, in sections: Range<Int>? = nil,
        isInOrder: Bool = false
    ) {
        let range = WorkingRange(
            around: displayed, options, size: environment.options.workingRange, in: map, isInOrder: isInOrder)
        step.setRanges(from: workingRange, to: range, map, forwarding: forwarding, in: sections)
        workingRange = range
    }

    /// Removes and returns the elements, which are all displayed, so that they can be changed in place.
    func takeElements() -> [ViewElement] {
        defer { (elements, displayed) = ([], []) }
        return elements
    }

    /// Sets the elements, all of which are displayed: those that ``takeElements()`` returned, changed, or those of the picture,
    /// which are the same ones.
    func setElements(_ new: [ViewElement]) { (elements, displayed) = (new, new) }

    /// Updates the elements that the view shows. Returns the elements that appeared and disappeared.
    func updateElements() -> DisplayStep {
        if let edit, let update {
            (self.edit, self.update) = (nil, nil)
            return updateElements(edit, update.effects, before: update.layout)
        }
        knownObjects = nil
        let (old, oldElements) = (displayed, elements)
        let (forwarding, sections) = (update?.effects.forwarding ?? [:], update?.effects.concernedSections)
        if geometry.isAsleep {
            elements = survivors(of: elements, forwarding)
            displayed = survivors(of: displayed, forwarding)
        } else {
            (displayed, elements) = geometry.visibleElements()
        }
        updatePrefetched()
        var step = DisplayStep()
        if environment.isUpdating || !step.setChanges(scrollingFrom: old, to: displayed) {
            step.setChanges(from: old, to: displayed, forwarding: forwarding, in: sections)
        }
        if let update {
            var whole = step
            if elements.count > displayed.count || oldElements.count > old.count {
                whole = DisplayStep()
                whole.setChanges(from: oldElements, to: elements, forwarding: forwarding, in: sections)
            }
            sender.recordAppeared(whole.appeared, among: elements, before: update.layout)
            self.update = nil
        }
        setRange(&step, forwarding: environment.isUpdating ? forwarding : nil, in: sections)
        return step
    }

    /// Records of which sections elements are shown that are not displayed.
    private func updatePrefetched() {
        guard elements.count > displayed.count || !prefetched.isEmpty else { return }
        var handles = Set(elements.compactMap(\.key.handle))
        handles.subtract(displayed.compactMap(\.key.handle))
        let gone = prefetched.subtracting(handles)
        environment.store.addReleaseCandidates(gone)
        environment.countPrefetched(handles.subtracting(prefetched), gone: gone)
        prefetched = handles
    }

    /// Returns the elements that still exist, with the frames that they had. A view without a layout shows no others.
    private func survivors(
        of elements: [ViewElement], _ forwarding: [SectionHandle: PositionMap]
    ) -> [ViewElement] {
        elements.compactMap { element in
            guard element.key.handle != nil else { return element }
            guard let key = element.key.forwarded(by: forwarding), let handle = key.handle,
                let section = map.position(of: handle), key.kind != .cell || key.index < map.itemCount(of: handle)
            else { return nil }
            return ViewElement(key: key, section: section, frame: element.frame, z: element.z)
        }.sorted(by: ViewElement.isBefore)
    }

    /// Returns the elements whose items an update changed, for an update that changes nothing else. Returns `nil` if
    /// the view has to process the update in full.
    ///
    /// - Complexity: O(changes · log elements + elements that changed).
    func changedElements(in sections: [Int], by effects: UpdateEffects) -> [ViewElement]? {
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

    // MARK: Refusals

    /// What a view shows, as it was before a call that is refused.
    struct Place {
        fileprivate let geometry: ViewGeometry.Place
        fileprivate let elements: [ViewElement]
        fileprivate let displayed: [ViewElement]
        fileprivate let workingRange: WorkingRange
    }

    /// Returns what the view shows.
    ///
    /// - Parameter geometry: its place before the call.
    func place(_ geometry: ViewGeometry.Place) -> Place {
        Place(geometry: geometry, elements: elements, displayed: displayed, workingRange: workingRange)
    }

    /// Brings back what the view showed before.
    func restore(_ place: Place) {
        geometry.restore(place.geometry)
        (elements, displayed, workingRange) = (place.elements, place.displayed, place.workingRange)
        knownObjects = nil
        updatePrefetched()
    }

    // MARK: Announcing

    /// Returns the events that announce a step: the change of display, then the change of the working range.
    func events(of step: DisplayStep) -> (display: AdapterEvent?, range: AdapterEvent?) {
        // The identifier of a section is needed up to three times: for the section, its items and the working range.
        var names: [SectionHandle: String] = [:]
        names.reserveCapacity(step.entered.count + step.exited.count)
        // Mostly the contents of the elements know it.
        for element in step.disappeared {
            if let handle = element.key.handle, let content = element.content { names[handle] = content.objectID }
        }
        for element in step.appeared {
            guard let handle = element.key.handle, let content = content(of: element) else { continue }
            names[handle] = content.objectID
        }
        func name(of handle: SectionHandle) -> String {
            if let known = names[handle] { return known }
            let name = environment.store.id(of: handle)
            names[handle] = name
            return name
        }
        func reference(_ place: (section: Int, handle: SectionHandle)) -> SectionReference {
            SectionReference(section: place.section, objectID: name(of: place.handle))
        }
        func itemReference(_ place: WorkingRange.Item) -> ItemReference {
            ItemReference(section: place.section, objectID: name(of: place.handle), item: place.item)
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
        range.itemsWillEnter = step.itemsEntered.map(itemReference)
        range.itemsDidExit = step.itemsExited.map(itemReference)
        return (display.isEmpty ? nil : .display(display), range.isEmpty ? nil : .workingRange(range))
    }

    /// Returns what an element shows, if the view has the elements that were sent.
    private func content(of element: ViewElement) -> ViewElement.Content? {
        guard elements.first?.content != nil else { return nil }
        return ViewElement.index(of: element, in: elements).flatMap { elements[$0].content }
    }

    /// Returns an event if the end of the list has become near, or is no longer near.
    ///
    /// After a near end was announced, the next one is announced only if the end was not near in between, or if another
    /// object has become the last.
    ///
    /// - Complexity: O(log n).
    func nearEndEvents() -> [AdapterEvent] {
        guard !geometry.isAsleep else { return [] }
        let distance = geometry.distanceToEnd
        guard let distance, distance <= environment.options.nearEndDistance else {
            guard nearEnd.isAnnounced else { return [] }
            nearEnd = (nil, false)
            return [.nearEnd(view: id, revision: environment.revision, distance: nil)]
        }
        let present = (last: map.handle(at: map.count - 1), isAnnounced: true)
        guard nearEnd != present else { return [] }
        nearEnd = present
        return [.nearEnd(view: id, revision: environment.revision, distance: distance)]
    }

    // MARK: Describing

    /// The description of the view for its viewer and for debugging.
    var description: ViewDescription {
        var description = ViewDescription(
            state: sender.credit.isStalled ? .stalled : geometry.isActive ? .active : .new, sequence: sender.sequence,
            acknowledgedSequence: sender.credit.acknowledged, contentSize: geometry.contentSize,
            viewport: geometry.viewport ?? .zero, workingRange: workingRange.sections, visibleSections: visibleSections,
            visibleObjects: visibleObjects, visibleItems: geometry.visibleItems, byteCount: sender.byteCount)
        description.shift = geometry.shifts.unsent
        return description
    }

    private var visibleSections: Range<Int> {
        guard let first = displayed.first(where: \.isCell), let last = displayed.last(where: \.isCell) else {
            return 0..<0
        }
        return first.section..<last.section + 1
    }

    /// The identifiers of the objects with a visible item. They are kept, because a view is often described without
    /// a change in between, or after a change of few of them.
    private var visibleObjects: [String] {
        if let knownObjects { return knownObjects.ids }
        guard ViewElement.areInListOrder(displayed) else {
            return handlesShown(cellsOnly: true).compactMap { map.id(of: $0) }
        }
        let found = objects(in: 0..<map.count)
        knownObjects = found
        return found.ids
    }

    /// Returns the sections with a visible item, among elements in list order, and their objects.
    ///
    /// - Complexity: O(visible sections · log elements).
    private func objects(in sections: Range<Int>) -> (sections: [Int], ids: [String]) {
        var found: (sections: [Int], ids: [String]) = ([], [])
        var index = displayed.partitionPoint { $0.section < sections.lowerBound }
        while index < displayed.count, displayed[index].section < sections.upperBound {
            let section = displayed[index].section
            // A header is before the cells.
            let next = index + 1 < displayed.count ? displayed[index + 1] : displayed[index]
            if displayed[index].isCell || next.section == section && next.isCell,
                let id = displayed[index].content?.objectID ?? displayed[index].key.handle.flatMap({ map.id(of: $0) })
            {
                found.sections.append(section)
                found.ids.append(id)
            }
            index += 1
            // Most sections have few elements.
            if index < displayed.count, displayed[index].section == section {
                index = displayed[index...].partitionPoint { $0.section == section }
            }
        }
        return found
    }

    /// Looks up again the visible objects of the sections that an edit has touched.
    private func updateObjects(_ edit: ElementEdit, _ undoing: ElementEdit) {
        guard var objects = knownObjects else { return }
        knownObjects = nil
        for (new, old) in zip(edit.parts, undoing.parts) {
            let sections = (new.elements + old.elements).map(\.section)
            guard let first = sections.min(), let last = sections.max() else { continue }
            let found = self.objects(in: first..<last + 1)
            let range =
                objects.sections.partitionPoint { $0 < first }..<objects.sections.partitionPoint { $0 <= last }
            objects.sections.replaceSubrange(range, with: found.sections)
            objects.ids.replaceSubrange(range, with: found.ids)
        }
        knownObjects = objects
    }

    /// Returns the sections of which elements are displayed, in list order.
    func handlesShown(cellsOnly: Bool) -> [SectionHandle] {
        var handles: [SectionHandle] = []
        for element in displayed where !cellsOnly || element.key.kind == .cell {
            // The elements of a section are next to each other.
            if let handle = element.key.handle, handle != handles.last { handles.append(handle) }
        }
        return handles
    }

    // MARK: Resuming

    /// Restores the state of a resumed view.
    ///
    /// - Parameter opening: the item at which the view is to be opened, if the item still exists.
    func resume(_ state: ViewState, opening: ViewOpening?) {
        isOnScreen = state.isOnScreen
        sender.resume(state, keepsHistory: geometry.kind == .none)
        if let last = state.nearEnd {
            let handle = last.isEmpty ? nil : map.handle(forID: last)
            nearEnd = (handle, last.isEmpty || handle != nil)
        }
        geometry.resume(state, opening: opening)
    }

    /// The state of the view as its viewer knows it, from which another engine can resume the view.
    var state: ViewState {
        let store = environment.store
        var state = ViewState(id: id, options: options)
        // An item stands for a section that a program has scrolled to, which no other engine continues.
        state.options.opening = geometry.opening.map {
            ListViewOpening(objectID: store.id(of: $0.handle), item: $0.item ?? 0, position: $0.position)
        }
        state.viewport = geometry.kind == .none ? nil : geometry.viewport
        state.visibleItems = geometry.visibleItems
        state.isOnScreen = isOnScreen
        state.shift = geometry.shifts.unsent
        sender.save(in: &state)
        state.measured = geometry.measuredSizes.flatMap { handle, sizes in
            sizes.map { MeasuredSize(objectID: store.id(of: handle), item: $0.key, size: $0.value) }
        }
        if nearEnd.isAnnounced { state.nearEnd = nearEnd.last.map { store.id(of: $0) } ?? "" }
        return state
    }
}

/// The state of a list that all its views share: the sections, layouts, options and revision.
final class ViewEnvironment {
    let store: SectionStore
    /// The layouts that several views may share.
    let layouts = SharedLayouts()
    /// The options of the list.
    private(set) var options: ListOptions
    /// The revision of the list.
    private(set) var revision: UInt64
    /// The view that is being laid out, whose geometry section controllers see.
    private(set) var currentView: ViewID?
    /// Whether an update is being presented, so that the sections have a state before and a state after it.
    private(set) var isUpdating = false
    /// The numbers of views that show elements of a section and display none, by section.
    private var prefetched: [SectionHandle: Int] = [:]
    /// Decides whether the list counts as empty, in place of the options.
    private var emptinessRule: (() -> Bool)?

    init(_ store: SectionStore, options: ListOptions, revision: UInt64) {
        self.store = store
        self.options = options
        self.revision = revision
    }

    /// The sections.
    var map: SectionMap { store.map }

    /// Replaces the options.
    func setOptions(_ new: ListOptions) { options = new }

    /// Replaces the rule that decides whether the list counts as empty; `nil` = the options decide.
    func setEmptinessRule(_ rule: (() -> Bool)?) { emptinessRule = rule }

    /// Whether a rule, and not the options, decides whether the list counts as empty.
    var hasEmptinessRule: Bool { emptinessRule != nil }

    /// Returns whether any view shows elements of a section and displays none.
    func isPrefetched(_ handle: SectionHandle) -> Bool { prefetched[handle] != nil }

    /// Counts the sections of which one more view, and one view fewer, shows elements and displays none.
    fileprivate func countPrefetched(_ new: Set<SectionHandle>, gone: Set<SectionHandle>) {
        for handle in new { DisplayCounts.increment(handle, in: &prefetched) }
        for handle in gone { DisplayCounts.decrement(handle, in: &prefetched) }
    }

    /// Begins the presentation of an update.
    func beginUpdate() {
        isUpdating = true
        store.gate.beginUpdate()
    }

    /// Advances the revision to the revision of the update that is being presented.
    func advanceRevision() { revision += 1 }

    /// Ends the presentation of an update.
    func endUpdate() {
        isUpdating = false
        store.gate.endUpdate()
    }

    /// Runs a closure that lays out a view and thereby calls section controllers, which see that view's geometry.
    func layOut(_ view: ViewID, _ body: () -> Void) {
        let outer = currentView
        currentView = view
        store.gate.callOut(body)
        currentView = outer
    }

    /// Whether the list counts as empty.
    var isEmpty: Bool {
        if let emptinessRule { return store.gate.callOut(emptinessRule) }
        return switch options.emptiness {
        case .noItems: map.itemCount == 0
        case .noObjects: map.count == 0
        }
    }
}
