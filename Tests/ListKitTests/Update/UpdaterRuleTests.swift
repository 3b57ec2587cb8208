// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("IGListKit's rules for lists, sections and controllers")
struct UpdaterRuleTests {
    /// Creates a list of the sections `a`, `b` and `c` with 1, 2 and 3 items.
    private func listOfThreeSections() throws -> TestHost { try TestHost.letters("a:x", "b:xy", "c:xyz") }

    private func kinds(_ events: [AdapterEvent]) -> [Transaction] {
        events.compactMap { if case .updated(let transaction) = $0 { transaction } else { nil } }
    }

    @Test(
        "sections are inserted, deleted or all replaced → the item counts are those of the new list",
        .rule("EE-01", "UP-25", "UP-26", "UP-28"))
    func sectionBatches() throws {
        let list = try TestHost.letters("a:x")
        try list.update([letters("a:x"), letters("b:xy")])
        #expect(list.itemCounts == [1, 2])
        try list.update([letters("b:xy")])
        #expect(list.itemCounts == [2])
        try list.update([letters("c:xy"), letters("d:x"), letters("e:xyz")], animated: false)
        #expect(list.itemCounts == [2, 1, 3])
    }

    @Test(
        "sections rotate and change their item counts in one update → the item counts are those of the new list",
        .rule("UP-27", "UP-30"))
    func rotating() throws {
        for asDeletes in [false, true] {
            let list = try TestHost.letters(
                "a:xyz", "b:x", "c:xy", configure: { $0.sectionMovesAsDeletesInserts = asDeletes })
            var screen = try list.open()
            _ = list.takeEvents()
            screen.receive(try list.update([letters("b:x"), letters("c:xz"), letters("a:xyz"), letters("d:q")]).events)
            #expect(list.itemCounts == [1, 2, 3, 1])
            try screen.expectEqualToResync(of: list.adapter)
        }
    }

