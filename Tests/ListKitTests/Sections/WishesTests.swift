// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

@Suite("Section controllers and providers that make requests inside of callbacks")
struct WishesTests {
    // MARK: While a controller is created

    private final class Maker {
        weak var adapter: ListAdapter?
        private(set) var found: [String: Bool] = [:]

        /// Requests the controllers of the objects `ids` from the list, then returns a controller for `object`.
        func make(_ object: ListObject, asking ids: [String]) -> ListSectionController {
            for id in ids { found["\(object.id) asks for \(id)"] = adapter?.sectionController(forID: id) != nil }
            return LetterController(log: EventList())
        }
    }

    @Test("a provider requests the controller that it creates → it gets nil; it requests another one → it gets that")
    func made() throws {
        let maker = Maker()
        let host = TestHost(
            [],
            provider: ScriptedProvider { object in
                maker.make(object, asking: object.id == "a" ? ["a", "b"] : ["a"])
            })
        maker.adapter = host.adapter
        try host.update([letters("a:xy"), letters("b:z")])
        #expect(maker.found == ["a asks for a": false, "a asks for b": true, "b asks for a": false])
        #expect(host.itemCounts == [2, 1])
        #expect(try host.perform(.reloadData).revision == 2)
        #expect(host.itemCounts == [2, 1])
    }

    /// Creates a list whose section controllers are created when they are first shown. `act` is called with each of
    /// them.
    private func lazyList(_ act: @escaping (LetterController) -> Void) throws -> TestHost {
        let provider = LazyProvider {
            let controller = LetterController(log: EventList())
            controller.onUpdate = act
            return controller
        }
        return TestHost(try (0..<40).map { try letters("r\($0):x") }, provider: provider)
    }

    private final class LazyProvider: ListSectionControllerProvider {
        private let make: () -> ListSectionController

