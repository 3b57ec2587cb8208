// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Synchronization
import TestSupport
import Testing

@Suite("Section controllers that violate their contract: faults of the section")
struct FaultTests {
    func faults(_ events: [AdapterEvent]) -> [SectionFault] {
        events.compactMap { if case .sectionFault(let fault) = $0 { fault } else { nil } }
    }

    /// Creates a list of the objects `a`, `b` and `c`, where the controller of `b` misbehaves.
    func list(_ spoil: @escaping (BadController) -> Void) throws -> (TestHost, EventList) {
        let log = EventList()
        let provider = ScriptedProvider { object in
            let controller = BadController(log: log)
            if object.id == "b" { spoil(controller) }
            return controller
        }
        return (TestHost(provider: provider), log)
    }

    final class BadController: LetterController {
        var count: Int?
        var size: Size?
        var content: Fields?
        override func numberOfItems() -> Int { count ?? super.numberOfItems() }
        override func sizeForItem(at index: Int) -> Size { size ?? super.sizeForItem(at: index) }
        override func item(at index: Int) -> ListItem {
            content.map { ListItem(reuseIdentifier: "x", content: $0) } ?? super.item(at: index)
        }
    }

    @Test(
        "the number of items is negative or infinite → one error item is shown, and one fault is reported",
        .rule("AD-152"),
        arguments: [-1, Int.min, Int.max, 1_000_001])
    func counts(count: Int) throws {
        let (list, _) = try list { $0.count = count }
        var screen = try list.open()
        screen.receive(try list.update([letters("a:xy"), letters("b:xy"), letters("c:z")]).events)
        #expect(list.itemCounts == [2, 1, 1])
        let found = faults(list.takeEvents())
        #expect(found.map(\.objectID) == ["b"])
        #expect(found.first?.controller == "test/letters")
        #expect(screen.items.map(\.reuseIdentifier) == ["letter", "letter", "listd/fault", "letter"])
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "sizes are not finite → error items are shown, and a single fault is reported, even with several views",
        .rule("AD-152"))
    func sizes() throws {
        for size in [Size(width: .nan, height: 1), Size(width: 1, height: .infinity)] {
            let (list, _) = try list { $0.size = size }
            var screens = [try list.open(1), try list.open(2)]
            let events = try list.update([letters("a:x"), letters("b:xy"), letters("c:z")]).events
            for index in screens.indices {
                screens[index].receive(events)
                let reuse = screens[index].items.map(\.reuseIdentifier)
                #expect(reuse == ["letter", "listd/fault", "listd/fault", "letter"])
                try screens[index].expectEqualToResync(of: list.adapter)
            }
            #expect(faults(list.takeEvents()).count == 1)
        }
    }

    @Test("sizes are negative → they count as zero, without a fault", .rule("AD-101"))
    func negativeSizes() throws {
        let (list, _) = try list { $0.size = Size(width: -1, height: -1) }
        try list.update([letters("a:x"), letters("b:xy"), letters("c:z")])
        let screen = try list.open()
        #expect(screen.contentSize.height == 20)
        #expect(faults(list.takeEvents()).isEmpty)
    }

    @Test("a D-Bus message cannot carry the content → error items are shown")
    func contents() throws {
        let (list, _) = try list { $0.content = ["bad": .string("nul\0")] }
        try list.update([letters("a:x"), letters("b:xy")])
        let screen = try list.open()
        #expect(screen.items.map(\.reuseIdentifier) == ["letter", "listd/fault", "listd/fault"])
        #expect(faults(list.takeEvents()).count == 1)
    }

