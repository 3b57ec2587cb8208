// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// A search through a list for an item with a text. It returns which part of the list to read next, and makes no calls
/// itself.
///
/// Objects and items are read in separate calls, and the list may change in between. If the revisions of the two calls
/// differ, it is not certain to which object a hit belongs: half as many sections are read again. A hit in a single
/// section is accepted in any case, so the search ends soon, however often the list changes. The viewer scrolls to a
/// hit by the id of its object.
struct Search {
    /// A part of a section, in the order of the screen.
    enum SectionPart: Comparable {
        case header
        case item(UInt32)
        case footer
    }

    /// The position of an item, header or footer in the list. Positions are ordered like the list.
    struct Position: Comparable {
        let section: Int
        let part: SectionPart

        static func < (a: Position, b: Position) -> Bool { (a.section, a.part) < (b.section, b.part) }
    }

    /// An item, header or footer that contains the text.
    struct Hit: Equatable {
        let objectID: String
        let position: Position
    }

    /// The text, start and direction of a search.
    struct Query: Equatable {
        var text: String
        /// The start of the search; nil for the beginning of the list, or backwards for its end.
        var start: Position?
        /// Whether the start itself may be a hit.
        var includesStart = false
        var isBackwards = false
        /// Whether to search all visible text, however long that takes.
        var isThorough = true
    }

    /// What a search does next.
    enum NextRead: Equatable {
        /// Read the objects and the items of a number of sections.
        case read(section: Int, count: Int)
        case found(Hit)
        case notFound
    }

    /// Objects and items of the same sections.
    struct ReadPart {
        typealias Item = DBusStruct<UInt32, String, UInt32, String, Content>

        let objects: [MirroredObject]
        /// The number of objects in the list.
        let total: Int
        /// The items of as many sections as there are objects.
        let items: [Item]
        /// The first section whose items are missing.
        let next: Int
        /// Whether objects and items are of the same revision.
        let isConsistent: Bool
    }

    private static let maximumSections = 1024

    /// The searched text in lower case.
    private let wanted: String
    private let query: Query
    /// Whether the search has wrapped around at an end of the list.
    private var hasWrapped = false
    /// The last hit so far in a backward search.
    private var best: Hit?
    private var section: Int
    private var count = maximumSections

    /// Creates a search for the first item after the start, or backwards for the last item before the start, that
    /// contains the text. Case is ignored, and the search wraps around.
    ///
    /// The text may be in the item's content, or for the first item of an object in the object's id. A backward search,
    /// too, reads the list from its beginning, and takes the last hit before the start. Objects without items are
    /// skipped, as they cannot be shown.
    init(_ query: Query) {
        self.query = query
        wanted = query.text.lowercased()
        section = query.isBackwards ? 0 : query.start?.section ?? 0
    }

    /// The first part of the list to read.
    var first: NextRead { .read(section: section, count: count) }

    /// Searches the part that was read, and returns the next step.
    mutating func consume(_ part: ReadPart) -> NextRead {
        guard !part.objects.isEmpty else { return wrapAround() }
        let read = part.objects.count
        if let hit = hit(in: part.objects, part.items) {
            if !part.isConsistent, read > 1 {
                count = read / 2
                return .read(section: section, count: count)
            }
            guard query.isBackwards else { return isPastStart(hit) ? .notFound : .found(hit) }
            best = hit
        }
        let next = min(part.next, section + read)
        if let start = query.start, next > start.section {
            if query.isBackwards, !hasWrapped { return wrapAround() }
            if !query.isBackwards, hasWrapped { return .notFound }
        }
        guard next > section, next < part.total else { return wrapAround() }
        (section, count) = (next, min(Self.maximumSections, count * 2))
        return .read(section: section, count: count)
    }

    /// Continues the search at the other end of the list, or ends it after the second pass.
    private mutating func wrapAround() -> NextRead {
        if let best { return .found(best) }
        guard let start = query.start, !hasWrapped else { return .notFound }
        (hasWrapped, count) = (true, Self.maximumSections)
        section = query.isBackwards ? start.section : 0
        return .read(section: section, count: count)
    }

