import DBus
import ListClient

/// Finds text in the items of a list, page by page.
@DBusActor
enum Search {
    /// Where an item is in the list; the order is that of the list.
    struct Position: Comparable {
        let section: Int
        let item: UInt32

        static func < (a: Position, b: Position) -> Bool { (a.section, a.item) < (b.section, b.item) }
    }

    /// An item that has the text.
    struct Hit: Equatable {
        let objectID: String
        let position: Position
    }

    /// The first item behind `position` that has the text, whatever the case, somewhere in its content or, for the first
    /// item of an object, in the object's id; it goes on from the top when the end is reached.
    ///
    /// Objects without items are passed over: nothing of them can be brought onto the screen.
    static func first(
        _ text: String, in adapter: RemoteObject, after position: Position?
    ) async throws(DBusError) -> Hit? {
        if let hit = try await scan(text, in: adapter, after: position, upTo: nil) { return hit }
        guard let position else { return nil }
        return try await scan(text, in: adapter, after: nil, upTo: position)
    }

    private typealias Item = DBusStruct<UInt32, UInt32, String, Content>

    private static func scan(
        _ text: String, in adapter: RemoteObject, after start: Position?, upTo end: Position?
    ) async throws(DBusError) -> Hit? {
        let wanted = text.lowercased()
        var section = start?.section ?? 0
        while !Task.isCancelled {
            let (revision, total, objects) = try await adapter.call(
                "GetObjects", UInt32(clamping: section), UInt32(1024), returning: UInt64.self, UInt32.self,
                [MirroredObject].self)
            guard !objects.isEmpty else { return nil }
            let (current, next, items) = try await adapter.call(
                "GetItems", UInt32(clamping: section), UInt32(clamping: objects.count), returning: UInt64.self,
                UInt32.self, [Item].self)
            // What changed in between is read again.
            guard revision == current else { continue }
            for (index, item, _, content) in items.map(\.members) {
                let position = Position(section: Int(index), item: item)
                if let start, position <= start { continue }
                if let end, position > end { return nil }
                let place = position.section - section
                guard objects.indices.contains(place) else { continue }
                let isNamed = item == 0 && objects[place].id.lowercased().contains(wanted)
                if isNamed || content.values.contains(where: { has(wanted, $0) }) {
                    return Hit(objectID: objects[place].id, position: position)
                }
            }
            guard Int(next) > section, Int(next) < Int(total) else { return nil }
            section = Int(next)
        }
        return nil
    }

    /// Whether a value has the text, however deep inside.
    private static func has(_ wanted: String, _ value: DBusValue) -> Bool {
        switch value {
        case .variant(let inner): has(wanted, inner)
        case .array(_, let elements), .structure(let elements): elements.contains { has(wanted, $0) }
        case .dictionary(_, _, let entries): entries.contains { has(wanted, $0.value) }
        default: ItemText.plain(value)?.lowercased().contains(wanted) ?? false
        }
    }
}
