// SPDX-License-Identifier: Apache-2.0

/// The elements that appeared and disappeared in one view by a scroll step or a transaction.
struct DisplayStep {
    /// The elements that appeared.
    var appeared: [ViewElement] = []
    /// The elements that disappeared, as they were before.
    var disappeared: [ViewElement] = []
    /// The sections whose first element appeared.
    var sectionsAppeared: [(section: Int, handle: SectionHandle)] = []
    /// The sections whose last element disappeared, with their old positions.
    var sectionsDisappeared: [(section: Int, handle: SectionHandle)] = []
    /// The sections that entered the working range.
    var entered: [(section: Int, handle: SectionHandle)] = []
    /// The sections that left the working range, with their old positions.
    var exited: [(section: Int, handle: SectionHandle)] = []
    /// The items that entered the working range of a view that counts items.
    var itemsEntered: [WorkingRange.Item] = []
    /// The items that left the working range of a view that counts items, with their old places.
    var itemsExited: [WorkingRange.Item] = []

    /// Sets the elements and sections that appeared and disappeared, by a comparison of the old elements with the new.
    ///
    /// - Parameters:
    ///   - forwarding: the mappings of old to new item indexes.
    ///   - sections: the sections outside of which sections and items keep their positions; `nil` = they need not do so.
    /// - Complexity: O(elements). Only elements of `sections` are looked up.
    mutating func setChanges(
        from old: [ViewElement], to new: [ViewElement], forwarding: [SectionHandle: PositionMap],
        in sections: Range<Int>? = nil
    ) {
        guard let sections, ViewElement.areInListOrder(old), ViewElement.areInListOrder(new) else {
            return addChanges(from: old[...], to: new[...], forwarding)
        }
        let (before, after) = (
            ViewElement.indexes(of: sections, in: old), ViewElement.indexes(of: sections, in: new)
        )
        addChanges(scrollingFrom: old[..<before.lowerBound], to: new[..<after.lowerBound])
        addChanges(from: old[before], to: new[after], forwarding)
        addChanges(scrollingFrom: old[before.upperBound...], to: new[after.upperBound...])
    }

    private mutating func addChanges(
        from old: ArraySlice<ViewElement>, to new: ArraySlice<ViewElement>,
        _ forwarding: [SectionHandle: PositionMap]
    ) {
        let present = Set(new.map(\.key))
        var survived: Set<ElementKey> = []
        survived.reserveCapacity(old.count)
        for element in old {
            if let key = element.key.forwarded(by: forwarding), present.contains(key) {
                survived.insert(key)
            } else {
                disappeared.append(element)
            }
        }
        appeared += new.filter { !survived.contains($0.key) }
        sectionsAppeared += DisplayStep.sections(of: new, without: old)
        sectionsDisappeared += DisplayStep.sections(of: old, without: new)
    }

    /// Sets the elements and sections that appeared and disappeared while all sections kept their positions.
    ///
    /// - Returns: `false` if the elements are not in list order. Then nothing is set.
    /// - Complexity: O(elements + changed sections · log elements).
    mutating func setChanges(scrollingFrom old: [ViewElement], to new: [ViewElement]) -> Bool {
        guard ViewElement.areInListOrder(old), ViewElement.areInListOrder(new) else { return false }
        addChanges(scrollingFrom: old[...], to: new[...])
        return true
    }

    /// Sets the elements and sections that appeared and disappeared where a scroll replaced elements. Sections of which other
    /// elements are shown have to be left out with ``leaveOutSections(disappearingFrom:)`` next.
    ///
    /// - Parameters:
    ///   - old: the replaced elements, in list order.
    ///   - new: the elements that took the place of them, in list order.
    ///   - shown: all elements that were shown before.
    /// - Complexity: O(elements of `old` and `new` + changed sections · log elements).
    mutating func setScrolled(from old: [ViewElement], to new: [ViewElement], of shown: [ViewElement]) {
        addChanges(scrollingFrom: old[...], to: new[...])
        sectionsAppeared.removeAll { ViewElement.isAny(of: $0.section, in: shown) }
    }

    /// Leaves out the sections of which an element is still shown.
    ///
    /// - Complexity: O(changed sections · log elements).
    mutating func leaveOutSections(disappearingFrom shown: [ViewElement]) {
        sectionsDisappeared.removeAll { ViewElement.isAny(of: $0.section, in: shown) }
    }

