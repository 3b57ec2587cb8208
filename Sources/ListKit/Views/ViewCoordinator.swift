// SPDX-License-Identifier: Apache-2.0

/// The result of a change of views: events to announce, and calls that notify section controllers.
struct ViewChange {
    /// The events to announce, in order.
    var events: [AdapterEvent]
    /// The calls that notify section controllers. They are made before the events are announced.
    var calls: [ControllerCall]
}

/// The views of a list, with counts of the sections and items that they show or have in range.
///
/// Methods do not notify section controllers themselves. They return the notifications as ``ControllerCall`` values for
/// the caller to deliver. They ask controllers for sizes and items through the ``SectionStore``, while no part of a
/// view is being modified.
final class ViewCoordinator {
    private let environment: ViewEnvironment
    private var table = ViewTable()
    /// The views with items that must be requested again.
    private var stale: Set<ViewID> = []
    /// Whether the elements on screen keep their place in the update that is being presented.
    private var keepsAnchors = false
    private var counts = DisplayCounts()
    /// The view that scrolled last.
    private var lastScrolledView: ViewID?
    /// Whether all views are held, that is, sent nothing.
    private(set) var holdsViews = false
    /// The latest changes of paths, while a viewer names items by revision: each with the revision after it.
    private var recentPaths: [(revision: UInt64, paths: PathForwarding)] = []
    /// The revision from which on all changes are in ``recentPaths``.
    private var oldestPaths: UInt64?

    init(_ environment: ViewEnvironment) { self.environment = environment }

    private var map: SectionMap { environment.map }

    // MARK: Views

    /// The views in the order in which they were opened.
    var views: [ListView] { table.views }

    /// Whether no view is open.
    var isEmpty: Bool { table.views.isEmpty }

    /// Returns the view with an identifier.
    func view(_ id: ViewID) -> ListView? { table[id] }

    /// Returns the view with an identifier, for a command that may change the view.
    func viewToChange(_ id: ViewID) -> ListView? {
        table.markChanged(id)
        return table[id]
    }

    /// Whether any view may be visible to a user. A list without views counts as visible (rule CO-08).
    var isOnScreen: Bool { table.views.isEmpty || table.isOnScreen }

    /// The views whose changes are held back.
    var waitingViews: [ListView] { table.waiting }

    /// Opens a view.
    ///
    /// - Throws: `invalidArguments` for an identifier in use and for options out of range.
    func open(_ id: ViewID, _ options: ListViewOptions) throws(ListError) -> ListView {
        guard table[id] == nil else { throw ListError(.invalidArguments, "view: the view \(id) is already open") }
        try options.validate()
        let view = ListView(id, options, in: environment)
        table.append(view)
        if options.rangeAt == .revision, oldestPaths == nil { oldestPaths = environment.revision }
        return view
    }

    /// Finds the item at which a view is to be opened.
    ///
    /// - Throws: `noSuchObject` or `noSuchItem` if the item does not exist.
    func opening(at place: ListViewOpening) throws(ListError) -> ViewOpening {
        guard let handle = map.handle(forID: place.objectID) else {
            throw ListError(.noSuchObject, "at: there is no object \(place.objectID.quoted)")
        }
        guard (0..<map.itemCount(of: handle)).contains(place.item) else {
            throw ListError(.noSuchItem, "at: the object \(place.objectID.quoted) has no item \(place.item)")
        }
        return ViewOpening(handle: handle, item: place.item, position: place.position)
    }

    /// Closes a view. The display of its elements ends, its working range becomes empty, and then `closed` is
    /// announced.
    func close(_ view: ListView) -> ViewChange {
        view.geometry.close()
        let step = view.updateElements()
        let (display, range) = view.events(of: step)
        let calls = makeCalls(for: [step])
        return ViewChange(events: [display, range].compactMap { $0 } + [.closed(view: view.id)], calls: calls)
    }