    /// Whether a forward search that has wrapped around found the hit only after its start.
    private func isPastStart(_ hit: Hit) -> Bool {
        guard let start = query.start, hasWrapped else { return false }
        return hit.position > start
    }

    private func hit(in objects: [MirroredObject], _ items: [ReadPart.Item]) -> Hit? {
        var found: Hit?
        for (index, _, item, _, content) in items.map(\.members) {
            let position = Position(section: Int(index), part: .item(item))
            guard isInSearchedPart(position) else { continue }
            let place = position.section - section
            guard objects.indices.contains(place) else { continue }
            let isNamed = item == 0 && objects[place].id.lowercased().contains(wanted)
            if isNamed || content.values.contains(where: { Self.contains(wanted, in: $0) }) {
                found = Hit(objectID: objects[place].id, position: position)
                if !query.isBackwards { break }
            }
        }
        return found
    }

    /// Whether a position is in the part of the list that the current pass searches.
    private func isInSearchedPart(_ position: Position) -> Bool {
        guard let start = query.start, !hasWrapped else { return true }
        if position == start { return query.includesStart }
        return query.isBackwards ? position < start : position > start
    }

    /// Whether a value contains the text at any depth.
    static func contains(_ wanted: String, in value: DBusValue) -> Bool {
        switch value {
        case .variant(let inner): contains(wanted, in: inner)
        case .array(_, let elements), .structure(let elements): elements.contains { contains(wanted, in: $0) }
        case .dictionary(_, _, let entries): entries.contains { contains(wanted, in: $0.value) }
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath,
            .signature,
            .fileDescriptor:
            ItemText.plain(value)?.lowercased().contains(wanted) ?? false
        }
    }
}

extension Search {
    /// Returns the headers and footers of a picture that contain a text. listd reports headers and footers only in
    /// pictures.
    static func headersAndFooters(with text: String, in picture: Picture) -> [Hit] {
        let wanted = text.lowercased()
        return picture.shown.values.compactMap { shown in
            guard let position = Position(of: shown), !position.isItem else { return nil }
            let title = ItemText.title(of: shown.content, objectID: shown.objectID)
            guard
                title.lowercased().contains(wanted)
                    || shown.content.values.contains(where: { contains(wanted, in: $0) })
            else { return nil }
            return Hit(objectID: shown.objectID, position: position)
        }
    }

    /// Returns the hit that comes first in the direction of the search, wrapping around at the ends of the list.
    static func first(of hits: [Hit], for query: Query) -> Hit? {
        func isAhead(_ hit: Hit) -> Bool {
            guard let start = query.start else { return true }
            if hit.position == start { return query.includesStart }
            return query.isBackwards ? hit.position < start : hit.position > start
        }
        func precedes(_ a: Hit, _ b: Hit) -> Bool {
            query.isBackwards ? a.position > b.position : a.position < b.position
        }
        return hits.min { a, b in isAhead(a) == isAhead(b) ? precedes(a, b) : isAhead(a) }
    }
}

extension Search.Position {
    /// The position of a shown item in the list; nil for the element that stands in for an empty list.
    init?(of shown: Picture.Shown) {
        switch shown.kind {
        case "header": self.init(section: Int(shown.section), part: .header)
        case "cell": self.init(section: Int(shown.section), part: .item(shown.item))
        case "footer": self.init(section: Int(shown.section), part: .footer)
        default: return nil
        }
    }

    fileprivate var isItem: Bool { if case .item = part { true } else { false } }
}

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
            step = search.consume(try await ReadPart(adapter, section, count))
        }
        if case .found(let hit) = step { return hit }
        return nil
    }
}