    private mutating func addChanges(scrollingFrom old: ArraySlice<ViewElement>, to new: ArraySlice<ViewElement>) {
        let (come, gone) = (appeared.count, disappeared.count)
        var index = old.startIndex
        for element in new {
            while index < old.endIndex, ViewElement.isBefore(old[index], element) {
                disappeared.append(old[index])
                index += 1
            }
            if index < old.endIndex, old[index].key == element.key { index += 1 } else { appeared.append(element) }
        }
        disappeared += old[index...]
        sectionsAppeared += DisplayStep.sections(of: appeared[come...], withoutElementIn: old)
        sectionsDisappeared += DisplayStep.sections(of: disappeared[gone...], withoutElementIn: new)
    }

    /// Returns the sections of some elements of which no element is among others, which are in list order.
    private static func sections(
        of elements: ArraySlice<ViewElement>, withoutElementIn others: ArraySlice<ViewElement>
    ) -> [(section: Int, handle: SectionHandle)] {
        var sections: [(section: Int, handle: SectionHandle)] = []
        var last: Int?
        for element in elements where element.section != last {
            last = element.section
            let place = others.partitionPoint { $0.section < element.section }
            let isAmongOthers = place < others.endIndex && others[place].section == element.section
            if !isAmongOthers, let handle = element.key.handle { sections.append((element.section, handle)) }
        }
        return sections
    }

    private static func sections(
        of elements: ArraySlice<ViewElement>, without others: ArraySlice<ViewElement>
    ) -> [(section: Int, handle: SectionHandle)] {
        var known: Set<SectionHandle> = []
        known.reserveCapacity(others.count + elements.count)
        for element in others { if let handle = element.key.handle { known.insert(handle) } }
        return elements.compactMap { element in
            guard let handle = element.key.handle, known.insert(handle).inserted else { return nil }
            return (element.section, handle)
        }
    }
}

/// Counts for each section and item the views that show it or have it in range. Section controllers are notified only
/// of the first and the last view (rule DH-13).
struct DisplayCounts {
    private var sections: [SectionHandle: Int] = [:]
    private var items: [ElementKey: Int] = [:]
    private var ranges: [SectionHandle: Int] = [:]

    /// Returns whether any view shows a section or has the section in range.
    func isInUse(_ handle: SectionHandle) -> Bool { sections[handle] != nil || ranges[handle] != nil }

    /// Returns whether any view has a section in range.
    func isInRange(_ handle: SectionHandle) -> Bool { ranges[handle] != nil }

    /// Returns whether any view shows a section.
    func isDisplayed(_ handle: SectionHandle) -> Bool { sections[handle] != nil }

    /// Returns the indexes, ascending, of the items that any view shows in the sections that `isWanted` selects.
    ///
    /// - Complexity: O(items shown in all sections).
    func displayedItems(where isWanted: (SectionHandle) -> Bool) -> [SectionHandle: [Int]] {
        var indexes: [SectionHandle: [Int]] = [:]
        for key in items.keys {
            if let handle = key.handle, isWanted(handle) { indexes[handle, default: []].append(key.index) }
        }
        return indexes.mapValues { $0.sorted() }
    }

    /// Moves the counts to the new indexes of items after a transaction. Call ``remove(item:of:)`` for the removed
    /// items first.
    ///
    /// - Complexity: O(items shown in all sections), or O(1) if no items moved.
    mutating func forward(_ forwarding: [SectionHandle: PositionMap]) {
        guard !forwarding.isEmpty else { return }
        let gone = items.filter { $0.key.handle.map { forwarding[$0] != nil } ?? false }
        for key in gone.keys { items[key] = nil }
        for (key, count) in gone { if let new = key.forwarded(by: forwarding) { items[new, default: 0] += count } }
    }

    /// Records that one more view shows an item. Returns whether no view showed the item before.
    mutating func add(item index: Int, of handle: SectionHandle) -> Bool {
        DisplayCounts.increment(ElementKey(handle: handle, kind: .cell, index: index), in: &items)
    }

    /// Records that one view fewer shows an item. Returns whether no view shows the item any more.
    mutating func remove(item index: Int, of handle: SectionHandle) -> Bool {
        DisplayCounts.decrement(ElementKey(handle: handle, kind: .cell, index: index), in: &items)
    }

