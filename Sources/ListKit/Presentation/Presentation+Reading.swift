// SPDX-License-Identifier: Apache-2.0

// Functions that read the list without changing it.

extension Presentation {
    /// The number of objects in the list, which is also the number of sections.
    public var objectCount: Int { store.map.count }

    /// The number of items in the list.
    public var itemCount: Int { store.map.itemCount }

    /// Whether every section has exactly one item; true for an empty list.
    public var isFlat: Bool { store.map.isFlat }

    /// Returns the numbers of items of up to `limit` sections, from a section on; empty past the last section.
    ///
    /// - Complexity: O(log n + sections counted).
    public func itemCounts(from section: Int, limit: Int) -> [Int] {
        guard section >= 0, limit > 0, section < objectCount else { return [] }
        return store.map.itemCounts(in: section..<section + min(limit, objectCount - section))
    }

    /// Returns up to `limit` objects in order, from an offset on; empty past the last object.
    public func objects(from offset: Int, limit: Int) -> [ListObject] {
        guard offset >= 0, limit > 0, offset < objectCount else { return [] }
        return store.map.objects(in: offset..<offset + min(limit, objectCount - offset))
    }

    /// Returns the items of a section, which its section controller makes; empty if there is no such section.
    ///
    /// A controller is made if the section has no controller yet. It is released afterwards if its kind has traits.
    public func items(inSection section: Int) -> [ListItem] {
        guard let handle = store.map.handle(at: section) else { return [] }
        let items = (0..<store.map.itemCount(of: handle)).map { store.askItem(of: handle, at: $0) }
        runEnqueuedWork()
        if !store.events.isEmpty { store.gate.reportActivity() }
        return items
    }

    /// The selected items, in list order.
    public var selectedItems: [SelectedItem] { selections.selection.inOrder(store.map) }

    /// Returns the section controller of a section. A controller is made if the section has no controller yet.
    ///
    /// - Returns: the controller; `nil` if there is no such section, if the section is at fault, or while its
    ///   controller is being made.
    public func sectionController(at section: Int) -> ListSectionController? {
        store.map.handle(at: section).flatMap { existingOrNewController(of: $0) }
    }

    /// Returns the section controller of the object with an identifier, as ``sectionController(at:)`` does; `nil` if
    /// there is no such object.
    func sectionController(forID id: String) -> ListSectionController? {
        store.map.handle(forID: id).flatMap { existingOrNewController(of: $0) }
    }

    private func existingOrNewController(of handle: SectionHandle) -> ListSectionController? {
        if let controller = store.existingController(of: handle) { return controller }
        _ = store.controller(of: handle)
        runEnqueuedWork(keeping: handle)
        if !store.events.isEmpty { store.gate.reportActivity() }
        return store.existingController(of: handle)
    }

    // MARK: Views

    /// Returns the section controllers of the sections that are visible in a view, in list order.
    func visibleSectionControllers(in view: ViewID) -> [ListSectionController] {
        handlesShown(in: view, cellsOnly: false).compactMap { store.existingController(of: $0) }
    }

    /// Returns the objects with items that are visible in a view, in list order.
    func visibleObjects(in view: ViewID) -> [ListObject] {
        handlesShown(in: view, cellsOnly: true).compactMap { store.map.object(of: $0) }
    }

    /// Returns the sections with items that are visible in a view, ascending (rule AD-47).
    func visibleSections(in view: ViewID) -> [Int] {
        handlesShown(in: view, cellsOnly: true).compactMap { store.map.position(of: $0) }
    }

    private func handlesShown(in view: ViewID, cellsOnly: Bool) -> [SectionHandle] {
        views.view(view)?.handlesShown(cellsOnly: cellsOnly) ?? []
    }

    /// Returns the visible items of an object in a view, ascending; empty for an unknown object (rules AD-48, AD-49).
    func visibleItems(ofObject id: String, in view: ViewID) -> [Int] {
        guard let handle = store.map.handle(forID: id), let view = views.view(view) else { return [] }
        return view.displayed.filter { $0.key.handle == handle && $0.key.kind == .cell }.map(\.key.index)
    }

    /// Returns the item at the view's first visible point: the origin of the viewport plus the content inset.
    func firstVisibleItem(in view: ViewID) -> IndexPath? {
        guard let view = views.view(view), let viewport = view.geometry.viewport else { return nil }
        return view.geometry.layout.firstVisibleItem(
            origin: viewport.origin, contentInset: view.options.contentInset)
    }

    /// Returns the distance by which the viewport has scrolled into its first visible item; 0 without a visible item.
    func offsetIntoFirstVisibleItem(in view: ViewID) -> Double {
        guard let view = views.view(view), let viewport = view.geometry.viewport else { return 0 }
        return view.geometry.layout.offsetIntoFirstVisibleItem(
            origin: viewport.origin, contentInset: view.options.contentInset)
    }

    /// Returns the layout attributes of an element; `nil` if there is no such element (rule AD-59).
    func layoutAttributes(of kind: ElementKind, at path: IndexPath, in view: ViewID) -> LayoutAttributes? {
        guard let geometry = views.view(view)?.geometry, geometry.isActive else { return nil }
        return kind == .cell
            ? geometry.layout.attributes(ofItem: path) : geometry.layout.attributes(of: kind, section: path.section)
    }

    /// Returns the item at a point of a view's content; `nil` if there is no item (rule AD-60).
    func item(at point: Point, in view: ViewID) -> IndexPath? { views.view(view)?.geometry.layout.item(at: point) }

    // MARK: Describing

    /// A description of the list, its section controllers and its views for a debug dump, in lines.
    public var debugDescriptionLines: [String] {
        let state = update == nil ? "idle" : "applying"
        return descriptionLines(
            state: [], updater: "\(state), \(queuedItemUpdateCount) queued, next flush \(itemTiming)")
    }

    /// Returns the lines of a description, with additional information from the caller.
    ///
    /// - Parameters:
    ///   - state: additional lines about the list.
    ///   - updater: the state of the list's updater.
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

    /// The lines for existing section controllers and for sections at fault (rule DB-01).
    private var controllerLines: [String] {
        let controllers = store.controllers.sorted { $0.key < $1.key }.prefix(Presentation.maximumDescriptions)
        var lines = [
            "\(store.controllers.count) section controllers, \(store.transientCount) of them transient, "
                + "\(store.map.handleCount) sections with a handle"
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
                + "\(geometry.contentSize.height), \(view.elements.count) elements, \(sender.slotCount) slots, "
                + "working range \(view.workingRange.sections)"
        }
    }

    /// The maximum number of section controllers, and of faults, in a description.
    private static let maximumDescriptions = 100
}
