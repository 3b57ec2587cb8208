// SPDX-License-Identifier: Apache-2.0

/// Names a request; chosen by the caller, given back in the answer.
public typealias RequestID = UInt64

/// One wish to change a list.
///
/// Every request that ``ListAdapter/enqueue(_:now:)`` takes is answered exactly once, in the ``FlushResult/answers`` of some
/// flush.
@frozen public struct UpdateRequest: Sendable {
    /// Names the request in its answer.
    public var id: RequestID
    /// The revision that the list must have, 0 = any.
    ///
    /// Compared with the revision before the flush; it conflicts as well if an earlier request of the flush changed
    /// anything.
    public var expectedRevision: UInt64
    /// A hint for viewers and update listeners; a transaction is animated if all its requests are (rule UP-16).
    public var animated: Bool
    /// The most bytes of identifier and fields that an object may have that a patch made larger.
    public var maximumObjectBytes: Int
    /// What is wished.
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
        /// Announces the known ones of these as reloads and builds them anew, changed or not.
        case reloadObjects([String])
        /// Makes all section controllers anew.
        case reloadData
        /// A request that could not be decoded: answered with the error, unless its expected revision conflicts first.
        case invalid(ListError)
        /// Options of the list changed; a change of layout, direction or controllers makes a reload.
        case configure(ListOptions, controllersChanged: Bool)
    }

    /// What becomes of objects whose identifier occurred before in the same list.
    @frozen public enum DuplicatePolicy: Sendable, Hashable {
        /// The first one stays, the others are dropped and counted.
        case keepFirst
        /// The request fails with `duplicateIdentifier`.
        case fail
    }

    /// An object to insert or to change.
    @frozen public struct Upsert: Sendable {
        /// The object as it shall be.
        public var object: ListObject
        /// Where it shall stand.
        public var position: Position

        /// Makes an upsert.
        public init(_ object: ListObject, position: Position = .keep) {
            self.object = object
            self.position = position
        }
    }

    /// Where an object shall stand.
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
