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
    private var provider: any ListSectionControllerProvider
    private var registry = SectionControllerRegistry()
    /// The sections at fault whose controllers must not be called.
    private var fatal: Set<SectionHandle> = []
    /// The state that section controllers stored with objects.
    private var states: [SectionHandle: Fields] = [:]
    private weak var host: (any SectionContextHost)?
    private weak var delegate: (any SectionStoreDelegate)?

    /// Whether any section controller has ever observed scrolls. In most lists none does, and none is looked for.
    private(set) var hasScrollDelegates = false

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

    /// Records that a section controller observes scrolls.
    func recordScrollDelegate() { hasScrollDelegates = true }

    /// The number of existing controllers that are released when unused.
    var transientCount: Int { registry.transient.count }

    /// Returns the controller of a section if the controller exists.
    func existingController(of handle: SectionHandle) -> ListSectionController? { registry.controllers[handle] }

    /// Returns the controller of a section, and makes the controller if necessary.
    ///
    /// Returns `nil` while the controller is being made, and if it cannot be made or must not be called.
    func controller(of handle: SectionHandle) -> ListSectionController? {
        if let controller = registry.controllers[handle] { return controller }
        guard !fatal.contains(handle), let object = map.object(of: handle) else { return nil }
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

    /// Records the fault of a section in a new presentation, whose controller must not be called.
    func setFatalFault(_ reason: String, ofSectionAt position: Int) {
        guard let handle = map.handle(at: position) else { return }
        registry.setFault(reason, of: handle)
        fatal.insert(handle)
    }

    /// Whether the controller of the section at a position must not be called, nor the traits of its kind.
    func isFatal(at position: Int) -> Bool {
        !fatal.isEmpty && map.existingHandle(at: position).map(fatal.contains) == true
    }

    func clearFault(of handle: SectionHandle) {
        registry.clearFault(of: handle)
        fatal.remove(handle)
    }

    /// Clears the faults of all sections.
    func clearFaults() { for handle in Array(registry.faults.keys) { clearFault(of: handle) } }

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
            clearFault(of: handle)
            states[handle] = nil
        }
    }
}

// Methods that ask section controllers for values and check the values.

extension SectionStore {
    // MARK: Counts

    /// Counts the items of all sections of a new list.
    func countAllItems() {
        var kinds = LastKind()
        var (count, uncounted) = (0, [Int]())
        map.table.setItemCounts { object in
            defer { count += 1 }
            if let itemCount = kinds.itemCount(of: object, in: self) { return itemCount }
            uncounted.append(count)
            return 0
        }
        countItems(at: uncounted)
    }

    /// Asks the sections at some positions for their numbers of items.
    func countItems(at positions: [Int]) {
        for position in positions {
            guard let handle = map.handle(at: position) else { continue }
            map.setItemCount(askItemCount(of: handle), of: handle)
        }
        map.commit()
    }

    /// Asks a section for its number of items. A section with a fault has 1 item, the error item.
    func askItemCount(of handle: SectionHandle) -> Int {
        guard fault(of: handle) == nil, let object = map.object(of: handle) else { return 1 }
        let count: Int
        if let traits = kind(for: object)?.traits {
            count = traits.numberOfItems(object)
        } else {
            guard let controller = controller(of: handle), fault(of: handle) == nil else { return 1 }
            count = gate.call(.count, handle, in: self) { controller.numberOfItems() }
        }
        guard (0...SectionStore.maximumItemCount).contains(count) else {
            recordFault(
                of: handle, "the section controller has \(count) items, not 0 to \(SectionStore.maximumItemCount)")
            return 1
        }
        return fault(of: handle) == nil ? count : 1
    }

    /// Returns the number of items of each inserted section; `nil` for a section whose controller must be asked.
    func countItems(of changes: Change) -> [Int?] {
        var kinds = LastKind()
        return changes.inserted.map { kinds.itemCount(of: $0.object, in: self) }
    }

    /// Returns the number of items of each inserted section; `nil` for a section whose controller must be asked.
    ///
    /// Adds to `losses` the content of new and changed objects that built-in section controllers leave out or
    /// replace. Losses are counted once for each update of an object, not when sections are laid out, which happens
    /// often.
    /// - Parameter container: a container with the list's own layout. Only fields that this layout reads are counted.
    func countItems(
        of changes: Change, in container: ListContainer, adding losses: inout ContentLosses
    ) -> [Int?] {
        var kinds = LastKind()
        var counts: [Int?] = []
        counts.reserveCapacity(changes.inserted.count)
        for insert in changes.inserted {
            counts.append(kinds.itemCount(of: insert.object, in: self, container: container, adding: &losses))
        }
        for update in changes.updated {
            _ = kinds.itemCount(of: update.object, in: self, container: container, adding: &losses)
        }
        return counts
    }

    /// Returns the items of a section, or `nil` if the kind of its controller does not give items an identity.
    func identifiedItems(of handle: SectionHandle, _ object: ListObject?) -> [ListItem]? {
        if let controller = existingController(of: handle) as? ListBindingSectionController {
            return controller.viewModels
        }
        guard let object, let viewModels = kind(for: object)?.traits?.viewModels else { return nil }
        return ListItemChanges.unique(viewModels(object))
    }

