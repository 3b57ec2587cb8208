// SPDX-License-Identifier: Apache-2.0

/// The base class of section controllers, which make the items and supplementary views of a section and handle its
/// events.
///
/// One controller serves one object for as long as the object stays in the list with its type. Every method is called
/// on the executor that owns the adapter, so no locks are needed. Results are checked: a negative count, a size that
/// is not finite or a repeated item identity is a fault of the section. The section then shows error items; the
/// process is not affected.
///
/// Callbacks may use ``context`` at any time. Operations that cannot run at once are queued.
open class ListSectionController {
    /// The connection to the adapter; set when the controller has been made for a section.
    private(set) final var link: SectionLink?

    /// The margins around the items of the section, in points.
    public final var inset: EdgeInsets = .zero
    /// The minimum distance between two rows, in points.
    public final var minimumLineSpacing: Double = 0
    /// The minimum distance between two items of a row, in points.
    public final var minimumInteritemSpacing: Double = 0

    /// Provides the header and the footer; `nil` = the section has neither.
    public final weak var supplementarySource: (any ListSupplementarySource)?
    /// Observes when the section or an item of it appears and disappears.
    public final weak var displayDelegate: (any ListDisplayDelegate)?
    /// Observes when the section enters and leaves a working range.
    public final weak var workingRangeDelegate: (any ListWorkingRangeDelegate)?
    /// Observes how a view that shows the section scrolls.
    public final weak var scrollDelegate: (any ListScrollDelegate)? {
        didSet { if scrollDelegate != nil { link?.host?.store.recordScrollDelegate() } }
    }
    /// Provides the frames from which appearing items start and to which disappearing items move.
    public final weak var transitionDelegate: (any ListTransitionDelegate)?

    /// Makes a controller that belongs to no list yet.
    public init() {}

    /// The adapter as section controllers see it; `nil` before the controller has been made for a section and after its
    /// adapter was released. An initialiser gets the context as an argument: ``ListSectionControllerKind/make``.
    public final var context: ListCollectionContext? {
        link.flatMap { link in link.host.map { ListCollectionContext(of: link, in: $0, for: self) } }
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

    /// Connects the controller with a section of a list. `nil` removes the controller from its list.
    final func setLink(_ new: SectionLink?) {
        link = new
        if scrollDelegate != nil { new?.host?.store.recordScrollDelegate() }
    }

    // MARK: Content

    /// Returns the number of items in the section. The default is 1.
    ///
    /// Called once after each change. A negative number, or a number above ``ListAdapter/maximumItemsPerSection``,
    /// is a fault.
    open func numberOfItems() -> Int { 1 }

    /// Returns the size of an item, in points. The default is zero.
    ///
    /// Negative extents count as 0 (rule AD-101). An extent that is not finite is a fault. During this call,
    /// `context.containerSize` is the size of the view that is being laid out.
    open func sizeForItem(at index: Int) -> Size { .zero }

    /// Returns the item at an index. Controllers that have items must override this method.
    open func item(at index: Int) -> ListItem {
        context?.reportFault("\(type(of: self)) does not override item(at:)")
        return .fault("\(type(of: self)) does not override item(at:)")
    }

    /// Returns an item's frame in content coordinates and its z index, for layouts that use placements, such as
    /// `absolute`.
    ///
    /// The default frame has the item's size and lies at the origin.
    open func placementOfItem(at index: Int) -> ItemPlacement {
        ItemPlacement(frame: Rect(origin: .zero, size: sizeForItem(at: index)))
    }

    /// Called when the section receives its first object, and after each change of the object.
    ///
    /// It is the first method that is called on a new controller. All sections have their new positions by then.
    open func didUpdate(to object: ListObject) {}

    /// Passes a new or changed object to the controller. Returns how the items changed; `nil` if all items must be
    /// requested again.
    func update(to object: ListObject) -> ListItemChanges? {
        didUpdate(to: object)
        return nil
    }

    // MARK: Selection

    /// Whether an item may be selected; the default is yes.
    open func shouldSelectItem(at index: Int) -> Bool { true }
    /// Whether an item may be deselected; the default is yes.
    open func shouldDeselectItem(at index: Int) -> Bool { true }
    /// Called when an item was selected.
    open func didSelectItem(at index: Int) {}
    /// Called when an item was deselected.
    open func didDeselectItem(at index: Int) {}
    /// Called when an item was highlighted, because a finger or a pointer is down on it.
    open func didHighlightItem(at index: Int) {}
    /// Called when an item is no longer highlighted.
    open func didUnhighlightItem(at index: Int) {}

    // MARK: Actions

    /// Handles an action that a viewer invoked on an item, for example with a button in its cell. Returns whether the
    /// controller handled the action.
    ///
    /// Actions that the controller does not handle are passed to the list's owner. The default handles no action.
    ///
    /// - Parameters:
    ///   - action: the name of the action.
    ///   - parameters: the viewer's parameters.
    open func handleAction(_ action: String, parameters: Fields, at index: Int) -> Bool { false }

    // MARK: Reordering

    /// Whether an item may be dragged; the default is no.
    open func canMoveItem(at index: Int) -> Bool { false }

    /// Whether an item may be dropped at another index of the section; the default calls ``canMoveItem(at:)``
    /// (rule SC-06).
    open func canMoveItem(from source: Int, to destination: Int) -> Bool { canMoveItem(at: source) }

    /// Returns the object with an item moved to another index, for sections whose object stores the order of its
    /// items.
    ///
    /// With `nil`, the default, the controller itself stores the order, and ``moveItem(from:to:)`` is called.
    open func object(movingItemFrom source: Int, to destination: Int) -> ListObject? { nil }

    /// Moves the controller's data for an item that was moved within the section.
    open func moveItem(from source: Int, to destination: Int) {
        context?.reportFault("\(type(of: self)) does not override moveItem(from:to:)")
    }
}

/// One cell of a section as data, from which a viewer draws it.
///
/// A section controller returns items where IGListKit's returns configured cells. The size is separate, because a
/// layout needs the sizes of many items and the contents of few.
public struct ListItem: Sendable, Hashable {
    /// The identity of the item within its section across updates; `nil` = the item is identified by its index.
    public var identity: String?
    /// The identifier by which viewers reuse a widget for another item. With an empty identifier, the widget is not
    /// reused.
    public var reuseIdentifier: String
    /// The fields that the item shows.
    public var content: Fields

