// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
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
        #expect(screen.items.map(\.reuseIdentifier) == ["letter", "letter", "error", "letter"])
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
                #expect(screens[index].items.map(\.reuseIdentifier) == ["letter", "error", "error", "letter"])
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
        #expect(screen.items.map(\.reuseIdentifier) == ["letter", "error", "error"])
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
        #expect(screen.items.map(\.reuseIdentifier) == ["error", "error"])
        #expect(faults(list.takeEvents()).count == 1)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "a controller is an instance of the base class, or is used for two objects → a fault is reported",
        .rule("EE-43"))
    func wrongControllers() throws {
        let list = TestHost([try object("a")], provider: ScriptedProvider { _ in ListSectionController() })
        #expect(list.adapter.items(inSection: 0).first?.reuseIdentifier == "error")
        #expect(faults(list.adapter.takeEvents()).count == 1)
        let shared = LetterController(log: EventList())
        let twice = TestHost([try letters("a:x"), try letters("b:y")], provider: ScriptedProvider { _ in shared })
        #expect(twice.adapter.items(inSection: 0).first?.reuseIdentifier == "letter")
        #expect(twice.adapter.items(inSection: 1).first?.reuseIdentifier == "error")
    }

    @Test("a subclass has no overrides → error items have the reason", .rule("SC-03"))
    func overridesNothing() throws {
        final class Lazy: ListSectionController {}
        let list = TestHost([try object("a")], provider: ScriptedProvider { _ in Lazy() })
        #expect(list.adapter.items(inSection: 0).first?.reuseIdentifier == "error")
        #expect(faults(list.adapter.takeEvents()).first?.reason.contains("item(at:)") == true)
    }
}
