// SPDX-License-Identifier: Apache-2.0

/// The identifier of a request. The caller chooses it, and the answer repeats it.
public typealias RequestID = UInt64

/// A request to change a list.
///
/// Every request that is passed to ``ListAdapter/enqueue(_:now:)`` is answered exactly once, in the
/// ``FlushResult/answers`` of a flush.
@frozen public struct UpdateRequest: Sendable {
    /// The identifier of the request, which its answer repeats.
    public var id: RequestID
    /// The revision that the list must have for the request to succeed; 0 allows every revision.
    ///
    /// The comparison uses the revision before the flush. An earlier request in the same flush that changed the list
    /// is a conflict too.
    public var expectedRevision: UInt64
    /// Whether viewers should animate the change, as a hint. A transaction is animated if all its requests are (rule
    /// UP-16).
    public var animated: Bool
    /// The maximum size of an object after a patch or a dragged item that enlarges it, in bytes of its identifier and fields.
    public var maximumObjectBytes: Int
    /// The position from which the list's source continues after the request, which is stored with the request's
    /// changes; `nil` = a request of nobody's source, or an unchanged position.
    public var cursor: [UInt8]?
    /// The change that the request makes.
    public var operation: Operation

    /// Creates a request.
    public init(
        id: RequestID, expectedRevision: UInt64 = 0, animated: Bool = true, maximumObjectBytes: Int = .max,
        cursor: [UInt8]? = nil, operation: Operation
    ) {
        self.id = id
        self.expectedRevision = expectedRevision
        self.animated = animated
        self.maximumObjectBytes = maximumObjectBytes
        self.cursor = cursor
        self.operation = operation
    }

    /// The kinds of requests.
    @frozen public indirect enum Operation: Sendable {
        /// Replaces the whole list by the given objects, in this order.
        case performUpdates(objects: [ListObject], duplicates: DuplicatePolicy = .keepFirst)
        /// Removes objects, then inserts or updates other objects, in order. Unknown identifiers in `removed` are
        /// ignored.
        case applyChanges(removed: [String], upserts: [Upsert])
        /// Moves one object.
        case moveObject(id: String, position: Position)
        /// Changes some fields of one object.
        case patchObject(id: String, set: Fields, unset: [String])
        /// Moves an item that a user dragged.
        ///
        /// `to` is the path after the move. If the move is refused, the request still succeeds, with
        /// ``RequestAnswer/isRefused``.
        case moveItem(from: IndexPath, to: IndexPath)
        /// Reloads the sections of the objects with these identifiers, even if unchanged. Unknown identifiers are
        /// ignored.
        case reloadObjects([String])
        /// Replaces all section controllers.
        case reloadData
        /// Stands for a request that could not be decoded. Its answer is this error, unless its expected revision
        /// conflicts.
        case invalid(ListError)
        /// Replaces the options of the list. New section controllers, or another layout or direction, cause a reload.
        case configure(ListOptions, controllersChanged: Bool)
    }

    /// The treatment of objects whose identifier an earlier object of the same list has.
    @frozen public enum DuplicatePolicy: Sendable, Hashable {
        /// Keeps the first object with an identifier. The others are dropped, and the answer reports their number.
        case keepFirst
        /// Lets the request fail with `duplicateIdentifier`.
        case fail
    }

    /// An object to insert or to update.
    @frozen public struct Upsert: Sendable {
        /// The new object.
        public var object: ListObject
        /// The position of the object.
        public var position: Position

        /// Creates an upsert.
        public init(_ object: ListObject, position: Position = .keep) {
            self.object = object
            self.position = position
        }
    }

    /// The position of an object after a request.
    @frozen public enum Position: Sendable, Hashable {
        /// The current position of the object; for a new object, the end of the list.
        case keep
        /// The start of the list.
        case first
        /// The end of the list.
        case last
        /// Directly before the object with this identifier. With its own identifier, an object stays in its place.
        case before(String)
        /// Directly after the object with this identifier. With its own identifier, an object stays in its place.
        case after(String)
    }
}

extension UpdateRequest {
    /// Whether the request needs a flush of its own, because its effect depends on the current items.
    @_spi(Daemon) public var requiresOwnTransaction: Bool {
        switch operation {
        case .moveItem, .configure: true
        case .performUpdates, .applyChanges, .moveObject, .patchObject, .reloadObjects, .reloadData, .invalid: false
        }
    }

    /// Whether a transaction with this request may be animated; always `false` for a reload.
    var allowsAnimation: Bool {
        if case .reloadData = operation { false } else { animated }
    }

    /// Returns the error for a request that expects another revision than the list's; `nil` if there is no conflict.
    func conflict(with revision: UInt64) -> ListError? {
        guard expectedRevision != 0, expectedRevision != revision else { return nil }
        return ListError(.revisionConflict, "expected_revision is \(expectedRevision), but the list is at \(revision)")
    }
}

extension UpdateRequest.Operation {
    /// Whether the request writes objects, even if they are the same as before.
    var writesObjects: Bool {
        switch self {
        case .performUpdates, .applyChanges, .moveObject, .patchObject: true
        case .moveItem, .reloadObjects, .reloadData, .invalid, .configure: false
        }
    }
}

/// Computes the target of a move request from the place where a dragged item is dropped.
public enum ListReordering {
    /// Returns the path to which a dropped item moves.
    ///
    /// Inside of its own section, an item moves to the place of the drop. A section with a single item can also be
    /// dropped on another section with a single item: dropped at item 0, it moves before that section; dropped at item
    /// 1, it moves after that section. All other drops between sections are refused (rule AD-146).
    /// - Parameters:
    ///   - source: the path of the dragged item.
    ///   - target: the path of the drop. In a section with a single item, item 1 is the place behind that item.
    ///   - itemCount: returns the number of items in a section; `nil` past the last section.
    /// - Returns: the path after the move, for ``UpdateRequest/Operation/moveItem(from:to:)``; `nil` if the drop is
    ///   refused, so that the item returns to its source.
    public static func destination(
        from source: IndexPath, droppedAt target: IndexPath, itemCount: (Int) -> Int?
    ) -> IndexPath? {
        guard let sourceCount = itemCount(source.section), let targetCount = itemCount(target.section),
            (0..<sourceCount).contains(source.item)
        else { return nil }
        if source.section == target.section, sourceCount > 1 {
            return (0..<sourceCount).contains(target.item) ? target : nil
        }
        guard sourceCount == 1, targetCount == 1, (0...1).contains(target.item) else { return nil }
        if source.section == target.section { return source }
        let shift = source.section < target.section ? target.item - 1 : target.item
        return IndexPath(section: target.section + shift, item: 0)
    }
}

/// The changes of the items of one section, in IGListKit's form of simultaneous changes.
///
/// `deletes`, `updates` and the `from` of moves are positions before all changes. `inserts` and the `to` of moves
/// are positions after all changes.
struct ListItemChanges {
    var deletes: [Int] = []
    var inserts: [Int] = []
    var moves: [(from: Int, to: Int)] = []
    var updates: [Int] = []

    var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    init(updates: [Int]) { self.updates = updates }
}
