// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// The effects of an adapter host, in the order in which clients must receive them.
package enum AdapterEffect: Sendable {
    /// Revision and counts after the next effects: readers of properties never see less than the signals said.
    case status(AdapterStatus)
    /// Something is to be written; the host waits for ``AdapterCommand/stored(_:_:)`` with the same token.
    case store(StoringToken, StoreWork)
    /// Something that a signal says.
    case event(AdapterEvent)
    /// Built-in section controllers do not show all of the objects of an update.
    case losses([ContentLoss])
    /// The selected items after what comes next.
    case selection([SelectedItem])
    /// The state of a view after the next effects.
    case view(ViewID, ViewDescription)
    /// A view is closed: for its owner only.
    case closed(ViewID, ViewClosing)
    /// The list has lost its host for now, or has one again.
    case paused(Bool)
    /// The list has been quiet after changes: repeat its revision.
    case announce(AdapterStatus)
    /// The one answer to a request.
    case answer(RequestID, Result<AdapterAnswer, ListError>)
}

/// The numbers of an adapter that everybody may know.
package struct AdapterStatus: Sendable, Equatable {
    /// The current revision.
    package var revision: UInt64 = 0
    /// The oldest revision from which changes are still known.
    package var oldestRevision: UInt64 = 0
    /// How many objects the list has.
    package var objectCount = 0
    /// How many items the list has.
    package var itemCount = 0

    /// Puts it together.
    package init(revision: UInt64 = 0, oldestRevision: UInt64 = 0, objectCount: Int = 0, itemCount: Int = 0) {
        self.revision = revision
        self.oldestRevision = oldestRevision
        self.objectCount = objectCount
        self.itemCount = itemCount
    }
}

/// What a request is answered with when it succeeds.
package enum AdapterAnswer: Sendable {
    /// A write: the revision that contains it, how many repeated objects were dropped, whether a move was refused, and what
    /// the revision took away if that is much.
    case revision(UInt64, droppedDuplicates: Int, isRefused: Bool, removed: LargeRemoval? = nil)
    /// A page of objects.
    case objects(revision: UInt64, total: Int, [ListObject])
    /// One object and its section.
    case object(revision: UInt64, section: Int, ListObject)
    /// Items of whole sections; `next` is the first section that is not among them.
    case items(revision: UInt64, next: Int, [PlacedItem])
    /// How many items sections have that follow each other.
    case itemCounts(revision: UInt64, [UInt32])
    /// Transactions in order, and the current revision.
    case changes(revision: UInt64, [Transaction])
    /// A view is there; the counts are the list's.
    case opened(revision: UInt64, sections: Int, items: Int)
    /// The view's last sent picture.
    case sequence(UInt64)
    /// The view's offset after scrolling, and its last sent picture.
    case scrolled(offset: Point, sequence: UInt64)
    /// Yes or no.
    case flag(Bool)
    /// Those of the items to select that are selected, and those of the items to deselect that are not selected.
    case selection(selected: [SelectedItem], deselected: [SelectedItem])
    /// The whole picture of a view.
    case picture(Picture)
    /// Text for people.
    case text(String)
    /// Done.
    case done
}

/// More than half of the objects of a large list, which one revision took away.
package struct LargeRemoval: Sendable, Equatable {
    /// With fewer objects a list is not large.
    private static let leastTotal = 1000

    /// How many objects are gone.
    package let objects: Int
    /// How many there were.
    package let total: Int

    /// Nil for what is not much, or not of a large list.
    package init?(objects: Int, total: Int) {
        guard total >= Self.leastTotal, objects > total - objects else { return nil }
        self.objects = objects
        self.total = total
    }
}

/// An item with its place.
package struct PlacedItem: Sendable {
    /// The section.
    package var section: Int
    /// The item's number in the section.
    package var index: Int
    /// The item.
    package var item: ListItem

    /// Puts it together.
    package init(section: Int, index: Int, item: ListItem) {
        self.section = section
        self.index = index
        self.item = item
    }
}
