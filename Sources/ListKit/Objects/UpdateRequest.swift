// SPDX-License-Identifier: Apache-2.0

/// Identifies a request; chosen by the caller, repeated in the answer.
public typealias RequestID = UInt64

/// A request to change a list.
///
/// Every request that ``ListAdapter/enqueue(_:now:)`` takes is answered exactly once, in the ``FlushResult/answers`` of some
/// flush.
@frozen public struct UpdateRequest: Sendable {
    /// Identifies the request in its answer.
    public var id: RequestID
    /// The revision that the list must have, 0 = any.
    ///
    /// Compared with the revision before the flush; an earlier request of the flush that changed anything is a conflict too.
    public var expectedRevision: UInt64
    /// A hint for viewers and update listeners; a transaction is animated if all its requests are (rule UP-16).
    public var animated: Bool
    /// The most bytes of identifier and fields that an object may have after a patch that enlarges it.
    public var maximumObjectBytes: Int
    /// The change.
    public var operation: Operation

    /// Makes a request.
    public init(
        id: RequestID, expectedRevision: UInt64 = 0, animated: Bool = true, maximumObjectBytes: Int = .max,
        operation: Operation
    ) {
        self.id = id
        self.expectedRevision = expectedRevision
        self.animated = animated
        self.maximumObjectBytes = maximumObjectBytes
        self.operation = operation
    }

    /// The kinds of requests.
    @frozen public indirect enum Operation: Sendable {
        /// The whole new list, in order.
        case performUpdates(objects: [ListObject], duplicates: DuplicatePolicy = .keepFirst)
        /// Removes (an unknown identifier is no error), then upserts in order.
        case applyChanges(removed: [String], upserts: [Upsert])
        /// Moves one object.
        case moveObject(id: String, position: Position)
        /// Changes some fields of one object.
        case patchObject(id: String, set: Fields, unset: [String])
        /// Moves an item, as a user dragged it; the target is its place after the move. A refusal is no error
        /// (``RequestAnswer/isRefused``).
        case moveItem(from: IndexPath, to: IndexPath)
        /// Reloads those of these objects that are in the list, changed or not.
        case reloadObjects([String])
        /// Replaces all section controllers.
        case reloadData
        /// A request that could not be decoded: answered with the error, unless its expected revision conflicts first.
        case invalid(ListError)
        /// Replaces the options of the list; another layout, direction or other controllers make it a reload.
        case configure(ListOptions, controllersChanged: Bool)
    }

    /// The treatment of objects whose identifier occurred before in the same list.
    @frozen public enum DuplicatePolicy: Sendable, Hashable {
        /// The first one stays, the others are dropped and counted.
        case keepFirst
        /// The request fails with `duplicateIdentifier`.
        case fail
    }

    /// An object to insert or to change.
    @frozen public struct Upsert: Sendable {
        /// The new object.
        public var object: ListObject
        /// Its position.
        public var position: Position

        /// Makes an upsert.
        public init(_ object: ListObject, position: Position = .keep) {
            self.object = object
            self.position = position
        }
    }

    /// The position of an object after a request.
    @frozen public enum Position: Sendable, Hashable {
        /// Where it is; a new object goes last.
        case keep
        /// Before all others.
        case first
        /// After all others.
        case last
        /// Before another object; the object itself means: where it is.
        case before(String)
        /// After another object; the object itself means: where it is.
        case after(String)
    }
}
