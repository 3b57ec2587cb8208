// SPDX-License-Identifier: Apache-2.0

/// An event that a data source sends to its list.
public enum DataSourceEvent: Sendable {
    /// The whole list; the engine finds out what changed.
    case replace([ListObject])
    /// Identifiers of removed objects, then new or changed objects, in order.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
    /// The source cannot be read for now; the list keeps its objects, and its state is `failed`.
    case failed(String)
    /// The source can be read again, and nothing changed since.
    case ready
    /// The whole list follows in pages; pages of an earlier replacement that was not completed are dropped.
    case replacementBegan
    /// The next objects of the whole list, in order; dropped without ``replacementBegan``.
    case page([ListObject])
    /// The pages since ``replacementBegan`` are the whole list, which replaces the list's objects at once.
    case replacementEnded
    /// The pages since ``replacementBegan`` are incomplete; the list keeps its objects.
    case replacementAbandoned
    /// One of ``replace(_:)``, ``changes(removed:upserts:)``, ``replacementEnded`` and ``ready``, with the progress of
    /// the source; with any other event the progress is ignored.
    indirect case upTo(DataSourceProgress, DataSourceEvent)
    /// The outcome of a write; `nil` = done, and events that were sent before contain all of it.
    case written(DataSourceWrite.ID, ListError?)
}

/// How far a data source has read: sent with the objects that it read, and stored with them in one transaction.
public struct DataSourceProgress: Sendable, Hashable {
    /// The maximum length of a cursor in bytes: 64 KiB.
    public static let largestCursor = 65_536
    /// The maximum length of a position in bytes of UTF-8: 1 KiB.
    public static let largestPosition = 1024

    /// The place from which the source can continue: it gets it as ``DataSourceContext/cursor`` at its next start.
    ///
    /// `nil` with a whole list: the source gets no cursor until it sends another one. `nil` with changes: the last
    /// cursor stays, so that the source sends these changes again.
    public var cursor: [UInt8]?
    /// The state of the source as text, the property `SourcePosition`: equal texts mean the same state; `nil` =
    /// unchanged.
    public var position: String?
    /// The time at which the list was known to have all of the source, in microseconds since 1970, the property
    /// `SourceSynced`; `nil` = the time at which listd handles the event.
    public var synced: UInt64?

    /// Describes how far a source has read.
    public init(cursor: [UInt8]? = nil, position: String? = nil, synced: UInt64? = nil) {
        self.cursor = cursor
        self.position = position
        self.synced = synced
    }

    /// The reason why listd refuses it; `nil` = none.
    @_spi(Daemon) public var fault: ListError? {
        if let cursor, cursor.count > Self.largestCursor {
            return ListError(
                .payloadTooLarge, "the cursor has \(cursor.count) bytes, more than \(Self.largestCursor)")
        }
        if let position, position.utf8.count > Self.largestPosition || position.utf8.contains(0) {
            return ListError(
                .invalidArguments, "the position has more than \(Self.largestPosition) bytes, or NUL in it")
        }
        return nil
    }
}
