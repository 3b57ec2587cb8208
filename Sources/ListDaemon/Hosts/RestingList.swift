@_spi(Daemon) internal import ListKit

/// A restored list that nobody has looked at: its objects as they were stored, and what is said of them without an engine.
struct RestingList {
    /// How the list will behave.
    let configuration: ListAdapter.Configuration
    /// The objects in their order, and the revision that they are.
    let objects: [ListObject]
    let revision: UInt64
    /// How many items they have by the traits of their kinds.
    let itemCount: Int

    /// Describes a list; nil when its section controllers have to be asked for more than the traits of their kinds, so that
    /// an engine is needed at once.
    init?(
        _ objects: [ListObject], revision: UInt64, configuration: ListAdapter.Configuration,
        controllers: any ListSectionControllerProvider
    ) {
        var kind = KnownKind()
        var itemCount = 0
        for object in objects {
            guard let count = kind.itemCount(of: object, by: controllers) else { return nil }
            itemCount += count
        }
        self.configuration = configuration
        self.objects = objects
        self.revision = revision
        self.itemCount = itemCount
    }
}

/// The kind that was looked up last: neighbours have the same type, mostly.
private struct KnownKind {
    private var type: ObjectType?
    private var numberOfItems: (@Sendable (ListObject) -> Int)?

    /// How many items an object has by the traits of its kind; nil when they do not tell, or tell nonsense.
    mutating func itemCount(of object: ListObject, by controllers: any ListSectionControllerProvider) -> Int? {
        if type == nil || !object.hasType(type) {
            let type = object.objectType
            self.type = type
            numberOfItems = controllers.sectionControllerKind(forType: type.name)?.traits?.numberOfItems
        }
        guard let count = numberOfItems?(object) else { return nil }
        return (0...ListAdapter.maximumItemsPerSection).contains(count) ? count : nil
    }
}
