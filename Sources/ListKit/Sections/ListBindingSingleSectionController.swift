// SPDX-License-Identifier: Apache-2.0

/// A section of exactly one item that is rebound in place.
///
/// Override ``item(for:)`` and ``size(for:)``.
open class ListBindingSingleSectionController: ListSectionController {
    /// The object of the section.
    public private(set) final var object: ListObject?

    /// The item of an object.
    open func item(for object: ListObject) -> ListItem {
        context?.reportFault("\(type(of: self)) does not override item(for:)")
        return .fault("\(type(of: self)) does not override item(for:)")
    }

    /// The size of the item, in points.
    open func size(for object: ListObject) -> Size { .zero }

    /// The item as a view last showed it (rule BS-08).
    public final var displayedItem: ListItem? { context?.displayedItem(at: 0) }

    /// Whether some view shows the item (rule BS-08).
    public final var isDisplayingItem: Bool { displayedItem != nil }

    /// The item was selected; `item` is the displayed one.
    open func didSelect(_ item: ListItem?) {}
    /// The item was deselected.
    open func didDeselect(_ item: ListItem?) {}
    /// The item was highlighted.
    open func didHighlight(_ item: ListItem?) {}
    /// The item is no longer highlighted.
    open func didUnhighlight(_ item: ListItem?) {}

    /// Keeps the object; an override must call this one.
    open override func didUpdate(to object: ListObject) { self.object = object }

    override func update(to object: ListObject) -> ListSectionChange {
        let isFirst = self.object == nil
        didUpdate(to: object)
        return isFirst ? .reload : .items(ListItemChanges(updates: [0]))
    }

    public final override func numberOfItems() -> Int { 1 }
    public final override func item(at index: Int) -> ListItem { object.map { item(for: $0) } ?? .fault("no object") }
    public final override func sizeForItem(at index: Int) -> Size { object.map { size(for: $0) } ?? .zero }
    public final override func didSelectItem(at index: Int) { didSelect(displayedItem) }
    public final override func didDeselectItem(at index: Int) { didDeselect(displayedItem) }
    public final override func didHighlightItem(at index: Int) { didHighlight(displayedItem) }
    public final override func didUnhighlightItem(at index: Int) { didUnhighlight(displayedItem) }
}
