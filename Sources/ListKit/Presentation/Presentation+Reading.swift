// SPDX-License-Identifier: Apache-2.0

// Reads, which do not change the list.

extension Presentation {
    /// How many objects the list has: its sections.
    public var objectCount: Int { store.map.count }

    /// How many items the list has.
    public var itemCount: Int { store.map.itemCount }

    /// How many items each section has, in order, from a section on; empty past the end.
    ///
    /// - Complexity: O(log n + sections counted).
    public func itemCounts(from section: Int, limit: Int) -> [Int] {
        guard section >= 0, limit > 0, section < objectCount else { return [] }
        return store.map.itemCounts(in: section..<section + min(limit, objectCount - section))
    }

    /// Objects in order, from an offset; empty past the end.
    public func objects(from offset: Int, limit: Int) -> [ListObject] {
        guard offset >= 0, limit > 0, offset < objectCount else { return [] }
        return store.map.objects(in: offset..<offset + min(limit, objectCount - offset))
    }

    /// The items of a section as its controller makes them; empty past the end.
    ///
    /// A controller is made for the section if there is none, and released if its kind has traits.
    public func items(inSection section: Int) -> [ListItem] {
        guard let handle = store.map.handle(at: section) else { return [] }
        let items = (0..<store.map.itemCount(of: handle)).map { store.askItem(of: handle, at: $0) }
        settle()
        if !store.events.isEmpty { store.gate.reportActivity() }
        return items
    }

    /// The selected items, in list order.
    public var selectedItems: [SelectedItem] { selections.selection.inOrder(store.map) }

    /// The section controller of a section, made if there is none; `nil` past the end, for a section at fault, and while its
    /// controller is being made.
    public func sectionController(at section: Int) -> ListSectionController? {
        store.map.handle(at: section).flatMap { settledController(of: $0) }
    }

    /// The section controller of an object; `nil` when the list has none with this identifier.
    func sectionController(forID id: String) -> ListSectionController? {
        store.map.handle(forID: id).flatMap { settledController(of: $0) }
    }

    private func settledController(of handle: SectionHandle) -> ListSectionController? {
        if let controller = store.existingController(of: handle) { return controller }
        _ = store.controller(of: handle)
        settle(keeping: handle)
        if !store.events.isEmpty { store.gate.reportActivity() }
        return store.existingController(of: handle)
    }

    // MARK: Views

    /// The section controllers of which something is shown, in list order.
    func visibleSectionControllers(in view: ViewID) -> [ListSectionController] {
        handlesShown(in: view, cellsOnly: false).compactMap { store.existingController(of: $0) }
    }

    /// The objects of which an item is shown, in list order.
    func visibleObjects(in view: ViewID) -> [ListObject] {
        handlesShown(in: view, cellsOnly: true).compactMap { store.map.object(of: $0) }
    }

    /// The sections of which an item is shown, ascending (rule AD-47).
    func visibleSections(in view: ViewID) -> [Int] {
        handlesShown(in: view, cellsOnly: true).compactMap { store.map.position(of: $0) }
    }

    private func handlesShown(in view: ViewID, cellsOnly: Bool) -> [SectionHandle] {
        views.view(view)?.handlesShown(cellsOnly: cellsOnly) ?? []
    }

    /// The items of an object that are shown, ascending; none for an unknown object (rules AD-48, AD-49).
    func visibleItems(ofObject id: String, in view: ViewID) -> [Int] {
        guard let handle = store.map.handle(forID: id), let view = views.view(view) else { return [] }
        return view.elements.filter { $0.key.handle == handle && $0.key.kind == .cell }.map(\.key.index)
    }

    /// The item at the inset corner of the viewport.
    func firstVisibleItem(in view: ViewID) -> IndexPath? {
        guard let view = views.view(view), let viewport = view.geometry.viewport else { return nil }
        return view.geometry.layout.firstVisibleItem(
            origin: viewport.origin, contentInset: view.options.contentInset)
    }

