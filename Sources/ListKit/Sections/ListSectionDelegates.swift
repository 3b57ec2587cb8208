// SPDX-License-Identifier: Apache-2.0

/// Gives the header and the footer of a section.
public protocol ListSupplementarySource: AnyObject {
    /// Which of header and footer the section has.
    var supportedElementKinds: Set<ElementKind> { get }

    /// The extent of a supplementary view along the scroll axis is taken from this size; 0 = none.
    func sizeForSupplementaryElement(of kind: ElementKind) -> Size

    /// The supplementary view itself: reuse identifier and content.
    func supplementaryElement(of kind: ElementKind) -> ListItem
}

/// Is told when a section and its items appear and disappear, counted over all views of the list.
public protocol ListDisplayDelegate: AnyObject {
    /// The first element of the section is about to be shown.
    func sectionControllerWillDisplay(_ controller: ListSectionController)
    /// The last element of the section is gone.
    func sectionControllerDidEndDisplaying(_ controller: ListSectionController)
    /// An item is about to be shown.
    func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int)
    /// An item is gone; the index is the one it had when it was last shown.
    func sectionController(_ controller: ListSectionController, didEndDisplayingItemAt index: Int)
}

extension ListDisplayDelegate {
    /// Does nothing.
    public func sectionControllerWillDisplay(_ controller: ListSectionController) {}
    /// Does nothing.
    public func sectionControllerDidEndDisplaying(_ controller: ListSectionController) {}
    /// Does nothing.
    public func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) {}
    /// Does nothing.
    public func sectionController(_ controller: ListSectionController, didEndDisplayingItemAt index: Int) {}
}

/// Is told when a section comes near the visible ones and when it leaves: the time to prepare and to stop preparing.
public protocol ListWorkingRangeDelegate: AnyObject {
    /// The section entered the working range of a view.
    func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController)
    /// The section left the working range of the last view that had it.
    func sectionControllerDidExitWorkingRange(_ controller: ListSectionController)
}

/// Is told how a view that shows the section scrolls.
public protocol ListScrollDelegate: AnyObject {
    /// What the view did.
    func sectionController(_ controller: ListSectionController, didScroll event: ListScrollEvent)
}

/// What a view did while it scrolled.
@frozen public enum ListScrollEvent: Sendable, Hashable {
    /// The content moved.
    case scrolled
    /// A finger or a pointer began to drag.
    case willBeginDragging
    /// The drag ended; the content may go on moving.
    case didEndDragging(willDecelerate: Bool)
    /// The content came to rest.
    case didEndDecelerating
}

/// Changes where items come from and go to, as data for the viewer's animation.
public protocol ListTransitionDelegate: AnyObject {
    /// The frame from which a new item starts; the default is its own.
    func sectionController(
        _ controller: ListSectionController, initialFrameForItemAt index: Int, resting frame: Rect
    ) -> Rect
    /// The frame to which a leaving item goes; the default is its own.
    func sectionController(
        _ controller: ListSectionController, finalFrameForItemAt index: Int, resting frame: Rect
    ) -> Rect
}
