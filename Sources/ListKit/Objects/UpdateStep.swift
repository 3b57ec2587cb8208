// SPDX-License-Identifier: Apache-2.0

/// The next action of the owner of an ``ObjectList``.
@_spi(Daemon) @frozen public enum UpdateStep: Sendable {
    /// Wait until the given time, or until the next call of the list.
    case wait(FlushTiming)
    /// Compute a diff, on any thread, and pass its output to ``ObjectList/finishDiff(_:)``.
    case diff(DiffJob)
    /// Ask the section controllers about a dragged item, and pass their verdict to ``ObjectList/finishAskingAboutMove(_:)``.
    case ask(ItemMoveRequest)
    /// Write to the store, and pass the outcome to ``ObjectList/finishStoring(_:retryingEach:sharesTable:now:)``.
    case store(StoreWrite)
    /// Reserve revision numbers in the store, and pass the outcome to ``ObjectList/finishReserving(_:_:now:)``.
    case reserve(StoreWrite)
    /// Present an update, and pass the result to ``ObjectList/finishPresenting(_:)``.
    case present(Change)
    /// Run the queued item updates up to a ticket, and pass the result to ``ObjectList/recordItemChanges(_:answering:)``.
    case presentItems(through: Ticket)
    /// Send the answers to requests that changed nothing or failed.
    case answers([RequestAnswer])
}

/// A request to move a dragged item. The section controllers decide about it.
@_spi(Daemon) @frozen public struct ItemMoveRequest: Sendable, Hashable {
    /// The identifier of the request.
    public var id: RequestID
    /// The path of the item before the move.
    public var from: IndexPath
    /// The path of the item after the move.
    public var to: IndexPath
    /// Whether the request is animated.
    public var animated: Bool
    /// The maximum size of the item's object after the move, in bytes of its identifier and fields.
    public var maximumObjectBytes: Int

    /// Creates a request to move an item.
    public init(
        id: RequestID, from: IndexPath, to: IndexPath, animated: Bool = true, maximumObjectBytes: Int = .max
    ) {
        self.maximumObjectBytes = maximumObjectBytes
        self.id = id
        self.from = from
        self.to = to
        self.animated = animated
    }
}

/// The section controllers' verdict on a dragged item.
@_spi(Daemon) @frozen public enum ItemMoveVerdict: Sendable {
    /// The item stays where it is; the request succeeds.
    case refused
    /// The item cannot be moved; the request fails.
    case error(ListError)
    /// The item's whole section moves. Equal indexes mean that nothing changes.
    case section(from: Int, to: Int)
    /// The section's object changes. The new object has the item at its new place.
    case object(ListObject)
    /// The section controller moves the item itself, when the update is presented. Only for a presentation on the same
    /// executor.
    case controller
}

/// The answer of a presentation to an ``ItemMoveRequest``.
@_spi(Daemon) @frozen public struct ItemMoveAnswer: Sendable {
    /// The item changes that the request caused, in order: queued item updates, then the move if the controller made
    /// it itself.
    public var changes: [Announcement] = []
    /// The section controllers' verdict; `nil` if a controller moved the item itself, as the last of the changes.
    public var verdict: ItemMoveVerdict?

    /// Creates an empty answer.
    public init() {}
}

/// A write to the store, in one transaction.
@_spi(Daemon) @frozen public struct StoreWrite: Sendable {
    /// The update that is written; `nil` if the objects do not change.
    public var change: Change?
    /// The announced transactions that are not in the store yet.
    public var log: [Transaction]
    /// The oldest revision whose later changes the store keeps.
    public var oldestRevision: UInt64
    /// The latest announced revision, which is the revision of the objects before this write.
    public var revision: UInt64
    /// The highest revision that may be announced once this write has succeeded.
    public var limit: UInt64

    /// Creates a write.
    public init(
        _ change: Change? = nil, log: [Transaction] = [], oldestRevision: UInt64, revision: UInt64, limit: UInt64
    ) {
        self.change = change
        self.log = log
        self.oldestRevision = oldestRevision
        self.revision = revision
        self.limit = limit
    }

    /// Whether this is the first write of a list: all of it with its present revision.
    public var startsPersistence: Bool { limit == revision && change?.whole != nil }
}
