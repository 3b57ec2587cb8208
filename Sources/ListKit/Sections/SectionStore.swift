// SPDX-License-Identifier: Apache-2.0

/// The sections of a list and their controllers: who makes them, which exist, which are at fault, and what objects keep.
///
/// All questions to section controllers go through here, and from here through the ``CallGate``.
final class SectionStore {
    /// The sections; the states before and after only differ while an update is presented.
    let map: SectionMap
    /// Calls section controllers.
    let gate: CallGate
    /// What happened and was not announced yet.
    let events: EventQueue
    /// Makes the section controllers.
    private let provider: any ListSectionControllerProvider
    private var registry = SectionControllerRegistry()
    /// What objects keep for their controllers.
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

    /// Has section controllers see a list, and what else is kept of sections follow their faults.
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

    /// What is known of a type, without asking.
    func knownKind(for type: ObjectType) -> ListSectionControllerKind?? { registry.knownKind(for: type) }

    /// Asks the provider anew from now on.
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

    /// How many of them are given back when nobody needs them.
    var transientCount: Int { registry.transient.count }

    /// The controller of a section if it exists.
    func existingController(of handle: SectionHandle) -> ListSectionController? { registry.controllers[handle] }

    /// The controller of a section, made if there is none yet; `nil` while it is being made.
    func controller(of handle: SectionHandle) -> ListSectionController? {
        if let controller = registry.controllers[handle] { return controller }
        guard let object = map.object(of: handle) else { return nil }
        return gate.make { makeController(of: handle, for: object) }
    }

    /// Makes the controller of a section and shows it its object.
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
            fault(handle, controller.link == nil ? "a plain ListSectionController" : "one controller for two objects")
            return nil
        }
        controller.setLink(SectionLink(host: host, handle: handle))
        registry.keep(controller, for: handle, isTransient: kind.traits != nil)
        _ = gate.call(.update, handle, in: self) { controller.update(to: object) }
        return registry.controllers[handle]
    }

    /// A controller whose object leaves with the update that is being presented may be made another one's already.
    private func releaseIfGone(_ controller: ListSectionController) {
        guard let handle = handle(of: controller), map.position(of: handle) == nil else { return }
        replaceController(of: handle)
    }

    /// Lets a controller go; another one is made when the section is asked next.
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

    /// The sections of whose items something is kept by index.
    var sectionsWithKeptItems: Set<SectionHandle> { delegate?.sectionsWithKeptItems ?? [] }

    // MARK: States

    /// What an object keeps for its controllers.
    func state(of handle: SectionHandle) -> Fields { states[handle] ?? Fields() }

    /// Keeps something for an object, as long as it is in the list.
    func setState(_ state: Fields, of handle: SectionHandle) {
        if map.position(of: handle) != nil { states[handle] = state.isEmpty ? nil : state }
    }

    // MARK: Faults

    /// Why sections show error items.
    var faults: [SectionHandle: String] { registry.faults }

    /// Why a section shows error items; `nil` when it does not.
    func fault(of handle: SectionHandle) -> String? { registry.faults[handle] }

    /// A controller broke its contract: its section shows error items until its object changes.
    func fault(_ handle: SectionHandle, _ reason: String) {
        guard registry.faults[handle] == nil, let object = map.object(of: handle) else { return }
        registry.setFault(reason, of: handle)
        let fault = SectionFault(
            objectID: object.id, controller: registry.knownKind(for: object.objectType)??.name ?? "", reason: reason)
        events.append(.sectionFault(fault))
        delegate?.didFindFault(fault)
        delegate?.contentsChanged(of: handle)
    }

    /// Lets a section work again.
    func clearFault(of handle: SectionHandle) { registry.clearFault(of: handle) }

    /// Lets all sections work again.
    func clearFaults() { for handle in Array(registry.faults.keys) { registry.clearFault(of: handle) } }

    // MARK: Forgetting

    /// A section may be shown or in range no longer.
    func markUnneeded(_ handle: SectionHandle) { registry.markUnneeded(handle) }

    /// Gives back the controllers that were only made because somebody looked.
    ///
    /// - Parameter kept: a section whose controller is about to be answered.
    /// - Complexity: O(controllers that were made, and sections that left the views, since the last call).
    func releaseTransientControllers(except kept: SectionHandle?) {
        guard !gate.isCalling else { return }
        for handle in registry.unneeded where handle != kept {
            if isInUse(handle) { registry.markNeeded(handle) } else { registry.remove(handle) }
        }
    }

    /// Takes the handles back of sections that were only noticed for a while: after a long scroll nothing is left of it.
    ///
    /// What belongs to the object itself stays: its controller (unless its kind has traits), fault, selection, state, measured
    /// sizes, and what a viewer was sent of it.
    func releaseHandles() {
        guard !gate.isBusy, map.hasManyHandles, let delegate else { return }
        let kept = delegate.handlesInUse
        map.releaseHandles { handle in
            kept.contains(handle) || registry.isInUse(handle) || states[handle] != nil || delegate.isInUse(handle)
        }
    }

    /// Drops what was kept for sections that are gone.
    func forgetRemoved(_ changes: SectionChanges) {
        for old in changes.deletes {
            guard let handle = map.knownOldHandle(at: old) else { continue }
            registry.remove(handle)
            registry.clearFault(of: handle)
            states[handle] = nil
        }
    }
}
