// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI
import PluginTestSupport
import Testing

@testable import marslink

@Suite("Section controllers of the Mars feed")
struct SectionTests {
    private func list(settings: [String: String] = [:]) throws -> TestList {
        let list = try TestList(
            MarslinkPlugin.self,
            sectionControllers: [
                "journal": "JournalSectionController", "message": "MessageSectionController",
                "weather": "WeatherSectionController",
            ], settings: PluginSettings(settings), size: Size(width: 320, height: 2000))
        try list.update(try Feed(SampleFeed.feed.entries + SampleFeed.messages).objects())
        return list
    }

    private func titles(_ list: TestList, _ id: String) -> [String] {
        list.items(of: id).map { $0.content["title"]?.string ?? "" }
    }

    @Test("a journal entry is shown → one item has the sol, and one has the text, whose height fits the text")
    func journal() throws {
        let list = try list()
        let items = try list.shown(of: "entry-1")
        #expect(items.map(\.reuseIdentifier) == ["journal-date", "journal-text"])
        #expect(items.map(\.frame.size) == [Size(width: 320, height: 30), Size(width: 320, height: 54)])
        #expect(items.first?.content["title"] == "SOL 0")
        #expect(items.last?.content["author"] == "Ines")
        #expect(list.faults.isEmpty)
    }

    @Test("the setting Headings → each section has a header with author and sol, and a journal entry only its text")
    func headings() throws {
        let list = try list(settings: ["Headings": "yes"])
        let items = try list.shown(of: "entry-1")
        #expect(items.map(\.reuseIdentifier) == ["heading", "journal-text"])
        #expect(items.first?.kind == .header && items.first?.content["title"] == "Ines")
        #expect(items.first?.content["sol"] == .int64(0) && items.first?.content["kind"] == "journal")
        #expect(try list.shown(.header, of: "weather-12")?.content["title"] == "Weather")
        #expect(try list.shown(.header, of: "message-1")?.content["title"] == "Ground")
        #expect(list.faults.isEmpty)
    }

    @Test("a message is tapped → the message is marked as read, and a reload of the list keeps the mark")
    func message() throws {
        let list = try list()
        #expect(list.items(of: "message-1").first?.content["read"] == false)
        try list.select(of: "message-1")
        #expect(list.items(of: "message-1").first?.content["read"] == true)
        #expect(list.items(of: "message-2").first?.content["read"] == false)
        try list.perform(.reloadData)
        #expect(list.items(of: "message-1").first?.content["read"] == true)
        #expect(try list.shown(of: "message-1").first?.content["title"] == "GROUND")
    }

    @Test(
        "the actions read and unread → the message's mark changes; another action or section → nothing is handled"
    )
    func actions() throws {
        let list = try list()
        for (action, isRead) in [("read", true), ("unread", false), ("unread", false), ("read", true)] {
            #expect(try list.invoke(action, of: "message-2"))
            #expect(list.items(of: "message-2").first?.content["read"] == .boolean(isRead))
        }
        #expect(try !list.invoke("reply", of: "message-2") && !list.invoke("read", of: "weather-12"))
        #expect(list.faults.isEmpty)
    }

    @Test("the weather is tapped twice → four detail items are inserted, then removed")
    func weather() throws {
        let list = try list()
        list.events = []
        #expect(titles(list, "weather-12") == ["WEATHER, SOL 12"])
        try list.select(of: "weather-12")
        #expect(titles(list, "weather-12").dropFirst() == ["SUNRISE", "SUNSET", "HIGH", "LOW"])
        #expect(try list.shown(of: "weather-12").map(\.frame.size.height) == [70, 30, 30, 30, 30])
        #expect(try list.select(2, of: "weather-12") == false)
        let inserts = list.events.map { if case .updated(let change) = $0 { change.items.inserts.count } else { 0 } }
        #expect(inserts.reduce(0, +) == 4)
        try list.select(of: "weather-12")
        #expect(titles(list, "weather-12").count == 1)
        #expect(list.faults.isEmpty)
    }

    @Test("the weather object is updated → its section stays expanded")
    func weatherUpdate() throws {
        let list = try list()
        try list.select(of: "weather-12")
        var weather = try #require(list.adapter.section(forID: "weather-12").flatMap { list.adapter.object(at: $0) })
        weather = try weather.with(fields: weather.fields.merging(["high": 3]))
        try list.change(upserts: [.init(weather)])
        #expect(list.items(of: "weather-12").map { $0.content["detail"] }.contains("3 °C"))
    }

    @Test("a detail item is dragged → the order of the detail items changes, and a reload keeps the new order")
    func reorder() throws {
        let list = try list()
        try list.select(of: "weather-12")
        try list.moveItem(4, to: 1, of: "weather-12")
        let moved = ["LOW", "SUNRISE", "SUNSET", "HIGH"]
        #expect(titles(list, "weather-12").dropFirst() == moved[...])
        try list.moveItem(0, to: 2, of: "weather-12")
        try list.moveItem(2, to: 0, of: "weather-12")
        #expect(titles(list, "weather-12").dropFirst() == moved[...])
        try list.perform(.reloadData)
        #expect(titles(list, "weather-12").dropFirst() == moved[...])
        #expect(list.faults.isEmpty)
    }

    @Test("an object lacks the expected fields → only that object's section reports a fault")
    func otherObjects() throws {
        let list = try list()
        try list.update(
            ["journal", "message", "weather"].map { try ListObject(id: $0, type: $0) }
                + [try SampleFeed.messages[0].object()])
        #expect(list.faults.map(\.objectID).sorted() == ["journal", "message", "weather"])
        #expect(list.items(of: "message-1").count == 1)
    }
}