        init(_ make: @escaping () -> ListSectionController) { self.make = make }

        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
            let traits = ListSectionTraits(itemCount: 1) { _ in
                ListSectionShape(
                    metrics: SectionMetrics(itemCount: 1, uniformItemSize: Size(width: 100, height: 10)))
            }
            return ListSectionControllerKind(name: "test/lazy", traits: traits) { [make] _ in make() }
        }
    }

    @Test(
        "a controller requests work during its creation → the work is done in the same call, and the host is notified",
        arguments: ["layout", "scroll", "selection"])
    func madeForClient(wish: String) throws {
        let list = try lazyList { controller in
            guard controller.id == "r39" else { return }
            switch wish {
            case "layout": controller.context?.invalidateLayout()
            case "scroll": controller.context?.scrollToItem(at: 0, position: .end)
            default: controller.context?.selectItem(at: 0)
            }
        }
        _ = try list.open()
        var wakes = 0
        list.adapter.onActivity = { wakes += 1 }
        let controller = try #require(list.adapter.sectionController(at: 39))
        #expect(wakes > 0 && controller.section == 39 && list.adapter.sectionController(forID: "r39") === controller)
        #expect(list.adapter.flushTiming == (wish == "layout" ? .now : .idle))
        #expect(try list.adapter.viewDescription(1).viewport.minY == (wish == "scroll" ? 300 : 0))
        #expect(list.adapter.selectedItems.map(\.objectID) == (wish == "selection" ? ["r39"] : []))
        #expect(list.adapter.takeEvents().isEmpty == (wish == "layout"))
    }

    @Test(
        "each controller requests the next one in its creation → beyond a maximum depth, the next one is created later")
    func chain() throws {
        let count = 10_000
        var (depth, deepest) = (0, 0)
        weak var adapter: ListAdapter?
        let host = TestHost(
            [],
            provider: ScriptedProvider { object in
                depth += 1
                deepest = max(deepest, depth)
                defer { depth -= 1 }
                if let number = Int(object.id.dropFirst()) { _ = adapter?.sectionController(forID: "r\(number + 1)") }
                return LetterController(log: EventList())
            })
        adapter = host.adapter
        try host.update((0..<count).map { try letters("r\($0):x") })
        #expect(deepest == 32 && host.adapter.itemCount == count)
        #expect(host.adapter.takeEvents().isEmpty)
    }

    @Test("a provider recursively requests a controller of the same type → it gets nil at a maximum depth")
    func nestedProvider() throws {
        final class Provider: ListSectionControllerProvider {
            weak var adapter: ListAdapter?
            func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
                _ = adapter?.sectionController(at: 0)
                return ListSectionControllerKind(name: "test/nested") { _ in LetterController(log: EventList()) }
            }
        }
        let provider = Provider()
        let host = TestHost([], provider: provider)
        try host.update([letters("a:x")])
        provider.adapter = host.adapter
        var configuration = ListOptions(name: "test")
        configuration.layout = .absolute
        #expect(try host.perform(.configure(configuration, controllersChanged: true)).revision == 2)
        #expect(host.itemCounts == [1])
    }

    // MARK: While a view is laid out

    private final class Transitional: LetterController, ListTransitionDelegate {
        var wish: ((Transitional) -> Void)?

        override init(log: EventList) {
            super.init(log: log)
            transitionDelegate = self
        }
        func sectionController(
            _ controller: ListSectionController, initialFrameForItemAt index: Int, resting frame: Rect
        ) -> Rect {
            wish?(self)
            wish = nil
            return frame
        }
        func sectionController(
            _ controller: ListSectionController, finalFrameForItemAt index: Int, resting frame: Rect
        ) -> Rect { frame }
    }

    @Test(
        "work is requested during a view's layout → the work is done immediately, and the host is notified",
        arguments: [false, true])
    func shownAnew(scrolls: Bool) throws {
        let list = TestHost(
            try [letters("a:abcdefghijklmnopqrst")], provider: ScriptedProvider { _ in Transitional(log: EventList()) })
        var screen = try list.open()
        let controller = try #require(list.controller("a") as? Transitional)
        var wakes = 0
        list.adapter.onActivity = { wakes += 1 }
        controller.context?.reportFault("no")
        #expect(wakes == 1)
        controller.wish = { controller in
            if scrolls {
                controller.context?.scrollToItem(at: 19, position: .end)
            } else {
                controller.context?.performBatch(updates: { $0.reloadSection() })
            }
        }
        screen.receive(list.adapter.takeEvents())
        #expect(controller.wish == nil && wakes == 2)
        #expect(screen.offset.y == (scrolls ? 100 : 0))
        #expect(list.adapter.flushTiming == (scrolls ? .idle : .now))
    }

    // MARK: While items are counted

    private final class Growing: LetterController {
        /// The number of further times that it changes its items while they are counted.
        var growth = 0
        var reloads = false

        override func numberOfItems() -> Int {
            guard growth > 0 else { return letters.count }
            growth -= 1
            context?.performBatch(updates: { [self] batch in
                letters.append("n")
                if reloads { batch.reloadSection() } else { batch.insertItems(at: [letters.count - 1]) }
            })
            return letters.count
        }
    }

    private func growing(_ texts: String...) throws -> TestHost {
        TestHost(try texts.map { try letters($0) }, provider: ScriptedProvider { _ in Growing(log: EventList()) })
    }

    @Test(
        "items change while they are counted → they are counted again, and announced in the same transaction",
        arguments: [false, true])
    func counted(reloads: Bool) throws {
        let list = try growing("a:x", "b:x")
        var screen = try list.open()
        let controller = try #require(list.controller("a") as? Growing)
        (controller.growth, controller.reloads) = (3, reloads)
        controller.context?.performBatch(updates: { batch in
            controller.letters.append("m")
            batch.insertItems(at: [1])
        })
        _ = list.takeEvents()
        let transaction = try #require(list.flush().transaction)
        #expect(list.itemCounts == [5, 1] && controller.letters.count == 5)
        #expect(transaction.itemCount == 6 && transaction.sections.reloads.count == (reloads ? 1 : 0))
        #expect(transaction.items.inserts.map(\.item) == (reloads ? [] : [1, 2, 3, 4]))
        screen.receive(list.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
        #expect(screen.items.filter { $0.section == 0 }.count == 5)
    }

    @Test("items of a new section change while they are counted → list and controller have the same item count")
    func countedWhenNew() throws {
        let provider = ScriptedProvider { _ in
            let controller = Growing(log: EventList())
            controller.growth = 2
            return controller
        }
        let list = TestHost([], provider: provider)
        try list.update([letters("a:x")])
        #expect(list.itemCounts == [3] && list.controller("a")?.letters.count == 3)
    }

    @Test("items change whenever they are counted → the section has a fault, and the list continues")
    func countedWithoutEnd() throws {
        let list = try growing("a:x", "b:x")
        let controller = try #require(list.controller("a") as? Growing)
        controller.growth = .max
        #expect(try list.perform(.reloadObjects(["a"])).revision == 1)
        #expect(list.itemCounts == [1, 1])
        #expect(list.adapter.items(inSection: 0).map(\.reuseIdentifier) == ["listd/fault"])
        #expect(try list.perform(.patchObject(id: "b", set: ["items": "xy"], unset: [])).revision == 2)
        #expect(list.itemCounts == [1, 2])
    }
}
