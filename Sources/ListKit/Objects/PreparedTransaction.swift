// SPDX-License-Identifier: Apache-2.0

/// The write to a store that has to precede a transaction.
@frozen public struct PreparedTransaction: Sendable {
    /// The revision before.
    public var baseRevision: UInt64
    /// The revision after.
    public var revision: UInt64
    /// The change of the stored objects.
    public var content: Content

    /// Makes a prepared transaction.
    public init(baseRevision: UInt64, revision: UInt64, content: Content) {
        self.baseRevision = baseRevision
        self.revision = revision
        self.content = content
    }

    /// What becomes of the stored objects.
    @frozen public enum Content: Sendable {
        /// These objects, in this order, replace all others.
        case replace([ListObject])
        /// Only these objects change.
        case changes(Changes)
    }

    /// Single changes of the stored objects.
    ///
    /// Applied in this order: remove, then place `placed` one after the other. Each is put directly after `predecessor`,
    /// which is in its final place by then; all objects that are not named keep their order.
    @frozen public struct Changes: Sendable {
        /// Identifiers of objects that go.
        public var removed: [String]
        /// Objects whose type or fields changed and that stay where they are.
        public var updated: [ListObject]
        /// New and moved objects, in final order.
        public var placed: [Placement]

        /// Makes a set of changes.
        public init(removed: [String] = [], updated: [ListObject] = [], placed: [Placement] = []) {
            self.removed = removed
            self.updated = updated
            self.placed = placed
        }
    }

    /// An object that gets a place.
    @frozen public struct Placement: Sendable {
        /// The object, with its present type and fields.
        public var object: ListObject
        /// The identifier of the object before it; `nil` = it is the first.
        public var predecessor: String?

        /// Makes a placement.
        public init(object: ListObject, predecessor: String?) {
            self.object = object
            self.predecessor = predecessor
        }
    }
}
