// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

@testable import listctl

/// A fake list that answers reads as listd does, and may change after every answer.
private struct ReadList {
    var objects: [(id: String, items: [String])]
    var revision: UInt64 = 1
    /// The maximum number of objects in an answer.
    var most = 1024
    /// The change of the list after each answer.
    var change: (inout ReadList) -> Void = { _ in }
    var answers = 0

    private func range(_ section: Int, _ count: Int) -> Range<Int> {
        let first = min(section, objects.count)
        return first..<min(objects.count, first + min(count, most))
    }

    mutating func read(_ section: Int, _ count: Int) -> Search.ReadPart {
        let (objectRevision, total) = (revision, objects.count)
        let read = range(section, count).map { MirroredObject(id: objects[$0].id, type: "", fields: [:]) }
        answer()
        let range = range(section, read.count)
        let items = range.flatMap { section in
            objects[section].items.enumerated().map { (index, text) in
                Search.ReadPart.Item(UInt32(section), "", UInt32(index), "", ["title": .string(text)] as Content)
            }
        }
        let part = Search.ReadPart(
            objects: read, total: total, items: items, next: range.isEmpty ? section : range.upperBound,
            isConsistent: revision == objectRevision)
        answer()
        return part
    }

    private mutating func answer() {
        answers += 1
        change(&self)
    }

    /// Returns the result of a search; `nil` when the search does not end.
    mutating func find(_ text: String, behind start: Search.Position?) -> Search.NextRead? {
        find(Search.Query(text: text, start: start))
    }

    mutating func find(_ query: Search.Query) -> Search.NextRead? {
        var search = Search(query)
        var step = search.first
        for _ in 0..<100_000 {
            guard case .read(let section, let count) = step else { return step }
            step = search.consume(read(section, count))
        }
        return nil
    }
}

@Suite("Searching the items of a list")
struct SearchTests {
    /// Returns the expected hit, found as simply as possible.
    private func expectedStep(_ list: ReadList, _ query: Search.Query) -> Search.NextRead {
        let text = query.text
        let hits = list.objects.enumerated().flatMap { section, object in
            object.items.enumerated().compactMap { item, title -> Search.Hit? in
                guard title.contains(text) || item == 0 && object.id.contains(text) else { return nil }
                return Search.Hit(
                    objectID: object.id, position: Search.Position(section: section, part: .item(UInt32(item))))
            }
        }
        let onTheWay = query.isBackwards ? hits.reversed() : hits
        let ahead = onTheWay.first { hit in
            guard let start = query.start else { return true }
            if hit.position == start { return query.includesStart }
            return query.isBackwards ? hit.position < start : hit.position > start
        }
        let hit = ahead ?? onTheWay.first
        return hit.map { .found($0) } ?? .notFound
    }

