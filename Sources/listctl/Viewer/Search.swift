// SPDX-License-Identifier: Apache-2.0

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

    /// What is searched for, and from where.
    struct Query: Equatable {
        var text: String
        /// Where the search begins; nil is before the first and behind the last.
        var start: Position?
        /// Whether what stands there may be what is found.
        var includesStart = false
        var isBackwards = false
        /// Whether everything that stands on a screen is to be looked at, however long that takes.
        var isThorough = true
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
    private let query: Query
    /// Whether the end was reached, and it goes on at the other one.
    private var hasTurned = false
    /// The last one found so far, when the search goes backwards.
    private var best: Hit?
    private var section: Int
    private var count = mostSections

    /// A search for the first item behind the start, or the last one before it, that has the text, whatever the case,
    /// somewhere in its content or, for the first item of an object, in the object's id; it goes on at the other end.
    ///
    /// Backwards the list is read from its beginning, too: what comes before a place is known when that is reached.
    /// Objects without items are passed over: nothing of them can be brought onto the screen.
    init(_ query: Query) {
        self.query = query
        wanted = query.text.lowercased()
        section = query.isBackwards ? 0 : query.start?.section ?? 0
    }

    /// The first thing to read.
    var first: Step { .read(section: section, count: count) }

    /// Looks through what was read: the objects, and then the items of as many.
    mutating func consume(_ objects: Objects, _ items: Items) -> Step {
        guard !objects.objects.isEmpty else { return turn() }
        let read = objects.objects.count
        if let hit = hit(in: objects.objects, items.items) {
            if objects.revision != items.revision, read > 1 {
                count = read / 2
                return .read(section: section, count: count)
            }
            guard query.isBackwards else { return isBehindStart(hit) ? .notFound : .found(hit) }
            best = hit
        }
        let next = min(items.next, section + read)
        if let start = query.start, next > start.section {
            if query.isBackwards, !hasTurned { return turn() }
            if !query.isBackwards, hasTurned { return .notFound }
        }
        guard next > section, next < objects.total else { return turn() }
        (section, count) = (next, min(Self.mostSections, count * 2))
        return .read(section: section, count: count)
    }

    /// One end, or backwards the start, was reached.
    private mutating func turn() -> Step {
        if let best { return .found(best) }
        guard let start = query.start, !hasTurned else { return .notFound }
        (hasTurned, count) = (true, Self.mostSections)
        section = query.isBackwards ? start.section : 0
        return .read(section: section, count: count)
    }

    /// Whether a search forwards has come around.
    private func isBehindStart(_ hit: Hit) -> Bool {
        guard let start = query.start, hasTurned else { return false }
        return hit.position > start
    }

    private func hit(in objects: [MirroredObject], _ items: [Items.Item]) -> Hit? {
        var found: Hit?
        for (index, item, _, content) in items.map(\.members) {
            let position = Position(section: Int(index), part: .item(item))
            guard isAsked(position) else { continue }
            let place = position.section - section
            guard objects.indices.contains(place) else { continue }
            let isNamed = item == 0 && objects[place].id.lowercased().contains(wanted)
            if isNamed || content.values.contains(where: { Self.has(wanted, $0) }) {
                found = Hit(objectID: objects[place].id, position: position)
                if !query.isBackwards { break }
            }
        }
        return found
    }

    /// Whether a place is on the way that is looked through now.
    private func isAsked(_ position: Position) -> Bool {
        guard let start = query.start, !hasTurned else { return true }
        if position == start { return query.includesStart }
        return query.isBackwards ? position < start : position > start
    }

    /// Whether a value has the text, however deep inside.
    static func has(_ wanted: String, _ value: DBusValue) -> Bool {
        switch value {
        case .variant(let inner): has(wanted, inner)
        case .array(_, let elements), .structure(let elements): elements.contains { has(wanted, $0) }
        case .dictionary(_, _, let entries): entries.contains { has(wanted, $0.value) }
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath,
            .signature,
            .fileDescriptor:
            ItemText.plain(value)?.lowercased().contains(wanted) ?? false
        }
    }
}
