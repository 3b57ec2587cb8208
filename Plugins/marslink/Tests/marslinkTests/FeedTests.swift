// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import Testing

@testable import marslink

@Suite("The Mars feed")
struct FeedTests {
    private func feed(_ lines: String...) -> Feed { Feed(lines: Data(lines.joined(separator: "\n").utf8)) }

    private func message(_ id: String, _ date: String, text: String = "") -> String {
        #"{"kind":"message","id":"\#(id)","date":"\#(date)","author":"Ground","text":"\#(text)"}"#
    }

    @Test("lines of all kinds → a single list with the newest object first, and the right type for each object")
    func order() throws {
        let feed = feed(
            message("b", "2035-11-07T10:00:00Z"),
            #"{"kind":"weather","id":"w","date":"2035-11-08T10:00:00Z","high":1,"low":-70,"sunrise":"5","sunset":"6","condition":"dusty"}"#,
            #"{"kind":"journal","id":"j","date":"2035-11-06T10:00:00+01:00","author":"Ines","text":"Hello"}"#,
            message("a", "2035-11-07T10:00:00Z"))
        let objects = try feed.objects()
        #expect(objects.map(\.id) == ["w", "a", "b", "j"])
        #expect(objects.map(\.type) == ["weather", "message", "message", "journal"])
        #expect(objects.last?.fields["date"] == .int64(2_077_952_400_000_000))
        #expect(objects.last?.fields["text"] == "Hello")
    }

    @Test("an entry is converted to an object and back → the entry is unchanged")
    func roundTrip() throws {
        for object in try (SampleFeed.feed.objects() + SampleFeed.messages.map { try $0.object() }) {
            let again =
                switch object.type {
                case JournalEntry.listType: try JournalEntry(object).listObject()
                case Message.listType: try Message(object).listObject()
                default: try Weather(object).listObject()
                }
            #expect(again.hasSameContent(as: object))
        }
    }

    @Test(
        "a malformed line → the line is skipped, and its number and the reason are recorded",
        arguments: [
            ("{", "the line is not JSON"), ("[]", "the line has the wrong type"),
            (#"{"id":"x"}"#, "the key “date” is missing"),
            (#"{"kind":"tweet","id":"x","date":"2035-11-07T10:00:00Z"}"#, "the key “kind” cannot be read"),
            (#"{"kind":"message","id":"x","date":"yesterday"}"#, "the key “date” cannot be read"),
            (#"{"kind":"message","id":"x","date":"2035-11-07T10:00:00Z","author":"a"}"#, "the key “text” is missing"),
            (#"{"kind":"message","id":7}"#, "the key “id” has the wrong type"),
        ])
    func fault(line: String, reason: String) {
        let feed = feed(message("a", "2035-11-07T10:00:00Z"), "", line, "  ")
        #expect(feed.entries.map(\.id) == ["a"])
        #expect(feed.faults == [.init(line: 3, reason: reason)])
    }

    @Test("two lines with the same identifier → the later line is used")
    func repeated() throws {
        let feed = feed(
            message("a", "2035-11-07T10:00:00Z", text: "old"), message("a", "2035-11-06T10:00:00Z", text: "new"))
        #expect(try feed.objects().map { $0.fields["text"] } == ["new"])
    }

    @Test("entries are inserted one by one → the position of each upsert matches the order of the whole feed")
    func inserts() throws {
        var feed = SampleFeed.feed
        var ids = feed.entries.map(\.id)
        for entry in SampleFeed.messages.reversed() {
            let upsert = try feed.insert(entry)
            switch upsert.position {
            case .first: ids.insert(upsert.object.id, at: 0)
            case .after(let id): ids.insert(upsert.object.id, at: try #require(ids.firstIndex(of: id)) + 1)
            default: Issue.record("\(upsert.position)")
            }
            #expect(ids == feed.entries.map(\.id))
        }
        #expect(feed == Feed(SampleFeed.feed.entries + SampleFeed.messages))
    }

    @Test(
        "hours since the landing are converted to sols → a sol has 24 hours and 37 minutes",
        arguments: [(0.0, 0), (24.6, 0), (24.62, 1), (246.2, 10), (-1, -1)])
    func sols(hours: Double, sol: Int) {
        let calendar = SolCalendar(landing: SampleFeed.landing)
        #expect(calendar.sol(of: SampleFeed.landing.addingTimeInterval(hours * 3600)) == sol)
    }

    @Test("a time is beyond the range of numbers → its sol is 0, and its date is clamped")
    func endOfTime() {
        #expect(SolCalendar(landing: SampleFeed.landing).sol(of: .distantFuture) > 10_000)
        #expect(SolCalendar(landing: SampleFeed.landing).sol(of: Date(timeIntervalSince1970: 1e300)) == 0)
        #expect(Date(timeIntervalSince1970: 1e300).value == .int64(.max))
    }

    @Test(
        "a text is wrapped at ten characters → its number of lines counts breaks between words and in long words",
        arguments: [
            ("", 1), ("0123456789", 1), ("01234 6789", 1), ("01234 67890", 2), ("one two three four", 2),
            ("0123456789a", 2), ("x 012345678901234567890123456789", 4),
        ])
    func lines(text: String, count: Int) {
        #expect(TextSize.lineCount(of: text, charactersPerLine: 10) == count)
    }

    @Test(
        "a row's width is zero, negative or not finite → its height is finite",
        arguments: [0, -5, 1, .infinity, -.infinity, .nan] as [Double])
    func strangeWidth(width: Double) {
        #expect(TextSize.height(of: "some words", width: width).isFinite)
    }
}
