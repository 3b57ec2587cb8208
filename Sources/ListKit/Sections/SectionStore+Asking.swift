// SPDX-License-Identifier: Apache-2.0

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
