// SPDX-License-Identifier: Apache-2.0

/// The sections of a list, their controllers and faults, and the state that is kept with objects.
///
/// All calls of section controllers come from here, through the ``CallGate``.
final class SectionStore {
    /// The sections; the states before and after differ only while an update is presented.
    let map: SectionMap
    /// Calls section controllers.
    let gate: CallGate
    /// The events to announce.
    let events: EventQueue
    /// Makes the section controllers.
    private let provider: any ListSectionControllerProvider
    private var registry = SectionControllerRegistry()
    /// The state that is kept with objects.
    private var states: [SectionHandle: Fields] = [:]
    private weak var host: (any SectionContextHost)?
    private weak var delegate: (any SectionStoreDelegate)?

    /// The most items that one section may have.
    static let maximumItemCount = 1_000_000

    init(
        _ table: SectionTable, provider: any ListSectionControllerProvider, gate: CallGate, events: EventQueue
    ) {
        map = SectionMap(table)
        self.provider = provider
        self.gate = gate
        self.events = events
    }

    /// Sets the list that section controllers see, and the delegate that keeps other state of sections.
    func attach(host: any SectionContextHost, delegate: any SectionStoreDelegate) {
        self.host = host
        self.delegate = delegate
    }

    // MARK: Kinds

    /// The kind of controller for an object; `nil` when the provider names none.
    func kind(for object: ListObject) -> ListSectionControllerKind? {
        let type = object.objectType
        if let known = registry.knownKind(for: type) { return known }
        let kind = gate.callOut { provider.sectionControllerKind(forType: type.name) }
        registry.remember(kind, for: type)
        return kind
    }

    /// The kind of a type as it was looked up before; `nil` if it was not.
    func knownKind(for type: ObjectType) -> ListSectionControllerKind?? { registry.knownKind(for: type) }

    /// Forgets all kinds, so that the provider is asked again.
    func forgetKinds() { registry.forgetKinds() }

    /// The types among some objects for which there is no section controller.
    func rejectedTypes(of requests: [UpdateRequest]) -> Set<ObjectIdentifier> {
        var rejected: Set<ObjectIdentifier> = []
        var kinds = LastKind()
        func check(_ object: ListObject) {
            if !kinds.isKnown(for: object, in: self) { rejected.insert(ObjectIdentifier(object.objectType)) }
        }
        for request in requests {
            switch request.operation {
            case .performUpdates(let objects, _): objects.forEach(check)
            case .applyChanges(_, let upserts): upserts.forEach { check($0.object) }
            case .moveObject, .patchObject, .moveItem, .reloadObjects, .reloadData, .invalid, .configure: break
            }
        }
        return rejected
    }

    // MARK: Controllers

    /// The section controllers that exist.
    var controllers: [SectionHandle: ListSectionController] { registry.controllers }

    /// How many of them are released when unused.
    var transientCount: Int { registry.transient.count }

    /// The controller of a section if it exists.
    func existingController(of handle: SectionHandle) -> ListSectionController? { registry.controllers[handle] }

    /// The controller of a section, made if there is none yet; `nil` while it is being made.
    func controller(of handle: SectionHandle) -> ListSectionController? {
        if let controller = registry.controllers[handle] { return controller }
        guard let object = map.object(of: handle) else { return nil }
        return gate.make { makeController(of: handle, for: object) }
    }

    /// Makes the controller of a section and hands it its object.
    private func makeController(of handle: SectionHandle, for object: ListObject) -> ListSectionController? {
        guard let kind = kind(for: object) else {
            fault(handle, "no section controller for the type \(object.type.quoted)")
            return nil
        }
        guard registry.beginMaking(handle) else { return nil }
        let controller = gate.call(.make, handle, in: self) { kind.make(object) }
        registry.endMaking(handle)
        releaseIfGone(controller)
        guard type(of: controller) != ListSectionController.self, controller.link == nil else {
            fault(
                handle, controller.link == nil ? "is no subclass of ListSectionController" : "was made for two objects")
            return nil
        }
        controller.setLink(SectionLink(host: host, handle: handle))
        registry.keep(controller, for: handle, isTransient: kind.traits != nil)
        _ = gate.call(.update, handle, in: self) { controller.update(to: object) }
        return registry.controllers[handle]
    }