    // MARK: Items

    /// Asks a controller for an item. Returns an error item if the section has a fault.
    func askItem(of handle: SectionHandle, at index: Int) -> ListItem {
        if let reason = fault(of: handle) { return .fault(reason) }
        guard let controller = controller(of: handle) else {
            return .fault(fault(of: handle) ?? "the section has no controller")
        }
        let item = gate.call(.item, handle, in: self) { controller.item(at: index) }
        if let error = item.content.fault {
            recordFault(of: handle, "the content of item \(index) is invalid: \(error.message)")
        }
        return fault(of: handle).map { .fault($0) } ?? item
    }

    /// Asks the source of a section's supplementary views for the header or footer.
    func askSupplementary(of handle: SectionHandle, kind: ElementKind) -> ListItem {
        guard let source = controller(of: handle)?.supplementarySource else {
            return ListItem(reuseIdentifier: kind.rawValue)
        }
        let item = gate.call(.item, handle, in: self) { source.supplementaryElement(of: kind) }
        if let error = item.content.fault {
            recordFault(of: handle, "the content of the \(kind.rawValue) is invalid: \(error.message)")
        }
        return fault(of: handle).map { .fault($0) } ?? item
    }

    /// Returns whether the controller of a section exists and has a transition delegate.
    func hasTransitions(_ handle: SectionHandle) -> Bool {
        existingController(of: handle)?.transitionDelegate != nil
    }

    /// Asks for the frame from which an item appears, or to which it disappears.
    ///
    /// Returns `nil` if there is no transition delegate, or if the frame is the resting frame or is not finite.
    func askTransition(of handle: SectionHandle, item: Int, resting: Rect, appears: Bool) -> Rect? {
        guard let controller = existingController(of: handle), let delegate = controller.transitionDelegate else {
            return nil
        }
        let frame = gate.call(appears ? .display : .endDisplay, handle, in: self) {
            appears
                ? delegate.sectionController(controller, initialFrameForItemAt: item, resting: resting)
                : delegate.sectionController(controller, finalFrameForItemAt: item, resting: resting)
        }
        return frame.isFinite && frame != resting ? frame : nil
    }

    // MARK: Selection

    /// Asks a section controller whether one of its items may be selected or deselected.
    func askSelection(of handle: SectionHandle, item: Int, selects: Bool) -> Bool {
        guard let controller = controller(of: handle) else { return false }
        return gate.call(.selection, handle, in: self) {
            selects ? controller.shouldSelectItem(at: item) : controller.shouldDeselectItem(at: item)
        }
    }

    /// Notifies a section controller that an item was selected, deselected, highlighted or unhighlighted.
    func notifySelection(of handle: SectionHandle, item: Int, _ event: ListBindingSelectionEvent) {
        guard let controller = controller(of: handle) else { return }
        gate.call(.selection, handle, in: self) {
            switch event {
            case .select: controller.didSelectItem(at: item)
            case .deselect: controller.didDeselectItem(at: item)
            case .highlight: controller.didHighlightItem(at: item)
            case .unhighlight: controller.didUnhighlightItem(at: item)
            }
        }
    }

    /// Passes an action to a section controller. Returns whether the controller handled the action.
    func invokeAction(
        _ action: String, parameters: Fields, item: Int, of handle: SectionHandle
    ) -> Bool {
        guard let controller = controller(of: handle) else { return false }
        return gate.call(.action, handle, in: self) {
            controller.handleAction(action, parameters: parameters, at: item)
        }
    }

    // MARK: Dragging

    /// The decision about a dragged item.
    enum MoveDecision {
        /// The item or the target does not exist.
        case error(ListError)
        /// The move is not allowed.
        case refused
        /// The item is already at the target.
        case nothing
        /// The section of the item moves.
        case section
        /// The section of the item gets a new object.
        case object(ListObject)
        /// The section controller moves the item.
        case item(SectionHandle)
    }

    /// Asks the section controller of a dragged item whether and how the item moves.
    ///
    /// An item moves within its section, or together with its section if both sections have exactly one item.
    func decideMove(from: IndexPath, to: IndexPath) -> MoveDecision {
        guard let source = map.handle(at: from.section), let target = map.handle(at: to.section),
            (0..<map.itemCount(of: source)).contains(from.item),
            (0..<map.itemCount(of: target)).contains(to.item)
        else {
            let (item, place) = ("\(from.section), \(from.item)", "\(to.section), \(to.item)")
            return .error(ListError(.noSuchItem, "there is no item at (\(item)), or no target at (\(place))"))
        }
        let isInside = source == target
        let isSingle = map.itemCount(of: source) == 1 && map.itemCount(of: target) == 1
        guard isInside || isSingle, allowsMove(source, from: from.item, to: isInside ? to.item : nil)
        else { return .refused }
        if from == to { return .nothing }
        guard isInside else { return .section }
        return movedObject(source, from: from.item, to: to.item).map { .object($0) } ?? .item(source)
    }

