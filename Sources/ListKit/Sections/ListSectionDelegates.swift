// SPDX-License-Identifier: Apache-2.0

/// Provides the header and the footer of a section.
public protocol ListSupplementarySource: AnyObject {
    /// Which of header and footer the section has.
    var supportedElementKinds: Set<ElementKind> { get }

    /// The extent of a supplementary view along the scroll axis is taken from this size; 0 = none.
    func sizeForSupplementaryElement(of kind: ElementKind) -> Size

    /// The supplementary view itself: reuse identifier and content.
    func supplementaryElement(of kind: ElementKind) -> ListItem
}

/// Observes when a section and its items appear and disappear, counted over all views of the list.
public protocol ListDisplayDelegate: AnyObject {
    /// The first element of the section is about to be shown.
    func sectionControllerWillDisplay(_ controller: ListSectionController)
    /// The last element of the section is gone.
    func sectionControllerDidEndDisplaying(_ controller: ListSectionController)
    /// An item is about to be shown.
    func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int)
    /// An item is gone; the index is that when it was last shown.
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

/// Observes when a section enters and leaves a working range: the time to begin and to end preparing its content.
public protocol ListWorkingRangeDelegate: AnyObject {
    /// The section entered the working range of a view.
    func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController)
    /// The section left the working range of the last view that had it.
    func sectionControllerDidExitWorkingRange(_ controller: ListSectionController)
}

/// Observes how a view that shows the section scrolls.
public protocol ListScrollDelegate: AnyObject {
    /// The view scrolled.
    func sectionController(_ controller: ListSectionController, didScroll event: ListScrollEvent)
}

/// A step of scrolling.
@frozen public enum ListScrollEvent: Sendable, Hashable {
    /// The content moved.
    case scrolled
    /// A finger or a pointer began to drag.
    case willBeginDragging
    /// The drag ended; the content may keep moving.
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
