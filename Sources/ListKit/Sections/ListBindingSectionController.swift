// SPDX-License-Identifier: Apache-2.0

/// A section controller that makes several items of its object and diffs them when the object changes.
///
/// Override ``viewModels(for:)`` and ``sizeForViewModel(_:at:)``. Items are matched by identity. An item whose content
/// changed is rebound in place. Items without an identity, and items that repeat an earlier identity, are dropped (rule
/// BN-03). Only items are compared: it has no effect whether the old and the new object are equal.
open class ListBindingSectionController: ListSectionController {
    /// The object of the section.
    public private(set) final var object: ListObject?
    /// The items that the section has in the list.
    public private(set) final var viewModels: [ListItem] = []
    /// Receives selections and highlights.
    public final weak var selectionDelegate: (any ListBindingSelectionDelegate)?

    /// The state of the update that `update(animated:completion:)` requested.
    private enum OwnUpdate { case none, queued, applied }
    private var ownUpdate = OwnUpdate.none
    /// Whether items changed since the controller last received its object.
    private var hasChanged = false

    /// Returns the items of an object. Each item needs an identity.
    open func viewModels(for object: ListObject) -> [ListItem] { [] }

    /// Returns the size of an item, in points.
    open func sizeForViewModel(_ viewModel: ListItem, at index: Int) -> Size { .zero }

    /// Stores the new or changed object. An override must call `super`.
    open override func didUpdate(to object: ListObject) { self.object = object }

    /// Makes the items from the object again in the next flush, and diffs them (rules BN-17, BN-18).
    ///
    /// `completion` receives whether the update ran. A call while the update of an earlier call is pending only calls
    /// its own completion with `false`.
    public final func update(animated: Bool = true, completion: ((Bool) -> Void)? = nil) {
        guard let context, ownUpdate == .none else {
            completion?(false)
            return
        }
        ownUpdate = .queued
        context.performBatch(
            animated: animated,
            updates: { [weak self] batch in
                guard let self, ownUpdate == .queued, let object else { return }
                ownUpdate = .applied
                batch.apply(replaceItems(for: object), in: self)
            },
            completion: { [weak self] finished in
                self?.ownUpdate = .none
                completion?(finished)
            })
    }

    override func update(to object: ListObject) -> ListItemChanges? {
        let isFirst = self.object == nil
        hasChanged = false
        // An override may call `update(animated:completion:)`, whose item update then runs inside this call.
        didUpdate(to: object)
        let changes = replaceItems(for: object)
        return isFirst || !hasChanged ? nil : changes
    }

    private func replaceItems(for object: ListObject) -> ListItemChanges {
        let new = ListItemChanges.unique(viewModels(for: object))
        let changes = ListItemChanges(from: viewModels, to: new)
        viewModels = new
        hasChanged = hasChanged || !changes.isEmpty
        return changes
    }

    public final override func numberOfItems() -> Int { viewModels.count }

    public final override func item(at index: Int) -> ListItem {
        viewModels.indices.contains(index) ? viewModels[index] : .fault("no item \(index)")
    }

    /// Returns the size of the item at an index, or zero for an index out of range (rule BN-23).
    public final override func sizeForItem(at index: Int) -> Size {
        viewModels.indices.contains(index) ? sizeForViewModel(viewModels[index], at: index) : .zero
    }

    public final override func moveItem(from source: Int, to destination: Int) {
        guard viewModels.indices.contains(source), viewModels.indices.contains(destination) else { return }
        viewModels.insert(viewModels.remove(at: source), at: destination)
        didMoveViewModel(from: source, to: destination)
    }

    /// Called after an item was moved within the section. ``viewModels`` already has the new order (rule BN-21).
    open func didMoveViewModel(from source: Int, to destination: Int) {}

    // MARK: Selection

    open override func didSelectItem(at index: Int) { notifyDelegate(.select, index: index) }
    open override func didDeselectItem(at index: Int) { notifyDelegate(.deselect, index: index) }
    open override func didHighlightItem(at index: Int) { notifyDelegate(.highlight, index: index) }
    open override func didUnhighlightItem(at index: Int) { notifyDelegate(.unhighlight, index: index) }

    private func notifyDelegate(_ event: ListBindingSelectionEvent, index: Int) {
        guard viewModels.indices.contains(index) else { return }
        selectionDelegate?.sectionController(self, event, itemAt: index, viewModel: viewModels[index])
    }
}

/// A selection or highlight of an item of a binding section.
@frozen public enum ListBindingSelectionEvent: Sendable, Hashable {
    /// The item was selected.
    case select
    /// The item was deselected.
    case deselect
    /// A finger or a pointer was pressed on the item.
    case highlight
    /// The finger or pointer was released.
    case unhighlight
}

/// Receives selections and highlights in a binding section (rules BN-08 to BN-13).
public protocol ListBindingSelectionDelegate: AnyObject {
    /// Called when an item was selected, deselected, highlighted or unhighlighted.
    func sectionController(
        _ controller: ListBindingSectionController, _ event: ListBindingSelectionEvent, itemAt index: Int,
        viewModel: ListItem)
}

/// A section controller for exactly one item, which is rebound in place when its object changes.
///
/// Override ``item(for:)`` and ``size(for:)``.
open class ListBindingSingleSectionController: ListSectionController {
    /// The object of the section.
    public private(set) final var object: ListObject?

    /// Returns the item that shows an object.
    open func item(for object: ListObject) -> ListItem {
        context?.reportFault("\(type(of: self)) does not override item(for:)")
        return .fault("\(type(of: self)) does not override item(for:)")
    }

    /// Returns the size of the item, in points.
    open func size(for object: ListObject) -> Size { .zero }

    /// The item as a view last showed it; `nil` if no view shows it (rule BS-08).
    public final var displayedItem: ListItem? { context?.displayedItem(at: 0) }

    /// Whether any view shows the item (rule BS-08).
    public final var isDisplayingItem: Bool { displayedItem != nil }

    /// Called when the item was selected. `item` is the item as it is displayed.
    open func didSelect(_ item: ListItem?) {}
    /// Called when the item was deselected.
    open func didDeselect(_ item: ListItem?) {}
    /// Called when the item was highlighted.
    open func didHighlight(_ item: ListItem?) {}
    /// Called when the item is no longer highlighted.
    open func didUnhighlight(_ item: ListItem?) {}

    /// Stores the object. An override must call `super`.
    open override func didUpdate(to object: ListObject) { self.object = object }

    override func update(to object: ListObject) -> ListItemChanges? {
        let isFirst = self.object == nil
        didUpdate(to: object)
        return isFirst ? nil : ListItemChanges(updates: [0])
    }

    public final override func numberOfItems() -> Int { 1 }
    public final override func item(at index: Int) -> ListItem {
        object.map { item(for: $0) } ?? .fault("the section has no object yet")
    }
    public final override func sizeForItem(at index: Int) -> Size { object.map { size(for: $0) } ?? .zero }
    public final override func didSelectItem(at index: Int) { didSelect(displayedItem) }
    public final override func didDeselectItem(at index: Int) { didDeselect(displayedItem) }
    public final override func didHighlightItem(at index: Int) { didHighlight(displayedItem) }
    public final override func didUnhighlightItem(at index: Int) { didUnhighlight(displayedItem) }
}
