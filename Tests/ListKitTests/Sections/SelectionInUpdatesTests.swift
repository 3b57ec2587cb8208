// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Selecting items during an update")
struct SelectionInUpdatesTests {
    /// A section controller with an item for each letter of the field `items`. The test sets the body of
    /// `didUpdate`.
    final class Chooser: ListBindingSectionController {
        var onUpdate: ((Chooser) -> Void)?

        override func viewModels(for object: ListObject) -> [ListItem] {
            (object.fields["items"]?.string ?? "").map {
                ListItem(identity: String($0), reuseIdentifier: "cell", content: ["text": .string(String($0))])
            }
        }

        override func sizeForViewModel(_ viewModel: ListItem, at index: Int) -> Size { Size(width: 100, height: 10) }

        override func didUpdate(to object: ListObject) {
            super.didUpdate(to: object)
            onUpdate?(self)
        }
    }

    private func choosers(
        _ texts: String..., prepare: @escaping (Chooser) -> Void = { _ in },
        configure: (inout ListOptions) -> Void = { _ in }
    ) throws -> TestHost {
        let provider = ScriptedProvider { _ in
            let chooser = Chooser()
            prepare(chooser)
            return chooser
        }
        return TestHost(try texts.map { try letters($0) }, provider: provider, configure: configure)
    }

    private func chooser(_ list: TestHost, _ id: String = "a") throws -> Chooser {
        try #require(list.adapter.sectionController(forID: id) as? Chooser)
    }

    private func items(_ places: (String, Int)...) -> [SelectedItem] {
        places.map { SelectedItem(objectID: $0.0, item: $0.1) }
    }

    private func selections(_ events: [AdapterEvent]) -> [SelectionChange] {
        events.compactMap { if case .selection(let change) = $0 { change } else { nil } }
    }

    /// Returns the kinds of events, in order.
    private func kinds(_ events: [AdapterEvent]) -> [String] {
        events.map { event in
            switch event {
            case .updated: "updated"
            case .display: "display"
            case .workingRange: "range"
            case .selection: "selection"
            case .picture: "picture"
            default: "\(event)"
            }
        }
    }

    @Test(
        "didUpdate of a binding section selects an item → the item with this index after the update is selected"
    )
    func inDidUpdate() throws {
        let list = try choosers("a:xy")
        _ = try list.open()
        try chooser(list).onUpdate = { $0.context?.selectItem(at: 0) }
        let events = try list.update([letters("a:nxy")]).events
        #expect(list.adapter.selectedItems == items(("a", 0)))
        #expect(selections(events).map(\.selected) == [items(("a", 0))])
        #expect(selections(events).allSatisfy { $0.deselected.isEmpty && $0.revision == 1 })
        #expect(kinds(events) == ["updated", "display", "selection", "picture"])
    }

    @Test(
        "an item update selects an item that it inserts → the item is selected, with the event after the transaction",
        arguments: [false, true])
    func inBatch(withSections: Bool) throws {
        let list = try TestHost.letters("a:xy")
        _ = try list.open()
        let controller = try #require(list.controller("a"))
        if withSections { list.enqueue(.performUpdates(objects: try [letters("b:x"), letters("a:xy")])) }
        controller.context?.performBatch(updates: { batch in
            controller.letters.insert("n", at: 0)
            batch.insertItems(at: [0])
            controller.context?.selectItem(at: 0)
        })
        let events = list.flush().events
        #expect(list.adapter.selectedItems == items(("a", 0)))
        #expect(selections(events).map(\.selected) == [items(("a", 0))])
        let expected = ["updated", "display", withSections ? "range" : nil, "selection", "picture"]
        #expect(kinds(events) == expected.compactMap { $0 })
    }

    @Test("an item update selects an item, and a later one in the same flush moves the item → the item stays selected")
    func followed() throws {
        let list = try TestHost.letters("a:xy")
        let controller = try #require(list.controller("a"))
        for letter in ["n", "m"] {
            controller.context?.performBatch(updates: { batch in
                controller.letters.insert(letter, at: 0)
                batch.insertItems(at: [0])
                if letter == "n" { controller.context?.selectItem(at: 0) }
            })
        }
        controller.context?.performBatch(updates: { batch in
            controller.context?.selectItem(at: 3)
            controller.context?.performBatch(updates: { inner in
                controller.letters.removeLast()
                inner.deleteItems(at: [3])
            })
        })
        #expect(selections(list.flush().events).map(\.selected) == [items(("a", 1))])
        #expect(list.adapter.selectedItems == items(("a", 1)) && controller.letters == ["m", "n", "x"])
    }

