// SPDX-License-Identifier: Apache-2.0

/// Provides the header and the footer of a section.
public protocol ListSupplementarySource: AnyObject {
    /// The kinds of supplementary views that the section has: header, footer, both or none.
    var supportedElementKinds: Set<ElementKind> { get }

    /// Returns the size of a supplementary view. Only its extent along the scroll axis is used; with 0, there is no
    /// such view.
    func sizeForSupplementaryElement(of kind: ElementKind) -> Size

    /// Returns the reuse identifier and the content of a supplementary view.
    func supplementaryElement(of kind: ElementKind) -> ListItem
}

/// Observes when a section and its items appear in the first view that shows them, and disappear from the last one.
public protocol ListDisplayDelegate: AnyObject {
    /// Called before the first element of the section is shown.
    func sectionControllerWillDisplay(_ controller: ListSectionController)
    /// Called after the last element of the section has disappeared.
    func sectionControllerDidEndDisplaying(_ controller: ListSectionController)
    /// Called before an item is shown.
    func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int)
    /// Called after an item has disappeared. `index` is the item's index when it was last shown.
    func sectionController(_ controller: ListSectionController, didEndDisplayingItemAt index: Int)
}

extension ListDisplayDelegate {
    /// The default implementation does nothing.
    public func sectionControllerWillDisplay(_ controller: ListSectionController) {}
    /// The default implementation does nothing.
    public func sectionControllerDidEndDisplaying(_ controller: ListSectionController) {}
    /// The default implementation does nothing.
    public func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) {}
    /// The default implementation does nothing.
    public func sectionController(_ controller: ListSectionController, didEndDisplayingItemAt index: Int) {}
}

/// Observes when a section enters and leaves a working range, to start and stop preparing the section's content.
public protocol ListWorkingRangeDelegate: AnyObject {
    /// Called when the section entered a view's working range and is in no other working range.
    func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController)
    /// Called when the section left the last working range that it was in.
    func sectionControllerDidExitWorkingRange(_ controller: ListSectionController)
}

/// Observes how a view that shows the section scrolls.
public protocol ListScrollDelegate: AnyObject {
    /// Called for each scroll event of the view.
    func sectionController(_ controller: ListSectionController, didScroll event: ListScrollEvent)
}

/// A scroll event of a view.
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

/// Provides the start and end frames of items that appear and disappear, for animations in viewers.
public protocol ListTransitionDelegate: AnyObject {
    /// Returns the frame from which an appearing item starts, or `frame`, the item's own frame, for no transition.
    func sectionController(
        _ controller: ListSectionController, initialFrameForItemAt index: Int, resting frame: Rect
    ) -> Rect
    /// Returns the frame to which a disappearing item moves, or `frame`, the item's own frame, for no transition.
    func sectionController(
        _ controller: ListSectionController, finalFrameForItemAt index: Int, resting frame: Rect
    ) -> Rect
}

/// How a view's content is moving (rule AD-108).
public struct ListScrollingTraits: OptionSet, Sendable, Hashable {
    /// The bit mask of the traits.
    public let rawValue: UInt8

    /// Makes traits from a bit mask.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A finger or a pointer is on the content.
    public static let isTracking = ListScrollingTraits(rawValue: 1)
    /// The content follows the finger or pointer.
    public static let isDragging = ListScrollingTraits(rawValue: 2)
    /// The content keeps moving after the finger or pointer left it.
    public static let isDecelerating = ListScrollingTraits(rawValue: 4)
}
