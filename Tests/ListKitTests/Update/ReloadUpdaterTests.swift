// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@_spi(Daemon) @testable import ListKit

@Suite("The reload updater: every update reloads everything (IGListReloadDataUpdater)")
struct ReloadUpdaterTests {
    /// A section controller with a variable number of items, size, content and header.
    private final class Section: ListSectionController, ListSupplementarySource {
        var count = 1
        var height = 10.0
        var text = "first"
        private(set) var updates = 0

        override func didUpdate(to object: ListObject) { updates += 1 }
        override func numberOfItems() -> Int { count }
        override func sizeForItem(at index: Int) -> Size { Size(width: 100, height: height) }
        override func item(at index: Int) -> ListItem {
            ListItem(reuseIdentifier: "cell", content: ["text": .string(text)])
        }

        var supportedElementKinds: Set<ElementKind> { [.header] }
        func sizeForSupplementaryElement(of kind: ElementKind) -> Size { Size(width: 100, height: 20) }
        func supplementaryElement(of kind: ElementKind) -> ListItem { ListItem(reuseIdentifier: "header") }
    }

    private static func list(_ names: String..., updater: ListOptions.Updater = .reload) throws -> TestHost {
        TestHost(try objects(names), provider: ScriptedProvider { _ in Section() }) { $0.updater = updater }
    }

    private func section(_ list: TestHost, _ id: String) throws -> Section {
        try #require(list.adapter.sectionController(forID: id) as? Section)
    }

    @Test("objects are equal, but their number of items is not → the list announces a transaction of kind reload")
    func ownItemCount() throws {
        let list = try Self.list("a", "b")
        let controller = try section(list, "a")
        controller.count = 3
        let transaction = try #require(try list.update(objects("a", "b")).transaction)
        #expect(transaction.kind == .reload && transaction.revision == 1 && transaction.itemCount == 4)
        #expect(list.itemCounts == [3, 1])
        #expect(try section(list, "a") === controller && controller.updates == 1)
    }

    @Test("objects are equal, but a supplementary source is set and removed → its header appears and disappears")
    func supplementarySource() throws {
        let list = try Self.list("a", "b")
        let view = try list.open().view
        let controller = try section(list, "a")
        #expect(try kinds(list, view) == [.cell, .cell])
        controller.supplementarySource = controller
        try list.update(objects("a", "b"))
        #expect(try kinds(list, view) == [.header, .cell, .cell])
        controller.supplementarySource = nil
        try list.update(objects("a", "b"))
        #expect(try kinds(list, view) == [.cell, .cell])
    }

    private func kinds(_ list: TestHost, _ view: ViewID) throws -> [ElementKind] {
        try list.adapter.resync(view: view).items.map(\.kind)
    }

    @Test("objects are equal, but size and content are not → the view shows the new size and content")
    func sizesAndContents() throws {
        let list = try Self.list("a", "b")
        let view = try list.open().view
        let controller = try section(list, "a")
        (controller.height, controller.text) = (30, "second")
        try list.update(objects("a", "b"))
        let items = try list.adapter.resync(view: view).items
        #expect(items.map(\.frame.minY) == [0, 30])
        #expect(items.map { $0.content["text"]?.string } == ["second", "first"])
    }

    @Test(
        "a write changes nothing → a reload is announced; it is refused or reloads unknown ids → none is announced",
        arguments: [
            (UpdateRequest.Operation.applyChanges(removed: [], upserts: []), true),
            (.moveObject(id: "a", position: .first), true), (.patchObject(id: "a", set: Fields(), unset: []), true),
            (.reloadObjects(["b"]), true), (.reloadObjects(["unknown"]), false),
            (.moveObject(id: "unknown", position: .first), false),
        ])
    func writesWithoutChanges(_ operation: UpdateRequest.Operation, reloads: Bool) throws {
        let list = try Self.list("a", "b")
        try section(list, "b").count = 2
        try list.perform(operation)
        #expect(list.adapter.revision == (reloads ? 1 : 0) && list.itemCounts == (reloads ? [1, 2] : [1, 1]))
        #expect(transactions(list.takeEvents()).map(\.kind) == (reloads ? [.reload] : []))
    }

    private func transactions(_ events: [AdapterEvent]) -> [Transaction] {
        events.compactMap { if case .updated(let transaction) = $0 { transaction } else { nil } }
    }

    @Test(
        "an item update changes one section → all sections are reloaded; it has no operations → no reload is announced",
        .rule("RU-10"))
    func itemUpdates() throws {
        let list = try Self.list("a", "b")
        let (first, second) = (try section(list, "a"), try section(list, "b"))
        second.count = 4
        first.context?.performBatch(updates: { _ in })
        #expect(list.flush().transaction == nil && list.itemCounts == [1, 1])
        first.context?.performBatch(updates: { batch in
            first.count = 2
            batch.insertItems(at: [1])
        })
        #expect(list.flush().transaction?.kind == .reload && list.itemCounts == [2, 4])
    }

    @Test("a section has fewer items than before → missing items are deselected, and the others stay selected")
    func selection() throws {
        let list = try Self.list("a")
        let controller = try section(list, "a")
        controller.count = 5
        try list.update(objects("a"))
        _ = try (list.adapter.selectItem(1, ofObject: "a"), list.adapter.selectItem(4, ofObject: "a"))
        controller.count = 3
        try list.update(objects("a"))
        #expect(list.adapter.selectedItems == [SelectedItem(objectID: "a", item: 1)])
    }

    @Test(
        "a request expects the revision before an earlier, equal update of its flush → it gets a conflict")
    func conflict() throws {
        let list = try Self.list("a")
        try list.update(objects("a"))
        list.enqueue(.performUpdates(objects: try objects("a")), expecting: 1)
        let second = list.enqueue(.performUpdates(objects: try objects("a")), expecting: 1)
        list.flush()
        #expect(list.answers.last { $0.id == second }?.errorCode == .revisionConflict && list.adapter.revision == 2)
    }

    @Test("the batch updater gets equal objects → no controller is called, and the revision is unchanged")
    func batchUpdater() throws {
        let list = try Self.list("a", updater: .batch)
        try section(list, "a").count = 3
        #expect(try list.update(objects("a")).transaction == nil)
        #expect(list.itemCounts == [1] && list.adapter.revision == 0)
    }

    @Test(
        "an adapter without a host is reloaded → the reload completes with true, and the list has the new items",
        .rule("RU-13"))
    func completion() throws {
        let list = try Self.list("a")
        try section(list, "a").count = 2
        var finished: [Bool] = []
        list.adapter.performUpdates(try objects("a")) { finished.append($0) }
        list.flush()
        #expect(finished == [true] && list.itemCounts == [2])
    }
}
