// SPDX-License-Identifier: Apache-2.0

/// Makes the items, supplementary views and behaviour of one section; the class that plugin authors inherit from.
///
/// One controller serves one object for as long as the object stays in the list with its type. Every method is called on the
/// executor that owns the adapter, so no locks are needed. Results are checked: a negative count, a size that is not finite
/// or a repeated item identity is a fault of the section, which shows an error item, and never one of the process.
///
/// Callbacks may use ``context`` at any time: what cannot run at once is queued.
open class ListSectionController {
    /// The connection to the adapter; set when the controller is made for a section.
    private(set) final var link: SectionLink?

    /// Distances around the items of the section.
    public final var inset: EdgeInsets = .zero
    /// The least distance between two rows, in points.
    public final var minimumLineSpacing: Double = 0
    /// The least distance between two items of a row, in points.
    public final var minimumInteritemSpacing: Double = 0

    /// Provides the header and the footer; `nil` = the section has neither.
    public final weak var supplementarySource: (any ListSupplementarySource)?
    /// Observes when the section or an item of it appears and disappears.
    public final weak var displayDelegate: (any ListDisplayDelegate)?
    /// Observes when the section enters and leaves a working range.
    public final weak var workingRangeDelegate: (any ListWorkingRangeDelegate)?
    /// Observes how a view that shows the section scrolls.
    public final weak var scrollDelegate: (any ListScrollDelegate)?
    /// Provides the frames that items start from and leave to.
    public final weak var transitionDelegate: (any ListTransitionDelegate)?

    /// Makes a controller that belongs to no list yet.
    public init() {}

    /// The adapter as section controllers see it; `nil` before the controller is made for a section and after its
    /// adapter is gone.
    public final var context: ListCollectionContext? {
        link?.host.map { ListCollectionContext(controller: self, host: $0) }
    }

    /// The position of the section; `nil` when the controller is in no list (rules SM-10, SM-16).
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

    /// Adds the controller to a list, or removes it.
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

    /// An item's frame in content coordinates and its z, for layouts that use placements, as `absolute`.
    ///
    /// The default is the item's size at the origin.
    open func placementOfItem(at index: Int) -> ItemPlacement {
        ItemPlacement(frame: Rect(origin: .zero, size: sizeForItem(at: index)))
    }

    /// The object of the section is new, or has changed.
    ///
    /// The first call of a new controller; all sections have their new positions by then.
    open func didUpdate(to object: ListObject) {}

    /// Hands over the new object; returns how the items changed.
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

    /// Handles an action that a viewer invoked on an item, as by a button in its cell; returns whether it was handled.
    ///
    /// Other actions go to the list's owner. The default handles none.
    ///
    /// - Parameters:
    ///   - action: the name of the action.
    ///   - parameters: the viewer's parameters.
    open func handleAction(_ action: String, parameters: Fields, at index: Int) -> Bool { false }

    // MARK: Reordering

    /// Whether an item may be dragged; the default is no.
    open func canMoveItem(at index: Int) -> Bool { false }

    /// Whether an item may be dropped at another place of the section; the default asks ``canMoveItem(at:)``
    /// (rule SC-06).
    open func canMoveItem(from source: Int, to destination: Int) -> Bool { canMoveItem(at: source) }

    /// The object after the move of an item, for sections whose object has the order of its items.
    ///
    /// `nil`, the default, means that the controller keeps the order; ``moveItem(from:to:)`` is then called.
    open func object(movingItemFrom source: Int, to destination: Int) -> ListObject? { nil }

    /// Moves the controller's data of an item that was moved inside the section.
    open func moveItem(from source: Int, to destination: Int) {
        context?.reportFault("does not override moveItem(from:to:)")
    }
}

/// How the items of a section changed with its object.
enum ListSectionChange {
    /// All of them have to be asked for again.
    case reload
    /// Only these changed.
    case items(ListItemChanges)
}
