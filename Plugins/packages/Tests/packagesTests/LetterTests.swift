// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import PluginTestSupport
import Testing

@testable import packages

@Suite("Sections of packages by letter")
struct LetterTests {
    private func objects(_ stanzas: String...) throws -> [ListObject] {
        try Letters(StatusFile(Array(stanzas.joined().utf8)).packages).objects()
    }

    @Test("a letter has packages → each package has a row, below a header with the number of packages")
    func rows() throws {
        let list = try TestList(PackagesPlugin.self, size: Size(width: 300, height: 400))
        try list.update(try objects(stanza("apt", size: 4140), stanza("adduser"), stanza("bash")))
        let rows = try list.shown(of: "a").filter { $0.kind == .cell }
        #expect(rows.map { $0.content["title"] } == ["adduser", "apt"])
        #expect(rows.map { $0.content["detail"] } == ["1.0-1", "1.0-1, 4.2 MB"])
        #expect(rows.map(\.frame.size) == [Size(width: 300, height: 52), Size(width: 300, height: 52)])
        #expect(rows.first?.content["summary"] == "what adduser is for")
        let header = try #require(try list.shown(.header, of: "a"))
        #expect(header.content == ["title": "A", "detail": "2 packages"])
        #expect(header.frame == Rect(x: 0, y: 0, width: 300, height: 28))
        #expect(try list.shown(.header, of: "b")?.content["detail"] == "1 package")
        #expect(list.faults.isEmpty)
    }

    @Test(
        "a package is added and another one is upgraded → a row is inserted, a row is reloaded, the header is updated")
    func changes() throws {
        let list = try TestList(PackagesPlugin.self)
        try list.update(try objects(stanza("adduser"), stanza("awk")))
        let change = try list.update(
            try objects(stanza("adduser"), stanza("apt"), stanza("awk", version: "3")))
        #expect(change?.sections.isEmpty == true)
        #expect(change?.items.inserts.count == 1)
        #expect(change?.items.reloads.count == 1)
        #expect(try list.shown(.header, of: "a")?.content["detail"] == "3 packages")
    }

    @Test("sticky headers, and a viewport inside a letter's section → the section's header stays at the top")
    func sticky() throws {
        let list = try TestList(PackagesPlugin.self, size: Size(width: 300, height: 200)) { $0.stickyHeaders = true }
        try list.update(try objects((0..<50).map { stanza("a\(100 + $0)") }.joined(), stanza("bash")))
        try list.scroll(to: Point(x: 0, y: 1000))
        #expect(try list.shown(.header, of: "a")?.frame.origin.y == 1000)
    }

    @Test("an object has no packages → its section has no rows and no fault")
    func otherObjects() throws {
        let list = try TestList(PackagesPlugin.self)
        try list.update([
            ListObject(id: "x"), ListObject(id: "y", fields: ["packages": [1, "a", ["name": "no id"]]]),
        ])
        #expect(list.items(of: "x").isEmpty)
        #expect(list.items(of: "y").isEmpty)
        #expect(list.faults.isEmpty)
    }

    @Test("a list is horizontal → its items are as high as the viewport")
    func sideways() throws {
        let list = try TestList(PackagesPlugin.self, size: Size(width: 300, height: 200)) { $0.direction = .horizontal }
        try list.update(try objects(stanza("a")))
        let row = try #require(try list.shown(of: "a").first { $0.kind == .cell })
        #expect(row.frame.size == Size(width: 52, height: 200))
    }
}
