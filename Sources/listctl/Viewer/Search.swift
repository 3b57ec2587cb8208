import DBus
import ListClient

/// The way through a list to an item that has a text: what to read next, and what was found in it. Pure.
///
/// Objects and items are read one after the other, and a list may change in between. When something is found in two
/// readings of different revisions, whose it is is not certain: they are read again by halves, and a single object is
/// taken as it is. So the end is reached soon, however fast the list changes. What is found is looked up by its object's
/// id when it is scrolled to.
struct Search {
    /// Where an item is in the list; the order is that of the list.
    struct Position: Comparable {
        /// A part of a section, in the order of the screen.
        enum Part: Comparable {
            case header
            case item(UInt32)
            case footer
        }

        let section: Int
        let part: Part

        static func < (a: Position, b: Position) -> Bool { (a.section, a.part) < (b.section, b.part) }
    }

    /// An item, header or footer that has the text.
    struct Hit: Equatable {
        let objectID: String
        let position: Position
    }

    /// What comes next.
    enum Step: Equatable {
        /// Read the objects and the items of so many sections.
        case read(section: Int, count: Int)
        case found(Hit)
        case notFound
    }

    /// One answer of GetObjects.
    struct Objects {
        let revision: UInt64
        let total: Int
        let objects: [MirroredObject]
    }

    /// One answer of GetItems.
    struct Items {
        typealias Item = DBusStruct<UInt32, UInt32, String, Content>

        let revision: UInt64
        /// The section to go on with.
        let next: Int
        let items: [Item]
    }

    private static let mostSections = 1024

    private let wanted: String
    /// Where the search began; nil when that is the top.
    private let start: Position?
    /// Whether the end was reached and it goes on from the top.
    private var isBehindEnd = false
    private var section: Int
    private var count = mostSections

    /// A search for the first item behind `start` that has the text, whatever the case, somewhere in its content or, for
    /// the first item of an object, in the object's id; it goes on from the top when the end is reached.
    ///
    /// Objects without items are passed over: nothing of them can be brought onto the screen.
    init(_ text: String, behind start: Position?) {
        wanted = text.lowercased()
        self.start = start
        section = start?.section ?? 0
    }

    /// The first thing to read.
    var first: Step { .read(section: section, count: count) }

    /// Looks through what was read: the objects, and then the items of as many.
    mutating func take(_ objects: Objects, _ items: Items) -> Step {
        guard !objects.objects.isEmpty else { return goOnFromTop() }
        let read = objects.objects.count
        if let hit = hit(in: objects.objects, items.items) {
            if objects.revision != items.revision, read > 1 {
                count = read / 2
                return .read(section: section, count: count)
            }
            if let start, isBehindEnd, hit.position > start { return .notFound }
            return .found(hit)
        }
        let next = min(items.next, section + read)
        if let start, isBehindEnd, next > start.section { return .notFound }
        guard next > section, next < objects.total else { return goOnFromTop() }
        (section, count) = (next, min(Self.mostSections, count * 2))
        return .read(section: section, count: count)
    }

    private mutating func goOnFromTop() -> Step {
        guard start != nil, !isBehindEnd else { return .notFound }
        (isBehindEnd, section, count) = (true, 0, Self.mostSections)
        return .read(section: section, count: count)
    }

    private func hit(in objects: [MirroredObject], _ items: [Items.Item]) -> Hit? {
        for (index, item, _, content) in items.map(\.members) {
            let position = Position(section: Int(index), part: .item(item))
            if let start, !isBehindEnd, position <= start { continue }
            let place = position.section - section
            guard objects.indices.contains(place) else { continue }
            let isNamed = item == 0 && objects[place].id.lowercased().contains(wanted)
            if isNamed || content.values.contains(where: { Self.has(wanted, $0) }) {
                return Hit(objectID: objects[place].id, position: position)
            }
        }
        return nil
    }

    /// Whether a value has the text, however deep inside.
    static func has(_ wanted: String, _ value: DBusValue) -> Bool {
        switch value {
        case .variant(let inner): has(wanted, inner)
        case .array(_, let elements), .structure(let elements): elements.contains { has(wanted, $0) }
        case .dictionary(_, _, let entries): entries.contains { has(wanted, $0.value) }
        default: ItemText.plain(value)?.lowercased().contains(wanted) ?? false
        }
    }
}
