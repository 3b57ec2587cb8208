// SPDX-License-Identifier: Apache-2.0

/// A data source that takes what clients write to its list.
///
/// A write goes to the source and not to the list, and comes back as what the source reads: the source does what is asked, sends
/// what that changed, and then answers with ``DataSourceSink/wrote(_:)``. So the client is answered with a revision that contains its
/// write, and the list never has what the source has not.
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
    /// Whether lists of this source take writes; asked once, after the source was made. By default they do.
    var acceptsWrites: Bool { get }

    /// Does what a client asks for; called on the source's executor, after ``DataSource/start()``.
    ///
    /// Answer with ``DataSourceSink/wrote(_:)`` or ``DataSourceSink/refused(_:_:)``, now or later, from wherever the answer is
    /// known. A write that is not answered when the source ends is refused with `sourceUnavailable`: it is unknown what
    /// became of it.
    ///
    /// - Throws: Why nothing was done; that answers the write. `sourceUnavailable` when the source cannot be written for now: a
    ///   write never waits for better times. `revisionConflict` when somebody else was faster than a conditional one.
    func write(_ write: DataSourceWrite) throws
}

extension WritableDataSource {
    /// Lists of the source take writes.
    public var acceptsWrites: Bool { true }
}

/// What a client wants written to a source.
public struct DataSourceWrite: Sendable, Identifiable {
    /// Names the write in its answer.
    public let id: UInt64
    /// What is to be done.
    public let operation: Operation
    /// Whether it is to be done only if nothing has changed since ``cursor``; otherwise the last writer wins.
    ///
    /// listd has compared the client's `expected_revision` with the list already: what the source has and did not tell yet is
    /// what can still be in the way.
    public let isConditional: Bool
    /// The cursor of the list as the client knows it; `nil` when the source has sent none.
    public let cursor: [UInt8]?
    /// The Unix user who asks.
    public let user: UInt32

    /// What may be asked for.
    public enum Operation: Sendable {
        /// The whole new list, in order (`PerformUpdates`); no identifier occurs twice.
        case replace([ListObject])
        /// Objects that go, an unknown one is no error; then objects to insert or change, in order (`ApplyChanges`).
        case changes(removed: [String], upserts: [UpdateRequest.Upsert])
        /// One object goes elsewhere (`MoveObject`).
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

    /// The error for an operation that a source does not know, `readOnly`.
    public static var unsupported: ListError { ListError(.readOnly, "the source does not take this kind of write") }
}
