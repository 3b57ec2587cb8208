// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import PluginAPI
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("The stored read position of a source")
struct SourceRecordTests {
    private static let record = record([0, 1, 255])

    private static func record(_ cursor: [UInt8]?) -> SourceRecord {
        SourceRecord(cursor: cursor, position: "page 3 – ü", synced: 1_700_000_000_123_456)
    }

    @Test("a record is encoded and decoded, with and without a cursor → it is unchanged")
    func roundTrip() {
        for record in [Self.record, Self.record([]), Self.record(nil), SourceRecord()] {
            #expect(SourceRecord(bytes: record.bytes) == record)
        }
    }

    @Test("the bytes have another format → there is no record, so that the source starts from the beginning")
    func damaged() {
        let bytes = Self.record.bytes
        for count in bytes.indices where count < bytes.count - 3 {
            #expect(SourceRecord(bytes: Array(bytes[..<count])) == nil, "\(count) bytes")
        }
        var random = SeededRandom(seed: 1)
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            // Random bytes that decode to a record encode to the same record again.
            if let record = SourceRecord(bytes: changed) { #expect(SourceRecord(bytes: record.bytes) == record) }
        }
    }

    @Test("changes have no cursor → the earlier cursor stays; a whole list has no cursor → the cursor is removed")
    func progress() {
        let changed = Self.record.after(nil, isWhole: false, now: 7)
        #expect(changed.cursor == [0, 1, 255] && changed.position == Self.record.position && changed.synced == 7)
        let replaced = Self.record.after(nil, isWhole: true, now: 8)
        #expect(replaced.cursor == nil && replaced.position.isEmpty && replaced.synced == 8)
        let said = Self.record.after(
            DataSourceProgress(cursor: [9], position: "p", synced: 3), isWhole: true, now: 8)
        #expect(said.cursor == [9] && said.position == "p" && said.synced == 3)
    }
}
