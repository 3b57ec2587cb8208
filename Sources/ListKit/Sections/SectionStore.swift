// SPDX-License-Identifier: Apache-2.0

/// The sections of a list, their controllers and faults, and the state that section controllers store with objects.
///
/// Section controllers are called only from here, through the ``CallGate``.
final class SectionStore {
    /// The sections. Their states before and after an update differ only while the update is presented.
    let map: SectionMap
    /// The gate through which section controllers are called.
    let gate: CallGate
    /// The events to announce to the list's owner.
    let events: EventQueue
    /// The provider that makes the section controllers.
    private var provider: any ListSectionControllerProvider
    private var registry = SectionControllerRegistry()
    /// The state that section controllers stored with objects.
    private var states: [SectionHandle: Fields] = [:]
    private weak var host: (any SectionContextHost)?
    private weak var delegate: (any SectionStoreDelegate)?

    /// The maximum number of items in one section.
    static let maximumItemCount = 1_000_000

    init(
        _ table: SectionTable, provider: any ListSectionControllerProvider, gate: CallGate, events: EventQueue
    ) {
        map = SectionMap(table)
        self.provider = provider
        self.gate = gate
        self.events = events
    }

    /// Sets the list that section controllers see, and the delegate that stores other state of sections.
    func attach(host: any SectionContextHost, delegate: any SectionStoreDelegate) {
        self.host = host
        self.delegate = delegate
    }

    /// Replaces the provider. Kinds that are cached stay valid until ``removeCachedKinds()``.
    func setProvider(_ new: any ListSectionControllerProvider) { provider = new }

    // MARK: Kinds

    /// Returns the kind of controller for an object, or `nil` if the provider has none.
    func kind(for object: ListObject) -> ListSectionControllerKind? {
        let type = object.objectType
        if let known = registry.cachedKind(for: type) { return known }
        let kind = gate.callOut { provider.sectionControllerKind(forType: type.name) }
        registry.cache(kind, for: type)
        return kind
    }

    /// Returns the cached kind of a type: `nil` if the type was never looked up, `.some(nil)` if the provider has no
    /// kind.
    func cachedKind(for type: ObjectType) -> ListSectionControllerKind?? { registry.cachedKind(for: type) }

    /// Empties the cache of kinds, so that the provider is asked again.
    func removeCachedKinds() { registry.removeCachedKinds() }

    /// Returns the types of the requests' objects for which there is no section controller.
    func rejectedTypes(of requests: [UpdateRequest]) -> Set<ObjectIdentifier> {
        var rejected: Set<ObjectIdentifier> = []
        var kinds = LastKind()
        func rejectIfUnknown(_ object: ListObject) {
            if !kinds.isKnown(for: object, in: self) { rejected.insert(ObjectIdentifier(object.objectType)) }
        }
        for request in requests {
            switch request.operation {
            case .performUpdates(let objects, _): objects.forEach(rejectIfUnknown)
            case .applyChanges(_, let upserts): upserts.forEach { rejectIfUnknown($0.object) }
            case .moveObject, .patchObject, .moveItem, .reloadObjects, .reloadData, .invalid, .configure: break
            }
        }
        return rejected
    }

    // MARK: Controllers

    /// The section controllers that exist.
    var controllers: [SectionHandle: ListSectionController] { registry.controllers }

    /// The number of existing controllers that are released when unused.
    var transientCount: Int { registry.transient.count }

    /// Returns the controller of a section if the controller exists.
    func existingController(of handle: SectionHandle) -> ListSectionController? { registry.controllers[handle] }

    /// Returns the controller of a section, and makes the controller if necessary.
    ///
    /// Returns `nil` while the controller is being made, and if it cannot be made.
    func controller(of handle: SectionHandle) -> ListSectionController? {
        if let controller = registry.controllers[handle] { return controller }
        guard let object = map.object(of: handle) else { return nil }
        return gate.limitNesting { makeController(of: handle, for: object) }
    }

    /// Makes the controller of a section and passes the object to it.
    private func makeController(of handle: SectionHandle, for object: ListObject) -> ListSectionController? {
        guard let kind = kind(for: object) else {
            recordFault(of: handle, "there is no section controller for the type \(object.type.quoted)")
            return nil
        }
        guard let host, registry.beginMaking(handle) else { return nil }
        let link = SectionLink(host: host, handle: handle)
        let controller = gate.call(.make, handle, in: self) {
            kind.make(object, ListCollectionContext(of: link, in: host, for: nil))
        }
        registry.endMaking(handle)
        detachIfRemoved(controller)
        guard type(of: controller) != ListSectionController.self, controller.link == nil else {
            recordFault(
                of: handle,
                controller.link == nil
                    ? "the section controller is not of a subclass of ListSectionController"
                    : "the section controller was made for two objects")
            return nil
        }
        controller.setLink(link)
        registry.insert(controller, for: handle, isTransient: kind.traits != nil)
        _ = gate.call(.update, handle, in: self) { controller.update(to: object) }
        return registry.controllers[handle]
    }

