// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Binding section controllers that update themselves")
struct BindingUpdateTests {
    /// A section controller with an item for each letter of the field `items` and of `more`, which the object does
    /// not contain.
    final class Bound: ListBindingSectionController {
        var more = ""
        var onUpdate: ((Bound) -> Void)?

        override func viewModels(for object: ListObject) -> [ListItem] {
            ((object.fields["items"]?.string ?? "") + more).map {
                ListItem(identity: String($0), reuseIdentifier: "cell", content: ["text": .string(String($0))])
            }
        }

        override func didUpdate(to object: ListObject) {
            super.didUpdate(to: object)
            onUpdate?(self)
        }
    }

    private func list(_ texts: String...) throws -> TestHost {
        TestHost(try texts.map { try letters($0) }, provider: ScriptedProvider { _ in Bound() })
    }

    private func controller(_ list: TestHost, _ id: String = "a") throws -> Bound {
        try #require(list.adapter.sectionController(forID: id) as? Bound)
    }

    @Test(
        "an update is requested in the completion of another one → its own completion gets false; a later update runs",
        .rule("BN-17", "BN-22")
    )
    func updateFromCompletion() throws {
        let list = try list("a:x")
        let controller = try controller(list)
        var answers: [String] = []
        list.adapter.performUpdates(try [letters("a:x"), letters("b:y")]) { _ in
            controller.more = "2"
            controller.update { answers.append("inner \($0)") }
        }
        controller.more = "1"
        controller.update { answers.append("outer \($0)") }
        list.adapter.flushNow()
        #expect(answers == ["inner false", "outer true"])
        #expect(controller.viewModels.map(\.identity) == ["x", "1"])
        controller.update { answers.append("last \($0)") }
        list.adapter.flushNow()
        #expect(answers.last == "last true")
        #expect(controller.viewModels.map(\.identity) == ["x", "2"])
        #expect(list.itemCounts == [2, 1])
    }

    @Test(
        "didUpdate requests another update, even after a failed store → the selected item stays selected"
    )
    func selectionAcrossOwnUpdates() throws {
        let list = try list("a:xyz")
        _ = try list.open()
        try controller(list).onUpdate = { $0.update() }
        list.receive(try list.adapter.selectItem(0, ofObject: "a").events)
        list.enqueue(.patchObject(id: "a", set: ["items": "zxy"], unset: []))
        list.enqueue(.reloadObjects(["a"]))
        list.flush()
        #expect(list.adapter.selectedItems == [SelectedItem(objectID: "a", item: 1)])
        // Items that changed while the store failed are announced before the object changes.
        try controller(list).more = "1"
        try controller(list).update()
        list.enqueue(.patchObject(id: "a", set: ["items": "yzx"], unset: []))
        guard case .commit = list.adapter.beginFlush(now: 0) else {
            Issue.record("there is no transaction to commit")
            return
        }
        _ = list.adapter.abortFlush(ListError(.storeFailed, "no"))
        list.enqueue(.patchObject(id: "a", set: ["items": "yzx"], unset: []))
        list.enqueue(.reloadObjects(["a"]))
        list.flush()
        #expect(list.adapter.selectedItems == [SelectedItem(objectID: "a", item: 2)])
        #expect(list.itemCounts == [4])
    }

    @Test(
        "contradictory item changes while the store fails → the section reloads without a trap")
    func changesThatDoNotFit() throws {
        let list = try list("a:x", "b:y")
        var screen = try list.open()
        let controller = try controller(list)
        func fail() {
            list.enqueue(.patchObject(id: "b", set: ["items": "q"], unset: []))
            guard case .commit = list.adapter.beginFlush(now: 0) else { return }
            _ = list.adapter.abortFlush(ListError(.storeFailed, "no"))
        }
        controller.more = "1"
        controller.update()
        fail()
        controller.context?.performBatch(updates: { $0.reloadSection() })
        controller.more = "123"
        controller.update()
        fail()
        controller.more = ""
        _ = list.takeEvents()
        let transaction = try #require(try list.update([letters("a:z"), letters("b:y")]).transaction)
        #expect(transaction.sections.reloads == [IndexRun(first: 0, length: 1)])
        #expect(list.itemCounts == [1, 1])
        screen.receive(list.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("canonically equivalent identities have different bytes → they are two items")
    func equivalentIdentities() throws {
        let items: [Value] = ["\u{e9}", "e\u{301}", "\u{e9}"].map { Value(["id": .string($0)]) }
        let object = try ListObject(id: "a", type: "binding", fields: ["items": .array(element: "a{sv}", items)])
        let list = TestHost([object], names: ["binding": "listd/binding"])
        #expect(list.itemCounts == [2])
        var screen = try list.open()
        #expect(screen.items.count == 2)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "didUpdate requests an update → its item changes are in the same transaction, without a section reload",
        .rule("BN-28"))
    func updateFromDidUpdate() throws {
        let list = try list("a:xy")
        try controller(list).onUpdate = { $0.update() }
        let transaction = try #require(try list.update([letters("a:xyz")]).transaction)
        #expect(transaction.sections.reloads.isEmpty)
        #expect(transaction.items.inserts == [ItemPlace(section: 0, item: 2)])
        #expect(list.itemCounts == [3])
    }

    @Test(
        "one section or everything is reloaded → the selected item stays selected at its new index",
        arguments: [false, true])
    func selectionAcrossReloads(everything: Bool) throws {
        let list = try list("a:xyz")
        _ = try list.open()
        list.receive(try list.adapter.selectItem(0, ofObject: "a").events)
        list.enqueue(.patchObject(id: "a", set: ["items": "zxy"], unset: []))
        list.enqueue(everything ? .reloadData : .reloadObjects(["a"]))
        list.flush()
        #expect(list.adapter.selectedItems == [SelectedItem(objectID: "a", item: 1)])
        list.enqueue(.patchObject(id: "a", set: ["items": "zy"], unset: []))
        list.enqueue(everything ? .reloadData : .reloadObjects(["a"]))
        list.flush()
        #expect(list.adapter.selectedItems.isEmpty)
    }
}