    @Test(
        "an object is replaced by an object with the same identifier and other content → only its section is updated",
        .rule("UP-33"))
    func update() throws {
        let list = try listOfThreeSections()
        let transaction = try #require(
            kinds(try list.update([letters("a:q"), letters("b:xy"), letters("c:xyz")]).events).first)
        #expect(transaction.kind == .update && list.itemCounts == [1, 2, 3])
        #expect(list.controller("a")?.letters == ["q"])
    }

    @Test(
        "an update is queued in a completion or during another update → it runs afterwards, in order",
        .rule("UP-34", "UP-51"))
    func order() throws {
        var done: [String] = []
        let list = try TestHost.letters("a:x")
        list.adapter.performUpdates(try [letters("a:x"), letters("b:y")]) { _ in
            done.append("first: \(list.adapter.objectCount)")
            let more = try? [letters("a:x"), letters("b:y"), letters("c:z")]
            list.adapter.performUpdates(more ?? []) { _ in done.append("second: \(list.adapter.objectCount)") }
        }
        list.adapter.flushNow()
        #expect(done == ["first: 2", "second: 3"])
    }

    @Test(
        "an item update alone or with a section update → the block runs, and each completion is called",
        .rule("UP-05", "UP-06", "UP-55")
    )
    func itemBlocks() throws {
        let list = try TestHost.letters("a:xy")
        let controller = try #require(list.controller("a"))
        var finished: [Bool] = []
        func insert() {
            controller.context?.performBatch(
                updates: { batch in
                    controller.letters.append("n")
                    batch.insertItems(at: [controller.letters.count - 1])
                }, completion: { finished.append($0) })
        }
        insert()
        list.flush()
        #expect(list.itemCounts == [3] && finished == [true])
        insert()
        try list.update([letters("a:xy"), letters("b:q")])
        #expect(list.itemCounts.last == 1 && finished == [true, true])
    }

    @Test(
        "an index path is reloaded twice → one reload is announced; reloaded and deleted → no reload is announced",
        .rule("UP-47", "UP-48"))
    func itemReloads() throws {
        let list = try TestHost.letters("a:xyz")
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters = ["x", "y"]
            batch.reloadItems(at: [0])
            batch.reloadItems(at: [0, 2])
            batch.deleteItems(at: [2])
        })
        let events = list.flush().events
        let transaction = try #require(kinds(events).first)
        #expect(transaction.kind == .update && list.itemCounts == [2])
    }

    @Test(
        "a list has no views and no data source → updates are applied",
        .rule("AD-29", "TR-01", "UP-18", "UP-20", "UP-56...UP-58")
    )
    func withoutViews() throws {
        let list = TestHost()
        #expect(try list.update(objects("a", "b")).transaction?.kind == .update)
        var answers: [Bool] = []
        list.adapter.reloadData { answers.append($0) }
        list.flush()
        #expect(answers == [true] && list.ids == ["a", "b"])
        #expect(!list.adapter.isFlushing && list.adapter.flushTiming == .idle)
    }

    @Test(
        "a list has the reload updater → each change is one reload, and the resulting list is the same",
        .rule("RU-06...RU-10", "RU-13"))
    func reloadUpdater() throws {
        let list = try TestHost.letters("a:x", configure: { $0.updater = .reload })
        for texts in [["a:x", "b:y", "c:z"], ["c:z", "a:x"], ["a:xy", "c:z"]] {
            let transaction = try #require(kinds(try list.update(try texts.map { try letters($0) }).events).first)
            #expect(transaction.kind == .reload)
            #expect(list.ids == texts.map { String($0.prefix(1)) })
        }
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters = ["x", "y", "z"]
            batch.insertItems(at: [2])
        })
        #expect(kinds(list.flush().events).map(\.kind) == [.reload] && list.itemCounts == [3, 1])
    }

    @Test(
        "a controller, section or object is looked up → the matching counterpart is found, or nil if it is unknown",
        .rule("AD-02...AD-10", "SM-01...SM-09")
    )
    func map() throws {
        let list = try listOfThreeSections()
        let adapter = list.adapter
        for (section, id) in ["a", "b", "c"].enumerated() {
            let controller = try #require(adapter.sectionController(at: section))
            #expect(controller === adapter.sectionController(forID: id) && controller.section == section)
            #expect(adapter.object(at: section)?.id == id && adapter.section(forID: id) == section)
            #expect((controller as? LetterController)?.object?.id == id)
        }
        for section in [-1, 3, Int.max] {
            #expect(adapter.object(at: section) == nil && adapter.sectionController(at: section) == nil)
        }
        #expect(adapter.section(forID: "z") == nil && adapter.sectionController(forID: "z") == nil)
        #expect(LetterController(log: EventList()).section == nil)
    }

    @Test(
        "everything is reloaded → controllers are new; known and unknown ids are reloaded → only the known ones are",
        .rule("AD-16", "AD-17", "EE-03")
    )
    func reloads() throws {
        let list = try listOfThreeSections()
        let before = try #require(list.controller("b"))
        try list.perform(.reloadData)
        let after = try #require(list.controller("b"))
        #expect(before !== after && before.section == nil && after.section == 1)
        #expect(try list.perform(.reloadObjects(["b", "unknown"])).revision != nil)
        #expect(list.ids == ["a", "b", "c"] && list.controller("b") === after)
    }

    @Test(
        "a controller whose object has left the list → every lookup of the controller returns nil",
        .rule("AD-52...AD-56"))
    func departed() throws {
        let list = try listOfThreeSections()
        _ = try list.open()
        let controller = try #require(list.controller("b"))
        try list.update([letters("a:x"), letters("c:xyz")])
        let context = controller.context
        #expect(controller.section == nil && !controller.isFirstSection && !controller.isLastSection)
        #expect(context?.displayedItem(at: 0) == nil && (context?.visibleIndexes ?? []).isEmpty)
        #expect((context?.fullyVisibleIndexes ?? []).isEmpty && (context?.itemCount ?? 0) == 0)
        context?.invalidateLayout()
        context?.selectItem(at: 0)
        context?.scrollToItem(at: 0)
        list.flush()
        #expect(list.adapter.selectedItems.isEmpty && list.ids == ["a", "c"])
    }
}
