// SPDX-License-Identifier: Apache-2.0

/// An event that a data source sends to its list.
public enum DataSourceEvent: Sendable {
    /// The whole list; the engine computes the changes.
    case replace([ListObject])
    /// Identifiers of removed objects, then new or changed objects, in order.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
    /// The source cannot be read at present, for this reason; the list keeps its objects, and its state is `failed`.
    case failed(String)
    /// The source can be read again, and has not changed.
    case ready
    /// Parts of the source that the list cannot have, for this reason, while it has all the rest; `nil` = the list has
    /// all. It lasts until the next event of this case.
    case incomplete(String?)
    /// The whole list follows in pages; pages of an earlier replacement that was not completed are dropped.
    case replacementBegan
    /// The next objects of the whole list, in order; ignored unless ``replacementBegan`` precedes it.
    case page([ListObject])
    /// The pages since ``replacementBegan`` are complete, and together replace the list's objects.
    case replacementEnded
    /// The pages since ``replacementBegan`` are incomplete; the list keeps its objects.
    case replacementAbandoned
    /// One of ``replace(_:)``, ``changes(removed:upserts:)``, ``replacementEnded`` and ``ready``, with the progress of
    /// the source; with any other event the progress is ignored.
    indirect case upTo(DataSourceProgress, DataSourceEvent)
    /// The outcome of a write; `nil` = done, and the events before this one contain all changes of the write.
    case written(DataSourceWrite.ID, ListError?)
}

/// The progress of a data source, that is, how far it has read. The progress is sent with the objects that were
/// read, and stored with them in one transaction.
public struct DataSourceProgress: Sendable, Hashable {
    /// The maximum length of a cursor in bytes: 64 KiB.
    public static let largestCursor = 65_536
    /// The maximum length of a position in bytes of UTF-8: 1 KiB.
    public static let largestPosition = 1024

    /// The place from which the source can continue, in the source's own format. The source gets it as
    /// ``DataSourceContext/cursor`` at its next start.
    ///
    /// With a whole list, `nil` removes the stored cursor. With changes, `nil` keeps the last cursor, so that after a
    /// restart the source sends these changes again.
    public var cursor: [UInt8]?
    /// The state of the source as text, for the property `SourcePosition`. Equal texts mean the same state; `nil` =
    /// unchanged.
    public var position: String?
    /// The last time at which the list had all contents of the source, in microseconds since 1970, for the property
    /// `SourceSynced`; `nil` = the time at which listd handles the event.
    public var synced: UInt64?

    /// Describes how far a source has read.
    public init(cursor: [UInt8]? = nil, position: String? = nil, synced: UInt64? = nil) {
        self.cursor = cursor
        self.position = position
        self.synced = synced
    }

    /// The error with which listd refuses the progress; `nil` = it is valid.
    @_spi(Daemon) public var fault: ListError? {
        if let cursor, cursor.count > Self.largestCursor {
            return ListError(
                .payloadTooLarge, "the cursor has \(cursor.count) bytes, more than \(Self.largestCursor)")
        }
        if let position, position.utf8.count > Self.largestPosition || position.utf8.contains(0) {
            return ListError(
                .invalidArguments, "the position has more than \(Self.largestPosition) bytes, or contains NUL")
        }
        return nil
    }
}
