// SPDX-License-Identifier: Apache-2.0

/// The part of a list that section controllers use, through ``ListCollectionContext``.
protocol SectionContextHost: AnyObject {
    /// The sections and their controllers.
    var store: SectionStore { get }
    /// The list's executor, which runs timers of section controllers; `nil` when the list's owner set none.
    var executor: (any ListExecutor)? { get }

    /// The axis along which the list scrolls.
    var scrollDirection: ScrollDirection { get }
    /// The size of the view that is being laid out, or else of the view that scrolled last.
    var containerSize: Size { get }
    /// The content insets of the view that ``containerSize`` refers to.
    var containerInset: EdgeInsets { get }
    /// The scroll offset of the view that ``containerSize`` refers to.
    var containerOffset: Point { get }
    /// The scrolling state of the view that ``containerSize`` refers to.
    var scrollingTraits: ListScrollingTraits { get }

    /// Returns the indexes of a section's items that any view shows, ascending.
    func visibleIndexes(of handle: SectionHandle) -> [Int]
    /// Returns the indexes of a section's items that any view shows from edge to edge, ascending.
    func fullyVisibleIndexes(of handle: SectionHandle) -> [Int]
    /// Returns an item as a view last showed it, or `nil` if no view shows the item.
    func displayedItem(of handle: SectionHandle, at index: Int) -> ListItem?

    /// Runs an item update with the next update of the list, or at once if an update is in progress.
    func enqueue(_ update: ItemUpdate)
    /// Selects or deselects an item on behalf of its section controller.
    func setSelected(_ isSelected: Bool, controller: ListSectionController, index: Int)
    /// Scrolls all views to an item.
    func scrollViews(to controller: ListSectionController, index: Int, position: ScrollPosition)
    /// Records the fault that a section controller reports for its section.
    func reportFault(of controller: ListSectionController, _ reason: String)
}

/// Stores the state of sections outside of their controllers: views and the selection.
protocol SectionStoreDelegate: AnyObject {
    /// Returns whether any view shows a section or has the section in range.
    func isInUse(_ handle: SectionHandle) -> Bool
    /// The sections for which state is stored by handle.
    var handlesInUse: Set<SectionHandle> { get }
    /// The sections for which state is stored by item index.
    var sectionsWithItemState: Set<SectionHandle> { get }
    /// Called when the items of a section must be requested again.
    func contentsChanged(of handle: SectionHandle)
    /// Called when the controller of a section that is shown or in range was released.
    func didReplace(_ controller: ListSectionController, of handle: SectionHandle)
    /// Called when a section controller broke its contract.
    func didFindFault(_ fault: SectionFault)
}
