// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// A search through a list for an item with a text: the next parts to read, and the hit in them. Makes no calls.
///
/// Objects and items are read separately, and a list may change in between. When a hit is in two readings of different
/// revisions, it is not certain which item it belongs to: they are read again by halves, and a single object is
/// accepted. So the search ends soon, however often the list changes. A hit is located by its object's id when it is
/// scrolled to.
struct Search {
    /// The place of an item in the list; ordered like the list.
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

    /// The text of a search, and its start.
    struct Query: Equatable {
        var text: String
        /// The start of the search; nil is before the first and after the last item.
        var start: Position?
        /// Whether the start itself may be a hit.
        var includesStart = false
        var isBackwards = false
        /// Whether to read all visible text, however long that takes.
        var isThorough = true
    }

    /// The next step.
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
        /// The section to continue with.
        let next: Int
        let items: [Item]
    }

    private static let mostSections = 1024

    private let wanted: String
    private let query: Query
    /// Whether an end was reached, and the search has wrapped around.
    private var hasTurned = false
    /// The last hit so far, when searching backwards.
    private var best: Hit?
    private var section: Int
    private var count = mostSections

    /// A search for the first item after the start, or the last one before it, that contains the text, ignoring case,
    /// in its content or, for the first item of an object, in the object's id; it wraps around.
    ///
    /// A backward search reads the list from its beginning, too: the items before a place are known when that place is
    /// reached. Objects without items are skipped, as they cannot be shown.
    init(_ query: Query) {
        self.query = query
        wanted = query.text.lowercased()
        section = query.isBackwards ? 0 : query.start?.section ?? 0
    }

    /// The first part to read.
    var first: Step { .read(section: section, count: count) }

    /// Searches the parts that were read: the objects, and then the items of as many.
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

    /// An end was reached, or backwards the start.
    private mutating func turn() -> Step {
        if let best { return .found(best) }
        guard let start = query.start, !hasTurned else { return .notFound }
        (hasTurned, count) = (true, Self.mostSections)
        section = query.isBackwards ? start.section : 0
        return .read(section: section, count: count)
    }

    /// Whether a forward search has come around.
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

    /// Whether a place is in the part that is searched now.
    private func isAsked(_ position: Position) -> Bool {
        guard let start = query.start, !hasTurned else { return true }
        if position == start { return query.includesStart }
        return query.isBackwards ? position < start : position > start
    }

    /// Whether a value contains the text, at any depth.
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
