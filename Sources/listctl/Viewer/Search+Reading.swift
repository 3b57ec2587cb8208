// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

extension Search {
    /// Reads a list until a hit is found, and returns the hit; nil when the whole list has none, or the search was
    /// cancelled.
    @DBusActor
    static func first(
        _ query: Query, in adapter: RemoteObject, while isWanted: @DBusActor () -> Bool
    ) async throws(DBusError) -> Hit? {
        var search = Search(query)
        var step = search.first
        while case .read(let section, let count) = step, isWanted() {
            let objects = try await Objects(adapter, section, count)
            let items = try await Items(adapter, section, objects.objects.count)
            step = search.consume(objects, items)
        }
        if case .found(let hit) = step { return hit }
        return nil
    }
}

extension Search.Objects {
    @DBusActor
    fileprivate init(_ adapter: RemoteObject, _ section: Int, _ count: Int) async throws(DBusError) {
        let (_, revision, total, objects) = try await adapter.call(
            "GetObjects", UInt32(clamping: section), UInt32(clamping: count), returning: String.self, UInt64.self,
            UInt32.self, [MirroredObject].self)
        self.init(revision: revision, total: Int(total), objects: objects)
    }
}

extension Search.Items {
    @DBusActor
    fileprivate init(_ adapter: RemoteObject, _ section: Int, _ count: Int) async throws(DBusError) {
        let (revision, next, items) = try await adapter.call(
            "GetItems", UInt32(clamping: section), UInt32(clamping: count), [String](), returning: UInt64.self,
            UInt32.self, [Item].self)
        self.init(revision: revision, next: Int(next), items: items)
    }
}