    /// Detaches a controller from its section if the open update removes that section. The provider may have returned
    /// the controller again, for another section.
    private func detachIfRemoved(_ controller: ListSectionController) {
        guard let handle = handle(of: controller), map.position(of: handle) == nil else { return }
        replaceController(of: handle)
    }

    /// Releases the controller of a section. A new controller is made when the section is asked next.
    func replaceController(of handle: SectionHandle) {
        guard let controller = registry.remove(handle), isInUse(handle) else { return }
        delegate?.didReplace(controller, of: handle)
    }

    /// Returns the handle of a controller's section, or `nil` if the controller does not belong to this list.
    func handle(of controller: ListSectionController) -> SectionHandle? {
        guard let link = controller.link, let owner = link.host, owner === host else { return nil }
        return link.handle
    }

    /// Returns the identifier of a section's object; empty when the object has left the list.
    func id(of handle: SectionHandle) -> String { map.id(of: handle) ?? "" }

    /// Returns whether any view shows a section or has the section in range.
    func isInUse(_ handle: SectionHandle) -> Bool { delegate?.isInUse(handle) == true }

    /// The sections for which state is stored by item index.
    var sectionsWithItemState: Set<SectionHandle> { delegate?.sectionsWithItemState ?? [] }

    // MARK: States

    /// Returns the state that is stored with a section's object.
    func state(of handle: SectionHandle) -> Fields { states[handle] ?? Fields() }

    /// Sets the state that is stored with a section's object. Ignored if the object has left the list.
    func setState(_ state: Fields, of handle: SectionHandle) {
        if map.position(of: handle) != nil { states[handle] = state.isEmpty ? nil : state }
    }

    // MARK: Faults

    /// The reasons why sections show error items.
    var faults: [SectionHandle: String] { registry.faults }

    /// Returns the reason why a section shows error items, or `nil` if the section has no fault.
    func fault(of handle: SectionHandle) -> String? { registry.faults[handle] }

    /// Records a fault. The section shows error items until its object changes.
    ///
    /// - Parameter reason: what the section controller did, for the log.
    func recordFault(of handle: SectionHandle, _ reason: String) {
        guard registry.faults[handle] == nil, let object = map.object(of: handle) else { return }
        registry.setFault(reason, of: handle)
        let fault = SectionFault(
            objectID: object.id, controller: registry.cachedKind(for: object.objectType)??.name ?? "", reason: reason)
        events.append(.sectionFault(fault))
        delegate?.didFindFault(fault)
        delegate?.contentsChanged(of: handle)
    }

    /// Clears the fault of a section.
    func clearFault(of handle: SectionHandle) { registry.clearFault(of: handle) }

    /// Clears the faults of all sections.
    func clearFaults() { for handle in Array(registry.faults.keys) { registry.clearFault(of: handle) } }

    // MARK: Releasing

    /// Marks the sections whose controllers may be released, because the sections have left a view or its working
    /// range.
    func addReleaseCandidates(_ handles: some Sequence<SectionHandle>) { registry.addReleaseCandidates(handles) }

    /// Releases unused controllers of kinds with traits.
    ///
    /// - Parameter kept: a section whose controller is about to be returned.
    /// - Complexity: O(controllers that were made, and sections that left views, since the last call).
    func releaseTransientControllers(except kept: SectionHandle?) {
        guard !gate.isCalling else { return }
        _ = registry.removeUnused(except: kept) { isInUse($0) }
    }

    /// Releases the handles of unused sections, for example after a long scroll.
    ///
    /// A section is in use while it has a controller (of a kind without traits), a fault, a selection, state or
    /// measured sizes, or while a viewer has been sent one of its elements.
    func releaseHandles() {
        guard !gate.isBusy, map.hasManyHandles, let delegate else { return }
        let kept = delegate.handlesInUse
        map.releaseHandles { handle in
            kept.contains(handle) || registry.isInUse(handle) || states[handle] != nil || delegate.isInUse(handle)
        }
    }

    /// Removes the controllers, faults and state of the sections that an update deletes.
    func discardRemovedSections(of change: Change) {
        for (old, _) in change.removed {
            guard let handle = map.existingOldHandle(at: old) else { continue }
            registry.remove(handle)
            registry.clearFault(of: handle)
            states[handle] = nil
        }
    }
}