    /// Removes a view that was closed.
    func remove(_ view: ListView) { table.remove(view) }

    // MARK: What is shown

    /// Returns whether any view shows a section or has the section in range.
    func isInUse(_ handle: SectionHandle) -> Bool {
        counts.isInUse(handle) || environment.isPrefetched(handle)
    }

    /// The sections that any view refers to.
    var handlesInUse: Set<SectionHandle> { views.reduce(into: []) { $0.formUnion($1.handlesInUse) } }

    /// Returns the indexes of a section's items that any view shows, ascending.
    func visibleIndexes(of handle: SectionHandle) -> [Int] {
        guard counts.isDisplayed(handle) else { return [] }
        return counts.displayedItems { $0 == handle }[handle] ?? []
    }

    /// Returns the indexes of a section's items that any view shows from edge to edge within its content insets,
    /// ascending.
    func fullyVisibleIndexes(of handle: SectionHandle) -> [Int] {
        var indexes: Set<Int> = []
        for view in views {
            guard let viewport = view.geometry.viewport?.inset(by: view.options.contentInset) else { continue }
            for element in view.displayed where element.key.handle == handle && element.key.kind == .cell {
                if viewport.contains(element.frame) { indexes.insert(element.key.index) }
            }
        }
        return indexes.sorted()
    }

    /// Returns an item as a view last showed it, or `nil` if no view shows the item.
    func displayedItem(of handle: SectionHandle, at index: Int) -> ListItem? {
        let key = ElementKey(handle: handle, kind: .cell, index: index)
        let section = map.position(of: handle) ?? 0
        for view in views { if let item = view.sender.item(of: key, section: section) { return item } }
        return nil
    }

    /// The view whose geometry section controllers see: the view that is being laid out, or else the view that
    /// scrolled last, or else the first view with a viewport.
    var contextView: ListView? {
        let view = (environment.currentView ?? lastScrolledView).flatMap { table[$0] }
        return view ?? views.first { $0.geometry.isActive }
    }

    // MARK: Steps

    /// Records which view scrolled last. Section controllers see the geometry of that view.
    func setLastScrolled(_ view: ListView) { lastScrolledView = view.id }

    /// Updates a view after its viewport changed.
    ///
    /// - Parameters:
    ///   - old: the previous origin of the viewport, if section controllers are to be notified of a scroll.
    ///   - growth: the bytes by which the view's elements with their contents may grow.
    ///   - former: the place of the view before.
    /// - Returns: `nil` if they would grow by more. Then the view shows what it showed at its former place.
    /// - Complexity: O(elements); O(log n + elements that appear and disappear) for most scrolls by less than a quarter of
    ///   what the view shows.
    func update(
        _ view: ListView, scrolledFrom old: Point? = nil, growth: Int, orRestoring former: ViewGeometry.Place
    ) -> ViewChange? {
        let range = view.workingRange
        if let edit = view.edit(scrolledFrom: former) {
            let (step, undoing) = view.scroll(edit)
            guard view.sender.fetchContents(of: view, growth: growth) else {
                environment.store.addReleaseCandidates(step.appeared.lazy.compactMap(\.key.handle))
                view.undo(undoing, range, former)
                return nil
            }
            return finish(step, of: view, compose(view, isFetched: true), scrolledFrom: old)
        }
        let place = view.place(former)
        let step = view.updateElements()
        guard view.sender.fetchContents(of: view, growth: growth) else {
            environment.store.addReleaseCandidates(step.appeared.lazy.compactMap(\.key.handle))
            view.restore(place)
            return nil
        }
        return finish(step, of: view, compose(view, isFetched: true), scrolledFrom: old)
    }

    /// Updates a view after its viewport or layout changed.
    func update(_ view: ListView, scrolledFrom old: Point? = nil) -> ViewChange {
        let step = view.updateElements()
        return finish(step, of: view, compose(view), scrolledFrom: old)
    }

