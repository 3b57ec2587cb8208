// SPDX-License-Identifier: Apache-2.0

/// The list as its section controllers see it, behind ``ListCollectionContext``.
protocol SectionContextHost: AnyObject {
    /// The sections and their controllers.
    var store: SectionStore { get }
    /// Runs work later on the list's executor; `nil` when the list's owner set none.
    var executor: (any ListExecutor)? { get }

    /// The axis along which the list scrolls.
    var scrollDirection: ScrollDirection { get }
    /// The size of the view that is being laid out, else of the one that scrolled last.
    var containerSize: Size { get }
    /// The insets of that view's content.
    var containerInset: EdgeInsets { get }
    /// How far that view is scrolled.
    var containerOffset: Point { get }
    /// How the content of that view is moving.
    var scrollingTraits: ListScrollingTraits { get }

    /// The items of a section that some view shows, ascending.
    func visibleIndexes(of handle: SectionHandle) -> [Int]
    /// The items of a section that some view shows from edge to edge, ascending.
    func fullyVisibleIndexes(of handle: SectionHandle) -> [Int]
    /// An item as a view last showed it.
    func displayedItem(of handle: SectionHandle, at index: Int) -> ListItem?

    /// Runs an item update with the next update of the list, or at once inside of one.
    func enqueue(_ update: ItemUpdate)
    /// Selects or deselects an item for its section controller.
    func setSelected(_ isSelected: Bool, controller: ListSectionController, index: Int)
    /// Scrolls all views to an item.
    func scrollViews(to controller: ListSectionController, index: Int, position: ScrollPosition)
    /// Handles the report of a section controller that its section does not work.
    func reportFault(of controller: ListSectionController, _ reason: String)
}

/// Keeps state of sections besides their controllers: views and the selection.
protocol SectionStoreDelegate: AnyObject {
    /// Whether a section is shown or in range somewhere.
    func isInUse(_ handle: SectionHandle) -> Bool
    /// The sections of which state is kept by handle.
    var handlesInUse: Set<SectionHandle> { get }
    /// The sections of which state is kept by the index of an item.
    var sectionsWithKeptItems: Set<SectionHandle> { get }
    /// The items of a section have to be asked for again.
    func contentsChanged(of handle: SectionHandle)
    /// The controller of a section that is shown or in range was released.
    func didReplace(_ controller: ListSectionController, of handle: SectionHandle)
    /// A section controller broke its contract.
    func didFindFault(_ fault: SectionFault)
}
