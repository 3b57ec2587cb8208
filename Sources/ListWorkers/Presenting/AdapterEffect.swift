// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// An effect of an adapter host. Clients must receive effects in the order in which the host returns them.
package enum AdapterEffect: Sendable {
    /// The revision and counts after the effects that follow. Properties are thus never older than the signals.
    case status(AdapterStatus)
    /// Work for the store; the host waits for ``AdapterCommand/stored(_:_:)`` with the same token.
    case store(StoringToken, StoreWrite)
    /// A change of the objects for the lists that follow this one.
    case changed(Change)
    /// An event that is sent as a signal.
    case event(AdapterEvent)
    /// The contents of an update that built-in section controllers do not show.
    case losses([ContentLoss])
    /// The selected items after the effects that follow.
    case selection([SelectedItem])
    /// The state of a view after the effects that follow.
    case view(ViewID, ViewDescription)
    /// The closing of a view, sent to its owner only.
    case closed(ViewID, ViewClosing)
    /// The list has lost its presenter (true), or has a presenter again (false).
    case paused(Bool)
    /// The revision of a list that has not changed for a while, to be announced again.
    case announce(AdapterStatus)
    /// The only answer to a request.
    case answer(RequestID, Result<AdapterAnswer, ListError>)
}

/// The public numbers of an adapter: its revisions and counts.
package struct AdapterStatus: Sendable, Equatable {
    /// The current revision.
    package var revision: UInt64 = 0
    /// The oldest revision from which the changes are still available.
    package var oldestRevision: UInt64 = 0
    /// The number of objects in the list.
    package var objectCount = 0
    /// The number of items in the list.
    package var itemCount = 0
    /// Whether every section has exactly one item; true for an empty list.
    package var isFlat = true

    package init(
        revision: UInt64 = 0, oldestRevision: UInt64 = 0, objectCount: Int = 0, itemCount: Int = 0, isFlat: Bool = true
    ) {
        self.revision = revision
        self.oldestRevision = oldestRevision
        self.objectCount = objectCount
        self.itemCount = itemCount
        self.isFlat = isFlat
    }
}

/// The answer to a successful request.
package enum AdapterAnswer: Sendable {
    /// The outcome of a write: the revision that contains it, the dropped objects with repeated identifiers, whether a
    /// move was refused, and the removed objects if they are many.
    case revision(UInt64, droppedDuplicates: DroppedDuplicates, isRefused: Bool, removed: LargeRemoval? = nil)
    /// A page of objects.
    case objects(revision: UInt64, total: Int, [ListObject])
    /// One object and its section.
    case object(revision: UInt64, section: Int, ListObject)
    /// Items of whole sections; `next` is the first section that is not included.
    case items(revision: UInt64, next: Int, [PlacedItem])
    /// The numbers of items of consecutive sections.
    case itemCounts(revision: UInt64, [UInt32])
    /// Transactions in order, and the current revision.
    case changes(revision: UInt64, [Transaction])
    /// An opened view, with the list's revision and counts.
    case opened(AdapterStatus)
    /// The sequence number of the view's last sent picture.
    case sequence(UInt64)
    /// The view's offset after scrolling, and the sequence number of its last sent picture.
    case scrolled(offset: Point, sequence: UInt64)
    /// A truth value, such as whether an item is selected.
    case flag(Bool)
    /// Of the items to select, those that are selected now; of the items to deselect, those that are not selected now.
    case selection(selected: [SelectedItem], deselected: [SelectedItem])
    /// The whole picture of a view, with the list's revision and counts.
    case picture(Picture, of: AdapterStatus)
    /// Text for people.
    case text(String)
    /// An answer without content.
    case done
}

/// The size of a large removal: one revision that removes more than half of the objects of a large list.
package struct LargeRemoval: Sendable, Equatable {
    /// The minimum number of objects of a large list.
    private static let leastTotal = 1000

    /// The number of removed objects.
    package let objects: Int
    /// The number of objects before the removal.
    package let total: Int

    /// Returns nil if the list is not large, or if at most half of its objects are removed.
    package init?(objects: Int, total: Int) {
        guard total >= Self.leastTotal, objects > total - objects else { return nil }
        self.objects = objects
        self.total = total
    }
}

/// An item with its index path.
package struct PlacedItem: Sendable {
    /// The section.
    package var section: Int
    /// The identifier of the section's object.
    package var objectID: String
    /// The item's index in the section.
    package var index: Int
    /// The item.
    package var item: ListItem

    package init(section: Int, objectID: String, index: Int, item: ListItem) {
        self.section = section
        self.objectID = objectID
        self.index = index
        self.item = item
    }
}
