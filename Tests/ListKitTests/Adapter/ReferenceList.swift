// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit

/// A naive implementation of the contract's write calls, on a plain array. It is the expected list.
struct ReferenceList: Equatable {
    var objects: [ListObject]
    var revision: UInt64 = 0

    func index(_ id: String) -> Int? { objects.firstIndex { $0.id == id } }

    /// Applies an operation, and returns the code of its error, if any.
    mutating func apply(_ operation: UpdateRequest.Operation) -> ListError.Code? {
        var next = self
        let code = next.run(operation)
        if code == nil { self = next }
        return code
    }

    private mutating func run(_ operation: UpdateRequest.Operation) -> ListError.Code? {
        switch operation {
        case .performUpdates(let all, let duplicates):
            var unique: [ListObject] = []
            for object in all where !unique.contains(where: { $0.id == object.id }) { unique.append(object) }
            if duplicates == .fail, unique.count < all.count { return .duplicateIdentifier }
            objects = unique
        case .applyChanges(let removed, let upserts):
            objects.removeAll { removed.contains($0.id) }
            for upsert in upserts { if let code = put(upsert.object, upsert.position) { return code } }
        case .moveObject(let id, let position):
            guard let index = index(id) else { return .noSuchObject }
            return put(objects[index], position)
        case .patchObject(let id, let set, let unset):
            guard let index = index(id) else { return .noSuchObject }
            var fields = objects[index].fields
            for key in unset { fields[key] = nil }
            for (key, value) in set { fields[key] = value }
            objects[index] = (try? objects[index].with(fields: fields)) ?? objects[index]
        default: break
        }
        return nil
    }

    private mutating func put(_ object: ListObject, _ position: UpdateRequest.Position) -> ListError.Code? {
        let origin = index(object.id)
        switch position {
        case .before(let anchor) where anchor != object.id, .after(let anchor) where anchor != object.id:
            guard index(anchor) != nil else { return .noSuchObject }
            if let origin { objects.remove(at: origin) }
            guard let place = index(anchor) else { return .noSuchObject }
            if case .before = position {
                objects.insert(object, at: place)
            } else {
                objects.insert(object, at: place + 1)
            }
        case .first:
            if let origin { objects.remove(at: origin) }
            objects.insert(object, at: 0)
        case .last:
            if let origin { objects.remove(at: origin) }
            objects.append(object)
        default:
            if let origin { objects[origin] = object } else { objects.append(object) }
        }
        return nil
    }
}
