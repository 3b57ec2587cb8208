// SPDX-License-Identifier: Apache-2.0

// IGListKit's names of what ListKit names otherwise, so that the compiler says the present name. Without them, a method
// with IGListKit's name in a section controller would compile, and never be called.
//
// What a section controller calls is unavailable. What it would define is deprecated instead, because the compiler lets
// a subclass define a method again that is unavailable, and no method of an extension.

extension ListSectionController {
    /// IGListKit's name of ``context``.
    @available(*, unavailable, renamed: "context")
    public final var collectionContext: ListCollectionContext? { context }

    /// IGListKit's view controller, which a list without a screen does not have.
    @available(*, unavailable, message: "a section controller has no view controller: it runs in listd")
    public final var viewController: Never? { nil }

    /// IGListKit's name of ``supplementarySource``.
    @available(*, unavailable, renamed: "supplementarySource")
    public final var supplementaryViewSource: (any ListSupplementarySource)? {
        get { supplementarySource }
        set { supplementarySource = newValue }
    }

    /// IGListKit's name of ``item(at:)``.
    @available(*, deprecated, renamed: "item(at:)")
    public final func cellForItem(at index: Int) -> ListItem { item(at: index) }

    /// IGListKit's name of ``moveItem(from:to:)``.
    @available(*, deprecated, renamed: "moveItem(from:to:)")
    public final func moveObject(from source: Int, to destination: Int) { moveItem(from: source, to: destination) }

    /// IGListKit's name of ``ListSupplementarySource/supplementaryElement(of:)``; never called.
    @available(*, deprecated, renamed: "supplementaryElement(of:)")
    public final func viewForSupplementaryElement(ofKind kind: String, at index: Int) -> ListItem {
        ListItem(reuseIdentifier: "")
    }

    /// IGListKit's name of ``ListSupplementarySource/sizeForSupplementaryElement(of:)``; never called.
    @available(*, deprecated, renamed: "sizeForSupplementaryElement(of:)")
    public final func sizeForSupplementaryView(ofKind kind: String, at index: Int) -> Size { .zero }

    /// IGListKit's name of ``ListDisplayDelegate/sectionControllerWillDisplay(_:)``; never called.
    @available(*, deprecated, renamed: "sectionControllerWillDisplay(_:)")
    public final func listAdapter(_ adapter: ListAdapter, willDisplay controller: ListSectionController) {}

    /// IGListKit's name of ``ListDisplayDelegate/sectionControllerDidEndDisplaying(_:)``; never called.
    @available(*, deprecated, renamed: "sectionControllerDidEndDisplaying(_:)")
    public final func listAdapter(_ adapter: ListAdapter, didEndDisplaying controller: ListSectionController) {}

    /// IGListKit's name of ``ListDisplayDelegate/sectionController(_:willDisplayItemAt:)``; never called.
    @available(*, deprecated, renamed: "sectionController(_:willDisplayItemAt:)")
    public final func listAdapter(
        _ adapter: ListAdapter, willDisplay controller: ListSectionController, cell: ListItem, at index: Int
    ) {}

    /// IGListKit's name of ``ListDisplayDelegate/sectionController(_:didEndDisplayingItemAt:)``; never called.
    @available(*, deprecated, renamed: "sectionController(_:didEndDisplayingItemAt:)")
    public final func listAdapter(
        _ adapter: ListAdapter, didEndDisplaying controller: ListSectionController, cell: ListItem, at index: Int
    ) {}

    /// IGListKit's name of ``ListWorkingRangeDelegate/sectionControllerWillEnterWorkingRange(_:)``; never called.
    @available(*, deprecated, renamed: "sectionControllerWillEnterWorkingRange(_:)")
    public final func listAdapter(
        _ adapter: ListAdapter, sectionControllerWillEnterWorkingRange controller: ListSectionController
    ) {}

    /// IGListKit's name of ``ListWorkingRangeDelegate/sectionControllerDidExitWorkingRange(_:)``; never called.
    @available(*, deprecated, renamed: "sectionControllerDidExitWorkingRange(_:)")
    public final func listAdapter(
        _ adapter: ListAdapter, sectionControllerDidExitWorkingRange controller: ListSectionController
    ) {}

    /// IGListKit's name of ``ListScrollDelegate/sectionController(_:didScroll:)``; never called.
    @available(*, deprecated, renamed: "sectionController(_:didScroll:)")
    public final func listAdapter(_ adapter: ListAdapter, didScroll controller: ListSectionController) {}
}

extension ListBindingSectionController {
    /// IGListKit's object for what this class has methods for.
    @available(*, unavailable, message: "override viewModels(for:) and sizeForViewModel(_:at:) instead")
    public final var dataSource: AnyObject? {
        get { nil }
        set {}
    }

    /// IGListKit's name of ``viewModels(for:)``; never called.
    @available(*, deprecated, renamed: "viewModels(for:)")
    public final func sectionController(
        _ controller: ListBindingSectionController, viewModelsFor object: ListObject
    ) -> [ListItem] { [] }

    /// IGListKit's way to a cell of an item. The item itself has the content; never called.
    @available(*, deprecated, renamed: "viewModels(for:)")
    public final func sectionController(
        _ controller: ListBindingSectionController, cellForViewModel viewModel: ListItem, at index: Int
    ) -> ListItem { viewModel }

    /// IGListKit's name of ``sizeForViewModel(_:at:)``; never called.
    @available(*, deprecated, renamed: "sizeForViewModel(_:at:)")
    public final func sectionController(
        _ controller: ListBindingSectionController, sizeForViewModel viewModel: ListItem, at index: Int
    ) -> Size { .zero }
}

