// SPDX-License-Identifier: Apache-2.0

/// A data source that takes clients' writes to its list.
///
/// A write goes to the source and not to the list, and comes back as changes that the source reads: the source carries
/// it out, sends the changes, and then answers with ``DataSourceSink/wrote(_:)``. So the client's answer has a revision
/// that contains its write, and the list never has objects that the source has not.
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
    /// Whether lists of this source take writes; read once, after the source was made. True by default.
    var acceptsWrites: Bool { get }

    /// Carries out a client's write; called on the source's executor, after ``DataSource/start()``.
    ///
    /// Answer with ``DataSourceSink/wrote(_:)`` or ``DataSourceSink/refused(_:_:)``, now or later, from any thread. A
    /// write that is not answered when the source ends is refused with `sourceUnavailable`, as its outcome is unknown.
    ///
    /// - Throws: The reason why nothing was done, which answers the write. `sourceUnavailable` when the source cannot
    ///   be written for now: a write never waits until it can. `revisionConflict` when a conditional write finds that
    ///   another writer came first.
    func write(_ write: DataSourceWrite) throws
}

extension WritableDataSource {
    /// Lists of the source take writes.
    public var acceptsWrites: Bool { true }
}

/// A client's write to a source.
public struct DataSourceWrite: Sendable, Identifiable {
    /// Identifies the write in its answer.
    public let id: UInt64
    /// The requested change.
    public let operation: Operation
    /// Whether it must be refused if anything has changed since ``cursor``; otherwise the last writer wins.
    ///
    /// listd has compared the client's `expected_revision` with the list already: only changes that the source has and
    /// did not send yet can still conflict.
    public let isConditional: Bool
    /// The cursor of the list that the client knows; `nil` when the source has sent none.
    public let cursor: [UInt8]?
    /// The Unix user of the client.
    public let user: UInt32

    /// The kinds of changes.
    public enum Operation: Sendable {
        /// The whole new list, in order (`PerformUpdates`); no identifier occurs twice.
        case replace([ListObject])
        /// Identifiers of objects to remove, where unknown ones are ignored; then objects to insert or change, in order
        /// (`ApplyChanges`).
        case changes(removed: [String], upserts: [UpdateRequest.Upsert])
        /// One object moves (`MoveObject`).
        case move(id: String, position: UpdateRequest.Position)
        /// Some fields of one object change (`PatchObject`).
        case patch(id: String, set: Fields, unset: [String])
    }

    /// Describes a write.
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
    public static var unsupported: ListError { ListError(.readOnly, "the source does not take this kind of write") }
}
