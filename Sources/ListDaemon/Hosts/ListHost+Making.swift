// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListWorkers

extension SectionControllerTable {
    /// Makes the host of a list. The presenter runs where its section controllers are: in this process, or in a
    /// worker.
    @DBusActor
    func makeHost(
        configuration: ListOptions, objects: [ListObject] = [], revision: UInt64 = 0,
        changes: [Transaction] = [], account: HostAccount? = nil, isStored: Bool = false, isRestored: Bool = false,
        times: CallbackTimes? = nil, store: @escaping ListHost.Storing
    ) -> ListHost {
        let rest = itemsFromTraits(of: objects)
        let host = ListHost(
            configuration: configuration, controllers: self, objects: objects, revision: revision, changes: changes,
            account: account, isStored: isStored, wasPresented: isRestored && !plugins.isEmpty,
            rest: rest, times: times, store: store)
        if let worker { worker.host(host) } else if rest == nil { host.presentLocally() }
        return host
    }

    /// Returns the items of the objects, from the traits of their section controllers; nil if there are no
    /// objects or if section controllers have to be called. Only built-in section controllers are known to do nothing
    /// before a list is used.
    private func itemsFromTraits(of objects: [ListObject]) -> RestingItems? {
        guard worker == nil, !usesPlugins, !objects.isEmpty else { return nil }
        let provider = makeProvider()
        var kind = KnownKind()
        var items = RestingItems(count: 0, isFlat: true)
        for object in objects {
            guard let count = kind.itemCount(of: object, by: provider) else { return nil }
            items.count += count
            items.isFlat = items.isFlat && count == 1
        }
        return items
    }
}

/// The items of a list that rests: their number, and whether each section has exactly one.
typealias RestingItems = (count: Int, isFlat: Bool)

/// The section controller kind of the last object; neighbours usually have the same type.
private struct KnownKind {
    private var type: ObjectType?
    private var numberOfItems: (@Sendable (ListObject) -> Int)?

    /// Returns the number of an object's items by the traits of its kind; nil if there are no traits or the
    /// number is invalid.
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