    /// Records that one more element of a section is shown. Returns whether no element was shown before.
    mutating func add(elementOf handle: SectionHandle) -> Bool { DisplayCounts.increment(handle, in: &sections) }

    /// Records that one element fewer of a section is shown. Returns whether no element is shown any more.
    mutating func remove(elementOf handle: SectionHandle) -> Bool { DisplayCounts.decrement(handle, in: &sections) }

    /// Records that a section entered a view's working range. Returns whether no other view has the section in range.
    mutating func enterRange(_ handle: SectionHandle) -> Bool { DisplayCounts.increment(handle, in: &ranges) }

    /// Records that a section left a view's working range. Returns whether no view has the section in range any more.
    mutating func exitRange(_ handle: SectionHandle) -> Bool { DisplayCounts.decrement(handle, in: &ranges) }

    /// Adds 1 to a count. Returns whether it was 0 before.
    @discardableResult
    static func increment<Key>(_ key: Key, in counts: inout [Key: Int]) -> Bool {
        let before = counts.updateValue(1, forKey: key)
        if let before { counts[key] = before + 1 }
        return before == nil
    }

    /// Subtracts 1 from a count. Returns whether it is 0 now.
    @discardableResult
    static func decrement<Key>(_ key: Key, in counts: inout [Key: Int]) -> Bool {
        guard let count = counts.removeValue(forKey: key) else { return false }
        if count > 1 { counts[key] = count - 1 }
        return count == 1
    }
}

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

extension SectionStore {
    /// Makes a call that notifies a section controller of a change in a view.
    func perform(_ call: ControllerCall) {
        let controller: ListSectionController? =
            switch call.receiver {
            case .made: controller(of: call.handle)
            case .existing: existingController(of: call.handle)
            case .former(let controller): controller
            case .nobody: nil
            }
        guard let controller else { return }
        switch call.message {
        case .willDisplayItem(let index):
            notify(controller, call, .display) { $0.sectionController(controller, willDisplayItemAt: index) }
        case .didEndDisplayingItem(let index):
            notify(controller, call, .endDisplay) { $0.sectionController(controller, didEndDisplayingItemAt: index) }
        case .willDisplay: notify(controller, call, .display) { $0.sectionControllerWillDisplay(controller) }
        case .didEndDisplaying:
            notify(controller, call, .endDisplay) { $0.sectionControllerDidEndDisplaying(controller) }
        case .willEnterRange:
            guard let delegate = controller.workingRangeDelegate else { return }
            gate.call(.workingRange, call.handle, in: self) {
                delegate.sectionControllerWillEnterWorkingRange(controller)
            }
        case .didExitRange:
            guard let delegate = controller.workingRangeDelegate else { return }
            gate.call(.workingRange, call.handle, in: self) {
                delegate.sectionControllerDidExitWorkingRange(controller)
            }
        case .didScroll(let event):
            guard let delegate = controller.scrollDelegate else { return }
            gate.call(.scroll, call.handle, in: self) { delegate.sectionController(controller, didScroll: event) }
        }
    }

    private func notify(
        _ controller: ListSectionController, _ call: ControllerCall, _ callback: ListControllerCall.Callback,
        _ message: (any ListDisplayDelegate) -> Void
    ) {
        guard let delegate = controller.displayDelegate else { return }
        gate.call(callback, call.handle, in: self) { message(delegate) }
    }

    /// Returns the arguments for the adapter's own delegates, or `nil` if they are not notified of a call.
    func announcement(of call: ControllerCall) -> (object: ListObject, section: Int, item: Int?, appears: Bool)? {
        guard let section = call.section else { return nil }
        let (item, appears): (Int?, Bool)
        switch call.message {
        case .willDisplayItem(let index): (item, appears) = (index, true)
        case .didEndDisplayingItem(let index): (item, appears) = (index, false)
        case .willDisplay: (item, appears) = (nil, true)
        case .didEndDisplaying: (item, appears) = (nil, false)
        case .willEnterRange, .didExitRange, .didScroll: return nil
        }
        let object = appears ? map.object(of: call.handle) : map.oldObject(of: call.handle)
        return object.map { ($0, section, item, appears) }
    }
}
