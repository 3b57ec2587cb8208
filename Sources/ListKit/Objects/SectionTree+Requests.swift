// SPDX-License-Identifier: Apache-2.0

/// The operations of requests.
///
/// A function that throws may have made a part of its changes. The caller has to roll back to a savepoint.
extension SectionTree {
    /// Removes objects, then inserts or updates other objects, in order. Objects of rejected types are ignored.
    ///
    /// - Returns: whether the list changed.
    mutating func applyChanges(
        removed: [String], upserts: [UpdateRequest.Upsert], rejecting types: Set<ObjectIdentifier>
    ) throws(ListError) -> Bool {
        var hasChanged = false
        for id in removed where remove(id) != nil { hasChanged = true }
        for upsert in upserts where !types.contains(ObjectIdentifier(upsert.object.objectType)) {
            if try insertOrUpdate(upsert) { hasChanged = true }
        }
        return hasChanged
    }

    /// Inserts or updates one object. Returns whether the list changed.
    private mutating func insertOrUpdate(_ upsert: UpdateRequest.Upsert) throws(ListError) -> Bool {
        let object = upsert.object
        guard let origin = index(of: object) else {
            let target = try insertionIndex(of: upsert.position, id: object.id, origin: nil) ?? count()
            guard insert(object, at: target) else {
                throw ListError(.limitsExceeded, "the list already has the maximum number of objects")
            }
            return true
        }
        let isMoved = try move(object.id, from: origin, to: upsert.position)
        return replaceIfChanged(object) || isMoved
    }

    /// Moves one object. Returns whether its index changed.
    mutating func moveObject(_ id: String, to position: UpdateRequest.Position) throws(ListError) -> Bool {
        try move(id, from: try requiredIndex(of: id), to: position)
    }

    /// Changes some fields of one object.
    ///
    /// - Returns: whether the object changed.
    /// - Throws: `noSuchObject`; `payloadTooLarge` if the object grows beyond `maximumBytes`.
    mutating func patchObject(
        _ id: String, set: Fields, unset: [String], maximumBytes: Int
    ) throws(ListError) -> Bool {
        guard let object = object(at: try requiredIndex(of: id)) else { return false }
        let patched = try object.with(fields: object.fields.patched(set: set, unset: unset))
        guard patched.byteCount <= max(maximumBytes, object.byteCount) else {
            throw ListError(
                .payloadTooLarge,
                "the patch enlarges the object \(id.quoted) to \(patched.byteCount) bytes, more than \(maximumBytes)")
        }
        return replaceIfChanged(patched)
    }

    private func requiredIndex(of id: String) throws(ListError) -> Int {
        guard let index = index(of: id) else {
            throw ListError(.noSuchObject, "id: there is no object \(id.quoted)")
        }
        return index
    }

    /// Replaces the object with the same identifier. Returns `false` if both have the same content.
    private mutating func replaceIfChanged(_ object: ListObject) -> Bool {
        guard let present = index(of: object).flatMap({ self.object(at: $0) }), !present.hasSameContent(as: object)
        else { return false }
        return replace(object) != nil
    }

    /// Moves an object. Returns whether its index changed.
    private mutating func move(
        _ id: String, from origin: Int, to position: UpdateRequest.Position
    ) throws(ListError) -> Bool {
        guard let target = try insertionIndex(of: position, id: id, origin: origin), target != origin
        else { return false }
        return move(id, to: target)
    }

    /// Returns the index at which to insert an object, counted without the object itself.
    ///
    /// - Parameter origin: the current index of the object; `nil` if the object is new.
    /// - Returns: the index; `nil` if the object keeps its place, or goes to the end if it is new.
    private func insertionIndex(
        of position: UpdateRequest.Position, id: String, origin: Int?
    ) throws(ListError) -> Int? {
        let anchor: String
        switch position {
        case .keep: return nil
        case .first: return 0
        case .last: return origin == nil ? count() : count() - 1
        case .before(let id), .after(let id): anchor = id
        }
        if anchor == id { return nil }
        guard let place = index(of: anchor) else {
            throw ListError(.noSuchObject, "anchor: there is no object \(anchor.quoted)")
        }
        let shifted = origin.map { $0 < place } == true ? place - 1 : place
        if case .after = position { return shifted + 1 }
        return shifted
    }

    /// Fills an update with the changes of the open transaction.
    func describe(in change: inout Change) {
        let result = changes()
        func predecessor(of new: Int) -> ListObject? { new == 0 ? nil : object(at: new - 1) }
        change.removed = result.deletes.map { ($0, object(at: $0, in: .old)) }
        change.inserted = result.inserts.compactMap { new in object(at: new).map { (new, $0, predecessor(of: new)) } }
        change.moved = result.moves.map { ($0.from, $0.to, object(at: $0.to), predecessor(of: $0.to)) }
        change.updated = result.updates.compactMap { old in
            guard let before = object(at: old, in: .old), let new = index(of: before), let object = object(at: new)
            else { return nil }
            return (old, before, object)
        }
    }
}
