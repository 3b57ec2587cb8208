import Glibc
import Testing

@testable import files

@Suite("What inotify says")
struct NoticeTests {
    private func record(_ mask: Int, cookie: UInt32 = 0, name: String = "", padding: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        let padded = Array(name.utf8) + [UInt8](repeating: 0, count: name.isEmpty ? 0 : 1 + padding)
        for number in [1, UInt32(mask), cookie, UInt32(padded.count)] {
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        }
        return bytes + padded
    }

    @Test("records of a read → notices, names without their padding")
    func records() {
        let bytes =
            record(Int(IN_CREATE), name: "a", padding: 14) + record(Int(IN_MOVED_FROM), cookie: 7, name: "b")
            + record(Int(IN_MOVED_TO), cookie: 7, name: "c") + record(Int(IN_ATTRIB))
            + record(Int(IN_Q_OVERFLOW)) + record(Int(IN_IGNORED))
        #expect(
            Array(InotifyRecords(bytes: bytes[...])) == [
                .touched(FileName("a")), .movedFrom(FileName("b"), cookie: 7), .movedTo(FileName("c"), cookie: 7),
                .overflow, .gone,
            ])
    }

    @Test("a read that ends in the middle of a record → what is whole", arguments: [0, 3, 15, 16, 17])
    func cutShort(length: Int) {
        let bytes = record(Int(IN_CREATE), name: "abc")
        let notices = Array(InotifyRecords(bytes: bytes.prefix(length)))
        #expect(notices.count <= 1)
    }

    @Test("a burst on one name → one look at it")
    func burst() {
        var pending = PendingChanges()
        for _ in 0..<100 { pending.note(.touched(FileName("a"))) }
        #expect(pending.touched == [FileName("a")])
        #expect(pending.isComplete)
    }

    @Test("the halves of a rename → one rename, and both names to look at; one half alone waits")
    func rename() {
        var pending = PendingChanges()
        pending.note(.movedFrom(FileName("a"), cookie: 3))
        #expect(!pending.isComplete)
        pending.note(.movedTo(FileName("b"), cookie: 3))
        #expect(pending.isComplete)
        #expect(pending.renames == [.init(from: FileName("a"), to: FileName("b"))])
        #expect(pending.touched == [FileName("a"), FileName("b")])
    }

    @Test("moved in from elsewhere → a new name, no rename")
    func movedIn() {
        var pending = PendingChanges()
        pending.note(.movedTo(FileName("b"), cookie: 3))
        #expect(pending.renames.isEmpty)
        #expect(pending.touched == [FileName("b")])
    }

    @Test("taken → begins anew")
    func take() {
        var pending = PendingChanges()
        pending.note(.overflow)
        pending.note(.gone)
        let taken = pending.take()
        #expect(taken.needsReading)
        #expect(taken.isGone)
        #expect(pending == PendingChanges())
    }
}
