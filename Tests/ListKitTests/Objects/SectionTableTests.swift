// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("SectionTable: sections before and after a change")
struct SectionTableTests {
    /// A section in the naive model.
    private struct Row: Equatable {
        var object: ListObject
        var itemCount: Int
    }

    /// The expected content of the table, before and after the staged change.
    private struct Sides {
        var old: [Row] = []
        var new: [Row] = []

        func expectEqual(_ table: SectionTable, _ random: inout SeededRandom) throws {
            for (side, rows) in [(ListSide.old, old), (.new, new)] {
                try #require(table.count(side) == rows.count)
                try #require(table.itemCount(side) == rows.reduce(0) { $0 + $1.itemCount })
                try #require(table.objects(side, in: 0..<rows.count + 5) == rows.map(\.object))
                for (index, row) in rows.enumerated() {
                    try #require(table.object(at: index, side) == row.object)
                    try #require(table.itemCount(at: index, side) == row.itemCount)
                    try #require(table.index(ofID: row.object.id, side) == index)
                    try #require(table.object(withID: row.object.id, side) == row.object)
                }
                for index in [-1, rows.count] {
                    #expect(table.object(at: index, side) == nil && table.itemCount(at: index, side) == nil)
                }
                let start = Int.random(in: 0...rows.count, using: &random)
                let end = Int.random(in: start...rows.count, using: &random)
                #expect(table.objects(side, in: start..<end) == rows[start..<end].map(\.object))
                #expect(table.index(ofID: "nobody", side) == nil)
            }
            let gone = old.map(\.object.id).filter { id in !new.contains { $0.object.id == id } }
            for id in gone { #expect(table.index(ofID: id, .new) == nil) }
        }

        /// Returns the rows for the new objects. Remaining rows keep their item counts; `counts` has those of new rows.
        func rows(after objects: [ListObject], _ counts: [String: Int]) -> [Row] {
            objects.map { object in
                let before = old.first { $0.object.id == object.id }?.itemCount
                return Row(object: object, itemCount: before ?? counts[object.id] ?? 0)
            }
        }
    }

    @Test(
        "random requests are staged and committed → the old and the new sections equal plain arrays",
        arguments: 0..<9)
    func random(seed: Int) throws {
        var source = RandomList(seed: UInt64(seed) &+ 31, ids: [8, 60, 250][seed % 3])
        let start = try source.ids.shuffled(using: &source.random).prefix(source.ids.count / 2)
            .map { try source.object($0) }
        let table = SectionTable(start) { $0.id.utf8.count }
        var sides = Sides(old: start.map { Row(object: $0, itemCount: $0.id.utf8.count) })
        sides.new = sides.old
        for _ in 0..<40 {
            try sides.expectEqual(table, &source.random)
            #expect(!table.isOpen)
            let changes = try stageSome(&source, table, sides)
            var counts: [String: Int] = [:]
            for insert in changes.inserted { counts[insert.object.id] = Int.random(in: 0...4, using: &source.random) }
            table.open(changes, itemCounts: changes.inserted.map { counts[$0.object.id] ?? 0 })
            #expect(table.isOpen)
            sides.new = sides.rows(after: changes.applied(to: sides.old.map(\.object)), counts)
            try sides.expectEqual(table, &source.random)
            if let index = sides.new.indices.randomElement(using: &source.random) {
                sides.new[index].itemCount = 7
                table.setItemCount(7, at: index)
                try sides.expectEqual(table, &source.random)
            }
            table.commit()
            sides.old = sides.new
            guard let index = sides.new.indices.randomElement(using: &source.random) else { continue }
            sides.new[index].itemCount = 3
            sides.old = sides.new
            table.setItemCount(3, at: index)
            table.commit()
        }
    }

    /// Stages a few random requests. Compares their effect with the reference, and checks that staging does not change
    /// the table.
    private func stageSome(_ source: inout RandomList, _ table: SectionTable, _ sides: Sides) throws -> Change {
        var reference = ReferenceList(objects: sides.old.map(\.object))
        var requests: [UpdateRequest] = []
        var codes: [ListError.Code?] = []
        for id in 1...RequestID.random(in: 1...3, using: &source.random) {
            let request = UpdateRequest(id: id, operation: try source.operation())
            codes.append(reference.apply(request.operation))
            requests.append(request)
        }
        let staged = table.stage(requests)
        #expect(staged.codes == codes)
        try sides.expectEqual(table, &source.random)
        guard let list = staged.list else {
            #expect(staged.change.applied(to: sides.old.map(\.object)) == reference.objects)
            return staged.change
        }
        #expect(list == reference.objects)
        let moves: ListDiffMoves = source.random.chance(oneIn: 2) ? .minimal : .positional
        let job = DiffJob(
            old: sides.old.map(\.object), new: list, comparison: ListComparison(moves: moves), generation: 0)
        var changes = job.run().change
        // Changes must lead to the same list whether or not they contain the resulting list.
        if source.random.chance(oneIn: 2) { changes.list = nil }
        return changes
    }

    @Test("one of several requests fails → the failed request has no effect, and the others are applied")
    func refusedRequest() throws {
        let table = SectionTable(try objects("a", "b"))
        let requests: [UpdateRequest.Operation] = [
            .moveObject(id: "b", position: .first),
            .applyChanges(removed: ["a"], upserts: [.init(try object("c"), position: .after("nobody"))]),
            .patchObject(id: "a", set: ["n": 1], unset: []),
        ]
        let staged = table.stage(requests.enumerated().map { UpdateRequest(id: UInt64($0), operation: $1) })
        #expect(staged.codes == [nil, .noSuchObject, nil])
        #expect(staged.list == nil, "the changes are given one by one")
        #expect(staged.change.applied(to: try objects("a", "b")) == (try objects("b", "a1")))
        #expect(table.objects(.new, in: 0..<9) == (try objects("a", "b")))
    }

    @Test(
        "initial objects that nobody has read → their number is known, and duplicates are dropped on first access"
    )
    func resting() throws {
        let table = SectionTable(resting: try objects("a1", "b", "a2"), itemCount: 7)
        #expect(table.isResting && table.count(.old) == 3 && table.itemCount(.new) == 7)
        #expect(table.index(ofID: "b", .old) == 1)
        #expect(!table.isResting && table.count(.old) == 2 && table.itemCount(.new) == 0)
        let other = SectionTable(resting: try objects("a", "b"))
        let staged = other.stage([UpdateRequest(id: 1, operation: .moveObject(id: "b", position: .first))])
        #expect(staged.codes == [nil] && !other.isResting)
    }

    @Test("an identifier is repeated → the first object is kept")
    func duplicates() throws {
        let table = SectionTable(try objects("a1", "b", "a2"))
        #expect(table.objects(.old, in: 0..<9) == (try objects("a1", "b")))
    }
}

extension SectionTable {
    /// Stages requests at revision 0, and returns the errors, the update, and the full list if there is one.
    fileprivate func stage(
        _ requests: [UpdateRequest]
    ) -> (codes: [ListError.Code?], change: Change, list: [ListObject]?) {
        var entries = requests.map { QueuedRequest(ticket: .none, work: .request($0)) }
        var change = Change()
        let list = stage(&entries, in: &change, revision: 0, updater: .batch, rejecting: [])
        return (entries.map { $0.error?.code }, change, list)
    }
}