    @Test("the number of items changes without an announcement → an error item is shown until the object's next change")
    func countLie() throws {
        let list = try TestHost.letters("a:x", "b:xyz")
        var screen = try list.open()
        let controller = try #require(list.controller("b"))
        controller.context?.performBatch(updates: { batch in
            controller.letters = ["1", "2", "3", "4", "5"]
            batch.insertItems(at: [0])
        })
        let result = list.flush()
        screen.receive(result.events)
        #expect(faults(result.events).map(\.objectID) == ["b"])
        #expect(list.itemCounts == [1, 1])
        #expect(result.transaction?.sections.reloads == [IndexRun(first: 1, length: 1)])
        screen.receive(try list.update([letters("a:x"), letters("b:pq")]).events)
        #expect(list.itemCounts == [1, 2])
        #expect(screen.items.map { $0.content["letter"] } == ["x", "p", "q"])
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("an item update has indexes out of range → a fault is reported", arguments: [-1, 3, Int.max, Int.min])
    func indexes(index: Int) throws {
        for kind in 0..<4 {
            let list = try TestHost.letters("a:xyz")
            let controller = try #require(list.controller("a"))
            controller.context?.performBatch(updates: { batch in
                switch kind {
                case 0: batch.deleteItems(at: [index])
                case 1: batch.reloadItems(at: [index])
                case 2: batch.moveItem(from: index, to: 0)
                default: batch.moveItem(from: 0, to: index)
                }
            })
            #expect(faults(list.flush().events).count == 1)
            #expect(list.itemCounts == [1])
        }
    }

    @Test("an item update has inserts far out of range → a fault is reported")
    func insertsOutOfRange() throws {
        for indexes in [[7], [-1], [.max], [.min, .max], [.max, .max]] {
            let list = try TestHost.letters("a:xyz")
            let controller = try #require(list.controller("a"))
            controller.context?.performBatch(updates: { batch in
                controller.letters += Array(repeating: "n", count: indexes.count)
                batch.insertItems(at: indexes)
            })
            #expect(faults(list.flush().events).count == 1)
        }
    }

    @Test("identities are repeated among the visible items → the section has a fault")
    func duplicateIdentities() throws {
        final class Twins: LetterController {
            override func item(at index: Int) -> ListItem { ListItem(identity: "same", reuseIdentifier: "x") }
        }
        let list = TestHost([try letters("a:xy")], provider: ScriptedProvider { _ in Twins(log: EventList()) })
        var screen = try list.open()
        #expect(screen.items.map(\.reuseIdentifier) == ["listd/fault", "listd/fault"])
        #expect(faults(list.takeEvents()).count == 1)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "a controller is an instance of the base class, or is used for two objects → a fault is reported",
        .rule("EE-43"))
    func wrongControllers() throws {
        let list = TestHost([try object("a")], provider: ScriptedProvider { _ in ListSectionController() })
        #expect(list.adapter.items(inSection: 0).first?.reuseIdentifier == "listd/fault")
        #expect(faults(list.adapter.takeEvents()).count == 1)
        let shared = LetterController(log: EventList())
        let twice = TestHost([try letters("a:x"), try letters("b:y")], provider: ScriptedProvider { _ in shared })
        #expect(twice.adapter.items(inSection: 0).first?.reuseIdentifier == "letter")
        #expect(twice.adapter.items(inSection: 1).first?.reuseIdentifier == "listd/fault")
    }

    @Test("a subclass has no overrides → error items have the reason", .rule("SC-03"))
    func overridesNothing() throws {
        final class Lazy: ListSectionController {}
        let list = TestHost([try object("a")], provider: ScriptedProvider { _ in Lazy() })
        #expect(list.adapter.items(inSection: 0).first?.reuseIdentifier == "listd/fault")
        #expect(faults(list.adapter.takeEvents()).first?.reason.contains("item(at:)") == true)
    }

    @Test(
        "a list is opened with an object at fault → one error item, and its controller is not called until it changes",
        .rule("OR-05"), arguments: [false, true])
    func opened(hasTraits: Bool) throws {
        let provider = AskedProvider(hasTraits: hasTraits)
        let list = Presentation(
            configuration: ListOptions(), controllers: provider,
            objects: [try letters("a:xy"), try letters("b:xy"), try letters("c:z")],
            faults: [ExactText("b"): "it is deadly"],
            executor: nil, observer: nil)
        #expect(list.itemCounts(from: 0, limit: 3) == [2, 1, 1])
        try list.openView(1, options: ListViewOptions())
        _ = try list.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 400), growth: .max)
        let item = list.items(inSection: 1)
        #expect(item == [ListItem(reuseIdentifier: "listd/fault", content: ["error": "it is deadly"])])
        #expect(item[0].content(filteredTo: [ExactText("title")]) == ["error": "it is deadly"])
        #expect(try list.selectItem(0, ofObject: "b").0 == false)
        // Everything is counted again for a reload, except what must not be called.
        var update = Change()
        update.scope = .items
        update.updated = [(0, nil, try letters("a:x"))]
        #expect(list.present(update).itemCount == 3)
        #expect(provider.asked.contains("a") && !provider.asked.contains("b"))
        update = Change()
        update.reloads = [IndexRun(first: 1, length: 1)]
        #expect(list.present(update).transaction?.sections.reloads == [IndexRun(first: 1, length: 1)])
        #expect(list.itemCounts(from: 0, limit: 3) == [1, 2, 1])
        #expect(provider.asked.contains("b"))
    }

    /// A provider that records for which objects controllers are made or traits are asked.
    private final class AskedProvider: ListSectionControllerProvider, Sendable {
        private let ids = Mutex<Set<String>>([])
        private let hasTraits: Bool

        init(hasTraits: Bool) { self.hasTraits = hasTraits }

        var asked: Set<String> { ids.withLock { $0 } }

        private func record(_ object: ListObject) { _ = ids.withLock { $0.insert(object.id) } }

        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
            let count: @Sendable (ListObject) -> Int = { [self] object in
                record(object)
                return object.fields["items"]?.string?.count ?? 0
            }
            let traits = ListSectionTraits(
                numberOfItems: count,
                shape: { object, _ in
                    let size = Size(width: 100, height: 10)
                    return ListSectionShape(metrics: SectionMetrics(itemCount: count(object), uniformItemSize: size))
                })
            return ListSectionControllerKind(name: "test/\(type)", traits: hasTraits ? traits : nil) { [self] object in
                record(object)
                return LetterController(log: EventList())
            }
        }
    }
}
