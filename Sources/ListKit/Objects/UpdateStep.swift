// SPDX-License-Identifier: Apache-2.0

/// What the owner of an ``ObjectList`` does next.
@_spi(Daemon) @frozen public enum UpdateStep: Sendable {
    /// Nothing, until then or until something else happens.
    case wait(FlushTiming)
    /// Compute a diff, on any thread; its output goes to ``ObjectList/diffed(_:)``.
    case diff(DiffJob)
    /// Ask the section controllers about an item that was dragged; the verdict goes to ``ObjectList/moveAnswered(_:)``.
    case ask(ItemMoveRequest)
    /// Store something; the outcome goes to ``ObjectList/stored(_:retryingEach:now:itemCount:)``.
    case store(StoreWork)
    /// Reserve numbers; the outcome goes to ``ObjectList/reserved(_:_:now:)``.
    case reserve(StoreWork)
    /// Present an update; the outcome goes to ``ObjectList/presented(_:)``.
    case present(ObjectUpdate)
    /// Run the item updates that wait, up to a ticket; the outcome goes to ``ObjectList/changedByItself(_:answering:)``.
    case presentItems(through: Ticket)
    /// Answer requests that changed nothing.
    case answers([RequestAnswer])
}

/// An item that was dragged; the section controllers decide.
@_spi(Daemon) public struct ItemMoveRequest: Sendable, Hashable {
    /// The request.
    public var id: RequestID
    /// Where the item is.
    public var from: IndexPath
    /// Where it shall be, after the move.
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

/// What the section controllers say of an item that was dragged.
@_spi(Daemon) @frozen public enum ItemMoveVerdict: Sendable {
    /// It stays where it is.
    case refused
    /// It cannot be moved.
    case error(ListError)
    /// Its whole section moves; to its own position = nothing changes.
    case section(from: Int, to: Int)
    /// The object of its section as it is with the item moved.
    case object(ListObject)
}

/// What an adapter that was asked about an item that was dragged has done, and says of it.
@_spi(Daemon) public struct ItemMoveAnswer: Sendable {
    /// Items that changed, in order: those of item updates that waited, and the item itself if its controller has moved it.
    public var changes: [Presented] = []
    /// What the section controllers say; `nil` = the last of the changes is the move.
    public var verdict: ItemMoveVerdict?

    /// Makes an empty answer.
    public init() {}
}

/// What is to be written in one transaction of the store.
@_spi(Daemon) public struct StoreWork: Sendable {
    /// What becomes of the stored objects; `nil` = they stay.
    public var content: PreparedTransaction.Content?
    /// Announced transactions that were not written yet.
    public var log: [Transaction]
    /// The oldest revision since which changes have to be known.
    public var oldestRevision: UInt64
    /// The revision that was announced last: that of the objects before this write.
    public var revision: UInt64
    /// The highest revision that may be announced as soon as this is stored.
    public var limit: UInt64
    /// Where the source of the list goes on after a start; `nil` = as stored.
    public var cursor: [UInt8]?
    /// The requests that are answered with it.
    public var requests: [RequestID]

    /// Describes what is to be written.
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
