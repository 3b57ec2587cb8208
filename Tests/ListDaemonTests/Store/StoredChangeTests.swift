// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Encoding stored transactions")
struct StoredChangeTests {
    private func random(_ source: inout SeededRandom, revision: UInt64) -> Transaction {
        var transaction = Transaction(
            baseRevision: revision - 1, revision: revision, kind: source.chance(oneIn: 4) ? .reload : .update,
            animated: source.chance(oneIn: 2), sectionCount: Int.random(in: 0..<1000, using: &source),
            itemCount: Int.random(in: 0..<1000, using: &source))
        func numbers() -> [UInt32] {
            (0..<Int.random(in: 0..<5, using: &source)).map { _ in UInt32.random(in: 0 ... .max, using: &source) }
        }
        transaction.sections.deletes = numbers().map { IndexRun(first: $0, length: 1) }
        transaction.sections.inserts = numbers().map { IndexRun(first: 3, length: $0) }
        transaction.sections.moves = numbers().map { IndexMove(old: $0, new: $0 / 2) }
        transaction.sections.reloads = numbers().map { IndexRun(first: $0, length: 7) }
        transaction.items.deletes = numbers().map { ItemPlace(section: $0, item: 1) }
        transaction.items.inserts = numbers().map { ItemPlace(section: 1, item: $0) }
        transaction.items.moves = numbers().map {
            ItemMove(old: ItemPlace(section: $0, item: 1), new: ItemPlace(section: 2, item: $0))
        }
        transaction.items.reloads = numbers().map { ItemPlace(section: $0, item: $0) }
        return transaction
    }

    @Test("a transaction is encoded and decoded → it is unchanged; its bytes are corrupted → decoding never crashes")
    func roundTrip() {
        let seed = UInt64.random(in: 0 ... .max)
        var source = SeededRandom(seed: seed)
        for step in 1...300 {
            let transaction = random(&source, revision: UInt64(step))
            let stored = StoredChange(transaction)
            #expect(stored.transaction == transaction, "seed \(seed)")
            var other = stored
            other.bytes.removeLast(Int.random(in: 1...8, using: &source))
            #expect(other.transaction == nil, "seed \(seed)")
            other = stored
            other.bytes.append(0)
            #expect(other.transaction == nil, "seed \(seed)")
            other = stored
            other.bytes[Int.random(in: 0..<other.bytes.count, using: &source)] = UInt8(
                truncatingIfNeeded: source.next())
            #expect(other.transaction?.revision ?? stored.revision == stored.revision, "seed \(seed)")
        }
        #expect(StoredChange(revision: 0, bytes: []).transaction == nil)
    }
}
