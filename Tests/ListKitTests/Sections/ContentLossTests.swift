// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Content that built-in section controllers cannot show")
struct ContentLossTests {
    /// The losses that a list has found, as announcements have them.
    private struct Losses {
        private let presentation: Presentation

        init(of adapter: ListAdapter) {
            presentation = adapter.presentation
            presentation.collectLosses()
        }

        func drain() -> [ContentLoss] { presentation.takeLosses() }
    }

    private static func items(_ items: Fields...) -> Value {
        .array(element: "a{sv}", items.map { fields in Value(Dictionary(fields.map { ($0.key, $0.value) }) { $1 }) })
    }

    @Test(
        "a size or spacing is not a finite number → the reported loss has its key",
        arguments: [
            (["inset": Value(["top": "1"])], "inset.top"), (["inset": Value(["left": .double(.nan)])], "inset.left"),
            (["inset": Value(["bottom": true])], "inset.bottom"),
            (["inset": Value(["right": .double(.infinity)])], "inset.right"),
            (["line-spacing": "wide"], "line-spacing"), (["interitem-spacing": "wide"], "interitem-spacing"),
            (["header": Value(["height": "tall", "width": 3])], "header.height"),
            (["footer": Value(["height": .double(-.infinity)])], "footer.height"),
            (["items": Self.items(["id": "a"], ["id": "b", "width": "1"])], "items[1].width"),
            (["items": Self.items(["id": "a", "height": .double(.nan)])], "items[0].height"),
        ] as [(Fields, String)])
    func sizes(fields: Fields, key: String) throws {
        let list = TestHost(names: ["*": "listd/binding"])
        let losses = Losses(of: list.adapter)
        try list.update([try ListObject(id: "a", fields: fields)])
        #expect(losses.drain() == [ContentLoss(reason: .notANumber, count: 1, objectID: "a", key: key)])
    }

    @Test(
        "numbers have any type or sign, or keys are not used by the layout → no loss is reported",
        arguments: [
            ["line-spacing": -3, "interitem-spacing": .byte(3), "inset": Value(["top": .uint64(.max), "left": -0.5])],
            ["header": Value(["width": "wide", "height": 0]), "footer": "none", "inset": 5, "items": 5],
            ["items": Self.items(["id": "a", "x": "left", "z": .double(.nan), "width": .int16(-1)])], [:],
        ] as [Fields])
    func nothing(fields: Fields) throws {
        let list = TestHost(names: ["*": "listd/binding"])
        let losses = Losses(of: list.adapter)
        try list.update([try ListObject(id: "a", fields: fields)])
        #expect(losses.drain().isEmpty)
    }

    @Test("the layout is horizontal or absolute → losses of header widths or positions are reported")
    func otherLayouts() throws {
        let header: Fields = ["header": Value(["width": "wide", "height": "tall"])]
        let row = TestHost(names: ["*": "listd/binding"]) { $0.direction = .horizontal }
        var losses = Losses(of: row.adapter)
        try row.update([try ListObject(id: "a", fields: header)])
        #expect(losses.drain().map(\.key) == ["header.width"])
        let places = TestHost(names: ["*": "listd/binding"]) { $0.layout = .absolute }
        losses = Losses(of: places.adapter)
        try places.update([try ListObject(id: "a", fields: ["items": Self.items(["id": "a", "y": "top", "z": true])])])
        #expect(losses.drain() == [ContentLoss(reason: .notANumber, count: 2, objectID: "a", key: "items[0].y")])
    }

    @Test("several objects of an update have losses → each reason has one report, with the count and the first object")
    func manyObjects() throws {
        let list = TestHost(names: ["single": "listd/single", "*": "listd/binding"])
        let losses = Losses(of: list.adapter)
        let bad = Self.items(["id": "a"], ["id": "a"], [:], ["id": 1], ["id": "b", "height": "1"])
        let objects = [
            try ListObject(id: "fine", type: "single", fields: ["width": 1]),
            try ListObject(id: "first", fields: ["items": bad]),
            try ListObject(id: "second", fields: ["items": .array(element: "v", [.variant(1), .variant("a")])]),
            try ListObject(id: "third", type: "single", fields: ["height": "1"]),
        ]
        try list.update(objects)
        #expect(
            losses.drain() == [
                ContentLoss(reason: .repeatedItemID, count: 1, objectID: "first", key: "items[1].id"),
                ContentLoss(reason: .noItemID, count: 4, objectID: "first", key: "items[2].id"),
                ContentLoss(reason: .notANumber, count: 2, objectID: "first", key: "items[4].height"),
            ])
        // Displaying, reloading, moving or rewriting an unchanged object does not report its losses again.
        _ = try list.open()
        try list.update(objects.reversed())
        list.enqueue(.reloadObjects(["first", "third"]))
        list.enqueue(.reloadData)
        list.flush()
        #expect(losses.drain().isEmpty)
        list.enqueue(.patchObject(id: "third", set: ["n": 1], unset: []))
        list.flush()
        #expect(losses.drain() == [ContentLoss(reason: .notANumber, count: 1, objectID: "third", key: "height")])
    }
}
