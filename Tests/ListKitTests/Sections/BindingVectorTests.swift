// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("updates_e2e.json, binding: items that are diffed and rebound in place", .rule("BN-01...BN-25"))
struct BindingVectorTests {
    /// A section controller whose items are made from the dictionaries in the field `models`.
    final class Bound: ListBindingSectionController {
        override func viewModels(for object: ListObject) -> [ListItem] {
            (object.fields["models"]?.array ?? []).map { model in
                let fields = model.dictionary ?? [:]
                return ListItem(
                    identity: fields["id"]?.string, reuseIdentifier: "cell", content: (try? Fields(fields)) ?? Fields())
            }
        }
        override func sizeForViewModel(_ viewModel: ListItem, at index: Int) -> Size {
            Size(width: viewModel.content["w"]?.double ?? 100, height: viewModel.content["h"]?.double ?? 10)
        }
    }

    static func cases() throws -> [JSON] { try Vectors.load("updates_e2e")["binding"]?.array ?? [] }

    private func model(_ json: JSON) -> Value {
        if let number = json.integer { return Value(["id": .string("n\(number)"), "text": .string("\(number)")]) }
        if let text = json.string { return Value(["id": .string("s\(text)"), "text": .string(text)]) }
        return Value(["id": .string("o\(json["id"]?.integer ?? 0)"), "text": .string(json["value"]?.string ?? "")])
    }

    private func objects(_ json: JSON?) throws -> [ListObject] {
        try (json?.object ?? [:]).sorted { $0.key < $1.key }.map { id, models in
            try ListObject(id: id, fields: ["models": .array(element: "a{sv}", (models.array ?? []).map(model))])
        }
    }

    private func objectsWithItemSizes(_ json: JSON?) throws -> [ListObject] {
        try (json?.array ?? []).enumerated().map { index, sizes in
            let models = (sizes.array ?? []).enumerated().map { item, size in
                Value([
                    "id": .string("\(item)"), "w": .double(size[0]?.number ?? 0), "h": .double(size[1]?.number ?? 0),
                ])
            }
            return try ListObject(id: "\(index)", fields: ["models": .array(element: "a{sv}", models)])
        }
    }

    private func texts(_ list: TestHost) -> [[String]] {
        (0..<list.adapter.objectCount).map { section in
            list.adapter.items(inSection: section).map { $0.content["text"]?.string ?? "" }
        }
    }

    private func texts(_ json: JSON) -> [[String]] { (json.array ?? []).map { ($0.array ?? []).compactMap(\.string) } }