    /// How far the viewport has scrolled into its first visible item; 0 when there is none.
    func offsetIntoFirstVisibleItem(in view: ViewID) -> Double {
        guard let view = views.view(view), let viewport = view.geometry.viewport else { return 0 }
        return view.geometry.layout.offsetIntoFirstVisibleItem(
            origin: viewport.origin, contentInset: view.options.contentInset)
    }

    /// Where an element lies; `nil` when there is none (rule AD-59).
    func layoutAttributes(of kind: ElementKind, at path: IndexPath, in view: ViewID) -> LayoutAttributes? {
        guard let geometry = views.view(view)?.geometry, geometry.isActive else { return nil }
        return kind == .cell
            ? geometry.layout.attributes(ofItem: path) : geometry.layout.attributes(of: kind, section: path.section)
    }

    /// The item at a point of the content (rule AD-60).
    func item(at point: Point, in view: ViewID) -> IndexPath? { views.view(view)?.geometry.layout.item(at: point) }

    // MARK: Describing

    /// The list, its section controllers and its views, a line for each, for a dump.
    public var debugDescriptionLines: [String] {
        let state = update == nil ? "idle" : "applying"
        return descriptionLines(
            state: [], updater: "\(state), \(waitingItemUpdates) waiting, flush \(itemTiming)")
    }

    /// The description for a program that uses the library.
    ///
    /// - Parameters:
    ///   - state: more lines about the list.
    ///   - updater: the state of its updater.
    func descriptionLines(state: [String], updater: String) -> [String] {
        let options = configuration
        let lines =
            ["revision \(revision), \(objectCount) objects, \(itemCount) items, \(selectedItems.count) selected"]
            + state
            + [
                "layout \(options.layout.rawValue), \(options.direction.rawValue), working range \(options.workingRange)",
                "updater \(options.updater.rawValue): \(updater)",
                "  moves as deletes and inserts: \(options.sectionMovesAsDeletesInserts), prefers item reloads: "
                    + "\(options.preferItemReloads), single items: \(options.singleItemSectionUpdates), "
                    + "minimal moves: \(options.minimalMoves), reload threshold: \(options.reloadThreshold)",
            ]
        return ["adapter \(options.name.debugDescription)"] + (lines + controllerLines + viewLines).map { "  " + $0 }
    }

    /// The section controllers that exist, and the sections at fault (rule DB-01).
    private var controllerLines: [String] {
        let controllers = store.controllers.sorted { $0.key < $1.key }.prefix(Presentation.maximumDescriptions)
        var lines = [
            "\(store.controllers.count) section controllers, \(store.transientCount) of them for now, "
                + "\(store.map.handleCount) sections noticed"
        ]
        lines += controllers.map { handle, controller in
            let section = store.map.position(of: handle).map(String.init) ?? "none"
            return "  section \(section) \(store.id(of: handle).debugDescription): \(type(of: controller)), "
                + "\(store.map.itemCount(of: handle)) items"
        }
        lines += store.faults.sorted { $0.key < $1.key }.prefix(Presentation.maximumDescriptions).map {
            "  fault of \(store.id(of: $0).debugDescription): \($1)"
        }
        return lines
    }

    private var viewLines: [String] {
        views.views.map { view in
            let (geometry, sender) = (view.geometry, view.sender)
            let viewport = geometry.viewport ?? .zero
            let state = sender.credit.isStalled ? "stalled" : geometry.isActive ? "active" : "new"
            return "view \(view.id): \(geometry.kind.rawValue), \(state), sequence \(sender.sequence), "
                + "acknowledged \(sender.credit.acknowledged), viewport \(viewport.minX),\(viewport.minY) "
                + "\(viewport.size.width)×\(viewport.size.height), content \(geometry.contentSize.width)×"
                + "\(geometry.contentSize.height), \(view.elements.count) elements, \(sender.slotCount) slots, range "
                + "\(view.workingRange)"
        }
    }

    /// The most controllers, and the most faults, in a description.
    private static let maximumDescriptions = 100
}
