// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// How many objects the list has: its sections.
    public var objectCount: Int { sections.count }

    /// How many items the list has.
    public var itemCount: Int { sections.itemCount }

    /// The object of a section; `nil` past the end.
    public func object(at section: Int) -> ListObject? {
        sections.object(at: section)
    }

    /// The section of an object; `nil` when the list has none with this identifier.
    public func section(forID id: String) -> Int? {
        sections.position(ofID: id)
    }

    /// The object with an identifier, without its place; `nil` when the list has none.
    @_spi(Daemon) public func object(forID id: String) -> ListObject? {
        sections.object(withID: id)
    }

    /// How many items a section has; `nil` past the end.
    public func itemCount(inSection section: Int) -> Int? {
        sections.itemCount(at: section)
    }

    /// How many items each section has, in order, from a section on; empty past the end.
    ///
    /// - Complexity: O(log n + sections counted).
    @_spi(Daemon) public func itemCounts(from section: Int, limit: Int) -> [Int] {
        guard section >= 0, limit > 0, section < sections.count else { return [] }
        return sections.itemCounts(in: section..<section + min(limit, sections.count - section))
    }

    /// Objects in order, from an offset; empty past the end.
    public func objects(from offset: Int, limit: Int) -> [ListObject] {
        guard offset >= 0, limit > 0, offset < sections.count else { return [] }
        return sections.objects(in: offset..<offset + min(limit, sections.count - offset))
    }

    /// The items of a section as its controller makes them; empty past the end.
    ///
    /// A controller is made for the section if there is none, and given back if its kind has traits.
    public func items(inSection section: Int) -> [ListItem] {
        guard let handle = sections.handle(at: section) else { return [] }
        let items = (0..<sections.itemCount(of: handle)).map { askItem(of: handle, at: $0) }
        settle()
        if !pendingEvents.isEmpty { noteActivity() }
        return items
    }

    /// The selected items, in list order.
    public var selectedItems: [SelectedItem] {
        let placed = selection.items.compactMap { handle, indexes in
            sections.position(of: handle).map { (position: $0, handle: handle, indexes: indexes) }
        }
        return placed.sorted { $0.position < $1.position }.flatMap { section in
            let id = id(of: section.handle)
            return section.indexes.sorted().map { SelectedItem(objectID: id, item: $0) }
        }
    }

    /// The section controller of a section, made if there is none; `nil` past the end, for a section at fault, and while its
    /// controller is being made.
    ///
    /// Makers, providers and `didUpdate(to:)` may ask for others' controllers, whose makers ask again: in the 32nd that is
    /// nested so it is `nil` for a section without a controller, which is made later.
    /// What a new controller asks for is done before it is answered. One whose kind has traits is given back with the next
    /// call, unless a view shows it.
    public func sectionController(at section: Int) -> ListSectionController? {
        sections.handle(at: section).flatMap { settledController(of: $0) }
    }

    /// The section controller of an object; `nil` when the list has none with this identifier, else as
    /// ``sectionController(at:)``.
    public func sectionController(forID id: String) -> ListSectionController? {
        sections.handle(forID: id).flatMap { settledController(of: $0) }
    }

    private func settledController(of handle: SectionHandle) -> ListSectionController? {
        if let controller = registry.controllers[handle] { return controller }
        _ = controller(of: handle)
        settle(keeping: handle)
        if !pendingEvents.isEmpty { noteActivity() }
        return registry.controllers[handle]
    }

    /// Events that no answer carried, in order: what section controllers caused by themselves.
    public func takeEvents() -> [AdapterEvent] {
        settle()
        defer { pendingEvents = [] }
        return pendingEvents
    }

    func section(of handle: SectionHandle) -> Int? { sections.position(of: handle) }
    func object(of handle: SectionHandle) -> ListObject? { sections.object(of: handle) }
    func itemCount(of handle: SectionHandle) -> Int { sections.itemCount(of: handle) }
    func state(of handle: SectionHandle) -> Fields { states[handle] ?? Fields() }
    func setState(_ state: Fields, of handle: SectionHandle) {
        if sections.position(of: handle) != nil { states[handle] = state.isEmpty ? nil : state }
    }

    /// Fills a new list.
    func load(_ objects: [ListObject]) {
        var objects = objects
        var kinds = LastKind()
        if !objects.allSatisfy({ kinds.isKnown(for: $0, in: self) }) {
            objects = UniqueObjects(objects).objects.filter { kinds.isKnown(for: $0, in: self) }
        }
        var (count, unsettled) = (0, [Int]())
        let table = SectionTable(objects) { object in
            defer { count += 1 }
            if let itemCount = kinds.itemCount(of: object, in: self) { return itemCount }
            unsettled.append(count)
            return 0
        }
        sections = SectionMap(table)
        countItems(at: unsettled)
    }

    /// Shows a table that somebody else fills; its provider looks at no list.
    func load(_ table: SectionTable) {
        var kinds = LastKind()
        var (count, unsettled) = (0, [Int]())
        sections = SectionMap(table)
        table.setItemCounts { object in
            defer { count += 1 }
            if let itemCount = kinds.itemCount(of: object, in: self) { return itemCount }
            unsettled.append(count)
            return 0
        }
        countItems(at: unsettled)
    }

    /// Asks sections for their numbers of items.
    private func countItems(at positions: [Int]) {
        for position in positions {
            guard let handle = sections.handle(at: position) else { continue }
            sections.setItemCount(askItemCount(of: handle), of: handle)
        }
        sections.commit()
    }

    /// The end of a call from outside: what callbacks had put off is done now.
    ///
    /// - Parameter handle: a section whose controller is about to be answered.
    func settle(keeping handle: SectionHandle? = nil) {
        guard !isBusy, !isSettling else { return }
        isSettling = true
        defer { isSettling = false }
        var done = 0
        repeat {
            while done < deferredLimit {
                deferred[done]()
                done += 1
            }
            // Those who are asked for what a view shows anew may want something, too.
            for view in views where view.isStale {
                view.isStale = false
                pendingEvents += compose(view)
            }
        } while done < deferredLimit || views.contains(where: \.isStale)
        deferred = []
        deferredScrolls = 0
        releaseTransientControllers(except: handle)
        releaseHandles()
        guard isActivityDeferred else { return }
        isActivityDeferred = false
        onActivity?()
    }

    /// How much of what was put off is done in one call.
    private var deferredLimit: Int { min(deferred.count, ListAdapter.maximumDeferred + deferredScrolls) }

    /// The end of a call that answers events: what nobody took before, what the call itself did, what callbacks did.
    ///
    /// Inside of another call it answers nothing: they are that call's, and stay in their order.
    /// - Parameter mark: how many events waited when the call began.
    func settled(_ events: [AdapterEvent] = [], since mark: Int = .max) -> [AdapterEvent] {
        pendingEvents.insert(contentsOf: events, at: min(mark, pendingEvents.count))
        if isSettling || isBusy { return [] }
        return takeEvents()
    }

    /// How many scrolls callbacks may put off in one call from outside, and how much else, work that was put off included; the
    /// rest is dropped, or two sections that scroll to themselves would go on for ever.
    static let maximumDeferred = 256
}