    /// Releases a controller that was made for an object which the present update removes.
    private func releaseIfGone(_ controller: ListSectionController) {
        guard let handle = handle(of: controller), map.position(of: handle) == nil else { return }
        replaceController(of: handle)
    }

    /// Releases a controller; another one is made when the section is asked next.
    func replaceController(of handle: SectionHandle) {
        guard let controller = registry.remove(handle), isInUse(handle) else { return }
        delegate?.didReplace(controller, of: handle)
    }

    /// The handle of a controller's section, if it belongs to this list.
    func handle(of controller: ListSectionController) -> SectionHandle? {
        guard let link = controller.link, let owner = link.host, owner === host else { return nil }
        return link.handle
    }

    /// The identifier of the object of a section; empty when it has left the list.
    func id(of handle: SectionHandle) -> String { map.id(of: handle) ?? "" }

    /// Whether a section is shown or in range somewhere.
    func isInUse(_ handle: SectionHandle) -> Bool { delegate?.isInUse(handle) == true }

    /// The sections of which state is kept by the index of an item.
    var sectionsWithKeptItems: Set<SectionHandle> { delegate?.sectionsWithKeptItems ?? [] }

    // MARK: States

    /// The state that is kept with an object.
    func state(of handle: SectionHandle) -> Fields { states[handle] ?? Fields() }

    /// Sets the state that is kept with an object, as long as it is in the list.
    func setState(_ state: Fields, of handle: SectionHandle) {
        if map.position(of: handle) != nil { states[handle] = state.isEmpty ? nil : state }
    }

    // MARK: Faults

    /// Why sections show error items.
    var faults: [SectionHandle: String] { registry.faults }

    /// Why a section shows error items; `nil` when it does not.
    func fault(of handle: SectionHandle) -> String? { registry.faults[handle] }

    /// Records a fault: the section shows error items until its object changes.
    func fault(_ handle: SectionHandle, _ reason: String) {
        guard registry.faults[handle] == nil, let object = map.object(of: handle) else { return }
        registry.setFault(reason, of: handle)
        let fault = SectionFault(
            objectID: object.id, controller: registry.knownKind(for: object.objectType)??.name ?? "", reason: reason)
        events.append(.sectionFault(fault))
        delegate?.didFindFault(fault)
        delegate?.contentsChanged(of: handle)
    }

    /// Clears the fault of a section.
    func clearFault(of handle: SectionHandle) { registry.clearFault(of: handle) }

    /// Clears the faults of all sections.
    func clearFaults() { for handle in Array(registry.faults.keys) { registry.clearFault(of: handle) } }

    // MARK: Releasing

    /// Records that a section may have left all views and working ranges.
    func markUnneeded(_ handle: SectionHandle) { registry.markUnneeded(handle) }

    /// Releases the controllers of kinds with traits that are unused.
    ///
    /// - Parameter kept: a section whose controller is about to be returned.
    /// - Complexity: O(controllers that were made, and sections that left the views, since the last call).
    func releaseTransientControllers(except kept: SectionHandle?) {
        guard !gate.isCalling else { return }
        for handle in registry.unneeded where handle != kept {
            if isInUse(handle) { registry.markNeeded(handle) } else { registry.remove(handle) }
        }
    }

    /// Releases the handles of unused sections, as after a long scroll.
    ///
    /// A section is in use while it has a controller (of a kind without traits), a fault, a selection, state, measured sizes, or a
    /// viewer that was sent a part of it.
    func releaseHandles() {
        guard !gate.isBusy, map.hasManyHandles, let delegate else { return }
        let kept = delegate.handlesInUse
        map.releaseHandles { handle in
            kept.contains(handle) || registry.isInUse(handle) || states[handle] != nil || delegate.isInUse(handle)
        }
    }

    /// Drops the state of removed sections.
    func forgetRemoved(_ changes: SectionChanges) {
        for old in changes.deletes {
            guard let handle = map.knownOldHandle(at: old) else { continue }
            registry.remove(handle)
            registry.clearFault(of: handle)
            states[handle] = nil
        }
    }
}
