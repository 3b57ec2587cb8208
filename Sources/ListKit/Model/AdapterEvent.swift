// SPDX-License-Identifier: Apache-2.0

/// An event of a list, for its owner to announce; the order of events is significant.
@frozen public indirect enum AdapterEvent: Sendable {
    /// A transaction was applied.
    case updated(Transaction)
    /// Sections or items appeared or disappeared in a view.
    case display(DisplayChange)
    /// Sections entered or left the working range of a view.
    case workingRange(WorkingRangeChange)
    /// The selection changed.
    case selection(SelectionChange)
    /// A view's picture changed: for the view's owner only.
    case picture(PictureChange)
    /// A view has no credit left: for its owner only.
    case stalled(view: ViewID, sequence: UInt64, revision: UInt64)
    /// A view is closed: for the view's owner only.
    case closed(view: ViewID)
    /// A section controller broke its contract; for the log.
    case sectionFault(SectionFault)
    /// A view came near the end of the list, with this distance left; or is no longer near (`nil`).
    case nearEnd(view: ViewID, revision: UInt64, distance: Double?)
}

extension AdapterEvent {
    /// Whether a resync of a view replaces the event.
    func isPicture(of view: ViewID) -> Bool {
        switch self {
        case .picture(let change): change.view == view
        case .stalled(view, _, _): true
        default: false
        }
    }
}

/// A section controller that broke its contract.
@frozen public struct SectionFault: Sendable, Hashable {
    /// The object of the section.
    public var objectID: String
    /// The name of the section controller.
    public var controller: String
    /// The reason.
    public var reason: String

    /// Makes a fault.
    public init(objectID: String, controller: String, reason: String) {
        self.objectID = objectID
        self.controller = controller
        self.reason = reason
    }
}

/// A section and its object.
@frozen public struct SectionReference: Sendable, Hashable {
    /// The position; before the transaction for what ended or left, otherwise after it.
    public var section: Int
    /// The object.
    public var objectID: String

    /// Makes a reference.
    public init(section: Int, objectID: String) {
        self.section = section
        self.objectID = objectID
    }
}

/// An item and the object that it belongs to.
@frozen public struct ItemReference: Sendable, Hashable {
    /// The section's position; before the transaction for what ended, otherwise after it.
    public var section: Int
    /// The object.
    public var objectID: String
    /// The item inside the section; before the transaction for what ended, otherwise after it.
    public var item: Int

    /// Makes a reference.
    public init(section: Int, objectID: String, item: Int) {
        self.section = section
        self.objectID = objectID
        self.item = item
    }
}

/// The sections and items that appeared and disappeared in a view; all lists in section order.
@frozen public struct DisplayChange: Sendable, Hashable {
    /// The view.
    public var view: ViewID
    /// The revision of the list.
    public var revision: UInt64
    /// Sections whose first element is shown now.
    public var willDisplay: [SectionReference] = []
    /// Sections whose last element is no longer shown.
    public var didEndDisplaying: [SectionReference] = []
    /// Items that are shown now.
    public var itemsWillDisplay: [ItemReference] = []
    /// Items that are no longer shown.
    public var itemsDidEndDisplaying: [ItemReference] = []

    /// Makes an empty change.
    public init(view: ViewID, revision: UInt64) {
        self.view = view
        self.revision = revision
    }

    /// Whether it is empty.
    public var isEmpty: Bool {
        willDisplay.isEmpty && didEndDisplaying.isEmpty && itemsWillDisplay.isEmpty && itemsDidEndDisplaying.isEmpty
    }
}

/// The sections that entered and left the working range of a view; both lists in section order.
@frozen public struct WorkingRangeChange: Sendable, Hashable {
    /// The view.
    public var view: ViewID
    /// The revision of the list.
    public var revision: UInt64
    /// Sections that are in range now.
    public var willEnter: [SectionReference] = []
    /// Sections that are no longer in range.
    public var didExit: [SectionReference] = []

    /// Makes an empty change.
    public init(view: ViewID, revision: UInt64) {
        self.view = view
        self.revision = revision
    }

    /// Whether it is empty.
    public var isEmpty: Bool { willEnter.isEmpty && didExit.isEmpty }
}

/// An item of the selection.
@frozen public struct SelectedItem: Sendable, Hashable {
    /// The object.
    public var objectID: String
    /// The item inside the object's section.
    public var item: Int

    /// Makes an item.
    public init(objectID: String, item: Int) {
        self.objectID = objectID
        self.item = item
    }
}

/// A change of the selection; both lists in section order.
///
/// It follows the transaction that caused it, and indexes are those afterwards: all items in `selected` are selected now, and
/// none in `deselected` is. So a selected item that moved is in both, with its two indexes, and one that is gone is in
/// `deselected` with its old index, unless another selected item has that now.
@frozen public struct SelectionChange: Sendable, Hashable {
    /// The revision of the list.
    public var revision: UInt64
    /// Items that are selected now.
    public var selected: [SelectedItem]
    /// Items that are no longer selected, including those of removed objects.
    public var deselected: [SelectedItem]

    /// Makes a change.
    public init(revision: UInt64, selected: [SelectedItem] = [], deselected: [SelectedItem] = []) {
        self.revision = revision
        self.selected = selected
        self.deselected = deselected
    }
}