    @Test(
        "a case of the test vector is played → counts, texts, instances and sizes are the expected ones",
        arguments: try cases())
    func vector(vector: JSON) throws {
        let sizes = vector["initialSizes"]
        let initial = sizes == nil ? try objects(vector["initial"]) : try objectsWithItemSizes(sizes)
        let list = TestHost(
            initial.isEmpty ? [try ListObject(id: "1")] : initial, provider: ScriptedProvider { _ in Bound() })
        var screen = try list.open()
        if let counts = vector["expectedItemCounts"]?.array { #expect(list.itemCounts == counts.compactMap(\.integer)) }
        if vector["update"] == nil, let expected = vector["expectedText"] { #expect(texts(list) == texts(expected)) }
        if vector["update"] != nil { try update(vector, list, &screen) }
        if vector["reloadObjects"] != nil { try reload(vector, list) }
        if let count = vector["manualUpdates"]?.integer { requestUpdates(vector, list, count) }
        for index in vector["indexes"]?.array ?? [] {
            #expect(list.adapter.sectionController(at: 0)?.sizeForItem(at: index.integer ?? 0) == .zero)
        }
        guard let expected = vector["expectedSizesAfter"]?.array else { return }
        try list.update(objectsWithItemSizes(vector["updateSizes"]))
        for (section, sizes) in expected.enumerated() {
            for (item, size) in (sizes.array ?? []).enumerated() {
                let path = IndexPath(section: section, item: item)
                let frame = list.adapter.layoutAttributes(of: .cell, at: path, in: 1)?.frame
                #expect(frame?.size == Size(width: size[0]?.number ?? 0, height: size[1]?.number ?? 0))
            }
        }
    }

    private func update(_ vector: JSON, _ list: TestHost, _ screen: inout Screen) throws {
        let before = screen
        screen.receive(try list.update(objects(vector["update"])).events)
        if let expected = vector["expectedText"] { #expect(texts(list) == texts(expected)) }
        func slot(_ screen: Screen, _ path: JSON?) -> SlotNumber? {
            screen.items.first { $0.section == path?[0]?.integer && $0.item == path?[1]?.integer }?.slot
        }
        for pair in vector["sameCellInstances"]?.array ?? [] {
            #expect(slot(before, pair[0]) != nil)
            #expect(slot(before, pair[0]) == slot(screen, pair[1]))
        }
        try screen.expectEqualToResync(of: list.adapter)
    }

    private func reload(_ vector: JSON, _ list: TestHost) throws {
        let upserts = try objects(vector["reloadObjects"]).map { UpdateRequest.Upsert($0) }
        list.enqueue(.applyChanges(removed: [], upserts: upserts))
        if let expected = vector["expectedTextNow"] { #expect(texts(list) == texts(expected)) }
        list.flush()
        if let expected = vector["expectedTextAfterNextBatch"] { #expect(texts(list) == texts(expected)) }
    }

    /// Requests two updates. The completion of the second one runs immediately, before that of the first (BN-18). Each
    /// completion reports whether its own update ran (BN-25).
    private func requestUpdates(_ vector: JSON, _ list: TestHost, _ count: Int) {
        var answers: [Int: Bool] = [:]
        let controller = list.adapter.sectionController(at: 0) as? Bound
        for number in 0..<count { controller?.update { answers[number] = $0 } }
        #expect(answers == [1: false])
        list.flush()
        #expect((0..<count).map { answers[$0] } == (vector["expectedCompletions"]?.array ?? []).map(\.boolean))
    }

    /// A section whose items appear from the lower right and disappear to the left.
    final class Sliding: LetterController, ListTransitionDelegate {
        func sectionController(
            _ controller: ListSectionController, initialFrameForItemAt index: Int, resting frame: Rect
        ) -> Rect {
            Rect(x: frame.minX + 10, y: frame.minY + 10, width: frame.size.width, height: frame.size.height)
        }
        func sectionController(
            _ controller: ListSectionController, finalFrameForItemAt index: Int, resting frame: Rect
        ) -> Rect {
            Rect(x: frame.minX - 10, y: frame.minY, width: frame.size.width, height: frame.size.height)
        }
    }

    @Test(
        "a controller has transition hooks → changes have initial layouts of new items, final layouts of removed items",
        .rule("EE-55", "EE-56"))
    func transitions() throws {
        let list = TestHost(
            [try letters("a:x")],
            provider: ScriptedProvider { _ in
                let controller = Sliding(log: EventList())
                controller.transitionDelegate = controller
                return controller
            })
        var screen = try list.open()
        func change(_ objects: [ListObject]) throws -> PictureChange? {
            let events = try list.update(objects).events
            screen.receive(events)
            for case .picture(let change) in events { return change }
            return nil
        }
        let appeared = try #require(try change([letters("a:x"), letters("b:y")]))
        #expect(appeared.transitions == [.init(slot: 2, frame: Rect(x: 10, y: 20, width: 100, height: 10))])
        let left = try #require(try change([letters("a:x")]))
        #expect(left.released == [2])
        #expect(left.transitions == [.init(slot: 2, frame: Rect(x: -10, y: 10, width: 100, height: 10))])
        #expect(try change([letters("a:x")]) == nil)
    }
}
