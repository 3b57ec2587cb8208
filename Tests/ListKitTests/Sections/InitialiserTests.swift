// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

@Suite("The context in a section controller's initialiser")
struct InitialiserTests {
    /// A provider whose kind hands the context on.
    private final class Provider: ListSectionControllerProvider {
        private let make: (ListObject, ListCollectionContext) -> ListSectionController

        init(_ make: @escaping (ListObject, ListCollectionContext) -> ListSectionController) { self.make = make }

        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
            ListSectionControllerKind(name: "test/\(type)", make: make)
        }
    }

    /// A section controller that uses the context in its initialiser.
    private final class Early: LetterController {
        let container: Size
        let known: ListObject?
        let isOpen: Bool?

        init(_ context: ListCollectionContext, _ use: (Early) -> Void) {
            container = context.containerSize
            known = context.object
            isOpen = context.state["open"]?.bool
            super.init(log: EventList())
            use(self)
        }
    }

    @Test("an initialiser takes the context → it knows the view, the object and the object's state, in every list")
    func known() throws {
        var made: [Early] = []
        func makeList(_ id: String) throws -> TestHost {
            let provider = Provider { _, context in
                let controller = Early(context) { #expect($0.context == nil) }
                made.append(controller)
                return controller
            }
            return TestHost([try letters("\(id):x")], provider: provider)
        }
        let (list, other) = (try makeList("a"), try makeList("b"))
        _ = try list.open()
        list.controller("a")?.context?.state = ["open": true]
        try list.perform(.reloadData)
        try other.perform(.reloadData)
        #expect(made.map(\.known?.id) == ["a", "b", "a", "b"])
        #expect(made.map(\.container) == [.zero, .zero, Size(width: 100, height: 100), .zero])
        #expect(made.map(\.isOpen) == [nil, nil, true, nil])
        #expect(made[2].context?.object == made[2].known && made[2].section == 0)
    }

    @Test("an initialiser requests an item update → it runs with the next flush, with the controller that was made")
    func itemUpdate() throws {
        var completed: [Bool] = []
        let provider = Provider { _, context in
            Early(context) { controller in
                context.performBatch(
                    updates: { [unowned controller] batch in
                        controller.letters.append("z")
                        batch.insertItems(at: [controller.letters.count - 1])
                    }, completion: { completed.append($0) })
            }
        }
        let list = TestHost([try letters("a:x")], provider: provider)
        list.flush()
        #expect(list.itemCounts == [2] && completed == [true])
        try list.update([letters("a:x"), letters("b:yy")])
        #expect(list.itemCounts == [2, 3] && completed == [true, true])
    }

    @Test("no controller is made after a request for an item update → the request completes with false")
    func neverMade() throws {
        var completed: [Bool] = []
        let provider = Provider { _, context in
            context.performBatch(updates: { _ in }, completion: { completed.append($0) })
            return ListSectionController()
        }
        let list = TestHost([try letters("a:x")], provider: provider)
        list.flush()
        #expect(completed == [false] && list.itemCounts == [1])
    }

    @Test("an initialiser reports a fault → the section shows an error item with the reason")
    func fault() throws {
        let provider = Provider { object, context in
            Early(context) { _ in if object.id == "a" { context.reportFault("no \(object.id)") } }
        }
        let list = TestHost([try letters("a:x"), try letters("b:y")], provider: provider)
        #expect(list.adapter.items(inSection: 0).map { $0.content["error"] } == ["no a"])
        #expect(list.adapter.items(inSection: 1).map(\.reuseIdentifier) == ["letter"])
    }

    @Test("an initialiser sets timers → they fire while the controller is in the list")
    func timers() throws {
        var fired: [String] = []
        let executor = TimerTests.Executor()
        let provider = Provider { object, context in
            Early(context) { _ in context.every(.milliseconds(10)) { fired.append(object.id) } }
        }
        let list = TestHost(provider: provider)
        list.adapter.executor = executor
        try list.update([letters("a:x"), letters("b:y")])
        executor.advance(to: 20)
        #expect(fired == ["a", "b", "a", "b"])
        try list.update([letters("b:y")])
        executor.advance(to: 30)
        #expect(fired == ["a", "b", "a", "b", "b"])
    }

    @Test("an initialiser selects and scrolls → nothing happens, as there are no items yet")
    func tooEarly() throws {
        let provider = Provider { _, context in
            Early(context) { _ in
                context.selectItem(at: 0)
                context.scrollToItem(at: 0, position: .start)
                #expect(context.itemCount == 0 && context.visibleIndexes.isEmpty && context.displayedItem(at: 0) == nil)
                #expect(context.sectionContainerSize == context.containerSize)
            }
        }
        let list = TestHost(provider: provider)
        _ = try list.open()
        try list.update([letters("a:x")])
        #expect(list.adapter.selectedItems.isEmpty && list.itemCounts == [1])
    }
}
