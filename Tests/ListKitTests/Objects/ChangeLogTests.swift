// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("The log of recent transactions")
struct ChangeLogTests {
    private static func transaction(_ revision: UInt64, runs: Int = 1) -> Transaction {
        var batch = SectionBatch()
        batch.inserts = (0..<UInt32(runs)).map { IndexRun(first: $0 * 2, length: 1) }
        return Transaction(
            baseRevision: revision - 1, revision: revision, kind: .update, animated: true, sectionCount: 1,
            itemCount: 1, sections: batch)
    }

    private static func log(through revision: UInt64, runs: Int = 1) -> ChangeLog {
        var log = ChangeLog()
        for number in 1...revision { log.append(transaction(number, runs: runs)) }
        return log
    }

    @Test("small transactions → the last 256 are kept, and changes since any kept revision are returned in order")
    func smallTransactions() throws {
        let log = Self.log(through: 1000)
        #expect(log.oldestRevision == 744)
        for start in log.oldestRevision...1000 {
            let changes = try log.changes(since: start, byteLimit: .max)
            #expect(changes.map(\.revision) == Array(start + 1..<1001))
        }
    }

    @Test("large transactions → about 1 MiB of transactions is kept")
    func largeTransactions() throws {
        let log = Self.log(through: 300, runs: 8000)
        let kept = try log.changes(since: log.oldestRevision, byteLimit: .max)
        let bytes = kept.reduce(0) { $0 + $1.encodedSize }
        #expect(bytes >= ChangeLog.keptBytes)
        #expect(bytes < ChangeLog.keptBytes + 2 * kept[0].encodedSize)
    }

    @Test("a byte limit is given → as many transactions as fit are kept, and at least one")
    func byteLimit() throws {
        let log = Self.log(through: 100)
        #expect(try log.changes(since: 10, byteLimit: 0).map(\.revision) == [11])
        let three = 3 * Self.transaction(1).encodedSize
        #expect(try log.changes(since: 10, byteLimit: three).map(\.revision) == [11, 12, 13])
    }

    @Test(
        "changes since the current revision are read → there are none; since a future or dropped one → RevisionGone",
        arguments: [0, 743, 1001, UInt64.max])
    func outside(start: UInt64) throws {
        let log = Self.log(through: 1000)
        #expect(try log.changes(since: 1000, byteLimit: .max).isEmpty)
        let error = #expect(throws: ListError.self) { try log.changes(since: start, byteLimit: .max) }
        #expect(error?.code == .revisionGone)
    }

    @Test(
        "a log is restored → it continues the stored transactions; these have a gap → only the later ones are kept")
    func restoring() throws {
        let stored = (5...9).map { Self.transaction($0) }
        var log = ChangeLog(revision: 9, stored: stored)
        log.append(Self.transaction(10))
        #expect(try log.changes(since: 4, byteLimit: .max).map(\.revision) == [5, 6, 7, 8, 9, 10])
        #expect(ChangeLog(revision: 12, stored: stored).oldestRevision == 12)
        #expect(ChangeLog(revision: 9, stored: stored.filter { $0.revision != 7 }).oldestRevision == 7)
        #expect(ChangeLog(revision: 3, stored: []).oldestRevision == 3)
    }

    @Test("entries of the log are not stored yet → they are returned in order until storing succeeds")
    func unwritten() {
        var log = ChangeLog(revision: 4, stored: (3...4).map { Self.transaction($0) })
        #expect(log.unwritten.isEmpty)
        for revision in 5...7 as ClosedRange<UInt64> { log.append(Self.transaction(revision)) }
        #expect(log.unwritten.map(\.revision) == [5, 6, 7])
        log.markWritten(through: 6)
        log.markWritten(through: 5)
        #expect(log.unwritten.map(\.revision) == [7])
        log.markUnwritten()
        #expect(log.unwritten.map(\.revision) == [3, 4, 5, 6, 7])
        for revision in 8...400 as ClosedRange<UInt64> { log.append(Self.transaction(revision)) }
        #expect(log.unwritten.first?.baseRevision == log.oldestRevision)
    }
}
