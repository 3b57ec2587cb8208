// SPDX-License-Identifier: Apache-2.0

// Questions to section controllers, and checks of their answers.

extension SectionStore {
    // MARK: Counts

    /// Counts the items of all sections of a new list.
    func countAllItems() {
        var kinds = LastKind()
        var (count, unsettled) = (0, [Int]())
        map.table.setItemCounts { object in
            defer { count += 1 }
            if let itemCount = kinds.itemCount(of: object, in: self) { return itemCount }
            unsettled.append(count)
            return 0
        }
        countItems(at: unsettled)
    }

    /// Asks sections for their numbers of items.
    func countItems(at positions: [Int]) {
        for position in positions {
            guard let handle = map.handle(at: position) else { continue }
            map.setItemCount(askItemCount(of: handle), of: handle)
        }
        map.commit()
    }

    /// Asks a section for its number of items; 1, the error item, for a section at fault.
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
            fault(handle, "returned \(count) items, where 0 to \(SectionStore.maximumItemCount) are allowed")
            return 1
        }
        return fault(of: handle) == nil ? count : 1
    }

    /// Counts the items of inserted sections; `nil` for a section whose controller has to be asked.
    func countItems(of changes: SectionChanges) -> [Int?] {
        var kinds = LastKind()
        return changes.inserts.map { kinds.itemCount(of: $0.object, in: self) }
    }

    /// Counts the items of inserted sections, adding what built-in section controllers leave out of new and changed objects, or
    /// replace in them.
    ///
    /// Losses are counted once for each update of an object, not when sections are laid out, which happens often.
    /// - Parameter container: has the list's own layout; only fields that it reads count.
    func countItems(
        of changes: SectionChanges, in container: ListContainer, adding losses: inout ContentLosses
    ) -> [Int?] {
        var kinds = LastKind()
        var counts: [Int?] = []
        counts.reserveCapacity(changes.inserts.count)
        for insert in changes.inserts {
            counts.append(kinds.itemCount(of: insert.object, in: self, container: container, adding: &losses))
        }
        for update in changes.updates {
            _ = kinds.itemCount(of: update.object, in: self, container: container, adding: &losses)
        }
        return counts
    }

    /// The items of a section whose items have identities.
    func identifiedItems(of handle: SectionHandle, _ object: ListObject?) -> [ListItem]? {
        if let controller = existingController(of: handle) as? ListBindingSectionController {
            return controller.viewModels
        }
        guard let object, let viewModels = kind(for: object)?.traits?.viewModels else { return nil }
        return ListItemChanges.unique(viewModels(object))
    }

    // MARK: Items

    /// An item as its controller makes it; an error item when the section is at fault.
    func askItem(of handle: SectionHandle, at index: Int) -> ListItem {
        if let reason = fault(of: handle) { return .fault(reason) }
        guard let controller = controller(of: handle) else { return .fault(fault(of: handle) ?? "no controller") }
        let item = gate.call(.item, handle, in: self) { controller.item(at: index) }
        if let error = item.content.fault { fault(handle, "content of item \(index): \(error.message)") }
        return fault(of: handle).map { .fault($0) } ?? item
    }

    /// A header or footer as its source makes it.
    func askSupplementary(of handle: SectionHandle, kind: ElementKind) -> ListItem {
        guard let source = controller(of: handle)?.supplementarySource else {
            return ListItem(reuseIdentifier: kind.rawValue)
        }
        let item = gate.call(.item, handle, in: self) { source.supplementaryElement(of: kind) }
        if let error = item.content.fault { fault(handle, "content of the \(kind.rawValue): \(error.message)") }
        return fault(of: handle).map { .fault($0) } ?? item
    }

    /// Whether a section has a transition delegate.
    func hasTransitions(_ handle: SectionHandle) -> Bool {
        existingController(of: handle)?.transitionDelegate != nil
    }

    /// The frame that an item starts from or leaves to; `nil` when it is the resting one.
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

    /// Asks a section controller whether one of its items may be selected, or deselected.
    func askSelection(of handle: SectionHandle, item: Int, selects: Bool) -> Bool {
        guard let controller = controller(of: handle) else { return false }
        return gate.call(.selection, handle, in: self) {
            selects ? controller.shouldSelectItem(at: item) : controller.shouldDeselectItem(at: item)
        }
    }

    /// Passes a selection or highlight of an item to its section controller.
    func tellSelection(of handle: SectionHandle, item: Int, _ event: ListBindingSelectionEvent) {
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

    /// Passes an action to a section controller; returns whether it was handled.
    func askAction(
        of handle: SectionHandle, item: Int, _ action: String, _ parameters: Fields
    ) -> Bool {
        guard let controller = controller(of: handle) else { return false }
        return gate.call(.action, handle, in: self) {
            controller.handleAction(action, parameters: parameters, at: item)
        }
    }

    // MARK: Dragging

    /// The verdict on a dragged item.
    enum MoveJudgement {
        /// There is no such item, or no such target.
        case error(ListError)
        /// The item stays where it is.
        case refused
        /// The item is at the target already.
        case nothing
        /// Its section moves.
        case section
        /// Its section gets this object.
        case object(ListObject)
        /// Its section controller moves it.
        case item(SectionHandle)
    }

    /// Asks about a dragged item, which moves inside its section if the controller agrees, or with its section if both sections
    /// have one item.
    func judgeMove(from: IndexPath, to: IndexPath) -> MoveJudgement {
        guard let source = map.handle(at: from.section), let target = map.handle(at: to.section),
            (0..<map.itemCount(of: source)).contains(from.item),
            (0..<map.itemCount(of: target)).contains(to.item)
        else {
            let (item, place) = ("\(from.section), \(from.item)", "\(to.section), \(to.item)")
            return .error(ListError(.noSuchItem, "no item at (\(item)) or no place at (\(place))"))
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
