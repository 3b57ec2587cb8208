// SPDX-License-Identifier: Apache-2.0

/// Makes the items, supplementary views and behaviour of one section; the class that plugin authors inherit from.
///
/// One controller serves one object for as long as the object stays in the list with its type. Every
/// method is called on the executor that owns the adapter, so no locks are needed. What a controller answers is checked:
/// a negative count, a size that is not finite or a repeated item identity is a fault of its section, shown as an error
/// item, and never one of the process.
///
/// Callbacks may call back into ``context`` from anywhere: what cannot run at once is queued and answered later.
open class ListSectionController {
    /// The connection to the adapter; set when the controller is made for a section.
    private(set) final var link: SectionLink?

    /// Distances around the items of the section.
    public final var inset: EdgeInsets = .zero
    /// The least distance between two rows, in points.
    public final var minimumLineSpacing: Double = 0
    /// The least distance between two items of a row, in points.
    public final var minimumInteritemSpacing: Double = 0

    /// Gives the header and the footer; `nil` = the section has neither.
    public final weak var supplementarySource: (any ListSupplementarySource)?
    /// Is told when the section or an item of it appears and disappears.
    public final weak var displayDelegate: (any ListDisplayDelegate)?
    /// Is told when the section comes near the visible ones and when it leaves.
    public final weak var workingRangeDelegate: (any ListWorkingRangeDelegate)?
    /// Is told how a view that shows the section scrolls.
    public final weak var scrollDelegate: (any ListScrollDelegate)?
    /// Changes where items of the section come from and go to.
    public final weak var transitionDelegate: (any ListTransitionDelegate)?

    /// Makes a controller that belongs to no list yet.
    public init() {}

    /// The adapter as section controllers see it; `nil` before the controller is made for a section and after its
    /// adapter is gone.
    public final var context: ListCollectionContext? {
        link?.host.map { ListCollectionContext(controller: self, host: $0) }
    }

    /// The place of the section; `nil` when the controller is in no list (rules SM-10, SM-16).
    ///
    /// Complexity: O(log n).
    public final var section: Int? { link.flatMap { $0.host?.store.map.position(of: $0.handle) } }

    /// Whether the section is the first of the list.
    public final var isFirstSection: Bool { section == 0 }

    /// Whether the section is the last of the list.
    public final var isLastSection: Bool {
        guard let section, let host = link?.host else { return false }
        return section == host.store.map.count - 1
    }

    /// Puts the controller into a list, or out of it.
    final func setLink(_ new: SectionLink?) { link = new }

    // MARK: Content

    /// How many items the section has; the default is 1.
    ///
    /// Asked once after each change. A negative number, or one over ``ListAdapter/maximumItemsPerSection``, is a fault.
    open func numberOfItems() -> Int { 1 }

    /// The size of an item, in points; the default is no size.
    ///
    /// Negative extents count as 0 (rule AD-101); one that is not finite is a fault. `context.containerSize` is the
    /// size of the view that is being laid out.
    open func sizeForItem(at index: Int) -> Size { .zero }

    /// The item at an index; must be overridden by controllers that have items.
    open func item(at index: Int) -> ListItem {
        context?.reportFault("does not override item(at:)")
        return .fault("\(type(of: self)) does not override item(at:)")
    }

    /// Where an item lies when the list uses the layout `absolute`: frame in content coordinates and z order.
    ///
    /// The default is the item's size at the origin.
    open func placementOfItem(at index: Int) -> ItemPlacement {
        ItemPlacement(frame: Rect(origin: .zero, size: sizeForItem(at: index)))
    }

    /// The object of the section is new, or has changed.
    ///
    /// Called before anything is asked of a new controller, and after every section of the list has its new number.
    open func didUpdate(to object: ListObject) {}

    /// Takes the new object and says what became of the items; the engine's way in.
    func update(to object: ListObject) -> ListSectionChange {
        didUpdate(to: object)
        return .reload
    }

    // MARK: Selection

    /// Whether an item may be selected; the default is yes.
    open func shouldSelectItem(at index: Int) -> Bool { true }
    /// Whether an item may be deselected; the default is yes.
    open func shouldDeselectItem(at index: Int) -> Bool { true }
    /// An item was selected.
    open func didSelectItem(at index: Int) {}
    /// An item was deselected.
    open func didDeselectItem(at index: Int) {}
    /// An item was highlighted: a finger or a pointer is down on it.
    open func didHighlightItem(at index: Int) {}
    /// An item is no longer highlighted.
    open func didUnhighlightItem(at index: Int) {}

    // MARK: Actions

    /// A viewer invoked an action on an item, as by a button in its cell: answers whether the controller has handled it.
    ///
    /// What it does not handle goes to the list's owner. The default handles nothing.
    ///
    /// - Parameters:
    ///   - action: a word that viewers and the controller, or the list's owner, agree on.
    ///   - parameters: what else the viewer says.
    open func handleAction(_ action: String, parameters: Fields, at index: Int) -> Bool { false }

    // MARK: Reordering

    /// Whether an item may be dragged; the default is no.
    open func canMoveItem(at index: Int) -> Bool { false }

    /// Whether an item may be dropped at another place of the section; the default asks ``canMoveItem(at:)``
    /// (rule SC-06).
    open func canMoveItem(from source: Int, to destination: Int) -> Bool { canMoveItem(at: source) }

    /// The object as it is once an item was moved, for sections whose object says in which order its items are.
    ///
    /// `nil`, the default, means that only the controller knows; ``moveItem(from:to:)`` is then called.
    open func object(movingItemFrom source: Int, to destination: Int) -> ListObject? { nil }

    /// An item was moved inside the section: the controller moves its data likewise.
    open func moveItem(from source: Int, to destination: Int) {
        context?.reportFault("does not override moveItem(from:to:)")
    }
}

/// What became of the items of a section whose object changed.
enum ListSectionChange {
    /// All of them are to be asked for anew.
    case reload
    /// Only these changed.
    case items(ListItemChanges)
}