    private func allowsMove(_ handle: SectionHandle, from: Int, to: Int?) -> Bool {
        guard let controller = controller(of: handle), fault(of: handle) == nil else { return false }
        return gate.call(.move, handle, in: self) {
            to.map { controller.canMoveItem(from: from, to: $0) } ?? controller.canMoveItem(at: from)
        }
    }

    private func movedObject(_ handle: SectionHandle, from: Int, to: Int) -> ListObject? {
        guard let controller = controller(of: handle) else { return nil }
        let object = gate.call(.move, handle, in: self) { controller.object(movingItemFrom: from, to: to) }
        guard let object, map.object(of: handle)?.isSame(as: object) == true else { return nil }
        return object
    }
}

extension SectionStore {
    /// Returns the geometry of a section, from its kind's traits or its controller.
    ///
    /// An error item fills the viewport across the scroll axis and is 44 points long.
    func askShape(of handle: SectionHandle, in container: ListContainer) -> ListSectionShape {
        guard fault(of: handle) == nil, let object = map.object(of: handle) else {
            return errorShape(of: handle, in: container)
        }
        if let traits = kind(for: object)?.traits {
            return validated(traits.shape(object, container), of: handle, in: container)
        }
        guard let controller = controller(of: handle), fault(of: handle) == nil else {
            return errorShape(of: handle, in: container)
        }
        let shape = gate.call(.size, handle, in: self) { self.shape(of: controller, handle, in: container) }
        return validated(shape, of: handle, in: container)
    }

    /// Asks a section controller for the geometry of one item. Returns `nil` if the section has a fault, or gets one.
    func askGeometry<Geometry>(
        ofItemAt index: Int, of handle: SectionHandle, _ ask: (ListSectionController, Int) -> Geometry,
        isValid: (Geometry) -> Bool
    ) -> Geometry? {
        guard let controller = controller(of: handle), fault(of: handle) == nil else { return nil }
        let geometry = gate.call(.size, handle, in: self) { ask(controller, index) }
        guard fault(of: handle) == nil, isValid(geometry) else {
            recordFault(of: handle, "the section controller returned a size that is not finite")
            return nil
        }
        return geometry
    }

    private func shape(
        of controller: ListSectionController, _ handle: SectionHandle, in container: ListContainer
    ) -> ListSectionShape {
        let count = map.itemCount(of: handle)
        var metrics = SectionMetrics(
            itemCount: count, inset: controller.inset, lineSpacing: controller.minimumLineSpacing,
            interitemSpacing: controller.minimumInteritemSpacing)
        if let source = controller.supplementarySource {
            let kinds = source.supportedElementKinds
            func length(_ kind: ElementKind) -> Double {
                guard kinds.contains(kind) else { return 0 }
                let size = source.sizeForSupplementaryElement(of: kind)
                return container.direction == .vertical ? size.height : size.width
            }
            metrics.headerLength = length(.header)
            metrics.footerLength = length(.footer)
        }
        if container.layout.usesPlacements {
            return ListSectionShape(
                metrics: metrics,
                placements: (0..<count).map(controller.placementOfItem))
        }
        return ListSectionShape(
            metrics: metrics, sizes: (0..<count).map(controller.sizeForItem))
    }

    /// Returns a complete and finite shape with the section's number of items.
    ///
    /// Records a fault and returns the shape of error items if `shape` is not complete or not finite. Layouts count
    /// negative lengths as 0.
    private func validated(
        _ shape: ListSectionShape, of handle: SectionHandle, in container: ListContainer
    ) -> ListSectionShape {
        var shape = shape
        let count = map.itemCount(of: handle)
        shape.metrics.itemCount = count
        let isComplete = shape.isComplete(itemCount: count)
        guard fault(of: handle) == nil, isComplete, shape.isFinite else {
            let wrong = isComplete ? "a size that is not finite" : "sizes for a wrong number of items"
            recordFault(of: handle, "the section controller returned \(wrong)")
            return errorShape(of: handle, in: container)
        }
        return shape
    }

    private func errorShape(of handle: SectionHandle, in container: ListContainer) -> ListSectionShape {
        let geometry = ItemGeometry(Fields())
        let count = map.itemCount(of: handle)
        return ListSectionShape(
            metrics: SectionMetrics(itemCount: count, uniformItemSize: geometry.size(in: container)),
            placements: Array(repeating: geometry.placement(in: container), count: count))
    }
}

extension ListSectionShape {
    /// Returns whether the shape has a size or a placement for each item.
    func isComplete(itemCount: Int) -> Bool {
        metrics.uniformItemSize != nil || sizes.count == itemCount || placements.count == itemCount
    }

    var isFinite: Bool {
        metrics.isFinite && sizes.allSatisfy(\.isFinite) && placements.allSatisfy(\.frame.isFinite)
    }
}

extension SectionMetrics {
    fileprivate var isFinite: Bool {
        inset.top.isFinite && inset.left.isFinite && inset.bottom.isFinite && inset.right.isFinite
            && lineSpacing.isFinite && interitemSpacing.isFinite && headerLength.isFinite && footerLength.isFinite
            && uniformItemSize?.isFinite != false
    }
}
