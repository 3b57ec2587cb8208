// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListWorkers

extension SectionControllerTable {
    /// Makes the host of a list, which is presented where its section controllers are: in this process, or in a worker.
    @DBusActor
    func makeHost(
        configuration: ListAdapter.Configuration, objects: [ListObject] = [], revision: UInt64 = 0,
        changes: [Transaction] = [], account: HostAccount? = nil, isStored: Bool = false, isRestored: Bool = false,
        times: CallbackTimes? = nil, sink: @escaping ListHost.Sink
    ) -> ListHost {
        let restingItems = itemCountAtRest(of: objects)
        let host = ListHost(
            configuration: configuration, controllers: self, objects: objects, revision: revision, changes: changes,
            account: account, isStored: isStored, wasPresented: isRestored && !plugins.isEmpty,
            restingItems: restingItems, times: times, sink: sink)
        if let worker { worker.host(host) } else if restingItems == nil { host.presentLocally() }
        return host
    }

    /// How many items objects have by the traits of their kinds; nil when there are none, or when section controllers have to
    /// be asked: only those that are built in are known to have nothing to do before somebody looks.
    private func itemCountAtRest(of objects: [ListObject]) -> Int? {
        guard worker == nil, !usesPlugins, !objects.isEmpty else { return nil }
        let provider = makeProvider()
        var kind = KnownKind()
        var itemCount = 0
        for object in objects {
            guard let count = kind.itemCount(of: object, by: provider) else { return nil }
            itemCount += count
        }
        return itemCount
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
