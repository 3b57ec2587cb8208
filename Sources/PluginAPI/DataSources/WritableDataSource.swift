// SPDX-License-Identifier: Apache-2.0

/// A data source that accepts clients' writes to its list.
///
/// A write goes to the source instead of the list. The source carries it out, sends the resulting changes, and then
/// answers with ``DataSourceSink/wrote(_:)``. So the client is answered with a revision that contains its write, and
/// the list never has objects that the source does not have.
///
/// ```swift
/// func write(_ write: DataSourceWrite) throws {
///     guard case .changes(let removed, let upserts) = write.operation else { throw DataSourceWrite.unsupported }
///     let version = try database.write(removed, upserts, ifStill: write.isConditional ? write.cursor : nil)
///     context.sink.changes(removed: removed, upserts: upserts, upTo: DataSourceProgress(cursor: version))
///     context.sink.wrote(write.id)
/// }
/// ```
public protocol WritableDataSource: DataSource {
    /// Whether lists of this source accept writes; read once, after the source was made. True by default.
    var acceptsWrites: Bool { get }

    /// Carries out a client's write; called on the source's executor, after ``DataSource/start()``.
    ///
    /// Answer with ``DataSourceSink/wrote(_:)`` or ``DataSourceSink/refused(_:_:)``, now or later, from any thread.
    /// If the source stops before it answers, the client gets `sourceUnavailable`, as the outcome is unknown.
    ///
    /// - Throws: An error if the write has changed nothing; the error answers the write. Throw `sourceUnavailable` when
    ///   the source cannot be written at present, instead of waiting. Throw `revisionConflict` when a conditional write
    ///   finds changes of another writer.
    func write(_ write: DataSourceWrite) throws
}

extension WritableDataSource {
    /// True: lists of the source accept writes.
    public var acceptsWrites: Bool { true }
}

/// A client's write to a source.
public struct DataSourceWrite: Sendable, Identifiable {
    /// Identifies the write in its answer.
    public let id: UInt64
    /// The requested change.
    public let operation: Operation
    /// Whether the write must be refused if the source has changed since ``cursor``; otherwise the last writer wins.
    ///
    /// listd has already compared the client's `expected_revision` with the list. So only changes that the source has
    /// not sent yet can still conflict.
    public let isConditional: Bool
    /// The cursor of the revision that the client knows; `nil` when the source has sent none.
    public let cursor: [UInt8]?
    /// The Unix user of the client.
    public let user: UInt32

    /// The kinds of changes.
    public enum Operation: Sendable {
        /// The whole new list, in order (`PerformUpdates`); no identifier occurs twice.
        case replace([ListObject])
        /// The identifiers of objects to remove, of which unknown ones are ignored, and then the objects to insert or
        /// change, in order (`ApplyChanges`).
        case changes(removed: [String], upserts: [UpdateRequest.Upsert])
        /// One object moves (`MoveObject`).
        case move(id: String, position: UpdateRequest.Position)
        /// Some fields of one object change (`PatchObject`).
        case patch(id: String, set: Fields, unset: [String])
    }

    /// Makes a write.
    ///
    /// - Parameter isConditional: whether the write must be refused if the source has changed since `cursor`.
    public init(
        id: UInt64, operation: Operation, isConditional: Bool = false, cursor: [UInt8]? = nil, user: UInt32 = 0
    ) {
        self.id = id
        self.operation = operation
        self.isConditional = isConditional
        self.cursor = cursor
        self.user = user
    }

    /// The error for an operation that a source does not support, `readOnly`.
    public static var unsupported: ListError {
        ListError(.readOnly, "the data source does not support this kind of write")
    }
}
