// SPDX-License-Identifier: Apache-2.0

/// An event of a list, which the owner of the list announces. The order of events is significant.
@frozen public indirect enum AdapterEvent: Sendable {
    /// A transaction was applied.
    case updated(Transaction)
    /// Sections or items appeared or disappeared in a view.
    case display(DisplayChange)
    /// Sections or items entered or left the working range of a view.
    case workingRange(WorkingRangeChange)
    /// The selection changed.
    case selection(SelectionChange)
    /// The picture of a view changed. Sent only to the view's owner.
    case picture(PictureChange)
    /// A view has no credit left. Sent only to the view's owner.
    case stalled(view: ViewID, sequence: UInt64, revision: UInt64)
    /// A view was closed. Sent only to the view's owner.
    case closed(view: ViewID)
    /// A section controller violated its contract. The event is meant for the log.
    case sectionFault(SectionFault)
    /// A view came near the end of the list, `distance` points from it; or left the end again (`distance` is `nil`).
    case nearEnd(view: ViewID, revision: UInt64, distance: Double?)
}

extension AdapterEvent {
    /// Returns whether the event is a picture of `view` or its stall. A resync of the view makes such an event
    /// unnecessary.
    func isPicture(of view: ViewID) -> Bool {
        switch self {
        case .picture(let change): change.view == view
        case .stalled(view, _, _): true
        default: false
        }
    }
}

/// A violation of its contract by a section controller.
@frozen public struct SectionFault: Sendable, Hashable {
    /// The identifier of the section's object.
    public var objectID: String
    /// The name of the section controller.
    public var controller: String
    /// How the contract was violated.
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
    /// The position of the section: before the transaction if the section stopped being displayed or left the range,
    /// otherwise after it.
    public var section: Int
    /// The identifier of the section's object.
    public var objectID: String

    /// Makes a reference.
    public init(section: Int, objectID: String) {
        self.section = section
        self.objectID = objectID
    }
}

/// An item and the object that it belongs to.
@frozen public struct ItemReference: Sendable, Hashable {
    /// The position of the section: before the transaction if the item stopped being displayed or left the range,
    /// otherwise after it.
    public var section: Int
    /// The identifier of the section's object.
    public var objectID: String
    /// The index of the item in the section: before the transaction if the item stopped being displayed or left the
    /// range, otherwise after it.
    public var item: Int

    /// Makes a reference.
    public init(section: Int, objectID: String, item: Int) {
        self.section = section
        self.objectID = objectID
        self.item = item
    }
}

/// The sections and items that appeared and disappeared in a view. All lists are in section order.
@frozen public struct DisplayChange: Sendable, Hashable {
    /// The view.
    public var view: ViewID
    /// The revision of the list.
    public var revision: UInt64
    /// Sections that have elements in the view now and had none before.
    public var willDisplay: [SectionReference] = []
    /// Sections whose last element left the view.
    public var didEndDisplaying: [SectionReference] = []
    /// Items that entered the view.
    public var itemsWillDisplay: [ItemReference] = []
    /// Items that left the view.
    public var itemsDidEndDisplaying: [ItemReference] = []

    /// Makes an empty change.
    public init(view: ViewID, revision: UInt64) {
        self.view = view
        self.revision = revision
    }

    /// Whether nothing appeared or disappeared.
    public var isEmpty: Bool {
        willDisplay.isEmpty && didEndDisplaying.isEmpty && itemsWillDisplay.isEmpty && itemsDidEndDisplaying.isEmpty
    }
}

/// The sections and items that entered and left the working range of a view. All lists are in section order.
@frozen public struct WorkingRangeChange: Sendable, Hashable {
    /// The view.
    public var view: ViewID
    /// The revision of the list.
    public var revision: UInt64
    /// Sections that entered the working range.
    public var willEnter: [SectionReference] = []
    /// Sections that left the working range.
    public var didExit: [SectionReference] = []
    /// Items that entered the working range; always empty if the view counts sections.
    public var itemsWillEnter: [ItemReference] = []
    /// Items that left the working range; always empty if the view counts sections.
    public var itemsDidExit: [ItemReference] = []

    /// Makes an empty change.
    public init(view: ViewID, revision: UInt64) {
        self.view = view
        self.revision = revision
    }

    /// Whether nothing entered or left.
    public var isEmpty: Bool {
        willEnter.isEmpty && didExit.isEmpty && itemsWillEnter.isEmpty && itemsDidExit.isEmpty
    }
}

/// A selected item.
@frozen public struct SelectedItem: Sendable, Hashable {
    /// The identifier of the item's object.
    public var objectID: String
    /// The index of the item in the object's section.
    public var item: Int

    /// Makes an item.
    public init(objectID: String, item: Int) {
        self.objectID = objectID
        self.item = item
    }
}

/// A change of the selection. Both lists are in section order.
///
/// The event follows the transaction that caused the change, and its indexes are those after the transaction: all
/// items in `selected` are selected now, and no item in `deselected` is. A selected item that moved is therefore in
/// both lists, with its new and its old index. A selected item that was removed is in `deselected` with its old
/// index, unless another selected item has this index now.
@frozen public struct SelectionChange: Sendable, Hashable {
    /// The revision of the list.
    public var revision: UInt64
    /// Items that became selected, with their present indexes.
    public var selected: [SelectedItem]
    /// Items that are no longer selected, including the items of removed objects.
    public var deselected: [SelectedItem]

    /// Makes a change.
    public init(revision: UInt64, selected: [SelectedItem] = [], deselected: [SelectedItem] = []) {
        self.revision = revision
        self.selected = selected
        self.deselected = deselected
    }
}
