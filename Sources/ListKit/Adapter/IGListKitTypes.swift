// SPDX-License-Identifier: Apache-2.0

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
