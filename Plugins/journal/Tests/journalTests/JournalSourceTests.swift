// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing

@testable import journal

@Suite(
    "Following a journal", .timeLimit(.minutes(2)),
    .enabled(if: JournalWriter.isInstalled, "systemd-journal-remote is not installed"))
struct JournalSourceTests {
    private func source(_ argument: String) async throws -> TestSource {
        try await TestSource(JournalPlugin.self, "entries", argument: argument)
    }

    private func messages(_ source: TestSource) -> [String] {
        source.objects.map { $0.fields["message"]?.string ?? "" }
    }

    @Test("a journal has old and new entries → the list has all entries with their fields, the newest first")
    func follows() async throws {
        let directory = try JournalDirectory()
        let writer = try JournalWriter(directory.path(of: "a"))
        try writer.write("one", ["PRIORITY": "3", "SYSLOG_IDENTIFIER": "sshd", "_PID": "77"])
        try writer.write("two\nlines")
        let source = try await source(directory.path)
        await source.wait { messages($0) == ["two\nlines", "one"] }
        let one = try #require(source.objects.last)
        #expect(one.type == "err")
        #expect(one.fields["time"] == 1_700_000_001_000_000)
        #expect(one.fields["identifier"] == "sshd")
        #expect(one.fields["pid"] == "77")
        #expect(one.id.hasPrefix("s="))
        try writer.write("three")
        await source.wait { messages($0) == ["three", "two\nlines", "one"] }
        #expect(source.objects.last == one)
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test(
        "a journal has more entries than the maximum → the list has only the newest, at the start and after additions")
    func bounded() async throws {
        let directory = try JournalDirectory()
        let writer = try JournalWriter(directory.path(of: "a"))
        for number in 0..<20 { try writer.write("\(number)") }
        let source = try await source("\(directory.path)&lines=4&order=oldest")
        await source.wait { messages($0) == ["16", "17", "18", "19"] }
        try writer.write("20")
        await source.wait { messages($0) == ["17", "18", "19", "20"] }
        for number in 21..<60 { try writer.write("\(number)") }
        await source.wait { messages($0) == ["56", "57", "58", "59"] }
        #expect(source.objects.count == 4)
        await source.stop()
    }

    @Test(
        "a filter is given → the list has only matching entries, including those that are written later",
        arguments: [
            ("unit=ssh", ["alert of ssh", "about ssh", "info of ssh"]),
            ("priority=err", ["alert of cron", "alert of ssh"]),
            ("unit=ssh&priority=1", ["alert of ssh"]),
            ("unit=ssh&unit=cron.service&priority=err", ["alert of cron", "alert of ssh"]),
            ("_PID=1", ["about ssh"]),
            ("_PID=1&_PID=8", ["alert of cron", "about ssh"]),
            ("_PID=1&_UID=3", []),
        ] as [(String, [String])])
    func filters(options: String, expected: [String]) async throws {
        let directory = try JournalDirectory()
        let writer = try JournalWriter(directory.path(of: "a"))
        let source = try await source("\(directory.path)&\(options)")
        await source.wait { _ in true }
        try writer.write("info of ssh", ["_SYSTEMD_UNIT": "ssh.service", "PRIORITY": "6"])
        try writer.write("about ssh", ["_PID": "1", "UNIT": "ssh.service", "PRIORITY": "5"])
        try writer.write("alert of ssh", ["_SYSTEMD_UNIT": "ssh.service", "PRIORITY": "1"])
        try writer.write("alert of cron", ["_SYSTEMD_UNIT": "cron.service", "PRIORITY": "1", "_PID": "8"])
        // Matches every filter, so that its arrival shows that the list is complete.
        let last = ["_SYSTEMD_UNIT": "ssh.service", "PRIORITY": "0", "_PID": "1", "_UID": "3"]
        try writer.write("last", last)
        await source.wait { messages($0) == ["last"] + expected }
        #expect(messages(source) == ["last"] + expected)
        await source.stop()
    }

    @Test("journal files are added and removed → the list has the entries of the existing files, sorted by time")
    func rotation() async throws {
        let directory = try JournalDirectory()
        let first = try JournalWriter(directory.path(of: "a"))
        try first.write("a1")
        let source = try await source(directory.path)
        await source.wait { messages($0) == ["a1"] }
        first.end()
        let second = try JournalWriter(directory.path(of: "b"), from: 1_600_000_000_000_000)
        try second.write("before")
        await source.wait { messages($0) == ["a1", "before"] }
        second.end()
        let third = try JournalWriter(directory.path(of: "c"), from: 1_800_000_000_000_000)
        try third.write("after")
        await source.wait { messages($0) == ["after", "a1", "before"] }
        try directory.delete("a")
        await source.wait { messages($0) == ["after", "before"] }
        try third.write("later")
        await source.wait { messages($0) == ["later", "after", "before"] }
        #expect(source.failure == nil)
        await source.stop()
    }

    @Test(
        "the source starts with a cursor → only newer entries are sent, and the list keeps its maximum length",
        arguments: [0, 1, 3, 9], ["newest", "oldest"])
    func resumes(new: Int, order: String) async throws {
        let directory = try JournalDirectory()
        let writer = try JournalWriter(directory.path(of: "a"))
        for number in 0..<6 { try writer.write("\(number)") }
        let argument = "\(directory.path)&lines=4&order=\(order)"
        let first = try await source(argument)
        await first.wait { messages($0).contains("5") && $0.objects.count == 4 }
        let (cursor, objects) = (try #require(first.progress.cursor), first.objects)
        #expect(first.progress.position == (order == "newest" ? objects.first : objects.last)?.id)
        await first.stop()
        for number in 6..<6 + new { try writer.write("\(number)") }
        // Another source, without a cursor, shows when all entries are in the file.
        let other = try await source(argument)
        await other.wait { messages($0).contains("\(5 + new)") }
        let second = try await TestSource(
            JournalPlugin.self, "entries", argument: argument, cursor: cursor, objects: objects)
        let event = await second.next()
        #expect(entryCount(event) == min(new, 4))
        #expect(messages(second) == messages(other) && second.objects.count == 4)
        try writer.write("last")
        await second.wait { messages($0).contains("last") }
        await other.wait { messages($0).contains("last") }
        #expect(messages(second) == messages(other) && second.progress == other.progress)
        await second.stop()
        await other.stop()
    }

    /// The number of entries in the event of a resumed source.
    private func entryCount(_ event: DataSourceEvent?) -> Int? {
        switch event {
        case .upTo(_, .ready): 0
        case .upTo(_, .changes(_, let upserts)): upserts.count
        case .upTo(_, .replace(let objects)): objects.count
        default: nil
        }
    }

    @Test(
        "the cursor's entry no longer exists, or the cursor is invalid → the whole list is sent",
        arguments: [true, false])
    func lost(isForeign: Bool) async throws {
        let directory = try JournalDirectory()
        let old = try JournalWriter(directory.path(of: "a"))
        try old.write("old")
        let new = try JournalWriter(directory.path(of: "b"), from: 1_800_000_000_000_000)
        try new.write("new")
        let first = try await source(directory.path)
        await first.wait { messages($0) == ["new", "old"] }
        let (cursor, objects) = (first.progress.cursor, first.objects)
        await first.stop()
        old.end()
        try directory.delete("a")
        let second = try await TestSource(
            JournalPlugin.self, "entries", argument: directory.path,
            cursor: isForeign ? Array("9\nx".utf8) : cursor, objects: objects)
        guard case .upTo(_, .replace) = await second.next() else {
            Issue.record("the whole list was not read")
            return
        }
        #expect(messages(second) == ["new"])
        await second.stop()
    }

    @Test("the directory is empty → the list is empty; the first entry is written → the list has the entry")
    func empty() async throws {
        let directory = try JournalDirectory()
        let source = try await source(directory.path)
        guard case .replace(let objects)? = await source.next() else {
            Issue.record("no list")
            return
        }
        #expect(objects.isEmpty)
        let writer = try JournalWriter(directory.path(of: "a"))
        try writer.write("first")
        await source.wait { messages($0) == ["first"] }
        #expect(source.objects.count == 1)
        await source.stop()
    }

    @Test("the directory is missing → the list's error has the path; the directory is created → the list follows it")
    func missing() async throws {
        let directory = try JournalDirectory()
        try directory.remove()
        let source = try await source(directory.path)
        await source.wait { $0.failure != nil }
        #expect(source.failure == "\(directory.path): No such file or directory")
        try directory.make()
        let writer = try JournalWriter(directory.path(of: "a"))
        try writer.write("back")
        await source.wait { messages($0) == ["back"] }
        #expect(source.failure == nil)
        writer.end()
        try directory.remove()
        await source.wait { $0.failure != nil }
        #expect(source.failure?.contains(directory.path) == true)
        await source.stop()
    }

    @Test("a directory of journal files contains another file → the other file is skipped")
    func damaged() async throws {
        let directory = try JournalDirectory()
        let writer = try JournalWriter(directory.path(of: "a"))
        try writer.write("good")
        try "not a journal at all".write(toFile: directory.path(of: "z"), atomically: false, encoding: .utf8)
        let source = try await source(directory.path)
        await source.wait { messages($0) == ["good"] }
        #expect(source.failure == nil)
        await source.stop()
    }
}
