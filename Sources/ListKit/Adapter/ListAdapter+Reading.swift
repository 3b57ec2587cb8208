// SPDX-License-Identifier: Apache-2.0

// Functions that read the list without changing it.

extension ListAdapter {
    /// The number of objects, which is also the number of sections.
    public var objectCount: Int { presentation.objectCount }

    /// The number of items in the list.
    public var itemCount: Int { presentation.itemCount }

    /// Returns the object of a section; `nil` if there is no such section.
    public func object(at section: Int) -> ListObject? { presentation.store.map.object(at: section) }

    /// Returns the section of the object with an identifier; `nil` if there is no such object.
    public func section(forID id: String) -> Int? { presentation.store.map.position(ofID: id) }

    /// Returns the object with an identifier; `nil` if there is no such object.
    @_spi(Daemon) public func object(forID id: String) -> ListObject? { presentation.store.map.object(withID: id) }

    /// Returns the number of items in a section; `nil` if there is no such section.
    public func itemCount(inSection section: Int) -> Int? { presentation.store.map.itemCount(at: section) }

    /// Returns the numbers of items of up to `limit` sections, from a section on; empty past the last section.
    ///
    /// - Complexity: O(log n + sections counted).
    @_spi(Daemon) public func itemCounts(from section: Int, limit: Int) -> [Int] {
        presentation.itemCounts(from: section, limit: limit)
    }

    /// Returns up to `limit` objects in order, from an offset on; empty past the last object.
    public func objects(from offset: Int, limit: Int) -> [ListObject] {
        presentation.objects(from: offset, limit: limit)
    }

    /// Returns the items of a section, which its section controller makes; empty if there is no such section.
    ///
    /// If the section has no controller yet, one is made, and released afterwards if its kind has traits.
    public func items(inSection section: Int) -> [ListItem] { presentation.items(inSection: section) }

    /// The selected items, in list order.
    public var selectedItems: [SelectedItem] { presentation.selectedItems }

    /// Returns the section controller of a section. A controller is made if the section has no controller yet.
    ///
    /// Makers, providers and `didUpdate(to:)` may call this function for other sections, whose makers may call it
    /// again. At 32 nested calls, the result is `nil` for a section without a controller; its controller is made
    /// later. Work that a new controller enqueues runs before this call returns. A controller of a kind with traits
    /// may be released by any later call to the adapter, unless its section is visible in a view.
    /// - Returns: the controller; `nil` if there is no such section, if the section is at fault, or while its
    ///   controller is being made.
    public func sectionController(at section: Int) -> ListSectionController? {
        presentation.sectionController(at: section)
    }

    /// Returns the section controller of the object with an identifier, as ``sectionController(at:)`` does; `nil` if
    /// there is no such object.
    public func sectionController(forID id: String) -> ListSectionController? {
        presentation.sectionController(forID: id)
    }

    /// Removes and returns the queued events, in order. No call has returned these events, because section controllers
    /// caused them on their own.
    public func takeEvents() -> [AdapterEvent] { presentation.takeEvents() }

    // MARK: Views

    /// Returns the section controllers of the sections that are visible in a view, in list order.
    public func visibleSectionControllers(in view: ViewID) -> [ListSectionController] {
        presentation.visibleSectionControllers(in: view)
    }

    /// Returns the objects that have visible items in a view, in list order.
    public func visibleObjects(in view: ViewID) -> [ListObject] { presentation.visibleObjects(in: view) }

    /// Returns the sections that have visible items in a view, ascending (rule AD-47).
    public func visibleSections(in view: ViewID) -> [Int] { presentation.visibleSections(in: view) }

    /// Returns the visible items of an object in a view, ascending; empty for an unknown object (rules AD-48, AD-49).
    public func visibleItems(ofObject id: String, in view: ViewID) -> [Int] {
        presentation.visibleItems(ofObject: id, in: view)
    }

    /// Returns the item at the corner of a view's viewport, inside of the content inset.
    public func firstVisibleItem(in view: ViewID) -> IndexPath? { presentation.firstVisibleItem(in: view) }

    /// Returns the distance by which the viewport has scrolled into its first visible item; 0 without a visible item.
    public func offsetIntoFirstVisibleItem(in view: ViewID) -> Double {
        presentation.offsetIntoFirstVisibleItem(in: view)
    }

    /// Returns the layout attributes of an element; `nil` if there is no such element (rule AD-59).
    public func layoutAttributes(of kind: ElementKind, at path: IndexPath, in view: ViewID) -> LayoutAttributes? {
        presentation.layoutAttributes(of: kind, at: path, in: view)
    }