    private func finish(
        _ step: DisplayStep, of view: ListView, _ pictures: [AdapterEvent], scrolledFrom old: Point?
    ) -> ViewChange {
        let (display, range) = view.events(of: step)
        var calls = makeCalls(for: [step])
        if let old, old != view.geometry.offset, environment.store.hasScrollDelegates {
            calls += ControllerCalls(.scrolled, in: view).calls
        }
        let events = [display, range].compactMap { $0 } + pictures + view.nearEndEvents()
        return ViewChange(events: events, calls: calls)
    }

    /// Returns the calls that notify section controllers of some steps, and counts the elements of the steps.
    func makeCalls(for steps: [DisplayStep], _ effects: UpdateEffects? = nil) -> [ControllerCall] {
        let movesItems = effects.map { !$0.replaced.isEmpty || !$0.forwarding.isEmpty } ?? false
        guard !steps.isEmpty || movesItems else { return [] }
        for step in steps {
            environment.store.addReleaseCandidates(step.disappeared.lazy.compactMap(\.key.handle))
            environment.store.addReleaseCandidates(step.exited.lazy.map(\.handle))
        }
        return ControllerCalls(steps, &counts, map, effects).calls
    }

    /// Composes the change that brings a viewer up to date, if the viewer's credit allows it.
    ///
    /// - Parameters:
    ///   - endsStall: whether the viewer has just acknowledged a picture.
    ///   - isFetched: whether the items of all elements were just fetched.
    func compose(_ view: ListView, endsStall: Bool = false, isFetched: Bool = false) -> [AdapterEvent] {
        table.markChanged(view.id)
        guard !view.geometry.isAsleep else {
            if endsStall { view.sender.endStall() }
            return []
        }
        return view.sender.compose(view, endsStall: endsStall, holds: holdsViews, isFetched: isFetched)
    }

    // MARK: Off screen

    /// Releases the layouts of the views that are off screen.
    private func letViewsSleep() {
        guard table.hasViewsOffScreen else { return }
        for view in views where !view.isOnScreen {
            view.geometry.fallAsleep()
            table.markChanged(view.id)
        }
    }

    /// Lays a view out that was off screen. Returns `false` if it has its layout. Otherwise ``update(_:scrolledFrom:)``
    /// must be called next.
    func wake(_ view: ListView) -> Bool {
        guard view.geometry.isAsleep else { return false }
        view.geometry.wake(view.displayed, sequence: view.sender.sequence)
        return true
    }

    /// Invalidates the cached items of a section in all views.
    func invalidateContents(of handle: SectionHandle) {
        for view in views {
            view.invalidateContents(of: handle)
            guard view.sender.isStale else { continue }
            stale.insert(view.id)
            table.markChanged(view.id)
        }
    }

    /// Composes changes for the views with invalidated items. Returns whether more items were invalidated meanwhile.
    func refreshStaleViews(_ events: EventQueue) -> Bool {
        guard !stale.isEmpty else { return false }
        let waiting = table.views(of: stale)
        stale = []
        for view in waiting where view.sender.isStale {
            view.sender.clearStale()
            for event in compose(view) { events.append(event) }
        }
        return !stale.isEmpty
    }

    /// Sets whether all views are held, that is, sent nothing.
    func setHoldsViews(_ flag: Bool) { holdsViews = flag }

    // MARK: Updates

    /// Prepares anchoring before the list changes, by keeping the present layouts. ``apply(_:_:)`` or
    /// ``endAnchoring()`` must be called next.
    func prepareAnchoring() {
        letViewsSleep()
        keepsAnchors = true
        environment.layouts.keepOldLayouts()
    }

    /// Releases the layouts that ``prepareAnchoring()`` kept.
    func endAnchoring() {
        keepsAnchors = false
        environment.layouts.releaseOldLayouts()
    }

