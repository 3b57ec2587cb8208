// SPDX-License-Identifier: Apache-2.0

/// The next action of the owner of an ``ObjectList``.
@_spi(Daemon) @frozen public enum UpdateStep: Sendable {
    /// Wait until then, or until another call of the list.
    case wait(FlushTiming)
    /// Compute a diff, on any thread; its output goes to ``ObjectList/diffed(_:)``.
    case diff(DiffJob)
    /// Ask the section controllers about a dragged item; the verdict goes to ``ObjectList/moveAnswered(_:)``.
    case ask(ItemMoveRequest)
    /// Store something; the outcome goes to ``ObjectList/stored(_:retryingEach:sharesTable:now:)``.
    case store(StoreWork)
    /// Reserve numbers; the outcome goes to ``ObjectList/reserved(_:_:now:)``.
    case reserve(StoreWork)
    /// Present an update; the outcome goes to ``ObjectList/presented(_:)``.
    case present(ObjectUpdate)
    /// Run the queued item updates up to a ticket; the outcome goes to ``ObjectList/changedByItself(_:answering:)``.
    case presentItems(through: Ticket)
    /// Answer requests that changed nothing.
    case answers([RequestAnswer])
}

/// A dragged item, about which section controllers decide.
@_spi(Daemon) @frozen public struct ItemMoveRequest: Sendable, Hashable {
    /// The request.
    public var id: RequestID
    /// Where the item is.
    public var from: IndexPath
    /// Where it is after the move.
    public var to: IndexPath
    /// Whether the request was animated.
    public var animated: Bool

    /// Describes a move.
    public init(id: RequestID, from: IndexPath, to: IndexPath, animated: Bool = true) {
        self.id = id
        self.from = from
        self.to = to
        self.animated = animated
    }
}

/// The section controllers' verdict on a dragged item.
@_spi(Daemon) @frozen public enum ItemMoveVerdict: Sendable {
    /// It stays where it is.
    case refused
    /// It cannot be moved.
    case error(ListError)
    /// Its whole section moves; to its own position = nothing changes.
    case section(from: Int, to: Int)
    /// The object of its section with the item moved.
    case object(ListObject)
}

/// The answer of a presentation that was asked about a dragged item.
@_spi(Daemon) @frozen public struct ItemMoveAnswer: Sendable {
    /// Changes of items, in order: those of queued item updates, and the move if the item's controller has made it.
    public var changes: [Presented] = []
    /// The section controllers' verdict; `nil` = the last of the changes is the move.
    public var verdict: ItemMoveVerdict?

    /// Makes an empty answer.
    public init() {}
}

/// A write to the store, in one transaction.
@_spi(Daemon) @frozen public struct StoreWork: Sendable {
    /// The change of the stored objects; `nil` = none.
    public var content: PreparedTransaction.Content?
    /// Announced transactions that were not written yet.
    public var log: [Transaction]
    /// The oldest revision since which the store keeps changes.
    public var oldestRevision: UInt64
    /// The revision that was announced last: that of the objects before this write.
    public var revision: UInt64
    /// The highest revision that may be announced as soon as this is stored.
    public var limit: UInt64
    /// Where the source of the list continues after a start; `nil` = as stored.
    public var cursor: [UInt8]?
    /// The requests that are answered with it.
    public var requests: [RequestID]

    /// Makes a write.
    public init(
        content: PreparedTransaction.Content? = nil, log: [Transaction] = [], oldestRevision: UInt64,
        revision: UInt64, limit: UInt64, cursor: [UInt8]? = nil, requests: [RequestID] = []
    ) {
        self.content = content
        self.log = log
        self.oldestRevision = oldestRevision
        self.revision = revision
        self.limit = limit
        self.cursor = cursor
        self.requests = requests
    }
}