    /// Returns the item at a point of a view's content; `nil` if there is no item (rule AD-60).
    public func item(at point: Point, in view: ViewID) -> IndexPath? { presentation.item(at: point, in: view) }

    /// Whether the list counts as empty.
    public var isEmpty: Bool { presentation.environment.isEmpty }
}

// The interface for programs without a host: requests have completions instead of answers, and a scheduler runs the
// flushes.

extension ListAdapter {
    /// Creates a list for an object that owns the list and also provides the section controllers.
    ///
    /// The adapter holds `owner` weakly, as IGListKit holds its data source, so that both are released together.
    /// ``ListSectionControllerKind/make`` is held strongly and must capture the owner weakly. After the owner was
    /// released, the adapter drops objects of every type whose kind it has not yet requested from the owner.
    ///
    ///     lazy var adapter = ListAdapter(configuration: .init(name: "mail"), ownedBy: self)
    ///
    /// - Parameters:
    ///   - updater: the updater; see ``init(configuration:updater:controllers:objects:revision:)``.
    ///   - owner: the provider of the section controllers.
    ///   - objects: the stored objects of the list. Of objects with equal identifiers, the first one is kept.
    ///   - revision: the revision of these objects.
    public convenience init(
        configuration: ListOptions = ListOptions(), updater: (any ListUpdating)? = nil,
        ownedBy owner: any ListSectionControllerProvider, objects: [ListObject] = [], revision: UInt64 = 0
    ) {
        self.init(
            configuration: configuration, updater: updater, controllers: OwningProvider(owner), objects: objects,
            revision: revision)
    }

    /// Replaces the list by the objects that the data source has when the next flush begins.
    ///
    /// The data source is held strongly until then.
    ///
    /// - Parameter completion: receives whether the update was applied. If there is no data source, it is called with
    ///   `false` before this function returns.
    public func performUpdates(animated: Bool = true, completion: ((Bool) -> Void)? = nil) {
        guard let dataSource else {
            completion?(false)
            return
        }
        enqueue(dataSource, animated: animated, completion ?? { _ in })
    }

    /// Replaces the list by the given objects.
    ///
    /// - Parameter completion: receives whether the update was applied.
    public func performUpdates(_ objects: [ListObject], animated: Bool = true, completion: ((Bool) -> Void)? = nil) {
        enqueue(animated: animated, .performUpdates(objects: objects), completion ?? { _ in })
    }

    /// Replaces all section controllers. If there is a data source, replaces the list by its objects first.
    ///
    /// - Parameter completion: receives whether the reload was done.
    public func reloadData(completion: ((Bool) -> Void)? = nil) {
        if let dataSource { enqueue(dataSource, animated: true) { _ in } }
        enqueue(animated: false, .reloadData, completion ?? { _ in })
    }

    /// Reloads the sections of the objects with the given identifiers. Unknown identifiers are ignored.
    public func reloadObjects(_ ids: [String], completion: ((Bool) -> Void)? = nil) {
        enqueue(animated: true, .reloadObjects(ids), completion ?? { _ in })
    }

    /// Replaces the list by the data source's objects.
    ///
    /// - Returns: whether the update was applied.
    public func performUpdates(animated: Bool = true) async -> Bool {
        await withCheckedContinuation { continuation in
            performUpdates(animated: animated) { continuation.resume(returning: $0) }
        }
    }

    /// Replaces all section controllers, and the list, as ``reloadData(completion:)`` does.
    ///
    /// - Returns: whether the reload was done.
    public func reloadData() async -> Bool {
        await withCheckedContinuation { continuation in
            reloadData { continuation.resume(returning: $0) }
        }
    }
}

/// A provider that forwards to the owner of an adapter and holds the owner weakly.
private final class OwningProvider: ListSectionControllerProvider {
    private weak var owner: (any ListSectionControllerProvider)?

    init(_ owner: any ListSectionControllerProvider) { self.owner = owner }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        owner?.sectionControllerKind(forType: type)
    }
}

/// A debugger that describes the adapters that it tracks. It holds the adapters weakly (rules DB-04, DB-05).
public final class ListDebugger {
    private var adapters = WeakList<ListAdapter>()

    /// Creates a debugger without adapters.
    public init() {}

    /// Tracks an adapter.
    public func track(_ adapter: ListAdapter) { adapters.add(adapter) }

    /// Stops tracking all adapters.
    public func clear() { adapters = WeakList() }

    /// The descriptions of the tracked adapters that still exist, each in lines.
    public var descriptions: [[String]] { adapters.elements.map(\.debugDescriptionLines) }

    /// The descriptions of all tracked adapters in one text.
    public var dump: String { descriptions.joined().joined(separator: "\n") }
}