    @Test("didUpdate selects an item of a new or growing section, or of the first list → the item is selected")
    func inNewSections() throws {
        let list = try TestHost.letters("c:xyz") { $0.onUpdate = { $0.context?.selectItem(at: 2) } }
        list.receive(list.adapter.takeEvents())
        #expect(list.adapter.selectedItems == items(("c", 2)))
        var mirror = SelectionMirror(list.adapter, movesAlong: true)
        let events = try list.update([letters("c:uvwxyz"), letters("a:xyz")]).events
        #expect(list.adapter.selectedItems == items(("c", 2), ("a", 2)))
        mirror.receive(events, from: list.adapter)
        try #require(list.controller("c")).onUpdate = { $0.context?.selectItem(at: 6) }
        mirror.receive(try list.update([letters("c:uvwxyz1"), letters("a:xyz")]).events, from: list.adapter)
        #expect(list.adapter.selectedItems == items(("c", 2), ("c", 6), ("a", 2)))
    }

    @Test("an update selects an item, but the item or its section does not exist afterwards → nothing is selected")
    func gone() throws {
        let list = try TestHost.letters("a:xy", "b:z")
        let (a, b) = (try #require(list.controller("a")), try #require(list.controller("b")))
        a.onUpdate = { $0.context?.selectItem(at: 1) }
        b.context?.performBatch(updates: { _ in b.context?.selectItem(at: 0) })
        let events = try list.update([letters("a:x")]).events
        #expect(list.adapter.selectedItems.isEmpty && selections(events).isEmpty)
    }

    @Test("items are selected and deselected in one update → events are sent only for effective changes")
    func both() throws {
        let list = try choosers("a:xy")
        try chooser(list).onUpdate = { chooser in
            chooser.context?.selectItem(at: 0)
            chooser.context?.deselectItem(at: 0)
        }
        #expect(selections(try list.update([letters("a:xyz")]).events).isEmpty)
        list.receive(try list.adapter.selectItem(1, ofObject: "a").events)
        let gone = try #require(selections(try list.update([letters("a:yxz")]).events).first)
        #expect(gone.selected.isEmpty && gone.deselected == items(("a", 0), ("a", 1)))
        #expect(list.adapter.selectedItems.isEmpty)
        list.receive(try list.adapter.selectItem(1, ofObject: "a").events)
        try chooser(list).onUpdate = { $0.context?.selectItem(at: 0) }
        let change = try #require(selections(try list.update([letters("a:xz")]).events).first)
        #expect(change.selected == items(("a", 0)) && change.deselected == items(("a", 1)))
    }

    @Test(
        "an item update only selects an item → the item is selected, without a new revision",
        arguments: [false, true])
    func unannounced(invalidates: Bool) throws {
        let list = try TestHost.letters("a:xy")
        _ = try list.open()
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            if invalidates { batch.invalidateLayout() }
            controller.context?.selectItem(at: 1)
        })
        let result = list.flush()
        #expect(result.transaction == nil && selections(result.events).map(\.selected) == [items(("a", 1))])
        #expect(list.adapter.selectedItems == items(("a", 1)))
    }

    @Test(
        "the store refuses the requests beside an item update that selects an item → it selects the item at its new index"
    )
    func storeFailed() throws {
        let list = try TestHost.letters("a:xy")
        let controller = try #require(list.controller("a"))
        func insert(_ letter: String) {
            controller.context?.performBatch(updates: { batch in
                controller.letters.insert(letter, at: 0)
                batch.insertItems(at: [0])
                if letter == "n" { controller.context?.selectItem(at: 0) }
            })
        }
        insert("n")
        list.enqueue(.applyChanges(removed: [], upserts: [.init(try letters("b:"))]))
        guard case .commit = list.adapter.beginFlush(now: 0) else {
            Issue.record("there is no transaction to commit")
            return
        }
        let failed = list.adapter.abortFlush(ListError(.storeFailed, "no"))
        #expect(selections(failed.events).isEmpty && list.adapter.selectedItems.isEmpty)
        insert("m")
        #expect(selections(list.flush().events).map(\.selected) == [items(("a", 1))])
        #expect(list.adapter.selectedItems == items(("a", 1)))
    }

    @Test("a viewer selects an item while item changes are being stored → the displayed item is selected")
    func whileStoring() throws {
        let list = try TestHost.letters("a:xy")
        var mirrors = [false, true].map { SelectionMirror(list.adapter, movesAlong: $0) }
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters.insert("n", at: 0)
            batch.insertItems(at: [0])
        })
        list.enqueue(.applyChanges(removed: [], upserts: [.init(try letters("b:"))]))
        guard case .commit = list.adapter.beginFlush(now: 0) else {
            Issue.record("there is no transaction to commit")
            return
        }
        let answer = try list.adapter.selectItem(0, ofObject: "a")
        #expect(answer.selected)
        let events = answer.events + list.adapter.commitFlush().events
        #expect(list.adapter.selectedItems == items(("a", 1)))
        for index in mirrors.indices { mirrors[index].receive(events, from: list.adapter) }
    }

    @Test("an item is selected during its creation or display → the selection event precedes the views' changes")
    func whileShown() throws {
        let list = try TestHost.letters("a:xy")
        _ = try list.open()
        try #require(list.controller("a")).onItem = { controller, index in controller.context?.selectItem(at: index) }
        let events = try list.update([letters("a:xyz")]).events
        #expect(kinds(events) == ["updated", "display", "selection", "picture"])
        #expect(selections(events).map(\.selected) == [items(("a", 0), ("a", 1), ("a", 2))])
    }

    // MARK: Selection events

    @Test("a selected item is removed, and another selected item takes its index → that index is not deselected")
    func placesAfterwards() throws {
        let list = try choosers("a:0123")
        for item in [3, 1] { list.receive(try list.adapter.selectItem(item, ofObject: "a").events) }
        var mirrors = [false, true].map { SelectionMirror(list.adapter, movesAlong: $0) }
        let events = try list.update([letters("a:932")]).events
        #expect(list.adapter.selectedItems == items(("a", 1)))
        let change = try #require(selections(events).first)
        #expect(change.selected.isEmpty && change.deselected == items(("a", 3)))
        for index in mirrors.indices { mirrors[index].receive(events, from: list.adapter) }
    }

    static let configurations: [@Sendable (inout ListOptions) -> Void] = [
        { _ in }, { $0.sectionMovesAsDeletesInserts = true }, { $0.preferItemReloads = true },
        { $0.singleItemSectionUpdates = true }, { $0.updater = .reload }, { $0.reloadThreshold = 2 },
    ]

    @Test(
        "random updates and selections → clients that track the selection by either method have the list's selection",
        .rule("SE-02"),
        arguments: 0..<configurations.count)
    func random(configuration: Int) throws {
        for seed in 0..<4 as Range<UInt64> {
            var source = SeededRandom(seed: seed &* 31 &+ UInt64(configuration))
            var chosen: [(id: String, item: Int, isSelected: Bool)] = []
            var pending: [(item: Int, isSelected: Bool)] = []
            let list = try choosers(
                prepare: { chooser in
                    chooser.onUpdate = { chooser in
                        guard let id = chooser.object?.id, let choice = pending.popLast() else { return }
                        chosen.append((id, choice.item, choice.isSelected))
                        if choice.isSelected {
                            chooser.context?.selectItem(at: choice.item)
                        } else {
                            chooser.context?.deselectItem(at: choice.item)
                        }
                    }
                }, configure: Self.configurations[configuration])
            var mirrors = [false, true].map { SelectionMirror(list.adapter, movesAlong: $0) }
            var present: [String: [String]] = [:]
            var expected: Set<[String]> = []
            for _ in 0..<40 {
                let ids = ["a", "b", "c", "d"].shuffled(using: &source).prefix(Int.random(in: 1...4, using: &source))
                let texts = ids.map {
                    ($0, "0123456".shuffled(using: &source).prefix(Int.random(in: 0...5, using: &source)))
                }
                present = Dictionary(uniqueKeysWithValues: texts.map { ($0, $1.map { String($0) }) })
                chosen = []
                pending = (0..<2).map { _ in (Int.random(in: 0...5, using: &source), !source.chance(oneIn: 3)) }
                if source.chance(oneIn: 5) { list.enqueue(.reloadData) }
                let events = try list.update(texts.map { try letters("\($0):\(String($1))") }).events
                expected = expected.filter { present[$0[0]]?.contains($0[1]) == true }
                for (id, item, isSelected) in chosen {
                    guard let letters = present[id], letters.indices.contains(item) else { continue }
                    if isSelected {
                        expected.insert([id, letters[item]])
                    } else {
                        expected.remove([id, letters[item]])
                    }
                }
                let actual = list.adapter.selectedItems.map { [$0.objectID, present[$0.objectID]?[$0.item] ?? "?"] }
                try #require(Set(actual) == expected)
                #expect(selections(events).count <= 1)
                for index in mirrors.indices { mirrors[index].receive(events, from: list.adapter) }
            }
        }
    }
}