extension Search.ReadPart {
    @DBusActor
    fileprivate init(_ adapter: RemoteObject, _ section: Int, _ count: Int) async throws(DBusError) {
        let (_, revision, total, objects) = try await adapter.call(
            "GetObjects", UInt32(clamping: section), UInt32(clamping: count), returning: String.self, UInt64.self,
            UInt32.self, [MirroredObject].self)
        let (itemRevision, next, items) = try await adapter.call(
            "GetItems", UInt32(clamping: section), UInt32(clamping: objects.count), [String](), returning: UInt64.self,
            UInt32.self, [Item].self)
        self.init(
            objects: objects, total: Int(total), items: items, next: Int(next), isConsistent: revision == itemRevision)
    }
}

extension Search {
    /// A function that searches a list. It returns nil when there is no hit, or the search was cancelled.
    ///
    /// - Parameter isWanted: returns `false` once the search is cancelled.
    typealias Finder = @DBusActor (_ query: Query, _ isWanted: @DBusActor () -> Bool) async throws(DBusError) -> Hit?

    /// Returns the first hit of a query: listd searches the fields of objects, and the items are read if it finds
    /// nothing.
    @DBusActor
    static func find(
        _ query: Query, in adapter: RemoteObject, while isWanted: @DBusActor () -> Bool
    ) async throws(DBusError) -> Hit? {
        do throws(DBusError) {
            if let hit = try await findObject(query, in: adapter) { return hit }
            // listd does not search all visible text: an id, an array in a field, or text of a section controller.
            guard query.isThorough, isWanted() else { return nil }
        } catch {
            guard error.standard == .unknownMethod else { throw error }
        }
        return try await first(query, in: adapter, while: isWanted)
    }

    /// Returns the first item of the first object in which listd finds the text.
    @DBusActor
    private static func findObject(_ query: Query, in adapter: RemoteObject) async throws(DBusError) -> Hit? {
        let start = query.start?.section
        if query.isBackwards {
            let first = start.map { query.includesStart ? $0 : $0 - 1 } ?? .max
            if first >= 0, let hit = try await askListd(query, adapter, from: first) { return hit }
            guard let start else { return nil }
            return try await askListd(query, adapter, from: .max) { $0 >= start }
        }
        let first = start.map { query.includesStart ? $0 : $0 + 1 } ?? 0
        if let hit = try await askListd(query, adapter, from: first) { return hit }
        guard let start else { return nil }
        return try await askListd(query, adapter, from: 0) { $0 <= start }
    }

    @DBusActor
    private static func askListd(
        _ query: Query, _ adapter: RemoteObject, from first: Int, where isWanted: (Int) -> Bool = { _ in true }
    ) async throws(DBusError) -> Hit? {
        let result = try await AdapterClient(adapter).search(
            query.text, from: UInt32(clamping: first), backwards: query.isBackwards)
        guard let match = result.match, isWanted(Int(match.section)) else { return nil }
        return Hit(objectID: match.objectID, position: Position(section: Int(match.section), part: .item(0)))
    }
}

/// A queue that runs one search at a time, because listd allows one for each connection. Of the waiting searches, only
/// the newest is kept.
@DBusActor
final class SearchQueue {
    private let onResult: @DBusActor (Search.Query, Result<Search.Hit?, DBusError>) -> Void
    private var next: (query: Search.Query, find: Search.Finder)?
    private var isRunning = false
    /// Whether the running search was cancelled. The queue still awaits its calls, because listd is still executing
    /// them.
    private var isCancelled = false

    init(onResult: @escaping @DBusActor (Search.Query, Result<Search.Hit?, DBusError>) -> Void) {
        self.onResult = onResult
    }

    /// Starts a search, and cancels the previous one.
    func start(_ query: Search.Query, with find: @escaping Search.Finder) {
        next = (query, find)
        isCancelled = isRunning
        run()
    }

    /// Cancels the search.
    func cancel() { (next, isCancelled) = (nil, isRunning) }

    private func run() {
        guard !isRunning, let (query, find) = next else { return }
        (next, isRunning, isCancelled) = (nil, true, false)
        Task { @DBusActor in
            let result: Result<Search.Hit?, DBusError>
            do throws(DBusError) {
                result = .success(try await find(query) { !isCancelled })
            } catch {
                result = .failure(error)
            }
            isRunning = false
            if !isCancelled { onResult(query, result) }
            run()
        }
    }
}
