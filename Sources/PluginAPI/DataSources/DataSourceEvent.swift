// SPDX-License-Identifier: Apache-2.0

/// What a data source tells its list.
public enum DataSourceEvent: Sendable {
    /// The whole list; the engine finds out what changed.
    case replace([ListObject])
    /// Objects that are gone, then objects that are new or changed, in order.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
    /// The source cannot be read for now; the list keeps what it has, and its state is `failed`.
    case failed(String)
    /// The source is read again, and nothing changed since.
    case ready
    /// The whole list follows in pages; pages of a replacement that was not completed are dropped.
    case replacementBegan
    /// The next objects of the whole list, in order; without ``replacementBegan`` they are dropped.
    case page([ListObject])
    /// The pages since ``replacementBegan`` are the whole list: it takes the place of what the list has, at once.
    case replacementEnded
    /// The pages since ``replacementBegan`` are not the whole list; the list keeps what it has.
    case replacementAbandoned
    /// One of ``replace(_:)``, ``changes(removed:upserts:)``, ``replacementEnded`` and ``ready``, and how far the source has
    /// read with it; of any other event the progress is ignored.
    indirect case upTo(DataSourceProgress, DataSourceEvent)
    /// The outcome of a write: `nil` = all of it is in the events that were sent before.
    case written(DataSourceWrite.ID, ListError?)
}

/// How far a data source has read: sent with what it read, and stored with it, all of it or nothing.
public struct DataSourceProgress: Sendable, Hashable {
    /// The most bytes that a cursor may have: 64 KiB.
    public static let largestCursor = 65_536
    /// The most bytes of UTF-8 that a position may have: 1 KiB.
    public static let largestPosition = 1024

    /// Where the source goes on: handed back as ``DataSourceContext/cursor`` when it starts the next time.
    ///
    /// `nil` beside a whole list: the source is not handed any cursor until it sends another one. `nil` beside changes: the
    /// cursor that was sent last stays, so that the source tells these changes again.
    public var cursor: [UInt8]?
    /// The state of the source as text, the property `SourcePosition`: equal texts mean the same state; `nil` = as it was.
    public var position: String?
    /// When the list was known to have all of the source, in microseconds since 1970, the property `SourceSynced`;
    /// `nil` = when listd takes the event.
    public var synced: UInt64?

    /// Describes how far a source has read.
    public init(cursor: [UInt8]? = nil, position: String? = nil, synced: UInt64? = nil) {
        self.cursor = cursor
        self.position = position
        self.synced = synced
    }

    /// What keeps listd from taking it; `nil` = nothing.
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
