// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport

/// The content of an `Updated` signal, decoded with the contract's types.
struct UpdatedSignal: Sendable {
    typealias Four = DBusStruct<UInt32, UInt32, UInt32, UInt32>
    typealias Sections = DBusStruct<[Run], [Run], [Run], [Run]>
    typealias Items = DBusStruct<[Run], [Run], [Four], [Run]>

    var epoch: String
    var base: UInt64
    var revision: UInt64
    var kind: String
    var animated: Bool
    var sectionCount: UInt32
    var itemCount: UInt32
    var sections: Sections
    var items: Items
    /// Whether every section has exactly one item.
    var isFlat: Bool

    @DBusActor
    init(_ message: Message) throws {
        let details: [String: DBusValue]
        (epoch, base, revision, kind, animated, sectionCount, itemCount, sections, items, details) = try message.decode(
            as: String.self, UInt64.self, UInt64.self, String.self, Bool.self, UInt32.self, UInt32.self, Sections.self,
            Items.self, [String: DBusValue].self)
        isFlat = details["flat"]?.unwrapped == .boolean(true)
    }
}

/// A copy of a list that is updated by `Updated` signals alone, as the contract tells clients to do.
///
/// The copy takes only inserted and reloaded objects, and objects with item entries, from the daemon's list. All other
/// objects of the copy must equal the daemon's.
struct ListMirror {
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
        init(_ text: String) { description = text }
    }

    private(set) var revision: UInt64
    private(set) var rows: [ObjectRow]

    init(_ state: (revision: UInt64, rows: [ObjectRow])) {
        (revision, rows) = state
    }

    /// Applies updates up to a known state, and compares the copy with that state.
    mutating func apply(_ updates: [UpdatedSignal], leadingTo state: (revision: UInt64, rows: [ObjectRow])) throws {
        var known: [ObjectRow?] = rows
        for update in updates where update.revision > revision {
            guard update.base == revision else {
                throw Mismatch("an update from \(update.base) came to a mirror at \(revision)")
            }
            known = try update.applied(to: known)
            revision = update.revision
        }
        guard revision == state.revision else { throw Mismatch("the mirror is at \(revision), not \(state.revision)") }
        guard known.count == state.rows.count else {
            throw Mismatch("the mirror has \(known.count) objects, not \(state.rows.count)")
        }
        for (index, pair) in zip(known, state.rows).enumerated() {
            if let mine = pair.0, mine != pair.1 { throw Mismatch("object \(index) is \(pair.1), mirrored as \(mine)") }
        }
        rows = state.rows
    }
}

extension UpdatedSignal {
    /// Returns the rows after the update; `nil` = the row must be read again.
    func applied(to old: [ObjectRow?]) throws -> [ObjectRow?] {
        if kind == "reload" { return [ObjectRow?](repeating: nil, count: Int(sectionCount)) }
        var old = old
        let (deletes, inserts, moves, reloads) = sections.members
        for index in reloads.flatMap(\.indices) + touchedBefore { old[index] = nil }
        let gone = Set(deletes.flatMap(\.indices) + moves.map { Int($0.first) })
        var added: [Int: ObjectRow?] = [:]
        for index in inserts.flatMap(\.indices) { added[index] = ObjectRow?.none }
        for move in moves { added[Int(move.second)] = old[Int(move.first)] }
        var rows = old.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
        for (index, row) in added.sorted(by: { $0.key < $1.key }) {
            guard index <= rows.count else { throw ListMirror.Mismatch("an insert at \(index) of \(rows.count) rows") }
            rows.insert(row, at: index)
        }
        for index in touchedAfter { rows[index] = nil }
        guard rows.count == Int(sectionCount) else {
            throw ListMirror.Mismatch("section_count is \(sectionCount), but the batch leads to \(rows.count)")
        }
        return rows
    }

    /// The sections with item entries, by their positions before the update.
    private var touchedBefore: [Int] {
        let (deletes, _, moves, reloads) = items.members
        return (deletes + reloads).map { Int($0.first) } + moves.map { Int($0.members.0) }
    }

    /// The sections with item entries, by their positions after the update.
    private var touchedAfter: [Int] {
        let (_, inserts, moves, _) = items.members
        return inserts.map { Int($0.first) } + moves.map { Int($0.members.2) }
    }
}

/// Two numbers: a run (first, length), or the position of an item (section, item).
struct Run: DBusDecodable, Sendable {
    static let signature: Signature = "(uu)"
    var first: UInt32
    var second: UInt32

    init(from reader: inout MessageReader) throws(DBusError) {
        (first, second) = try reader.structure { (members) throws(DBusError) in
            (try members.readUInt32(), try members.readUInt32())
        }
    }

    /// The positions of a run.
    var indices: Range<Int> { Int(first)..<Int(first) + Int(second) }
}
