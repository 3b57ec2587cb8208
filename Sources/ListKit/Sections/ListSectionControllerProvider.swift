// SPDX-License-Identifier: Apache-2.0

/// Selects the section controllers of a list (the data source's `sectionControllerFor`).
public protocol ListSectionControllerProvider: AnyObject {
    /// The kind of controller for objects of a type; `nil` = such objects are dropped from the list (rule AD-15).
    ///
    /// Asked once for each type, and again after an update that replaces all section controllers.
    func sectionControllerKind(forType type: String) -> ListSectionControllerKind?
}

/// One kind of section controller: its name and how to make one.
public struct ListSectionControllerKind {
    /// The name in configuration and log, `PLUGIN/CONTROLLER`.
    public var name: String
    /// Answers about sections without a controller; `nil` = every section needs one.
    public var traits: ListSectionTraits?
    /// Makes a controller for an object; `didUpdate(to:)` follows.
    ///
    /// The adapter keeps it: a closure that uses the owner of the adapter has to capture it weakly. It may ask the list for the
    /// controllers of other objects, up to 32 of them nested (``ListAdapter/sectionController(at:)``).
    public var make: (ListObject) -> ListSectionController

    /// Describes a kind.
    public init(
        name: String, traits: ListSectionTraits? = nil, make: @escaping (ListObject) -> ListSectionController
    ) {
        self.name = name
        self.traits = traits
        self.make = make
    }
}

/// Answers about the sections of a kind from their objects alone.
///
/// Controllers of a kind with traits keep no state: one is made when a section is displayed, in range or asked, and released
/// afterwards, so that a million sections do not need a million controllers. All answers are pure functions.
public struct ListSectionTraits: Sendable {
    /// How many items an object has.
    public var numberOfItems: @Sendable (ListObject) -> Int
    /// The sizes or placements of a section's elements.
    public var shape: @Sendable (ListObject, ListContainer) -> ListSectionShape
    /// The items, each with an identity, by which changes are diffed; `nil` = a changed section reloads.
    public var viewModels: (@Sendable (ListObject) -> [ListItem])?

    /// How many items an object has, adding the content that its section does not show; `nil` = losses are not counted.
    private(set) var countItems: (@Sendable (ListObject, ListContainer, inout ContentLosses) -> Int)?

    /// The shape of every section of the kind, where it is the same for all; `nil` = `shape` is asked about each object.
    public private(set) var fixedShape: (@Sendable (ListContainer) -> ListSectionShape)?

    /// Describes a kind whose sections are all alike: lists of them are laid out without reading each object.
    ///
    /// - Parameters:
    ///   - itemCount: how many items every section has.
    ///   - shape: their sizes, best one for all (``SectionMetrics/uniformItemSize``); a pure function.
    public init(itemCount: Int, shape: @escaping @Sendable (ListContainer) -> ListSectionShape) {
        self.init(numberOfItems: { _ in itemCount }, shape: { _, container in shape(container) })
        fixedShape = shape
    }

    /// Describes a kind's traits.
    public init(
        numberOfItems: @escaping @Sendable (ListObject) -> Int,
        shape: @escaping @Sendable (ListObject, ListContainer) -> ListSectionShape,
        viewModels: (@Sendable (ListObject) -> [ListItem])? = nil
    ) {
        self.numberOfItems = numberOfItems
        self.shape = shape
        self.viewModels = viewModels
    }

    /// Describes the traits of a built-in kind.
    init(
        numberOfItems: @escaping @Sendable (ListObject) -> Int,
        shape: @escaping @Sendable (ListObject, ListContainer) -> ListSectionShape,
        viewModels: (@Sendable (ListObject) -> [ListItem])? = nil,
        countItems: @escaping @Sendable (ListObject, ListContainer, inout ContentLosses) -> Int
    ) {
        self.init(numberOfItems: numberOfItems, shape: shape, viewModels: viewModels)
        self.countItems = countItems
    }
}

/// The view that a section is laid out in.
public struct ListContainer: Sendable, Hashable {
    /// The size of the viewport.
    public var size: Size
    /// The insets of the content.
    public var inset: EdgeInsets
    /// The axis along which the list scrolls.
    public var direction: ScrollDirection
    /// The layout that asks: see ``ListLayoutKind/usesPlacements``.
    public var layout: ListLayoutKind

    /// Makes a container.
    public init(
        size: Size, inset: EdgeInsets = .zero, direction: ScrollDirection = .vertical, layout: ListLayoutKind = .flow
    ) {
        self.size = size
        self.inset = inset
        self.direction = direction
        self.layout = layout
    }
}

/// The geometry of one section, as a layout needs it.
public struct ListSectionShape: Sendable, Hashable {
    /// Number of items, spacings, header and footer.
    public var metrics: SectionMetrics
    /// The size of each item; not needed when the metrics have one size for all.
    public var sizes: [Size]
    /// The placement of each item; needed only by layouts that use placements, as `absolute`.
    public var placements: [ItemPlacement]

    /// Makes a shape.
    public init(metrics: SectionMetrics, sizes: [Size] = [], placements: [ItemPlacement] = []) {
        self.metrics = metrics
        self.sizes = sizes
        self.placements = placements
    }
}
