// SPDX-License-Identifier: Apache-2.0

/// A validated transaction that a host has to store before it is applied.
@frozen public struct PreparedTransaction: Sendable {
    /// The revision before the transaction.
    public var baseRevision: UInt64
    /// The revision after the transaction.
    public var revision: UInt64
    /// The change of the stored objects.
    public var content: Content

    /// Creates a prepared transaction.
    public init(baseRevision: UInt64, revision: UInt64, content: Content) {
        self.baseRevision = baseRevision
        self.revision = revision
        self.content = content
    }

    /// A change of the stored objects.
    @frozen public enum Content: Sendable {
        /// Replaces all stored objects by the given ones, in this order.
        case replace([ListObject])
        /// Changes single objects.
        case changes(Changes)
    }

    /// Changes of single stored objects.
    ///
    /// A store first removes objects, then places each object of `placed` directly after its `predecessor`, in the
    /// order of the array. At that time the predecessor is already in its final place. All other objects keep their
    /// order.
    @frozen public struct Changes: Sendable {
        /// The identifiers of the removed objects.
        public var removed: [String]
        /// The objects whose type or fields changed but whose place stays the same.
        public var updated: [ListObject]
        /// The inserted and moved objects, in their final order.
        public var placed: [Placement]

        /// Creates a set of changes.
        public init(removed: [String] = [], updated: [ListObject] = [], placed: [Placement] = []) {
            self.removed = removed
            self.updated = updated
            self.placed = placed
        }
    }

    /// An inserted or moved object with its place.
    @frozen public struct Placement: Sendable {
        /// The object with its type and fields after the transaction.
        public var object: ListObject
        /// The identifier of the preceding object; `nil` if the object is the first one.
        public var predecessor: String?

        /// Creates a placement.
        public init(object: ListObject, predecessor: String?) {
            self.object = object
            self.predecessor = predecessor
        }
    }
}