    @Test(
        "random unchanging lists → a search finds the next or previous item with the text, wrapping around at the ends",
        arguments: 1...40)
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let objects = (0..<Int.random(in: 0...12, using: &random)).map { section in
                (
                    id: "o\(section)",
                    items: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        ["a", "b", "ab", ""][Int.random(in: 0..<4, using: &random)]
                    }
                )
            }
            var list = ReadList(objects: objects, most: Int.random(in: 1...5, using: &random))
            let parts: [Search.SectionPart] = [.header, .item(0), .item(1), .footer]
            let start: Search.Position? =
                Bool.random(using: &random)
                ? nil
                : Search.Position(
                    section: Int.random(in: 0...12, using: &random), part: parts[Int.random(in: 0..<4, using: &random)])
            for text in ["a", "ab", "o3", "nowhere"] {
                let query = Search.Query(
                    text: text, start: start, includesStart: Bool.random(using: &random),
                    isBackwards: Bool.random(using: &random))
                #expect(list.find(query) == expectedStep(list, query), "seed \(seed), \(query)")
            }
        }
    }

    @Test(
        "every answer of a search has another revision → the search ends with a hit that exists",
        arguments: ["t4900", "nowhere"])
    func changing(text: String) {
        var list = ReadList(objects: (0..<5000).map { (id: "o\($0)", items: ["t\($0)"]) })
        list.change = { $0.revision += 1 }
        let hit = Search.Hit(objectID: "o4900", position: Search.Position(section: 4900, part: .item(0)))
        #expect(list.find(text, behind: nil) == (text == "nowhere" ? .notFound : .found(hit)))
        #expect(list.answers < 100)
    }

    @Test(
        "the list changes between some answers of a search → the search still finds the right object",
        arguments: 1...20)
    func sometimes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var list = ReadList(objects: (0..<3000).map { (id: "o\($0)", items: ["t\($0)"]) })
        list.change = { list in
            guard Int.random(in: 0..<4, using: &random) == 0 else { return }
            list.revision += 1
            list.objects.insert((id: "new\(list.revision)", items: ["new"]), at: 0)
        }
        guard case .found(let hit) = list.find("t2500", behind: nil) else {
            Issue.record("the search found nothing")
            return
        }
        #expect(hit.objectID == "o2500")
    }

    @Test("the list becomes shorter than the search position → the search ends")
    func shrinks() {
        var list = ReadList(objects: (0..<5000).map { (id: "o\($0)", items: ["t\($0)"]) })
        list.change = { list in
            list.revision += 1
            list.objects.removeLast(min(500, list.objects.count))
        }
        #expect(list.find("nowhere", behind: Search.Position(section: 4000, part: .item(0))) == .notFound)
    }

    private func shown(_ slot: UInt32, _ kind: String, section: UInt32, y: Double, _ title: String) -> Picture.Shown {
        Picture.Shown(
            slot: slot, objectID: "o\(section)", section: section, item: 0, kind: kind, reuseIdentifier: "",
            frame: Frame(x: 0, y: y, width: 40, height: 44), z: 0, content: ["title": .string(title)])
    }

    /// Returns a viewer of four sections, each of which has a header, an item and a footer.
    private func viewer() -> ViewerState {
        var state = ViewerState(title: "x", columns: 44, rows: 13)
        _ = state.handle(.opened)
        let items = (0..<UInt32(4)).flatMap { section -> [Picture.Shown] in
            let y = Double(section) * 132
            return [
                shown(section * 3, "header", section: section, y: y, "H\(section)"),
                shown(section * 3 + 1, "cell", section: section, y: y + 44, "cell \(section)"),
                shown(section * 3 + 2, "footer", section: section, y: y + 88, "foot \(section)"),
            ]
        }
        _ = state.handle(
            .shown(
                Picture(
                    sequence: 1, revision: 1, contentSize: Extent(width: 40, height: 4 * 132),
                    offset: Position(x: 0, y: 0), shown: items)))
        while !state.browser.hasArrived { _ = state.handle(.answered) }
        return state
    }

    private func search(_ text: String, _ state: inout ViewerState) throws -> Search.Query {
        _ = state.type("/" + text)
        return try #require(state.press(.enter).query)
    }

    @Test("only a header or footer on the screen has the text → the cursor moves there, and the key n finds it again")
    func headersAndFooters() throws {
        for (text, row) in [("H1", 3), ("foot 0", 2)] {
            var state = viewer()
            var query = try search(text, &state)
            for _ in 0..<2 {
                #expect(state.handle(.found(query, nil)) == [.draw])
                #expect(state.notices.message.hasPrefix("/\(text)"))
                #expect(state.browser.cursor.row == row)
                #expect(state.browser.scroller.top == 0)
                query = try #require(state.press(.character("n")).query)
            }
        }
    }

    @Test(
        "items, headers and footers contain the text → they are found in list order; the key N → it searches backwards"
    )
    func order() throws {
        var state = viewer()
        var query = try search("1", &state)
        let cell = Search.Hit(objectID: "o1", position: Search.Position(section: 1, part: .item(0)))
        for part in [Search.SectionPart.header, .item(0), .footer, .header] {
            _ = state.handle(.found(query, cell))
            query = try #require(state.press(.character("n")).query)
            #expect(query == Search.Query(text: "1", start: Search.Position(section: 1, part: part)))
        }
        query.isBackwards = true
        #expect(state.press(.character("N")).query == query)
        for part in [Search.SectionPart.footer, .item(0), .header, .footer] {
            _ = state.handle(.found(query, cell))
            query = try #require(state.press(.character("N")).query)
            #expect(query.start == Search.Position(section: 1, part: part))
        }
    }

    @Test("a hit for an outdated search text arrives → the hit is ignored")
    func late() throws {
        var state = viewer()
        let query = try #require(state.type("/c").query)
        _ = state.type("x")
        let hit = Search.Hit(objectID: "o3", position: Search.Position(section: 3, part: .item(0)))
        #expect(state.handle(.found(query, hit)) == [])
        #expect(state.browser.cursor.row == 1)
    }

    @Test("a search text is typed, then cancelled → the cursor moves to the hit, then back to its old position")
    func givesUp() throws {
        var state = viewer()
        let query = try #require(state.type("/cell 2").query)
        #expect(query.includesStart && !query.isThorough && query.start?.section == 0)
        let hit = Search.Hit(objectID: "o2", position: Search.Position(section: 2, part: .item(0)))
        _ = state.handle(.found(query, hit))
        #expect(state.browser.cursor.row == 7)
        #expect(state.marked == "cell 2")
        _ = state.press(.escape)
        #expect(state.browser.cursor.row == 1)
        #expect(state.marked.isEmpty)
        #expect(state.mode == .browsing)
    }

    @Test("Enter is pressed when the hit is on the screen → it is not searched again, and the next key moves from it")
    func accepts() throws {
        var state = viewer()
        let query = try #require(state.type("/cell 2").query)
        let hit = Search.Hit(objectID: "o2", position: Search.Position(section: 2, part: .item(0)))
        _ = state.handle(.found(query, hit))
        #expect(state.press(.enter) == [.draw])
        #expect(state.mode == .browsing)
        #expect(state.notices.message.hasPrefix("/cell 2"))
        let row = state.browser.cursor.row
        _ = state.type("j")
        #expect(state.browser.cursor.row > row)
    }

    @Test("the hit is a floating header on the screen → the screen does not scroll")
    func floatingHeader() throws {
        var state = ViewerState(title: "x", columns: 44, rows: 5)
        _ = state.handle(.opened)
        let items =
            [shown(9, "header", section: 0, y: 44, "H0")]
            + (0..<UInt32(4)).map { index in
                var item = shown(index, "cell", section: 0, y: Double(index) * 44, "cell")
                item.item = index
                return item
            }
        _ = state.handle(
            .shown(
                Picture(
                    sequence: 1, revision: 1, contentSize: Extent(width: 40, height: 440),
                    offset: Position(x: 0, y: 44), shown: items, shift: Position(x: 0, y: 44))))
        _ = state.handle(.answered)
        let query = try search("H0", &state)
        #expect(state.handle(.found(query, nil)) == [.draw])
        #expect(state.notices.message.hasPrefix("/H0"))
    }
}
