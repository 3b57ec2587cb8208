// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Built-in controllers listd/single and listd/binding")
struct BuiltInControllerTests {
    @Test(
        "listd/single shows an object → its reuse identifier and size are those that the contract defines",
        arguments: [
            (["a": 1], "", "single", Size(width: 100, height: 44)),
            (["a": 1], "mail", "mail", Size(width: 100, height: 44)),
            (["reuse": "row", "height": 10], "mail", "row", Size(width: 100, height: 10)),
            (["width": .uint16(30), "height": .byte(7)], "", "single", Size(width: 30, height: 7)),
            (["width": -5, "height": .double(.nan)], "", "single", Size(width: 0, height: 44)),
            (["width": "wide", "height": .double(.infinity)], "", "single", Size(width: 100, height: 44)),
            (["reuse": 3], "x", "x", Size(width: 100, height: 44)),
            (["reuse": ""], "x", "", Size(width: 100, height: 44)),
        ] as [(Fields, String, String, Size)])
    func single(fields: Fields, type: String, reuse: String, size: Size) throws {
        let list = TestHost([try ListObject(id: "a", type: type, fields: fields)])
        _ = try list.open { $0.buffer = 20 }
        let picture = try list.adapter.resync(view: 1)
        let item = list.adapter.items(inSection: 0).first
        #expect(item?.reuseIdentifier == reuse)
        #expect(item?.content == fields)
        if size.width > 0 { #expect(picture.items.first?.frame.size == size) }
    }

    @Test("a list of single items is horizontal → its items are 44 wide and as high as the viewport")
    func horizontal() throws {
        let list = TestHost(try objects("a", "b")) { $0.direction = .horizontal }
        let screen = try list.open()
        #expect(
            screen.items.map(\.frame) == [
                Rect(x: 0, y: 0, width: 44, height: 100), Rect(x: 44, y: 0, width: 44, height: 100),
            ])
    }

