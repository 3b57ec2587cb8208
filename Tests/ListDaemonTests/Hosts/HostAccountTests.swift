// SPDX-License-Identifier: Apache-2.0

import ListKit
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("A list's objects and bytes that count towards its user's quota")
struct HostAccountTests {
    private let ledger = QuotaLedger(limits: Quotas.Amounts(adapters: 9, views: 9, objects: 9, bytes: 9999))
    private let present = ["a", "b", "c"]

    private func object(_ id: String, _ text: String = "") throws -> ListObject {
        try ListObject(id: id, fields: ["text": .string(text)])
    }

    /// Returns the change of the user's account by a transaction on three objects.
    private func accountChange(_ changes: PreparedTransaction.Changes) throws -> Quotas.Amounts {
        let objects = try present.map { try object($0) }
        // The usage of another list of the user. If `account` released too much, the ledger's total would be below it.
        ledger.bookUnchecked(Quotas.Amounts(objects: 3, bytes: 999), for: 7)
        var account = HostAccount(ledger: ledger, user: 7)
        account.bookRestored(objects)
        return try account.book(.changes(changes)) { id in objects.first { $0.id == id } }
    }

    @Test("ids to remove are unknown or repeated → only existing objects reduce the usage")
    func unknown() throws {
        let delta = try accountChange(PreparedTransaction.Changes(removed: ["x", "a", "y", "a", "z", "a"]))
        #expect(delta == Quotas.Amounts(objects: -1, bytes: -(try object("a").byteCount)))
        #expect(ledger.total.objects == 5)
    }

    @Test("an object is updated and placed repeatedly → the usage has the object once, with its last size")
    func repeated() throws {
        let long = try object("b", "long text")
        let new = try object("n", "new")
        let placed = [long, try object("b"), long, new, new].map {
            PreparedTransaction.Placement(object: $0, predecessor: nil)
        }
        let delta = try accountChange(
            PreparedTransaction.Changes(updated: [try object("b"), try object("unknown")], placed: placed))
        #expect(delta == Quotas.Amounts(objects: 1, bytes: 9 + new.byteCount))
    }

    @Test("an object is removed and placed again → the number of objects is unchanged")
    func placedAgain() throws {
        let long = try object("c", "long")
        let delta = try accountChange(
            PreparedTransaction.Changes(
                removed: ["c"], placed: [PreparedTransaction.Placement(object: long, predecessor: "b")]))
        #expect(delta == Quotas.Amounts(bytes: 4))
    }

    @Test("two objects whose ids are canonically equivalent Unicode → the usage has two objects")
    func spellings() throws {
        let placed = try ["\u{E9}", "e\u{301}"].map {
            PreparedTransaction.Placement(object: try object($0), predecessor: nil)
        }
        let delta = try accountChange(PreparedTransaction.Changes(placed: placed))
        #expect(delta.objects == 2)
        #expect(delta.bytes == placed.reduce(0) { $0 + $1.object.byteCount })
    }
}
