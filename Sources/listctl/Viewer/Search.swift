import DBus
import ListClient

/// Finds text in the objects of a list, page by page.
@DBusActor
enum Search {
    /// An object that contains the text.
    struct Hit {
        let objectID: String
        let section: Int
    }

    /// The first object behind `section` whose id or content contains the text, whatever the case; it goes on from the
    /// top when the end is reached.
    static func first(_ text: String, in adapter: RemoteObject, after section: Int) async throws(DBusError) -> Hit? {
        if let hit = try await scan(text, in: adapter, from: section + 1, upTo: .max) { return hit }
        return section < 0 ? nil : try await scan(text, in: adapter, from: 0, upTo: section)
    }

    private static func scan(
        _ text: String, in adapter: RemoteObject, from first: Int, upTo last: Int
    ) async throws(DBusError) -> Hit? {
        let wanted = text.lowercased()
        var section = first
        while section <= last, !Task.isCancelled {
            let (_, total, page) = try await adapter.call(
                "GetObjects", UInt32(clamping: section), UInt32(4096), returning: UInt64.self, UInt32.self,
                [MirroredObject].self)
            for object in page where section <= last {
                if matches(object, wanted) { return Hit(objectID: object.id, section: section) }
                section += 1
            }
            if page.isEmpty || section >= Int(total) { return nil }
        }
        return nil
    }

    private static func matches(_ object: MirroredObject, _ wanted: String) -> Bool {
        if object.id.lowercased().contains(wanted) { return true }
        return object.fields.values.contains { ItemText.plain($0)?.lowercased().contains(wanted) ?? false }
    }
}