    @Test("the layout is absolute → frame and z come from the fields x, y, width, height and z")
    func absolute() throws {
        let one: Fields = ["x": 10, "y": 20, "width": 30, "height": 40, "z": 5]
        let list = TestHost([try ListObject(id: "a", fields: one), try ListObject(id: "b", fields: ["y": 60])]) {
            $0.layout = .absolute
        }
        let screen = try list.open()
        #expect(
            screen.items.map(\.frame) == [
                Rect(x: 10, y: 20, width: 30, height: 40), Rect(x: 0, y: 60, width: 100, height: 44),
            ])
        #expect(screen.items.map(\.z) == [5, 0])
    }

    static func binding(_ ids: String, _ more: Fields = [:], id: String = "s") throws -> ListObject {
        let items = ids.map { Value(["id": .string(String($0)), "height": 10.0]) }
        return try ListObject(id: id, type: "binding", fields: more.merging(["items": .array(element: "a{sv}", items)]))
    }

    @Test("items have no identifier or a repeated one → they are dropped")
    func items() throws {
        let list = TestHost(
            [
                try ListObject(
                    id: "s", type: "binding",
                    fields: [
                        "items": .array(
                            element: "v",
                            [
                                .variant(Value(["id": "a", "reuse": "r"])), .variant("no dictionary"),
                                .variant(Value(["x": 1])),
                                .variant(Value(["id": "a", "x": 2])), .variant(.variant(Value(["id": "b"]))),
                                .variant(Value(["id": 3])),
                            ])
                    ]),
                try Self.binding("xy", id: "t"), try ListObject(id: "u", type: "binding", fields: ["items": 5]),
            ], names: ["*": "listd/binding"])
        #expect(list.itemCounts == [2, 2, 0])
        let items = list.adapter.items(inSection: 0)
        #expect(items.map(\.identity) == ["a", "b"])
        #expect(items.map(\.reuseIdentifier) == ["r", "binding"])
        #expect(items.map(\.content) == [["id": "a", "reuse": "r"], ["id": "b"]])
    }

    @Test("an object has fields for inset, spacings, header and footer → the flow layout has the corresponding frames")
    func geometry() throws {
        let more: Fields = [
            "inset": Value(["top": 5.0, "left": 10.0, "bottom": 3.0, "right": .byte(10)]), "line-spacing": 2.0,
            "header": Value(["height": 12.0, "t": "head"]), "footer": Value(["height": 8, "reuse": "end"]),
        ]
        let list = TestHost([try Self.binding("ab", more)], names: ["binding": "listd/binding"])
        let screen = try list.open()
        #expect(screen.items.map(\.kind) == [.header, .cell, .cell, .footer])
        #expect(screen.items.map(\.reuseIdentifier) == ["header", "binding", "binding", "end"])
        #expect(screen.items.map(\.frame.minY) == [5, 17, 29, 39])
        #expect(screen.items.map(\.frame.size.width) == [80, 80, 80, 80])
        #expect(screen.contentSize.height == 50)
        #expect(screen.items.first?.content == ["height": 12.0, "t": "head"])
    }

    @Test(
        "a type has no controller → that of * is used, else listd/single; it has an unknown one → listd/single is used")
    func fallback() throws {
        let objects = [try Self.binding("ab"), try ListObject(id: "o", type: "other", fields: [:])]
        #expect(TestHost(objects).itemCounts == [1, 1])
        #expect(TestHost(objects, names: ["*": "listd/binding"]).itemCounts == [2, 0])
        #expect(TestHost(objects, names: ["other": "no/such", "*": "listd/binding"]).itemCounts == [2, 1])
    }

    @Test(
        "an object of a binding section changes → its items change by identity, or are rebound in place",
        .rule("BN-15", "BN-16")
    )
    func diff() throws {
        let list = TestHost(
            [try ListObject(id: "front"), try Self.binding("abcd")], names: ["binding": "listd/binding"])
        var screen = try list.open()
        let slots = Dictionary(
            uniqueKeysWithValues: screen.items.dropFirst().map { ($0.content["id"]?.string ?? "", $0.slot) })
        let items = ["c", "b", "e", "a"].map {
            Value(["id": .string($0), "height": 10.0, "v": .int64($0 == "b" ? 1 : 0)])
        }
        let changed = try ListObject(id: "s", type: "binding", fields: ["items": .array(element: "a{sv}", items)])
        let result = try list.update([changed])
        screen.receive(result.events)
        let transaction = try #require(result.transaction)
        #expect(transaction.sections.deletes == [IndexRun(first: 0, length: 1)])
        #expect(transaction.sections.reloads.isEmpty)
        #expect(transaction.items.deletes == [ItemPlace(section: 1, item: 3)])
        #expect(transaction.items.inserts == [ItemPlace(section: 0, item: 2)])
        #expect(transaction.items.reloads.count == 3)
        for item in screen.items where item.content["id"] != "e" {
            #expect(item.slot == slots[item.content["id"]?.string ?? ""])
        }
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("an object changes without a change of its items → its section is reloaded")
    func unchangedItems() throws {
        let list = TestHost([try Self.binding("ab")], names: ["binding": "listd/binding"])
        let transaction = try list.update([try Self.binding("ab", ["line-spacing": 5.0])]).transaction
        #expect(transaction?.sections.reloads == [IndexRun(first: 0, length: 1)])
        #expect(transaction?.items.isEmpty == true)
    }

    @Test(
        "a list has a million single objects → only sections that are displayed, in range or requested have controllers"
    )
    func lazyControllers() throws {
        let list = TestHost(try (0..<20_000).map { try ListObject(id: "o\($0)") }) { $0.workingRange = 1 }
        func count() -> Int {
            list.adapter.debugDescriptionLines.first { $0.contains("section controllers") }.flatMap {
                Int($0.split(separator: " ")[0])
            } ?? -1
        }
        #expect(count() == 0)
        _ = try list.open()
        #expect(count() == 4)
        for y in stride(from: 0.0, to: 40_000, by: 1000) {
            _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: y, width: 100, height: 100))
            #expect(count() <= 6)
        }
        _ = list.adapter.items(inSection: 19_000)
        #expect(count() <= 6)
        _ = try list.adapter.closeView(1)
        #expect(count() == 0)
    }
}