    /// Makes an item.
    public init(identity: String? = nil, reuseIdentifier: String, content: Fields = Fields()) {
        self.identity = identity
        self.reuseIdentifier = reuseIdentifier
        self.content = content
    }
}

extension ListItem {
    /// Returns whether two items have the same bytes. Text is compared without Unicode's canonical equivalence.
    public static func == (lhs: ListItem, rhs: ListItem) -> Bool {
        lhs.identity.map { ExactText($0) } == rhs.identity.map { ExactText($0) }
            && ExactText(lhs.reuseIdentifier) == ExactText(rhs.reuseIdentifier) && lhs.content == rhs.content
    }

    private static let faultIdentifier = "listd/fault"

    /// Returns the error item that a section with a fault shows. Its reuse identifier is `listd/fault`, and its field
    /// `error` has the reason.
    static func fault(_ reason: String) -> ListItem {
        ListItem(reuseIdentifier: faultIdentifier, content: ["error": .string(reason)])
    }

    /// Returns the content without the fields that a viewer does not want. The reason in an error item stays.
    ///
    /// - Parameter fields: the fields that the viewer wants; empty for all.
    @_spi(Daemon) public func content(filteredTo fields: Set<ExactText>) -> Fields {
        fields.isEmpty || reuseIdentifier == Self.faultIdentifier ? content : content.filtered(to: fields)
    }
}

/// The connection of a section controller with its list and its section.
final class SectionLink {
    /// The list. The reference is weak, so that a controller that outlives its list is in no list (rule AD-36).
    private(set) weak var host: (any SectionContextHost)?
    let handle: SectionHandle

    init(host: any SectionContextHost, handle: SectionHandle) {
        self.host = host
        self.handle = handle
    }

    /// The controller; `nil` while it is being made, and after it was replaced or its section removed.
    var controller: ListSectionController? {
        guard let controller = host?.store.existingController(of: handle), controller.link === self else { return nil }
        return controller
    }
}