extension ListCollectionContext {
    /// IGListKit's index of a cell. An item is a value.
    @available(*, unavailable, message: "methods get the item's index; a header or footer has none")
    public func index(for cell: Any, sectionController: ListSectionController? = nil) -> Int { 0 }

    /// IGListKit's place of a section in the list, which changes when others are inserted.
    @available(*, unavailable, message: "a section controller has object, and no place in the list")
    public func section(for controller: ListSectionController) -> Int { 0 }

    /// IGListKit's name of ``visibleIndexes``.
    @available(*, unavailable, renamed: "visibleIndexes")
    public func visibleIndexPaths(for controller: ListSectionController) -> [Int] { visibleIndexes }

    /// IGListKit's cells on the screen. An item is a value.
    @available(*, unavailable, renamed: "visibleIndexes")
    public func visibleCells(for controller: ListSectionController) -> [Int] { visibleIndexes }

    /// IGListKit's name of ``scrollToItem(at:position:)``.
    @available(*, unavailable, renamed: "scrollToItem(at:position:)")
    public func scroll(
        to controller: ListSectionController, at index: Int, scrollPosition: ScrollPosition, animated: Bool
    ) {}

    /// IGListKit's name of ``containerSize``.
    @available(*, unavailable, renamed: "containerSize")
    public func containerSize(for controller: ListSectionController) -> Size { containerSize }

    /// IGListKit's way to a cell. An item is a value.
    @available(*, unavailable, message: "return a ListItem from item(at:); nothing is dequeued")
    public func dequeueReusableCell(of type: Any, for controller: ListSectionController, at index: Int) -> ListItem {
        ListItem(reuseIdentifier: "")
    }

    /// IGListKit's name of ``displayedItem(at:)``.
    @available(*, unavailable, renamed: "displayedItem(at:)")
    public func cellForItem(at index: Int, sectionController: ListSectionController) -> ListItem? {
        displayedItem(at: index)
    }

    /// IGListKit's name of ``selectItem(at:)``.
    @available(*, unavailable, renamed: "selectItem(at:)")
    public func selectItem(at index: Int, sectionController: ListSectionController, animated: Bool) {}

    /// IGListKit's name of ``deselectItem(at:)``.
    @available(*, unavailable, renamed: "deselectItem(at:)")
    public func deselectItem(at index: Int, sectionController: ListSectionController, animated: Bool) {}

    /// IGListKit's name of ``invalidateLayout(completion:)``.
    @available(*, unavailable, renamed: "invalidateLayout(completion:)")
    public func invalidateLayout(for controller: ListSectionController, completion: ((Bool) -> Void)? = nil) {}
}

extension ListBatchContext {
    /// IGListKit's name of ``insertItems(at:in:)``.
    @available(*, unavailable, renamed: "insertItems(at:in:)")
    public mutating func insert(in controller: ListSectionController, at indexes: some Sequence<Int>) {}

    /// IGListKit's name of ``deleteItems(at:in:)``.
    @available(*, unavailable, renamed: "deleteItems(at:in:)")
    public mutating func delete(in controller: ListSectionController, at indexes: some Sequence<Int>) {}

    /// IGListKit's name of ``reloadItems(at:in:)``.
    @available(*, unavailable, renamed: "reloadItems(at:in:)")
    public mutating func reload(in controller: ListSectionController, at indexes: some Sequence<Int>) {}

    /// IGListKit's name of ``moveItem(from:to:in:)``.
    @available(*, unavailable, renamed: "moveItem(from:to:in:)")
    public mutating func move(in controller: ListSectionController, from source: Int, to destination: Int) {}

    /// IGListKit's name of ``reloadSection(_:)``.
    @available(*, unavailable, renamed: "reloadSection(_:)")
    public mutating func reload(_ controller: ListSectionController) {}
}

// The types of UIKit and IGListKit that section controllers have other names for here. With `import Foundation` in the
// same file, `CGSize` and `IndexSet` are those of Foundation, as the compiler prefers what is available.

/// UIKit's name of ``Size``.
@available(*, unavailable, renamed: "Size")
public typealias CGSize = Size

/// UIKit's name of ``EdgeInsets``.
@available(*, unavailable, renamed: "EdgeInsets")
public typealias UIEdgeInsets = EdgeInsets

/// UIKit's cell, which a list without a screen does not have.
@available(*, unavailable, renamed: "ListItem", message: "an item is a value; viewers draw it")
public typealias UICollectionViewCell = ListItem

/// UIKit's header or footer, which a list without a screen does not have.
@available(*, unavailable, renamed: "ListItem", message: "a header or footer is a value; viewers draw it")
public typealias UICollectionReusableView = ListItem

/// IGListKit's name of ``ListSupplementarySource``.
@available(*, unavailable, renamed: "ListSupplementarySource")
public typealias ListSupplementaryViewSource = ListSupplementarySource

/// IGListKit's name of ``ListBindingSelectionDelegate``.
@available(*, unavailable, renamed: "ListBindingSelectionDelegate")
public typealias ListBindingSectionControllerSelectionDelegate = ListBindingSelectionDelegate

/// IGListKit's protocol of what ``ListBindingSectionController`` has methods for.
@available(*, unavailable, message: "override viewModels(for:) and sizeForViewModel(_:at:) instead")
public typealias ListBindingSectionControllerDataSource = AnyObject

/// Foundation's set of indexes.
@available(*, unavailable, message: "pass an array of indexes")
public struct IndexSet {
    /// Foundation's set of one index.
    public init(integer index: Int) {}
    /// Foundation's set of a range of indexes.
    public init(integersIn range: Range<Int>) {}
}
