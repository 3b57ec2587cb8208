// SPDX-License-Identifier: Apache-2.0

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

    override func update(to object: ListObject) -> ListSectionChange {
        let isFirst = self.object == nil
        didUpdate(to: object)
        return isFirst ? .reload : .items(ListItemChanges(updates: [0]))
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
