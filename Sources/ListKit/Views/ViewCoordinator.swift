// SPDX-License-Identifier: Apache-2.0

/// What a change of some views leads to: what to announce, and which section controllers to tell of it.
struct ViewChange {
    /// What to announce, in order.
    var events: [AdapterEvent]
    /// What section controllers are told, before that is announced.
    var calls: [ControllerCall]
}

/// The views of a list, and what is shown and in range over all of them.
///
/// It calls no section controller to notify it: it yields these calls as ``ControllerCall`` values. It asks controllers
/// for sizes and items, through the ``SectionStore``, and while no part of a view is being modified.
final class ViewCoordinator {
    private let environment: ViewEnvironment
    private var table = ViewTable()
    /// Views whose contents have to be asked for anew.
    private var stale: Set<ViewID> = []
    /// Whether what is on the screens keeps its place in the update that is being presented.
    private var keepsAnchors = false
    private var counts = DisplayCounts()
    /// The view that scrolled last.
    private var lastScrolledView: ViewID?
    /// Whether views are not sent anything.
    private(set) var holdsViews = false

    init(_ environment: ViewEnvironment) { self.environment = environment }

    private var map: SectionMap { environment.map }

    // MARK: Views

    /// The views in the order of their opening.
    var views: [ListView] { table.views }

    /// A view by its name.
    func view(_ id: ViewID) -> ListView? { table[id] }

    /// A view by its name, for a command that may change it.
    func viewToChange(_ id: ViewID) -> ListView? {
        table.markChanged(id)
        return table[id]
    }

    /// Whether somebody may be looking; a list without views counts as visible (rule CO-08).
    var isOnScreen: Bool { table.views.isEmpty || table.isOnScreen }

    /// The views that are not sent what they lack.
    var waitingViews: [ListView] { table.waiting }

    /// Opens a view.
    ///
    /// - Throws: `invalidArguments` for a name in use and for options out of range.
    func open(_ id: ViewID, _ options: ListViewOptions) throws(ListError) -> ListView {
        guard table[id] == nil else { throw ListError(.invalidArguments, "view: \(id) is open already") }
        try options.validate()
        let view = ListView(id, options, in: environment)
        table.append(view)
        return view
    }

    /// Finds what a view is to be opened at.
    ///
    /// - Throws: `noSuchObject`, `noSuchItem`.
    func opening(at place: ListViewOpening) throws(ListError) -> ViewOpening {
        guard let handle = map.handle(forID: place.objectID) else {
            throw ListError(.noSuchObject, "at: no object \(place.objectID.quoted)")
        }
        guard (0..<map.itemCount(of: handle)).contains(place.item) else {
            throw ListError(.noSuchItem, "at: \(place.objectID.quoted) has no item \(place.item)")
        }
        return ViewOpening(handle: handle, item: place.item, position: place.position)
    }

    /// Closes a view: everything in it ends and leaves, then it is closed.
    func close(_ view: ListView) -> ViewChange {
        view.geometry.close()
        let step = view.step()
        let (display, range) = view.events(of: step)
        let calls = self.calls([step])
        return ViewChange(events: [display, range].compactMap { $0 } + [.closed(view: view.id)], calls: calls)
    }

    /// Forgets a view that was closed.
    func remove(_ view: ListView) { table.remove(view) }

    // MARK: What is shown

    /// Whether a section is shown or in range somewhere.
    func isInUse(_ handle: SectionHandle) -> Bool { counts.isInUse(handle) }

    /// Whether a view refers to a section.
    var handlesInUse: Set<SectionHandle> { views.reduce(into: []) { $0.formUnion($1.handlesInUse) } }

    /// The items of a section that some view shows, ascending.
    func visibleIndexes(of handle: SectionHandle) -> [Int] {
        guard counts.isDisplayed(handle) else { return [] }
        return counts.displayedItems { $0 == handle }[handle] ?? []
    }

    /// Those that a view shows from edge to edge, inside of its content insets.
    func fullyVisibleIndexes(of handle: SectionHandle) -> [Int] {
        var indexes: Set<Int> = []
        for view in views {
            guard let viewport = view.geometry.viewport?.inset(by: view.options.contentInset) else { continue }
            for element in view.elements where element.key.handle == handle && element.key.kind == .cell {
                if viewport.contains(element.frame) { indexes.insert(element.key.index) }
            }
        }
        return indexes.sorted()
    }

    /// An item as a view last showed it.
    func displayedItem(of handle: SectionHandle, at index: Int) -> ListItem? {
        let key = ElementKey(handle: handle, kind: .cell, index: index)
        for view in views { if let item = view.sender.contents[key] { return item } }
        return nil
    }

    /// The view that section controllers see: the one being laid out, else the one that scrolled last.
    var contextView: ListView? {
        let view = (environment.currentView ?? lastScrolledView).flatMap { table[$0] }
        return view ?? views.first { $0.geometry.isActive }
    }

    // MARK: Steps

    /// Section controllers see the geometry of this view from now on.
    func setLastScrolled(_ view: ListView) { lastScrolledView = view.id }