    /// Applies an update to all views.
    ///
    /// - Returns: `displays` has the events about display and working range, which are announced before `pictures`.
    /// - Complexity: O(changes · log n) for each layout, and the cost of each view that the update concerns.
    func apply(
        _ change: Change, _ section: SectionUpdate
    ) -> (displays: [AdapterEvent], pictures: [AdapterEvent], calls: [ControllerCall], effects: UpdateEffects) {
        letViewsSleep()
        let effects = UpdateEffects(of: change, section, map)
        let namesItems = table.hasViewersNamingItems
        let paths =
            namesItems || !effects.keepsPlaces
            ? PathForwarding(of: change, section.collector, environment.store, ofAllSections: namesItems) : nil
        let layouts = environment.layouts
        if effects.isReload {
            layouts.removeAll()
        } else {
            layouts.update(
                effects.layoutChanges, resized: effects.resized, moved: effects.movedSections, in: environment)
        }
        recordPaths(paths)
        var steps: [DisplayStep] = []
        let views = views(concernedBy: effects, paths)
        // Most updates change only the contents of some elements.
        let sections =
            effects.keepsPlaces && !layouts.haveFramesChanged && paths?.isIdentity != false
            ? effects.changedSections : nil
        let changed = views.map { view in sections.flatMap { view.changedElements(in: $0, by: effects) } }
        for (view, changed) in zip(views, changed) where changed == nil {
            view.apply(effects, paths, keepsAnchors: keepsAnchors)
            steps.append(view.updateElements())
        }
        endAnchoring()
        let followers = zip(views, changed).filter { $1 == nil }.map(\.0)
        let displays = zip(followers, steps).map { $0.events(of: $1) }
        let pictures = zip(views, changed).flatMap { view, changed in
            guard let changed else { return compose(view) + view.nearEndEvents() }
            view.sender.recordUpdate(effects, nil)
            return composeContents(of: changed, view)
        }
        let calls = makeCalls(for: steps, effects)
        return (displays.compactMap(\.display) + displays.compactMap(\.range), pictures, calls, effects)
    }

    /// The number of changes that are kept for viewers that name items by revision.
    private static let keptPaths = 256

    /// Records a change of paths if any viewer names items by revision.
    private func recordPaths(_ paths: PathForwarding?) {
        guard table.hasViewersNamingRevisions else {
            (recentPaths, oldestPaths) = ([], nil)
            return
        }
        guard let paths, !paths.isIdentity else { return }
        recentPaths.append((environment.revision, paths))
        guard recentPaths.count > Self.keptPaths else { return }
        oldestPaths = recentPaths.removeFirst().revision
    }

    /// Returns the change of paths since a revision; `nil` if there was none.
    ///
    /// - Throws: `revisionGone` if the changes since then are not kept.
    func paths(since revision: UInt64) throws(ListError) -> PathForwarding? {
        let oldest = oldestPaths ?? environment.revision
        guard revision >= oldest else {
            throw ListError(
                .revisionGone, "the range refers to revision \(revision), but changes are kept only from \(oldest)")
        }
        var joined: PathForwarding?
        for (number, paths) in recentPaths where number > revision { joined = joined?.followed(by: paths) ?? paths }
        return joined
    }

    /// Composes the new contents of some elements of a view.
    private func composeContents(of elements: [ViewElement], _ view: ListView) -> [AdapterEvent] {
        table.markChanged(view.id)
        return view.sender.composeContents(of: elements, view, holds: holdsViews) ?? compose(view)
    }

    /// Returns the views that an update concerns.
    private func views(concernedBy effects: UpdateEffects, _ paths: PathForwarding?) -> [ListView] {
        // An emptiness rule depends on more than the list, so any view may begin or cease to show the empty view.
        guard !environment.hasEmptinessRule else { return views }
        if let sections = effects.movedSections {
            return table.views(
                placing: sections, changedParts: environment.layouts.changedParts,
                movesLast: sections.upperBound == map.count,
                changesItems: effects.changesCounts || !effects.change.removed.isEmpty)
        }
        guard let sections = effects.changedSections else { return views }
        return table.views(
            showing: sections, framesChanged: environment.layouts.haveFramesChanged,
            pathsChanged: effects.changesCounts || paths?.isIdentity == false)
    }
}

