// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import PluginTestSupport
import Synchronization
import Testing

@testable import journal

@Suite("Items of journal entries", .timeLimit(.minutes(1)))
struct EntryTests {
    private func object(
        _ message: String, _ priority: String = "6", time: UInt64 = 0, _ more: [String: String] = [:]
    ) throws -> ListObject {
        try JournalEntry(
            cursor: message, time: time, fields: more.merging(["MESSAGE": message, "PRIORITY": priority]) { $1 }
        ).object()
    }

    @Test(
        "an age in seconds is formatted → the result has the text and the time until the text changes",
        arguments: [
            (0, "now", 60), (59, "now", 1), (60, "1 min", 60), (3599, "59 min", 1), (3600, "1 h", 3600),
            (7201, "2 h", 3599), (86_399, "23 h", 1), (86_400, "1 d", 86_400), (1_000_000, "11 d", 36_800),
        ] as [(Int64, String, Int64)])
    func age(seconds: Int64, text: String, next: Int64) {
        let age = Age(of: 1_000_000_000, at: 1_000_000_000 + seconds * 1_000_000)
        #expect(age.text == text)
        #expect(age.untilChange == .seconds(next))
    }

    @Test("the time of an entry is in the future or extreme → its age is \"now\", without an overflow")
    func strangeTimes() {
        #expect(Age(of: 5_000_000, at: 0).text == "now")
        #expect(Age(of: .min, at: .max).text == "now")
        #expect(Age(of: .max, at: .min).text == "now")
        #expect(Age(of: 0, at: .max).untilChange > .zero)
    }

    @Test("an entry has the priority info → its row has the message's first line, the origin and the age")
    func row() throws {
        let list = try TestList(JournalPlugin.self, size: Size(width: 300, height: 400))
        try list.update([object("one\ntwo", time: 1, ["SYSLOG_IDENTIFIER": "cron", "_PID": "9", "_COMM": "x"])])
        let row = try #require(try list.shown(of: "one\ntwo").first)
        #expect(row.reuseIdentifier == "entry")
        #expect(row.content["title"] == "one")
        #expect(row.content["detail"] == "cron[9]")
        #expect(row.content["age"]?.string?.hasSuffix(" d") == true)
        #expect(row.content["priority"] == .uint32(6))
        #expect(row.frame == Rect(x: 0, y: 0, width: 300, height: 44))
        #expect(list.faults.isEmpty)
    }

    @Test("an entry has the priority err → its header has the priority; its items, message, unit and source location")
    func alert() throws {
        let list = try TestList(
            JournalPlugin.self, sectionControllers: ["err": "AlertController", "*": "DebugController"])
        try list.update([
            object("a\nb\nc", "3", ["_SYSTEMD_UNIT": "x.service", "CODE_FILE": "m.c", "CODE_LINE": "7"]),
            object("small", "7"),
        ])
        let items = list.items(of: "a\nb\nc")
        #expect(items.map(\.reuseIdentifier) == ["alert", "alert-detail", "alert-detail"])
        #expect(items.map { $0.content["detail"] } == ["x.service", "x.service", "m.c:7"])
        #expect(items.first?.content["title"] == "a\nb\nc")
        #expect(try list.shown(.header, of: "a\nb\nc")?.content["title"] == "err")
        #expect(try list.shown(.cell, of: "a\nb\nc")?.frame.size.height == 82)
        #expect(try list.shown(of: "small").first?.reuseIdentifier == "entry-compact")
        #expect(try list.shown(of: "small").first?.frame.size.height == 24)
        #expect(list.faults.isEmpty)
    }

    /// Runs the list's executor until the last item is an explanation.
    private func waitForExplanation(of id: String, in list: TestList) async throws {
        while list.items(of: id).last?.reuseIdentifier != "alert-explanation" {
            list.advance(by: .zero)
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("an error with a catalog entry enters the working range → a task loads the catalog's explanation")
    func explanation() async throws {
        let asked = Mutex<[String]>([])
        let list = try TestList(
            size: Size(width: 300, height: 40), configure: { $0.workingRange = 1 },
            controller: {
                AlertController { id in
                    asked.withLock { $0.append(id) }
                    return MessageCatalog(
                        entry: "Subject: @UNIT@ failed\nDefined-By: x\n\nThe unit\n@UNIT@ of @WHAT@.\n")
                }
            })
        try list.update(
            (0..<4).map { try object("\($0)", "3", ["MESSAGE_ID": "id\($0)", "_SYSTEMD_UNIT": "u\($0).service"]) }
                + [object("plain", "3")])
        try await waitForExplanation(of: "1", in: list)
        #expect(
            list.items(of: "1").last?.content == [
                "title": "u1.service failed", "detail": "The unit\nu1.service of @WHAT@.",
            ])
        #expect(!asked.withLock { $0.contains("id3") })
        try list.scroll(to: Point(x: 0, y: try list.picture.contentSize.height - 40))
        try await waitForExplanation(of: "3", in: list)
        #expect(list.items(of: "plain").count == 1)
        #expect(list.faults.isEmpty)
    }

    @Test(
        "an entry of the message catalog is parsed → subject and explanation have no blank lines around them",
        arguments: [
            ("", "", ""), ("Subject: a b\nDefined-By: x\n\n\none\n\ntwo\n\n", "a b", "one\n\ntwo"), ("\n\nx", "", "x"),
            ("Defined-By: x", "", ""),
        ])
    func catalogEntry(entry: String, subject: String, text: String) {
        let catalog = MessageCatalog(entry: entry)
        #expect(catalog.subject == subject)
        #expect(catalog.text == text)
    }

    @Test(
        "a message identifier is invalid or unknown → the catalog returns no explanation",
        arguments: ["", "x", "00000000000000000000000000000001"])
    func unknownMessage(id: String) {
        #expect(MessageCatalog.find(id) == nil)
    }

    @Test("time passes → only the ages of visible rows are updated")
    func ages() throws {
        let clock = Mutex<Int64>(0)
        let list = try TestList(size: Size(width: 300, height: 88)) {
            EntryController(style: .row) { clock.withLock { $0 } }
        }
        let objects = try (0..<10).map { try object("\($0)") }
        try list.update(objects)
        func pass(_ seconds: Int64) {
            clock.withLock { $0 += seconds * 1_000_000 }
            list.advance(by: .seconds(seconds))
        }
        func ages() throws -> [String?] {
            try list.picture.items.map { $0.content["age"]?.string }
        }
        #expect(try ages().allSatisfy { $0 == "now" })
        pass(60)
        #expect(try ages().allSatisfy { $0 == "1 min" })
        pass(60)
        #expect(try ages().allSatisfy { $0 == "2 min" })
        try list.scroll(to: Point(x: 0, y: 44 * 6))
        list.events = []
        pass(60)
        let announced = list.events.flatMap { event -> [Int] in
            guard case .updated(let change) = event else { return [] }
            return change.items.reloads.map { Int($0.section) }
        }
        #expect(!announced.isEmpty)
        #expect(announced.allSatisfy { $0 >= 5 })
        #expect(list.faults.isEmpty)
    }
}