    /// Brings a view up to date after its viewport changed.
    ///
    /// - Parameter old: where the viewport lay, if its controllers are to hear that the content moved.
    func update(_ view: ListView, scrolledFrom old: Point? = nil) -> ViewChange {
        let step = view.step()
        let pictures = compose(view)
        let (display, range) = view.events(of: step)
        var calls = self.calls([step])
        if let old, old != view.geometry.offset { calls += ControllerCalls(.scrolled, in: view).calls }
        let events = [display, range].compactMap { $0 } + pictures + view.nearEndEvents()
        return ViewChange(events: events, calls: calls)
    }

    /// What section controllers are told of some steps; from here on they count.
    func calls(_ steps: [DisplayStep], _ effects: UpdateEffects? = nil) -> [ControllerCall] {
        let movesItems = effects.map { !$0.replaced.isEmpty || !$0.forwarding.isEmpty } ?? false
        guard !steps.isEmpty || movesItems else { return [] }
        for step in steps {
            for element in step.disappeared { element.key.handle.map(environment.store.markUnneeded) }
            for place in step.exited { environment.store.markUnneeded(place.handle) }
        }
        return ControllerCalls(steps, &counts, map, effects).calls
    }

    /// Sends what a viewer lacks, as far as its credit goes.
    ///
    /// - Parameter endsStall: whether the viewer acknowledged something.
    func compose(_ view: ListView, endsStall: Bool = false) -> [AdapterEvent] {
        table.markChanged(view.id)
        return view.sender.compose(view, endsStall: endsStall, holds: holdsViews)
    }

    /// The items of a section have to be asked for anew.
    func invalidateContents(of handle: SectionHandle) {
        for view in views {
            view.invalidateContents(of: handle)
            guard view.sender.isStale else { continue }
            stale.insert(view.id)
            table.markChanged(view.id)
        }
    }

    /// Brings those views up to date that show something else now; answers whether there are more.
    func refresh(_ events: EventQueue) -> Bool {
        guard !stale.isEmpty else { return false }
        let waiting = table.views(of: stale)
        stale = []
        for view in waiting where view.sender.isStale {
            view.sender.markFresh()
            for event in compose(view) { events.append(event) }
        }
        return !stale.isEmpty
    }

    /// Has views wait, or go on.
    func setHolding(_ flag: Bool) { holdsViews = flag }

    // MARK: Updates

    /// Remembers what is on the screens, before the list changes; ``follow(_:_:)`` comes next.
    func rememberAnchors() {
        keepsAnchors = true
        environment.layouts.rememberBefore()
    }

    /// Brings all views up to date with an update; answers display and working range, then pictures.
    ///
    /// - Complexity: O(changes · log n) for each layout, and what each view costs that the update concerns.
    func follow(
        _ update: ObjectUpdate, _ section: SectionUpdate
    ) -> (displays: [AdapterEvent], pictures: [AdapterEvent], calls: [ControllerCall], effects: UpdateEffects) {
        let effects = UpdateEffects(of: update, section, map)
        let paths = table.nameItems ? PathForwarding(of: update, section.collector, environment.store) : nil
        let layouts = environment.layouts
        if effects.isReload {
            layouts.removeAll()
        } else {
            layouts.update(effects.layoutChanges, resized: effects.resized, in: environment)
        }
        var steps: [DisplayStep] = []
        let views = views(concernedBy: effects, paths)
        // Most updates change what some elements show and nothing else.
        let sections =
            effects.keepsPlaces && !layouts.areMoved && paths?.isIdentity != false ? effects.changedSections : nil
        let changed = views.map { view in sections.flatMap { view.changedElements($0, effects) } }
        for (view, changed) in zip(views, changed) where changed == nil {
            view.follow(effects, paths, keepsAnchors: keepsAnchors)
            steps.append(view.step(forwarding: effects.forwarding))
        }
        keepsAnchors = false
        layouts.forgetBefore()
        let followers = zip(views, changed).filter { $1 == nil }.map(\.0)
        let displays = zip(followers, steps).map { $0.events(of: $1) }
        let pictures = zip(views, changed).flatMap { view, changed in
            guard let changed else { return compose(view) + view.nearEndEvents() }
            return composeContents(of: changed, view)
        }
        let calls = self.calls(steps, effects)
        return (displays.compactMap(\.display) + displays.compactMap(\.range), pictures, calls, effects)
    }

    /// Sends the new contents of elements of a view.
    private func composeContents(of elements: [ViewElement], _ view: ListView) -> [AdapterEvent] {
        table.markChanged(view.id)
        return view.sender.composeContents(of: elements, view, holds: holdsViews) ?? compose(view)
    }

    /// The views that an update concerns.
    private func views(concernedBy effects: UpdateEffects, _ paths: PathForwarding?) -> [ListView] {
        // What a view shows of an empty list depends on more than the list.
        guard let sections = effects.changedSections, !environment.hasEmptinessRule else { return views }
        return table.views(
            showing: sections, isMoved: environment.layouts.areMoved,
            isRenamed: effects.changesCounts || paths?.isIdentity == false)
    }
}

extension Rect {
    /// The rectangle less insets, never smaller than nothing.
    fileprivate func inset(by insets: EdgeInsets) -> Rect {
        Rect(origin: Point(x: minX + insets.left, y: minY + insets.top), size: size.inset(by: insets))
    }

    /// Whether a rectangle lies inside from edge to edge.
    fileprivate func contains(_ other: Rect) -> Bool {
        minX <= other.minX && minY <= other.minY && other.maxX <= maxX && other.maxY <= maxY
    }
}
