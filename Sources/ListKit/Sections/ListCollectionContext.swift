// SPDX-License-Identifier: Apache-2.0

/// The adapter as one section controller sees it.
///
/// A value that is made for each use: do not keep it. Everything may be called from any callback; what cannot run during a
/// callback is queued and runs right after it.
public struct ListCollectionContext {
    /// The controller.
    let controller: ListSectionController
    /// The list that the controller belongs to.
    let host: any SectionContextHost

    // MARK: Geometry

    /// The axis along which the list scrolls.
    public var scrollDirection: ScrollDirection { host.scrollDirection }

    /// The size of the view that is being laid out; else of the view that scrolled last, zero when there is none.
    public var containerSize: Size { host.containerSize }

    /// The insets of that view's content.
    public var containerInset: EdgeInsets { host.containerInset }

    /// The container less its insets, never below zero (rule AD-105).
    public var insetContainerSize: Size { containerSize.inset(by: containerInset) }

    /// The container less the section's own inset, never below zero (rule AD-100).
    public var sectionContainerSize: Size { containerSize.inset(by: controller.inset) }

    /// How far that view is scrolled.
    public var containerContentOffset: Point { host.containerOffset }

    /// How the content of that view is moving.
    public var scrollingTraits: ListScrollingTraits { host.scrollingTraits }

    // MARK: Lookups

    /// The object of the section; `nil` when the section is no longer in the list.
    public var object: ListObject? { controller.link.flatMap { host.store.map.object(of: $0.handle) } }

    /// The number of items that the section has in the list.
    public var itemCount: Int { controller.link.map { host.store.map.itemCount(of: $0.handle) } ?? 0 }

    /// The items of the section that some view shows, ascending.
    public var visibleIndexes: [Int] { handle.map { host.visibleIndexes(of: $0) } ?? [] }

    /// The items of the section that some view shows from edge to edge, inside of its content insets, ascending
    /// (rule AD-62).
    public var fullyVisibleIndexes: [Int] { handle.map { host.fullyVisibleIndexes(of: $0) } ?? [] }

    /// The item as a view last showed it; `nil` when none does.
    public func displayedItem(at index: Int) -> ListItem? {
        handle.flatMap { host.displayedItem(of: $0, at: index) }
    }

    private var handle: SectionHandle? { host.store.handle(of: controller) }

    // MARK: Actions

    /// Changes items of the section: `updates` changes the controller's data and records which items changed.
    ///
    /// Runs with the next flush, or at once inside of one; `completion` receives whether it was applied.
    public func performBatch(
        animated: Bool = true, updates: @escaping (inout ListBatchContext) -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        host.enqueue(
            ItemUpdate(controller: controller, animated: animated, updates: updates, completion: completion))
    }

    /// Asks for the sizes of the section again, with the next flush; `completion` receives whether the section was still there.
    public func invalidateLayout(completion: ((Bool) -> Void)? = nil) {
        performBatch(animated: true, updates: { $0.invalidateLayout() }, completion: completion)
    }

    /// Asks for the sizes of single items again, with the next flush; `completion` receives whether the section was still there.
    ///
    /// Only these items are measured again, and only they and what follows in their lines and sections is laid out again.
    /// Indexes are those at that time, after the item updates that were requested before.
    public func invalidateLayout(at indexes: [Int], completion: ((Bool) -> Void)? = nil) {
        performBatch(animated: true, updates: { $0.invalidateLayout(at: indexes) }, completion: completion)
    }

    /// Selects an item; the controller's own `should…` is not asked.
    ///
    /// In an item update, and while the controller is shown its object, `index` is that after it.
    public func selectItem(at index: Int) { host.setSelected(true, controller: controller, index: index) }

    /// Deselects an item; the controller's own `should…` is not asked.
    public func deselectItem(at index: Int) { host.setSelected(false, controller: controller, index: index) }

    /// Scrolls every view to an item of the section.
    public func scrollToItem(at index: Int, position: ScrollPosition = .none) {
        host.scrollViews(to: controller, index: index, position: position)
    }

    // MARK: State

    /// State that is kept with the controller's object: it survives reloads and is dropped with the object.
    public var state: Fields {
        get { controller.link.map { host.store.state(of: $0.handle) } ?? Fields() }
        nonmutating set {
            if let link = controller.link { host.store.setState(newValue, of: link.handle) }
        }
    }

    /// Reports that the section does not work: its items are shown as error items until the object changes.
    public func reportFault(_ reason: String) { host.reportFault(of: controller, reason) }
}
