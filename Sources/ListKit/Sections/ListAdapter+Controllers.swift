// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// The kind of controller for an object; `nil` when the provider names none.
    func kind(for object: ListObject) -> ListSectionControllerKind? {
        let type = object.objectType
        if let known = registry.knownKind(for: type) { return known }
        depth += 1
        let kind = provider.sectionControllerKind(forType: type.name)
        depth -= 1
        registry.remember(kind, for: type)
        return kind
    }

    /// The controller of a section, made if there is none yet; `nil` while it is being made.
    func controller(of handle: SectionHandle) -> ListSectionController? {
        if let controller = registry.controllers[handle] { return controller }
        guard let object = sections.object(of: handle) else { return nil }
        return makeController(of: handle, for: object)
    }

    /// Makes the controller of a section and shows it its object; `nil` from inside of too many others that do.
    private func makeController(of handle: SectionHandle, for object: ListObject) -> ListSectionController? {
        guard makingDepth < ListAdapter.maximumNestedMakers else { return nil }
        makingDepth += 1
        defer { makingDepth -= 1 }
        guard let kind = kind(for: object) else {
            fault(handle, "no section controller for the type \(object.type.quoted)")
            return nil
        }
        guard registry.beginMaking(handle) else { return nil }
        let controller = call(.make, handle) { kind.make(object) }
        registry.endMaking(handle)
        giveBack(controller)
        guard type(of: controller) != ListSectionController.self, controller.link == nil else {
            fault(handle, controller.link == nil ? "a plain ListSectionController" : "one controller for two objects")
            return nil
        }
        controller.link = SectionLink(adapter: self, handle: handle)
        registry.keep(controller, for: handle, isTransient: kind.traits != nil)
        _ = call(.update, handle) { controller.update(to: object) }
        return registry.controllers[handle]
    }

    /// A controller whose object leaves with the update that is being applied may be made another one's already.
    private func giveBack(_ controller: ListSectionController) {
        guard let handle = handle(of: controller), sections.position(of: handle) == nil else { return }
        replaceController(of: handle)
    }

    /// The handle of a controller's section, if it belongs to this adapter.
    func handle(of controller: ListSectionController) -> SectionHandle? {
        guard let link = controller.link, link.adapter === self else { return nil }
        return link.handle
    }

    /// Gives back the controllers that were only made because somebody looked.
    func releaseTransientControllers(except kept: SectionHandle?) {
        guard depth == 0 else { return }
        for handle in registry.transient where handle != kept && !displayCounts.isInUse(handle) {
            registry.remove(handle)
        }
    }

    /// Takes the handles back of sections that were only noticed for a while: after a long scroll nothing is left of it.
    ///
    /// What belongs to the object itself stays: its controller (unless its kind has traits), fault, selection, state, measured
    /// sizes, and what a viewer was sent of it.
    func releaseHandles() {
        guard depth == 0, case .idle = flush, sections.hasManyHandles else { return }
        let viewed = views.reduce(into: Set<SectionHandle>()) { $0.formUnion($1.handlesInUse) }
        sections.releaseHandles { handle in
            viewed.contains(handle) || displayCounts.isInUse(handle) || registry.isInUse(handle)
                || selection.items[handle] != nil || states[handle] != nil
        }
    }

    // MARK: Faults

    /// A controller broke its contract: its section shows error items until its object changes.
    func fault(_ handle: SectionHandle, _ reason: String) {
        guard registry.faults[handle] == nil, let object = sections.object(of: handle) else { return }
        registry.setFault(reason, of: handle)
        let fault = SectionFault(
            objectID: object.id, controller: registry.knownKind(for: object.objectType)??.name ?? "", reason: reason)
        pendingEvents.append(.sectionFault(fault))
        tellUpdaterDelegate { $0.adapter(self, didFindFault: fault) }
        invalidateContents(of: handle)
    }

    func reportFault(of controller: ListSectionController, _ reason: String) {
        guard let handle = handle(of: controller) else { return }
        fault(handle, reason)
        noteActivity()
    }

    // MARK: Items

    /// The number of items that a section says it has; one error item for a section at fault.
    func askItemCount(of handle: SectionHandle) -> Int {
        guard registry.faults[handle] == nil, let object = sections.object(of: handle) else { return 1 }
        let count: Int
        if let traits = kind(for: object)?.traits {
            count = traits.numberOfItems(object)
        } else {
            guard let controller = controller(of: handle), registry.faults[handle] == nil else { return 1 }
            count = call(.count, handle) { controller.numberOfItems() }
        }
        guard (0...ListAdapter.maximumItemsPerSection).contains(count) else {
            fault(handle, "\(count) items")
            return 1
        }
        return registry.faults[handle] == nil ? count : 1
    }

    /// An item as its controller makes it; an error item when the section is at fault.
    func askItem(of handle: SectionHandle, at index: Int) -> ListItem {
        if let reason = registry.faults[handle] { return .fault(reason) }
        guard let controller = controller(of: handle) else { return .fault(registry.faults[handle] ?? "no controller") }
        let item = call(.item, handle) { controller.item(at: index) }
        if let error = item.content.fault { fault(handle, "content of item \(index): \(error.message)") }
        return registry.faults[handle].map { .fault($0) } ?? item
    }

    /// A header or footer as its source makes it.
    func askSupplementary(of handle: SectionHandle, kind: ElementKind) -> ListItem {
        guard let source = controller(of: handle)?.supplementarySource else {
            return ListItem(reuseIdentifier: kind.rawValue)
        }
        let item = call(.item, handle) { source.supplementaryElement(of: kind) }
        if let error = item.content.fault { fault(handle, "content of the \(kind.rawValue): \(error.message)") }
        return registry.faults[handle].map { .fault($0) } ?? item
    }
}
