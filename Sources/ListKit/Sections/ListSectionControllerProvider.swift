// SPDX-License-Identifier: Apache-2.0

/// Selects the section controllers of a list, like `sectionControllerFor` of IGListKit's data source.
public protocol ListSectionControllerProvider: AnyObject {
    /// Returns the kind of controller for objects of a type. With `nil`, such objects are dropped from the list (rule
    /// AD-15).
    ///
    /// Called once for each type, and again after an update that replaces all section controllers.
    func sectionControllerKind(forType type: String) -> ListSectionControllerKind?
}

/// A kind of section controller: its name, its traits, and the closure that makes the controllers.
public struct ListSectionControllerKind {
    /// The name in the configuration and the log, in the form `PLUGIN/CONTROLLER`.
    public var name: String
    /// Functions that describe a section from its object, without a controller; `nil` = every section needs a
    /// controller.
    public var traits: ListSectionTraits?
    /// Makes a controller for an object. `didUpdate(to:)` is called next.
    ///
    /// The context is for the controller's initialiser, as ``ListSectionController/context`` is `nil` there.
    ///
    /// The adapter keeps the closure, so the closure must capture the adapter's owner weakly. The closure may ask the
    /// list for the controllers of other objects (``ListAdapter/sectionController(at:)``), nested at most 32 levels
    /// deep.
    public var make: (ListObject, ListCollectionContext) -> ListSectionController

    /// Makes a kind whose controllers have a context when they receive their object.
    public init(
        name: String, traits: ListSectionTraits? = nil, make: @escaping (ListObject) -> ListSectionController
    ) {
        self.init(name: name, traits: traits) { object, _ in make(object) }
    }

    /// Makes a kind whose controllers get a context when they are made.
    public init(
        name: String, traits: ListSectionTraits? = nil,
        make: @escaping (ListObject, ListCollectionContext) -> ListSectionController
    ) {
        self.name = name
        self.traits = traits
        self.make = make
    }
}

/// Pure functions that describe the sections of a kind from their objects alone.
///
/// Controllers of a kind with traits keep no state. A controller exists only while its section is displayed, is in a
/// working range or handles an event, so that a million sections do not need a million controllers.
public struct ListSectionTraits: Sendable {
    /// Returns the number of items of an object.
    public var numberOfItems: @Sendable (ListObject) -> Int
    /// Returns the sizes or placements of a section's elements.
    public var shape: @Sendable (ListObject, ListContainer) -> ListSectionShape
    /// Returns the items of an object, each with an identity, for the diff between two versions of the object.
    /// `nil` = a section whose object changed is reloaded.
    public var viewModels: (@Sendable (ListObject) -> [ListItem])?

    /// Returns the number of items of an object, and adds to the losses the content that the object's section does
    /// not show. `nil` = losses are not counted.
    private(set) var countItems: (@Sendable (ListObject, ListContainer, inout ContentLosses) -> Int)?

    /// Returns the shape that all sections of the kind have. `nil` = the shapes differ, and `shape` is called for
    /// each object.
    public private(set) var fixedShape: (@Sendable (ListContainer) -> ListSectionShape)?

    /// Whether `shape` gives the same sizes in each container of the layout `flow`.
    private(set) var isIndependentOfSize = false

    /// Makes the traits of a kind whose sections all have the same shape. A layout places such sections without
    /// reading each object.
    ///
    /// - Parameters:
    ///   - itemCount: the number of items in every section.
    ///   - shape: returns the sizes of the items, preferably one size for all (``SectionMetrics/uniformItemSize``). A
    ///     pure function.
    public init(itemCount: Int, shape: @escaping @Sendable (ListContainer) -> ListSectionShape) {
        self.init(numberOfItems: { _ in itemCount }, shape: { _, container in shape(container) })
        fixedShape = shape
    }

    /// Makes the traits of a kind.
    public init(
        numberOfItems: @escaping @Sendable (ListObject) -> Int,
        shape: @escaping @Sendable (ListObject, ListContainer) -> ListSectionShape,
        viewModels: (@Sendable (ListObject) -> [ListItem])? = nil
    ) {
        self.numberOfItems = numberOfItems
        self.shape = shape
        self.viewModels = viewModels
    }

    /// Makes the traits of a built-in kind.
    init(
        numberOfItems: @escaping @Sendable (ListObject) -> Int,
        shape: @escaping @Sendable (ListObject, ListContainer) -> ListSectionShape,
        viewModels: (@Sendable (ListObject) -> [ListItem])? = nil,
        countItems: @escaping @Sendable (ListObject, ListContainer, inout ContentLosses) -> Int
    ) {
        self.init(numberOfItems: numberOfItems, shape: shape, viewModels: viewModels)
        self.countItems = countItems
        isIndependentOfSize = true
    }
}

/// The properties of the view in which a section is laid out.
public struct ListContainer: Sendable, Hashable {
    /// The size of the viewport.
    public var size: Size
    /// The insets of the content.
    public var inset: EdgeInsets
    /// The axis along which the list scrolls.
    public var direction: ScrollDirection
    /// The kind of layout for which the geometry is requested; see ``ListLayoutKind/usesPlacements``.
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
    /// The number of items, the spacings, and the lengths of header and footer.
    public var metrics: SectionMetrics
    /// The size of each item; not needed when the metrics have a uniform size.
    public var sizes: [Size]
    /// The placement of each item; needed only by layouts that use placements, such as `absolute`.
    public var placements: [ItemPlacement]

    /// Makes a shape.
    public init(metrics: SectionMetrics, sizes: [Size] = [], placements: [ItemPlacement] = []) {
        self.metrics = metrics
        self.sizes = sizes
        self.placements = placements
    }
}
