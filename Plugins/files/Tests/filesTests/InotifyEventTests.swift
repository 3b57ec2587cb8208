// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import files

@Suite("Events of inotify")
struct InotifyEventTests {
    private func record(_ mask: Int, cookie: UInt32 = 0, name: String = "", padding: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        let padded = Array(name.utf8) + [UInt8](repeating: 0, count: name.isEmpty ? 0 : 1 + padding)
        for number in [1, UInt32(mask), cookie, UInt32(padded.count)] {
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        }
        return bytes + padded
    }

    @Test("the bytes of several records are parsed → each record becomes an event, whose name has no padding")
    func records() {
        let bytes =
            record(Int(IN_CREATE), name: "a", padding: 14) + record(Int(IN_MOVED_FROM), cookie: 7, name: "b")
            + record(Int(IN_MOVED_TO), cookie: 7, name: "c") + record(Int(IN_ATTRIB))
            + record(Int(IN_Q_OVERFLOW)) + record(Int(IN_IGNORED))
        let records = Array(InotifyRecords(bytes: bytes[...]))
        let below = EntryPath("sub")
        #expect(
            records.compactMap { $0.event(in: below) } == [
                .touched(EntryPath("sub/a")), .movedFrom(EntryPath("sub/b"), cookie: 7),
                .movedTo(EntryPath("sub/c"), cookie: 7),
            ])
        #expect(records.map(\.watch) == Array(repeating: 1, count: 6))
        #expect(records.map(\.isOverflow) == [false, false, false, false, true, false])
        #expect(records.map(\.isGone) == [false, false, false, false, false, true])
        #expect(records.last?.isWatchRemoved == true)
    }

    @Test(
        "the bytes end in the middle of a record → only the complete records are parsed", arguments: [0, 3, 15, 16, 17])
    func cutShort(length: Int) {
        let bytes = record(Int(IN_CREATE), name: "abc")
        let events = Array(InotifyRecords(bytes: bytes.prefix(length)))
        #expect(events.count <= 1)
    }

    @Test("many events of one entry → the entry is queued once")
    func burst() {
        var pending = PendingChanges()
        for _ in 0..<100 { pending.record(.touched(EntryPath("a"))) }
        #expect(pending.touched == [EntryPath("a")])
        #expect(pending.isComplete)
    }

    @Test("both events of a rename arrive → one complete rename is queued; only one arrives → the rename is incomplete")
    func rename() {
        var pending = PendingChanges()
        pending.record(.movedFrom(EntryPath("a"), cookie: 3))
        #expect(!pending.isComplete)
        pending.record(.movedTo(EntryPath("b"), cookie: 3))
        #expect(pending.isComplete)
        #expect(pending.renames == [.init(from: EntryPath("a"), to: EntryPath("b"))])
        #expect(pending.touched == [EntryPath("a"), EntryPath("b")])
    }

    @Test("a directory is renamed → queued paths below the directory begin with its new name")
    func renamedDirectory() {
        var pending = PendingChanges()
        pending.record(.touched(EntryPath("d/x")))
        pending.record(.touched(EntryPath("dx")))
        pending.record(.movedFrom(EntryPath("d/a"), cookie: 1))
        pending.record(.movedFrom(EntryPath("d"), cookie: 2))
        #expect(pending.record(.movedTo(EntryPath("e"), cookie: 2)) == .init(from: EntryPath("d"), to: EntryPath("e")))
        #expect(
            pending.record(.movedTo(EntryPath("e/b"), cookie: 1)) == .init(from: EntryPath("e/a"), to: EntryPath("e/b"))
        )
        #expect(pending.touched == Set(["dx", "e/x", "e/a", "e/b", "d", "e"].map { EntryPath($0) }))
        #expect(pending.departed.isEmpty)
    }

    @Test("the second event of a rename never arrives → the entry counts as moved away")
    func departed() {
        var pending = PendingChanges()
        pending.record(.movedFrom(EntryPath("d"), cookie: 2))
        #expect(pending.departed == [EntryPath("d")])
        #expect(pending.touched == [EntryPath("d")])
    }

    @Test("an entry is moved in from an unwatched directory → the entry counts as new, not as renamed")
    func movedIn() {
        var pending = PendingChanges()
        pending.record(.movedTo(EntryPath("b"), cookie: 3))
        #expect(pending.renames.isEmpty)
        #expect(pending.touched == [EntryPath("b")])
    }

    @Test("the queue of changes is drained → the changes are returned, and the queue is empty")
    func drain() {
        var pending = PendingChanges()
        pending.record(.overflow)
        pending.record(.gone)
        let drained = pending.drain()
        #expect(drained.needsReading)
        #expect(drained.isGone)
        #expect(pending == PendingChanges())
    }
}
