// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("reorder.json: dragging items and sections", .rule("AD-137...AD-146", "BN-21"))
struct ReorderVectorTests {
    static func cases() throws -> [JSON] { try Vectors.load("reorder")["cases"]?.array ?? [] }

    final class Movable: LetterController {
        var isMovable = true
        override func canMoveItem(at index: Int) -> Bool { isMovable }
        override func moveItem(from source: Int, to destination: Int) {
            letters.insert(letters.remove(at: source), at: destination)
        }
    }

    static func path(_ json: JSON?) -> IndexPath {
        IndexPath(section: json?[0]?.integer ?? -1, item: json?[1]?.integer ?? -1)
    }

    @Test(
        "an item is dragged → the order is that of the test vector, announced as moves or as a reload",
        .rule("RU-11", "RU-12", "UP-24"),
        arguments: try cases(), [ListOptions.Updater.batch, .reload])
    func vector(vector: JSON, updater: ListOptions.Updater) throws {
        if vector["sectionItemCounts"] != nil { return try sections(vector, updater) }
        if let models = vector["viewModels"]?.array { return try binding(vector, models, updater) }
        if let both = vector["sections"]?.array { return try across(vector, both, updater) }
        try inside(vector, updater)
    }

    /// Drags sections of one item, whose names are their original indexes.
    private func sections(_ vector: JSON, _ updater: ListOptions.Updater) throws {
        let list = TestHost(try (0..<3).map { try ListObject(id: "\($0)") }) { $0.updater = updater }
        var mirror = Mirror(list.adapter)
        let drag = vector["drag"]
        let moves =
            vector["moves"]?.array ?? [
                .object([
                    "from": drag?["from"] ?? .null, "dropTarget": drag?["hovered"]?.array?.last ?? .null,
                    "expectedOrder": vector["expectedOrder"] ?? .null,
                ])
            ]
        for move in moves {
            let from = Self.path(move["from"])
            let to = ListReordering.destination(
                from: from, droppedAt: Self.path(move["dropTarget"]),
                itemCount: { list.adapter.itemCount(inSection: $0) })
            let answer = try list.perform(.moveItem(from: from, to: try #require(to)))
            #expect(!answer.isRefused && answer.errorCode == nil)
            for case .updated(let transaction) in list.takeEvents() {
                try mirror.apply(transaction, from: list.adapter)
            }
            #expect(list.ids == move["expectedOrder"]?.array?.compactMap(\.integer).map(String.init))
            mirror.expectEqual(to: list.adapter)
        }
    }

    private func inside(_ vector: JSON, _ updater: ListOptions.Updater) throws {
        let letters = (vector["section"]?.array ?? []).compactMap(\.string).joined()
        let isMovable = vector["reorderable"]?.boolean == true
        let list = TestHost(
            [try ListKitTests.letters("s:\(letters)")],
            provider: ScriptedProvider { _ in
                let controller = Movable(log: EventList())
                controller.isMovable = isMovable
                return controller
            }, configure: { $0.updater = updater })
        for move in vector["moves"]?.array ?? [] {
            let answer = try list.perform(
                .moveItem(
                    from: IndexPath(section: 0, item: move["from"]?.integer ?? 0),
                    to: IndexPath(section: 0, item: move["to"]?.integer ?? 0)))
            #expect(answer.isRefused == !isMovable)
            #expect(list.controller("s")?.letters == move["expected"]?.array?.compactMap(\.string))
        }
    }

    private func across(_ vector: JSON, _ both: [JSON], _ updater: ListOptions.Updater) throws {
        let texts = both.enumerated().map { "s\($0):" + ($1.array ?? []).compactMap(\.string).joined() }
        let list = TestHost(
            try texts.map { try letters($0) }, provider: ScriptedProvider { _ in Movable(log: EventList()) },
            configure: { $0.updater = updater })
        let answer = try list.perform(.moveItem(from: Self.path(vector["from"]), to: Self.path(vector["to"])))
        #expect(answer.isRefused && answer.revision == 0)
        let after = ["s0", "s1"].compactMap { list.controller($0)?.letters }
        #expect(after == vector["expectedSections"]?.array?.map { ($0.array ?? []).compactMap(\.string) })
    }

    private func binding(_ vector: JSON, _ models: [JSON], _ updater: ListOptions.Updater) throws {
        func name(_ json: JSON) -> String { json.string ?? json.integer.map(String.init) ?? "" }
        let items = models.map { Value(["id": .string(name($0))]) }
        let list = TestHost(
            [try ListObject(id: "s", type: "b", fields: ["items": .array(element: "a{sv}", items)])],
            names: ["b": "listd/binding"], configure: { $0.updater = updater })
        var mirror = Mirror(list.adapter)
        for move in vector["moves"]?.array ?? [] {
            try list.perform(
                .moveItem(
                    from: IndexPath(section: 0, item: move["from"]?.integer ?? 0),
                    to: IndexPath(section: 0, item: move["to"]?.integer ?? 0)))
            for case .updated(let transaction) in list.takeEvents() {
                try mirror.apply(transaction, from: list.adapter)
            }
            #expect(list.adapter.items(inSection: 0).map(\.identity) == move["expected"]?.array?.map(name))
            mirror.expectEqual(to: list.adapter)
        }
    }

    @Test(
        "an item's origin or target is out of range → NoSuchItem; the expected revision is wrong too → RevisionConflict"
    )
    func outOfRange() throws {
        let list = TestHost(try objects("a", "b"))
        let places = [(0, 0, 2, 0), (2, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 1), (-1, 0, 0, 0), (0, 0, 0, -1)]
        for (fromSection, fromItem, toSection, toItem) in places {
            let move = UpdateRequest.Operation.moveItem(
                from: IndexPath(section: fromSection, item: fromItem), to: IndexPath(section: toSection, item: toItem))
            #expect(try list.perform(move).errorCode == .noSuchItem)
            #expect(try list.perform(move, expecting: 9).errorCode == .revisionConflict)
        }
        #expect(list.ids == ["a", "b"])
    }
}
