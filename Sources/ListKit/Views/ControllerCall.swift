// SPDX-License-Identifier: Apache-2.0

/// A pending call that notifies a section controller of a change in a view. ``SectionStore/perform(_:)`` makes the
/// call.
struct ControllerCall {
    /// The notification that the section controller receives.
    enum Message {
        case willDisplayItem(Int)
        case didEndDisplayingItem(Int)
        case willDisplay
        case didEndDisplaying
        case willEnterRange
        case didExitRange
        case didScroll(ListScrollEvent)
    }

    /// The section controller that is notified.
    enum Receiver {
        /// The section's controller, which is made if there is none.
        case made
        /// The section's controller, if there is one.
        case existing
        /// A controller that was released.
        case former(ListSectionController)
        /// No controller: only the adapter's own delegates are notified.
        case nobody
    }

    let message: Message
    let handle: SectionHandle
    let receiver: Receiver
    /// The present or former position of the section, for the adapter's own delegates; `nil` = they are not notified.
    var section: Int?
}

/// The calls that notify section controllers of appearing and disappearing elements, of working ranges and of
/// scrolling.
///
/// Elements are counted over all views, so that each controller is notified once (rule DH-13).
struct ControllerCalls {
    private(set) var calls: [ControllerCall] = []
    private let replaced: [SectionHandle: ListSectionController]

    /// Makes the calls for some steps. Appearances come before disappearances, and items before their section (rules
    /// DH-10, WR-14).
    ///
    /// - Parameter effects: the effects of the update that led to the steps; `nil` = no update did.
    init(_ steps: [DisplayStep], _ counts: inout DisplayCounts, _ map: SectionMap, _ effects: UpdateEffects? = nil) {
        replaced = effects?.replaced ?? [:]
        let forwarding = effects?.forwarding ?? [:]
        let before = replacedSections(counts)
        let disappeared = steps.count == 1 ? steps[0].disappeared : steps.flatMap(\.disappeared)
        var goneItems: Set<ElementKey> = []
        goneItems.reserveCapacity(disappeared.count)
        for element in disappeared where element.key.kind == .cell {
            guard let handle = element.key.handle else { continue }
            if counts.remove(item: element.key.index, of: handle) { goneItems.insert(element.key) }
        }
        counts.forward(forwarding)
        let handedOver = steps.count > 1 ? extractHandedOver(from: &goneItems, steps, forwarding) : []
        for step in steps {
            for element in step.appeared {
                addAppearance(of: element, isHandedOver: handedOver.contains(element.key), &counts)
            }
        }
        for element in disappeared {
            addDisappearance(of: element, isItemGone: goneItems.remove(element.key) != nil, &counts)
        }
        for section in replacedSections(counts) { addCallsToSuccessor(of: section, map) }
        addRanges(steps, &counts)
        for section in before { addCallsToReplacedController(of: section) }
    }

    /// Makes the calls for a scroll event. They notify the section controllers whose elements the view shows.
    init(_ event: ListScrollEvent, in view: ListView) {
        replaced = [:]
        for handle in view.handlesShown(cellsOnly: false) { add(.didScroll(event), handle, .existing) }
    }

    private mutating func add(
        _ message: ControllerCall.Message, _ handle: SectionHandle, _ receiver: ControllerCall.Receiver,
        section: Int? = nil
    ) {
        calls.append(ControllerCall(message: message, handle: handle, receiver: receiver, section: section))
    }

    /// Finds the items in `gone` that appear in another view, so that they stay shown. Removes their old keys from
    /// `gone` and returns their new keys.
    private func extractHandedOver(
        from gone: inout Set<ElementKey>, _ steps: [DisplayStep], _ forwarding: [SectionHandle: PositionMap]
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

    private mutating func addAppearance(of element: ViewElement, isHandedOver: Bool, _ counts: inout DisplayCounts) {
        guard let handle = element.key.handle else { return }
        let isCounted = element.key.kind == .cell && counts.add(item: element.key.index, of: handle)
        let isNewSection = counts.add(elementOf: handle)
        let receiver = replaced[handle] == nil ? ControllerCall.Receiver.made : .nobody
        if isCounted && !isHandedOver {
            add(.willDisplayItem(element.key.index), handle, receiver, section: element.section)
        }
        if isNewSection { add(.willDisplay, handle, receiver, section: element.section) }
    }

    private mutating func addDisappearance(of element: ViewElement, isItemGone: Bool, _ counts: inout DisplayCounts) {
        guard let handle = element.key.handle else { return }
        let isSectionGone = counts.remove(elementOf: handle)
        let receiver = replaced[handle] == nil ? ControllerCall.Receiver.existing : .nobody
        if isItemGone { add(.didEndDisplayingItem(element.key.index), handle, receiver, section: element.section) }
        if isSectionGone { add(.didEndDisplaying, handle, receiver, section: element.section) }
    }

    // MARK: Working range

    private mutating func addRanges(_ steps: [DisplayStep], _ counts: inout DisplayCounts) {
        var (entered, exited): ([SectionHandle], [SectionHandle]) = ([], [])
        for step in steps {
            for place in step.entered where counts.enterRange(place.handle) { entered.append(place.handle) }
        }
        for step in steps {
            for place in step.exited where counts.exitRange(place.handle) { exited.append(place.handle) }
        }
        for handle in entered where replaced[handle] == nil { add(.willEnterRange, handle, .made) }
        for handle in replaced.keys.sorted() where counts.isInRange(handle) { add(.willEnterRange, handle, .made) }
        for handle in exited where replaced[handle] == nil { add(.didExitRange, handle, .existing) }
    }

    // MARK: Replaced controllers

    /// The items of a section that are shown, and whether the section is shown and in range.
    private struct DisplayedSection {
        let handle: SectionHandle
        let items: [Int]
        let isDisplayed: Bool
        let isInRange: Bool
    }

    /// Returns the display state of the sections whose controllers were replaced.
    private func replacedSections(_ counts: DisplayCounts) -> [DisplayedSection] {
        guard !replaced.isEmpty else { return [] }
        let items = counts.displayedItems { replaced[$0] != nil }
        return replaced.keys.sorted().map { handle in
            DisplayedSection(
                handle: handle, items: items[handle] ?? [], isDisplayed: counts.isDisplayed(handle),
                isInRange: counts.isInRange(handle))
        }
    }

    private mutating func addCallsToSuccessor(of section: DisplayedSection, _ map: SectionMap) {
        guard section.isDisplayed, map.position(of: section.handle) != nil else { return }
        for index in section.items { add(.willDisplayItem(index), section.handle, .made) }
        add(.willDisplay, section.handle, .made)
    }

    private mutating func addCallsToReplacedController(of section: DisplayedSection) {
        guard let controller = replaced[section.handle] else { return }
        for index in section.items { add(.didEndDisplayingItem(index), section.handle, .former(controller)) }
        if section.isDisplayed { add(.didEndDisplaying, section.handle, .former(controller)) }
        if section.isInRange { add(.didExitRange, section.handle, .former(controller)) }
    }
}
