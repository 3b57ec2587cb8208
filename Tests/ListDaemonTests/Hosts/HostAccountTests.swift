// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
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

    private func object(_ id: String, _ text: String = "") throws -> ListObject {
        try ListObject(id: id, fields: ["text": .string(text)])
    }

    /// Returns the change of the user's account by an update of three objects.
    private func accountChange(_ change: Change) throws -> Quotas.Amounts {
        // The usage of another list of the user. If `account` released too much, the ledger's total would be below it.
        ledger.bookUnchecked(Quotas.Amounts(objects: 3, bytes: 999), for: 7)
        var account = HostAccount(ledger: ledger, user: 7)
        account.bookRestored(try ["a", "b", "c"].map { try object($0) })
        return try account.book(change)
    }

    @Test("objects are removed → the usage shrinks by their number and bytes")
    func removed() throws {
        let delta = try accountChange(.changes(removed: [try object("a")]))
        #expect(delta == Quotas.Amounts(objects: -1, bytes: -(try object("a").byteCount)))
        #expect(ledger.total.objects == 5)
    }

    @Test("an object grows and another one is inserted → the usage grows by the difference and by the new object")
    func grown() throws {
        let new = try object("n", "new")
        var change = Change.changes(placed: [(new, after: nil)])
        change.updated = [(1, try object("b"), try object("b", "long text"))]
        #expect(try accountChange(change) == Quotas.Amounts(objects: 1, bytes: 9 + new.byteCount))
    }

    @Test("an object is moved and changed → the number of objects is unchanged")
    func moved() throws {
        let long = try object("c", "long")
        var change = Change()
        change.moved = [(2, 0, long, nil)]
        change.updated = [(2, try object("c"), long)]
        #expect(try accountChange(change) == Quotas.Amounts(bytes: 4))
    }
}
