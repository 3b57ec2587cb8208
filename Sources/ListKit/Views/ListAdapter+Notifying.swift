// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Tells section controllers, delegate and announcer what a step did: what appears before what disappears, items before
    /// their section (rules DH-10, WR-14).
    ///
    /// - Parameter replaced: controllers that were let go in the transaction: they hear the end of everything that they
    ///   showed, and those in their place the beginning of what is shown now.
    func notify(
        _ steps: [DisplayStep], forwarding: [SectionHandle: IndexForwarding] = [:],
        replaced: [SectionHandle: ListSectionController] = [:]
    ) {
        let before = standings(of: replaced)
        let disappeared = steps.flatMap(\.disappeared)
        var goneItems: Set<ElementKey> = []
        goneItems.reserveCapacity(disappeared.count)
        for element in disappeared where element.key.kind == .cell {
            guard let handle = element.key.handle else { continue }
            if displayCounts.remove(item: element.key.index, of: handle) { goneItems.insert(element.key) }
        }
        displayCounts.forward(forwarding)
        let handedOver = steps.count > 1 ? handedOver(&goneItems, steps, forwarding) : []
        for element in steps.flatMap(\.appeared) {
            appear(
                element, isQuiet: replaced[element.key.handle] != nil, isHandedOver: handedOver.contains(element.key))
        }
        for element in disappeared {
            let isGone = goneItems.remove(element.key) != nil
            disappear(element, isItemGone: isGone, isQuiet: replaced[element.key.handle] != nil)
        }
        for standing in standings(of: replaced) { begin(standing) }
        notifyRanges(steps, replaced: replaced)
        for standing in before { end(standing, replaced[standing.handle]) }
    }

    /// Items that one view loses while another one gets them stay shown: they leave those that are gone, and are answered.
    private func handedOver(
        _ gone: inout Set<ElementKey>, _ steps: [DisplayStep], _ forwarding: [SectionHandle: IndexForwarding]
    ) -> Set<ElementKey> {
        let appeared = Set(steps.flatMap(\.appeared).map(\.key))
        var handedOver: Set<ElementKey> = []
        for key in gone {
            guard let new = key.forwarded(by: forwarding), appeared.contains(new) else { continue }
            handedOver.insert(new)
            gone.remove(key)
        }
        return handedOver
    }

    private func appear(_ element: ViewElement, isQuiet: Bool, isHandedOver: Bool) {
        guard let handle = element.key.handle else { return }
        let isCounted = element.key.kind == .cell && displayCounts.add(item: element.key.index, of: handle)
        let isNewItem = isCounted && !isHandedOver
        let isNewSection = displayCounts.add(elementOf: handle)
        guard isNewItem || isNewSection else { return }
        let controller = isQuiet ? nil : controller(of: handle)
        if isNewItem {
            tell(controller, handle, .display) { $0.sectionController($1, willDisplayItemAt: element.key.index) }
            announce(element, isItem: true, appears: true)
        }
        if isNewSection {
            tell(controller, handle, .display) { $0.sectionControllerWillDisplay($1) }
            announce(element, isItem: false, appears: true)
        }
    }

    private func disappear(_ element: ViewElement, isItemGone: Bool, isQuiet: Bool) {
        guard let handle = element.key.handle else { return }
        let isSectionGone = displayCounts.remove(elementOf: handle)
        let controller = isQuiet ? nil : registry.controllers[handle]
        if isItemGone {
            tell(controller, handle, .endDisplay) {
                $0.sectionController($1, didEndDisplayingItemAt: element.key.index)
            }
            announce(element, isItem: true, appears: false)
        }
        if isSectionGone {
            tell(controller, handle, .endDisplay) { $0.sectionControllerDidEndDisplaying($1) }
            announce(element, isItem: false, appears: false)
        }
    }

    private func tell(
        _ controller: ListSectionController?, _ handle: SectionHandle, _ callback: ListControllerCall.Callback,
        _ message: (any ListDisplayDelegate, ListSectionController) -> Void
    ) {
        guard let controller, let delegate = controller.displayDelegate else { return }
        call(callback, handle) { message(delegate, controller) }
    }

    // MARK: Working range

    private func notifyRanges(_ steps: [DisplayStep], replaced: [SectionHandle: ListSectionController]) {
        let entered = steps.flatMap(\.entered).filter { displayCounts.enter($0.handle) }
        let exited = steps.flatMap(\.exited).filter { displayCounts.exit($0.handle) }
        for place in entered where replaced[place.handle] == nil {
            enterRange(controller(of: place.handle), place.handle)
        }
        for handle in replaced.keys.sorted() where displayCounts.isInRange(handle) {
            enterRange(controller(of: handle), handle)
        }
        for place in exited where replaced[place.handle] == nil {
            exitRange(registry.controllers[place.handle], place.handle)
        }
    }

    private func enterRange(_ controller: ListSectionController?, _ handle: SectionHandle) {
        guard let controller, let delegate = controller.workingRangeDelegate else { return }
        call(.workingRange, handle) { delegate.sectionControllerWillEnterWorkingRange(controller) }
    }

    private func exitRange(_ controller: ListSectionController?, _ handle: SectionHandle) {
        guard let controller, let delegate = controller.workingRangeDelegate else { return }
        call(.workingRange, handle) { delegate.sectionControllerDidExitWorkingRange(controller) }
    }

    // MARK: Replaced controllers

    /// What of a section is shown and in range.
    private struct Standing {
        let handle: SectionHandle
        let items: [Int]
        let isDisplayed: Bool
        let isInRange: Bool
    }

    private func standings(of replaced: [SectionHandle: ListSectionController]) -> [Standing] {
        guard !replaced.isEmpty else { return [] }
        let items = displayCounts.displayedItems { replaced[$0] != nil }
        return replaced.keys.sorted().map { handle in
            Standing(
                handle: handle, items: items[handle] ?? [], isDisplayed: displayCounts.isDisplayed(handle),
                isInRange: displayCounts.isInRange(handle))
        }
    }

    private func begin(_ standing: Standing) {
        guard standing.isDisplayed, sections.position(of: standing.handle) != nil else { return }
        let controller = controller(of: standing.handle)
        for index in standing.items {
            tell(controller, standing.handle, .display) { $0.sectionController($1, willDisplayItemAt: index) }
        }
        tell(controller, standing.handle, .display) { $0.sectionControllerWillDisplay($1) }
    }

    private func end(_ standing: Standing, _ controller: ListSectionController?) {
        for index in standing.items {
            tell(controller, standing.handle, .endDisplay) { $0.sectionController($1, didEndDisplayingItemAt: index) }
        }
        if standing.isDisplayed {
            tell(controller, standing.handle, .endDisplay) { $0.sectionControllerDidEndDisplaying($1) }
        }
        if standing.isInRange { exitRange(controller, standing.handle) }
    }
}

extension Dictionary where Key == SectionHandle {
    /// The value of a section; none for the empty view.
    fileprivate subscript(handle: SectionHandle?) -> Value? { handle.flatMap { self[$0] } }
}
