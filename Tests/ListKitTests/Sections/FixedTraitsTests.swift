// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Fixed traits: layout of sections without creating their controllers")
struct FixedTraitsTests {
    /// A provider of rows, with or without traits. It counts the created controllers.
    final class Provider: ListSectionControllerProvider {
        /// The properties of a section that are known without its controller.
        enum Knowledge: CaseIterable {
            case nothing, eachSection, allSections
        }

        let knowledge: Knowledge
        private(set) var made = 0

        init(_ knowledge: Knowledge) { self.knowledge = knowledge }

        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
            let items = type == "pair" ? 2 : 1
            let shape: @Sendable (ListContainer) -> ListSectionShape = { container in
                ListSectionShape(
                    metrics: SectionMetrics(
                        itemCount: items, uniformItemSize: Size(width: container.size.width, height: 10)))
            }
            let traits: ListSectionTraits? =
                switch knowledge {
                case .nothing: nil
                case .eachSection: ListSectionTraits(numberOfItems: { _ in items }, shape: { shape($1) })
                case .allSections: ListSectionTraits(itemCount: items, shape: shape)
                }
            return ListSectionControllerKind(name: "test/row", traits: traits) { [weak self] _ in
                self?.made += 1
                return Row(items: items)
            }
        }
    }

    final class Row: ListSectionController {
        private let items: Int
        private var fields = Fields()
        init(items: Int) { self.items = items }
        override func didUpdate(to object: ListObject) { fields = object.fields }
        override func numberOfItems() -> Int { items }
        override func sizeForItem(at index: Int) -> Size { Size(width: context?.containerSize.width ?? 0, height: 10) }
        override func item(at index: Int) -> ListItem {
            ListItem(reuseIdentifier: "row", content: fields)
        }
    }

    private func rows(_ count: Int) throws -> [ListObject] {
        try (0..<count).map { try ListObject(id: "\($0)", type: "row", fields: ["n": .int64(Int64($0))]) }
    }

    @Test(
        "100,000 objects have fixed traits → displaying, scrolling and resizing create only the visible controllers"
    )
    func fewControllers() throws {
        let provider = Provider(.allSections)
        let list = TestHost(try rows(100_000), provider: provider)
        var screen = try list.open()
        #expect(provider.made == 10 && screen.items.count == 10)
        #expect(screen.contentSize == Size(width: 100, height: 1_000_000))
        let reply = try list.adapter.setViewport(
            view: 1, seen: 0, rect: Rect(x: 0, y: 500_000, width: 100, height: 100))
        screen.receive(reply.effects)
        #expect(provider.made == 20)
        #expect(screen.items.map(\.section) == Array(50_000..<50_010))
        let wider = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 500_000, width: 80, height: 100))
        screen.receive(wider.effects)
        #expect(provider.made == 20)
        #expect(screen.items.map(\.frame.size.width) == Array(repeating: 80, count: 10))
    }

    @Test("traits have a wrong number of items or an infinite size → each visible section has a fault")
    func badShape() throws {
        final class Bad: ListSectionControllerProvider {
            func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
                let traits = ListSectionTraits(itemCount: 1) { _ in
                    ListSectionShape(
                        metrics: SectionMetrics(itemCount: 1, uniformItemSize: Size(width: .nan, height: 10)))
                }
                return ListSectionControllerKind(name: "test/bad", traits: traits) { _ in Row(items: 1) }
            }
        }
        let list = TestHost(try rows(3), provider: Bad())
        let screen = try list.open()
        #expect(screen.items.map(\.reuseIdentifier) == ["listd/fault", "listd/fault", "listd/fault"])
        #expect(list.events.count { if case .sectionFault = $0 { true } else { false } } == 3)
    }

    @Test(
        "updates, scrolls and sizes occur with and without traits → the pictures are the same",
        arguments: 0..<4)
    func sameAsControllers(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed) &+ 77)
        let lists = Provider.Knowledge.allCases.map { TestHost(provider: Provider($0)) }
        var screens = try lists.map { try $0.open() }
        for _ in 0..<10 {
            let count = Int.random(in: 0...200, using: &random)
            let start = Int.random(in: 0...50, using: &random)
            var objects = try (start..<start + count).map { number in
                try ListObject(
                    id: "\(number)", type: number % 97 == 0 ? "pair" : "row",
                    fields: ["n": .int64(Int64.random(in: 0...3, using: &random))])
            }
            if Bool.random(using: &random) { objects.shuffle(using: &random) }
            let rect = Rect(
                x: 0, y: Double.random(in: 0...1500, using: &random),
                width: Bool.random(using: &random) ? 100 : 90, height: 100)
            let measured = MeasuredSize(
                objectID: "\(start + count / 2)", item: 0,
                size: Size(width: 90, height: Double(Int.random(in: 1...30, using: &random))))
            for (index, list) in lists.enumerated() {
                screens[index].receive(try list.update(objects).events)
                screens[index].receive(try list.adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
                screens[index].receive(try list.adapter.reportSizes(view: 1, sizes: [measured]).effects)
                try screens[index].expectEqualToResync(of: list.adapter)
                #expect(screens[index].items == screens[0].items)
                #expect(screens[index].contentSize == screens[0].contentSize)
            }
        }
    }
}
