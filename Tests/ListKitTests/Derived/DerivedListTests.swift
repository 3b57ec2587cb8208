// SPDX-License-Identifier: Apache-2.0

import Foundation
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Derived lists")
struct DerivedListTests {
    private static let isSoak = ProcessInfo.processInfo.environment["LISTD_SOAK"] != nil
    private static let seeds = isSoak ? 100 : 12
    private static let updates = isSoak ? 1000 : 150

    @Test(
        "random changes, reloads and queries → the derived list equals a straightforward filter and sort",
        .rule("FO-01"),
        arguments: 0..<seeds)
    func convergence(seed: Int) throws {
        let world = try FollowedList(seed: UInt64(seed), count: seed % 3 == 0 ? 8 : 60)
        for _ in 0..<Self.updates { try world.step() }
        #expect(world.transactions > Self.updates / 4)
    }

    /// Returns a change without positions, which derived lists do not read.
    private func change(removed: [ListObject] = [], updated: [ListObject] = []) -> Change {
        var change = Change()
        change.removed = removed.map { (0, $0) }
        change.updated = updated.map { (0, nil, $0) }
        return change
    }

    @Test("one of many objects changes → only this object is reported as changed")
    func oneChange() throws {
        let objects = try (0..<1000).map {
            try ListObject(id: "\($0)", fields: ["n": .int64(Int64($0)), "t": "x\($0)"])
        }
        let list = DerivedList(try DerivedQuery(parsing: "contains=X&sort=-n&limit=10"))
        list.append(objects, from: 0, total: 1000)
        _ = list.dequeueChange()
        let first = try ListObject(id: "500", fields: ["n": 5000, "t": "x"])
        list.apply(change(updated: [first]))
        guard case .changes(let removed, let upserts) = list.dequeueChange() else {
            Issue.record("the derived list has no changes")
            return
        }
        #expect(removed == ["990"])
        #expect(upserts.map(\.object.id) == ["500"])
        #expect(upserts.map(\.position) == [.first])
        if let change = list.dequeueChange() { Issue.record("\(change)") }
    }

    @Test("an object that the query excludes changes → no change is reported")
    func unseen() throws {
        let objects = try (0..<100).map {
            try ListObject(id: "\($0)", fields: ["n": .int64(Int64($0)), "t": "x\($0)"])
        }
        let list = DerivedList(try DerivedQuery(parsing: "contains=x1&sort=n&limit=3"))
        list.append(objects, from: 0, total: 100)
        _ = list.dequeueChange()
        list.apply(change(removed: [objects[19]], updated: [try ListObject(id: "20")]))
        if let change = list.dequeueChange() { Issue.record("\(change)") }
        list.apply(change(removed: [objects[1]]))
        guard case .changes(let removed, let upserts) = list.dequeueChange() else {
            Issue.record("the derived list has no changes")
            return
        }
        #expect(removed == ["1"])
        #expect(upserts.map(\.object.id) == ["12"])
    }
    @Test("two objects move past a third one → a single move, of the third object")
    func fewestMoves() throws {
        let objects = try (0..<5).map { try ListObject(id: "\($0)", fields: ["n": .int64(Int64($0))]) }
        let list = DerivedList(try DerivedQuery(parsing: "sort=n"))
        list.append(objects, from: 0, total: 5)
        _ = list.dequeueChange()
        let later = try ["1", "2"].map { try ListObject(id: $0, fields: ["n": .double($0 == "1" ? 3.1 : 3.2)]) }
        list.apply(change(updated: later))
        guard case .changes(let removed, let upserts) = list.dequeueChange() else {
            Issue.record("the derived list has no changes")
            return
        }
        #expect(removed.isEmpty)
        #expect(upserts.map(\.object.id) == ["1", "2", "3"])
        #expect(upserts.map(\.position) == [.keep, .keep, .after("0")])
        #expect(list.visible.map(\.id) == ["0", "3", "1", "2", "4"])
    }
}