extension Rect {
    /// Returns the rectangle without the insets. The size is never negative.
    fileprivate func inset(by insets: EdgeInsets) -> Rect {
        Rect(origin: Point(x: minX + insets.left, y: minY + insets.top), size: size.inset(by: insets))
    }

    /// Returns whether another rectangle lies completely inside this one.
    fileprivate func contains(_ other: Rect) -> Bool {
        minX <= other.minX && minY <= other.minY && other.maxX <= maxX && other.maxY <= maxY
    }
}

/// The views of a list in the order in which they were opened. An outline of each view shows whether an update
/// concerns the view.
struct ViewTable {
    /// The properties of a view that show whether an update concerns the view.
    private struct Outline: Equatable {
        /// The sections whose changes concern the view.
        var sections = 0..<0
        /// The sections whose places concern the view.
        var placed = 0..<0
        /// The layout that the view shares, and the part of the content along the scroll axis that it shows.
        var layout: ObjectIdentifier?
        var part = -Double.infinity ... .infinity
        /// Whether the view has to process every update, and every one that moves sections.
        var followsAll = true
        var followsAllMoves = true
        /// Whether the working range is counted in items, so that it ends where the list has no more of them.
        var countsItems = false
        /// Whether the viewer was told that the end of the list is near.
        var isNearEnd = false
        /// Whether the viewer refers to items by path, as in the layout `none`.
        var namesItems = false
        /// Whether changes for the viewer are held back.
        var isWaiting = false
        var isOnScreen = true
    }

    /// The views in the order in which they were opened.
    private(set) var views: [ListView] = []
    private var outlines: [Outline] = []
    /// A number for each view in ``views``, ascending in the order of opening.
    private var numbers: [Int] = []
    private var known: [ViewID: (view: ListView, number: Int)] = [:]
    private var lastNumber = 0
    /// The views whose outlines are outdated.
    private var changed: Set<ViewID> = []
    /// The sections that views show, for the views that need not follow every update.
    private var shownSections = ShownSections()
    /// The numbers of the views that follow every update.
    private var allFollowers: Set<Int> = []
    /// The number of views whose viewer names items.
    private var namingViewCount = 0
    /// The number of views whose viewer names items by revision.
    private var namingRevisionsCount = 0
    /// The number of views whose changes are held back.
    private var waitingCount = 0
    /// The number of views that are on screen.
    private var onScreenCount = 0

    /// The view with an identifier.
    subscript(id: ViewID) -> ListView? { known[id]?.view }

    /// Adds a view whose identifier is not in use.
    mutating func append(_ view: ListView) {
        lastNumber += 1
        views.append(view)
        outlines.append(Outline())
        addToIndex(Outline(), ofView: lastNumber)
        numbers.append(lastNumber)
        known[view.id] = (view, lastNumber)
        if view.options.rangeAt == .revision { namingRevisionsCount += 1 }
        changed.insert(view.id)
    }

    /// Removes a view.
    ///
    /// - Complexity: O(views).
    mutating func remove(_ view: ListView) {
        guard let place = index(of: view.id), views[place] === view else { return }
        views.remove(at: place)
        let number = numbers.remove(at: place)
        removeFromIndex(outlines.remove(at: place), ofView: number)
        known[view.id] = nil
        if view.options.rangeAt == .revision { namingRevisionsCount -= 1 }
        changed.remove(view.id)
    }

    private func index(of id: ViewID) -> Int? {
        guard let number = known[id]?.number else { return nil }
        return numbers.partitionPoint { $0 < number }
    }

    /// Marks the outline of a view as outdated. The view may change until the next query.
    mutating func markChanged(_ id: ViewID) { changed.insert(id) }

