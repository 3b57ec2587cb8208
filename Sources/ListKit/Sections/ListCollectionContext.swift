// SPDX-License-Identifier: Apache-2.0

/// The adapter as one section controller sees it.
///
/// A context is made for each use: do not store it. All members may be used in any callback. Operations that cannot run
/// during a callback are queued and run right after it.
///
/// The context that ``ListSectionControllerKind/make`` receives is there before the controller, whose initialiser may
/// use it: it has the geometry, the object and its state, queues item updates, sets timers and reports faults. Items are
/// displayed, selected and scrolled to only when the controller has been made.
public struct ListCollectionContext {
    let link: SectionLink
    /// The list that the section belongs to.
    let host: any SectionContextHost
    /// The controller that the context was made for; `nil` if it was made for a controller's maker.
    private let user: ListSectionController?

    /// Makes the context of a section.
    ///
    /// - Parameter user: the controller that uses the context; `nil` before it is made.
    init(of link: SectionLink, in host: any SectionContextHost, for user: ListSectionController?) {
        (self.link, self.host, self.user) = (link, host, user)
    }

    /// The controller; `nil` before it has been made.
    var controller: ListSectionController? { user ?? link.controller }

    // MARK: Geometry

    /// The axis along which the list scrolls.
    public var scrollDirection: ScrollDirection { host.scrollDirection }

    /// The size of the view that is being laid out, or else of the view that scrolled last; zero if there is no view.
    public var containerSize: Size { host.containerSize }

    /// The content insets of the view that ``containerSize`` refers to.
    public var containerInset: EdgeInsets { host.containerInset }

    /// ``containerSize`` less ``containerInset``, never below zero (rule AD-105).
    public var insetContainerSize: Size { containerSize.inset(by: containerInset) }

    /// ``containerSize`` less the section's own inset, never below zero (rule AD-100).
    public var sectionContainerSize: Size { containerSize.inset(by: controller?.inset ?? .zero) }

    /// The scroll offset of the view that ``containerSize`` refers to.
    public var containerContentOffset: Point { host.containerOffset }

    /// The scrolling state of the view that ``containerSize`` refers to.
    public var scrollingTraits: ListScrollingTraits { host.scrollingTraits }

    // MARK: Lookups

    /// The object of the section; `nil` when the section is no longer in the list.
    public var object: ListObject? { place.flatMap { host.store.map.object(of: $0) } }

    /// The number of items that the section has in the list.
    public var itemCount: Int { place.map { host.store.map.itemCount(of: $0) } ?? 0 }

    /// The indexes of the section's items that any view shows, ascending.
    public var visibleIndexes: [Int] { handle.map { host.visibleIndexes(of: $0) } ?? [] }

    /// The indexes of the section's items that any view shows from edge to edge within its content insets, ascending
    /// (rule AD-62).
    public var fullyVisibleIndexes: [Int] { handle.map { host.fullyVisibleIndexes(of: $0) } ?? [] }

    /// Returns an item as a view last showed it, or `nil` if no view shows the item.
    public func displayedItem(at index: Int) -> ListItem? {
        handle.flatMap { host.displayedItem(of: $0, at: index) }
    }

    private var handle: SectionHandle? { controller.flatMap { host.store.handle(of: $0) } }

    /// The section; `nil` after its controller was replaced.
    private var place: SectionHandle? { user.map { $0.link?.handle } ?? link.handle }

    // MARK: Actions

    /// Changes items of the section: `updates` changes the controller's data and records which items changed.
    ///
    /// The update runs with the next flush, or at once during a flush. `completion` receives whether the update was
    /// applied.
    public func performBatch(
        animated: Bool = true, updates: @escaping (inout ListBatchContext) -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        host.enqueue(
            ItemUpdate(link: link, user: user, animated: animated, updates: updates, completion: completion))
    }

    /// Requests all sizes of the section again with the next flush. `completion` receives whether the section was
    /// still in the list.
    public func invalidateLayout(completion: ((Bool) -> Void)? = nil) {
        performBatch(animated: true, updates: { $0.invalidateLayout() }, completion: completion)
    }

    /// Requests the sizes of single items again with the next flush. `completion` receives whether the section was
    /// still in the list.
    ///
    /// Only these items are measured again. Only these items and the elements after them in their lines and sections
    /// are laid out again. The indexes refer to the time of the flush, after the item updates that were requested
    /// earlier.
    public func invalidateLayout(at indexes: [Int], completion: ((Bool) -> Void)? = nil) {
        performBatch(animated: true, updates: { $0.invalidateLayout(at: indexes) }, completion: completion)
    }

    /// Selects an item without calling the controller's `shouldSelectItem(at:)`.
    ///
    /// During an item update, and while the controller receives its object, `index` is the item's index after the
    /// update.
    public func selectItem(at index: Int) { setSelected(true, at: index) }

    /// Deselects an item without calling the controller's `shouldDeselectItem(at:)`.
    public func deselectItem(at index: Int) { setSelected(false, at: index) }

    private func setSelected(_ isSelected: Bool, at index: Int) {
        if let controller { host.setSelected(isSelected, controller: controller, index: index) }
    }

    /// Scrolls every view to an item of the section.
    public func scrollToItem(at index: Int, position: ScrollPosition = .none) {
        if let controller { host.scrollViews(to: controller, index: index, position: position) }
    }

    // MARK: State

    /// State that is stored with the controller's object. It survives reloads and is removed together with the object.
    public var state: Fields {
        get { place.map { host.store.state(of: $0) } ?? Fields() }
        nonmutating set {
            if let place { host.store.setState(newValue, of: place) }
        }
    }

    /// Reports a fault of the section. The section shows error items until its object changes.
    public func reportFault(_ reason: String) {
        if let controller { return host.reportFault(of: controller, reason) }
        host.store.recordFault(of: link.handle, reason)
        host.store.gate.reportActivity()
    }
}

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
