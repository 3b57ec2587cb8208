// SPDX-License-Identifier: Apache-2.0

// Reads, which do not change the list.

extension ListAdapter {
    /// The number of objects, which is that of sections.
    public var objectCount: Int { presentation.objectCount }

    /// The number of items.
    public var itemCount: Int { presentation.itemCount }

    /// The object of a section; `nil` past the end.
    public func object(at section: Int) -> ListObject? { presentation.store.map.object(at: section) }

    /// The section of an object; `nil` when the list has none with this identifier.
    public func section(forID id: String) -> Int? { presentation.store.map.position(ofID: id) }

    /// The object with an identifier; `nil` when the list has none.
    @_spi(Daemon) public func object(forID id: String) -> ListObject? { presentation.store.map.object(withID: id) }

    /// The number of items in a section; `nil` past the end.
    public func itemCount(inSection section: Int) -> Int? { presentation.store.map.itemCount(at: section) }

    /// The number of items of each section, in order, from a section on; empty past the end.
    ///
    /// - Complexity: O(log n + sections counted).
    @_spi(Daemon) public func itemCounts(from section: Int, limit: Int) -> [Int] {
        presentation.itemCounts(from: section, limit: limit)
    }

    /// Objects in order, from an offset; empty past the end.
    public func objects(from offset: Int, limit: Int) -> [ListObject] {
        presentation.objects(from: offset, limit: limit)
    }

    /// The items of a section as its controller makes them; empty past the end.
    ///
    /// A controller is made for the section if there is none, and released if its kind has traits.
    public func items(inSection section: Int) -> [ListItem] { presentation.items(inSection: section) }

    /// The selected items, in list order.
    public var selectedItems: [SelectedItem] { presentation.selectedItems }

    /// The section controller of a section, made if there is none; `nil` past the end, for a section at fault, and while its
    /// controller is being made.
    ///
    /// Makers, providers and `didUpdate(to:)` may ask for other controllers, whose makers may ask again: nested 32 times, the
    /// result is `nil` for a section without a controller, which is made later.
    /// Work that a new controller enqueues runs before this call returns. A controller of a kind with traits is released with the
    /// next call, unless a view shows it.
    public func sectionController(at section: Int) -> ListSectionController? {
        presentation.sectionController(at: section)
    }

    /// The section controller of an object; `nil` when the list has none with this identifier, else as
    /// ``sectionController(at:)``.
    public func sectionController(forID id: String) -> ListSectionController? {
        presentation.sectionController(forID: id)
    }

    /// Returns and removes the events that no call has returned, in order: those that section controllers caused on their own.
    public func takeEvents() -> [AdapterEvent] { presentation.takeEvents() }

    // MARK: Views

    /// The section controllers of sections that are shown, in list order.
    public func visibleSectionControllers(in view: ViewID) -> [ListSectionController] {
        presentation.visibleSectionControllers(in: view)
    }

    /// The objects with shown items, in list order.
    public func visibleObjects(in view: ViewID) -> [ListObject] { presentation.visibleObjects(in: view) }

    /// The sections with shown items, ascending (rule AD-47).
    public func visibleSections(in view: ViewID) -> [Int] { presentation.visibleSections(in: view) }

    /// The shown items of an object, ascending; none for an unknown object (rules AD-48, AD-49).
    public func visibleItems(ofObject id: String, in view: ViewID) -> [Int] {
        presentation.visibleItems(ofObject: id, in: view)
    }

    /// The item at the viewport's corner, inside the content inset.
    public func firstVisibleItem(in view: ViewID) -> IndexPath? { presentation.firstVisibleItem(in: view) }

    /// How far the viewport has scrolled into its first visible item; 0 when there is none.
    public func offsetIntoFirstVisibleItem(in view: ViewID) -> Double {
        presentation.offsetIntoFirstVisibleItem(in: view)
    }

    /// The attributes of an element; `nil` when there is none (rule AD-59).
    public func layoutAttributes(of kind: ElementKind, at path: IndexPath, in view: ViewID) -> LayoutAttributes? {
        presentation.layoutAttributes(of: kind, at: path, in: view)
    }

    /// The item at a point of the content (rule AD-60).
    public func item(at point: Point, in view: ViewID) -> IndexPath? { presentation.item(at: point, in: view) }

    /// Whether the list counts as empty.
    public var isEmpty: Bool { presentation.environment.isEmpty }

    /// Receives the losses of content in the objects of an update that built-in section controllers found, at most one for each
    /// reason.
    @_spi(Daemon) public var onContentLosses: (([ContentLoss]) -> Void)? {
        get { presentation.onContentLosses }
        set { presentation.onContentLosses = newValue }
    }
}