    /// Computes outdated outlines again.
    private mutating func updateOutlines() {
        guard !changed.isEmpty else { return }
        for id in changed {
            guard let place = index(of: id) else { continue }
            let view = views[place]
            let outline = Outline(
                sections: view.followedSections, placed: view.placedSections, layout: view.geometry.layoutID,
                part: view.geometry.shownPart, followsAll: view.followsAllUpdates,
                followsAllMoves: view.followsAllMoves, countsItems: view.options.workingRangeUnit == .items,
                isNearEnd: view.isNearEnd,
                namesItems: view.geometry.kind == .none && view.geometry.isActive, isWaiting: view.isWaiting,
                isOnScreen: view.isOnScreen)
            guard outline != outlines[place] else { continue }
            removeFromIndex(outlines[place], ofView: numbers[place])
            addToIndex(outline, ofView: numbers[place])
            outlines[place] = outline
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Adds a view's outline to the counts and to the index of sections.
    private mutating func addToIndex(_ outline: Outline, ofView number: Int) {
        if outline.namesItems { namingViewCount += 1 }
        if outline.isOnScreen { onScreenCount += 1 }
        if outline.isWaiting { waitingCount += 1 }
        if outline.followsAll {
            allFollowers.insert(number)
        } else {
            shownSections.insert(outline.sections, ofView: number)
        }
    }

    /// Removes a view's outline from the counts and from the index of sections.
    private mutating func removeFromIndex(_ outline: Outline, ofView number: Int) {
        if outline.namesItems { namingViewCount -= 1 }
        if outline.isOnScreen { onScreenCount -= 1 }
        if outline.isWaiting { waitingCount -= 1 }
        if outline.followsAll {
            allFollowers.remove(number)
        } else {
            shownSections.remove(outline.sections, ofView: number)
        }
    }

    // MARK: Queries

    /// Whether any view is on screen.
    var isOnScreen: Bool {
        mutating get {
            updateOutlines()
            return onScreenCount > 0
        }
    }

    /// Whether any view is off screen.
    var hasViewsOffScreen: Bool {
        mutating get {
            updateOutlines()
            return onScreenCount < views.count
        }
    }

    /// Whether any viewer refers to items by path, as in the layout `none`.
    var hasViewersNamingItems: Bool {
        mutating get {
            updateOutlines()
            return namingViewCount > 0
        }
    }

    /// Whether any viewer names items by revision.
    var hasViewersNamingRevisions: Bool { namingRevisionsCount > 0 }

    /// The views whose changes are held back, in the order in which they were opened.
    var waiting: [ListView] {
        mutating get {
            updateOutlines()
            guard waitingCount > 0 else { return [] }
            return outlines.indices.filter { outlines[$0].isWaiting }.map { views[$0] }
        }
    }

    /// Returns the views with the given identifiers, in the order in which they were opened.
    func views(of ids: Set<ViewID>) -> [ListView] {
        ids.compactMap { known[$0] }.sorted { $0.number < $1.number }.map(\.view)
    }

    /// Returns the views that an update concerns that moves or replaces sections, in the order in which they were opened.
    ///
    /// - Parameters:
    ///   - sections: the sections with all changes. The sections after them keep their positions.
    ///   - changedParts: the parts of the content along the scroll axis in which frames changed, by layout.
    ///   - movesLast: whether another section may have become the last one.
    ///   - changesItems: whether sections have other numbers of items than before.
    /// - Complexity: O(views), but a view costs no more than a few comparisons.
    mutating func views(
        placing sections: Range<Int>, changedParts: [ObjectIdentifier: ClosedRange<Double>], movesLast: Bool,
        changesItems: Bool
    ) -> [ListView] {
        updateOutlines()
        var (layout, part): (ObjectIdentifier?, ClosedRange<Double>?) = (nil, nil)
        return outlines.indices.filter { place in
            let outline = outlines[place]
            if outline.followsAll || outline.followsAllMoves || outline.placed.overlaps(sections) { return true }
            if movesLast && outline.isNearEnd || changesItems && outline.countsItems { return true }
            // Most views have the layout of the view before.
            if outline.layout != layout {
                layout = outline.layout
                part = layout.flatMap { changedParts[$0] }
            }
            return part?.overlaps(outline.part) == true
        }.map { views[$0] }
    }

    /// Returns the views that an update concerns, in the order in which they were opened. Call this only if all
    /// sections keep their positions in the update.
    ///
    /// - Parameters:
    ///   - sections: the positions of the changed sections, ascending.
    ///   - framesChanged: whether the update changed any frame in a layout.
    ///   - pathsChanged: whether the update changed any item path.
    /// - Complexity: O(changed sections · views near them). O(views) if frames changed or if more sections changed than
    ///   there are views.
    mutating func views(showing sections: [Int], framesChanged: Bool, pathsChanged: Bool) -> [ListView] {
        updateOutlines()
        guard framesChanged || pathsChanged && namingViewCount > 0 || sections.count > views.count else {
            var found = allFollowers
            for section in sections { shownSections.insertViews(showing: section, into: &found) }
            return found.sorted().map { number in views[numbers.partitionPoint { $0 < number }] }
        }
        return outlines.indices.filter { place in
            let outline = outlines[place]
            if outline.followsAll || (outline.namesItems ? pathsChanged : framesChanged) { return true }
            let next = sections.partitionPoint { $0 < outline.sections.lowerBound }
            return next < sections.count && sections[next] < outline.sections.upperBound
        }.map { views[$0] }
    }
}

/// An index from sections to the views that show them.
///
/// It finds the views of a changed section without visiting the other views. Sections are grouped in buckets of 64. A
/// view that spans more than 16 buckets is kept in a list that each lookup scans.
struct ShownSections {
    private static let bucketSize = 64
    private static let maximumBucketCount = 16

    /// The section ranges of views by view number, for each bucket.
    private var buckets: [Int: [Int: Range<Int>]] = [:]
    /// The section ranges of views that span too many buckets, by view number.
    private var wideRanges: [Int: Range<Int>] = [:]

    /// Adds the sections that a view shows.
    ///
    /// - Complexity: O(1).
    mutating func insert(_ sections: Range<Int>, ofView number: Int) {
        guard !sections.isEmpty else { return }
        guard let spanned = ShownSections.buckets(of: sections) else { return wideRanges[number] = sections }
        for bucket in spanned { buckets[bucket, default: [:]][number] = sections }
    }

    /// Removes a view. `sections` are the sections with which the view was inserted.
    ///
    /// - Complexity: O(1).
    mutating func remove(_ sections: Range<Int>, ofView number: Int) {
        guard !sections.isEmpty else { return }
        guard let spanned = ShownSections.buckets(of: sections) else { return wideRanges[number] = nil }
        for bucket in spanned {
            buckets[bucket]?[number] = nil
            if buckets[bucket]?.isEmpty == true { buckets[bucket] = nil }
        }
    }

    /// Adds the numbers of the views that show a section to a set.
    ///
    /// - Complexity: O(views near the section, and views that show more than a thousand sections).
    func insertViews(showing section: Int, into numbers: inout Set<Int>) {
        for (number, sections) in buckets[section / ShownSections.bucketSize] ?? [:]
        where sections.contains(section) {
            numbers.insert(number)
        }
        for (number, sections) in wideRanges where sections.contains(section) { numbers.insert(number) }
    }

    /// The buckets that a range of sections spans; nil when there are too many.
    private static func buckets(of sections: Range<Int>) -> ClosedRange<Int>? {
        let spanned = sections.lowerBound / bucketSize...(sections.upperBound - 1) / bucketSize
        return spanned.count <= maximumBucketCount ? spanned : nil
    }
}
