// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Item updates with a store that refuses at random")
struct RefusedScheduleTests {
    @Test(
        "random item updates, requests, scrolls and selections → items, selection and display events stay consistent",
        arguments: 0..<40)
    func schedule(seed: Int) throws {
        let machine = try Machine(seed: UInt64(seed))
        for _ in 0..<150 { try machine.step() }
        try machine.finish()
    }

    /// A section controller whose items have numbers that are never reused.
    private final class Numbered: ListSectionController, ListDisplayDelegate {
        unowned let machine: Machine
        var numbers: [Int] = []
        /// The number of displayed items, according to the display events.
        var shown = 0
        /// Whether the section is displayed, as a balance of its display events.
        var isShown = 0

        init(_ machine: Machine, _ object: ListObject) {
            self.machine = machine
            super.init()
            displayDelegate = self
            numbers = (0..<Int(object.fields["count"]?.int ?? 0)).map { _ in machine.nextNumber() }
        }

        private func check(_ index: Int, _ call: String = #function) {
            #expect(numbers.indices.contains(index), "\(call) \(index) of \(numbers.count)")
        }

        override func numberOfItems() -> Int { numbers.count }
        override func sizeForItem(at index: Int) -> Size {
            check(index)
            return Size(width: 100, height: 10)
        }
        override func item(at index: Int) -> ListItem {
            check(index)
            return ListItem(reuseIdentifier: "n", content: ["n": .int64(Int64(numbers[index]))])
        }
        override func shouldSelectItem(at index: Int) -> Bool {
            check(index)
            return true
        }
        override func didSelectItem(at index: Int) {
            check(index)
            machine.selected.insert(numbers[index])
        }
        override func didDeselectItem(at index: Int) {
            check(index)
            machine.selected.remove(numbers[index])
        }
        func sectionControllerWillDisplay(_ controller: ListSectionController) { isShown += 1 }
        func sectionControllerDidEndDisplaying(_ controller: ListSectionController) { isShown -= 1 }
        func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) {
            check(index)
            shown += 1
        }
        func sectionController(_ controller: ListSectionController, didEndDisplayingItemAt index: Int) {
            shown -= 1
            #expect(shown >= 0)
        }
    }

    /// Makes random requests, and models the selection.
    private final class Machine {
        var random: RandomList
        let list: TestHost
        /// The numbers of the selected items.
        var selected: Set<Int> = []
        private var screens: [Screen] = []
        private var lastNumber = 0
        private var lastObject = 0
        private var completions: [Int] = []
        private var controllers: [Numbered] = []

        private final class Provider: ListSectionControllerProvider {
            weak var machine: Machine?
            func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
                ListSectionControllerKind(name: "test/numbered") { [unowned self] object in
                    guard let machine else { return ListSectionController() }
                    let controller = Numbered(machine, object)
                    machine.controllers.append(controller)
                    return controller
                }
            }
        }
        private let provider = Provider()

        init(seed: UInt64) throws {
            random = RandomList(seed: seed &* 613 &+ 11)
            list = TestHost([], provider: provider) { configuration in
                configuration.sectionMovesAsDeletesInserts = seed % 5 == 2
                configuration.minimalMoves = seed % 3 == 1
            }
            provider.machine = self
            try list.update((0..<3).map { _ in try newObject() })
            screens = [try list.open(1), try list.open(2, y: 60)]
            _ = list.takeEvents()
        }

        func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        private func newObject() throws -> ListObject {
            lastObject += 1
            return try ListObject(id: "o\(lastObject)", type: "t", fields: ["count": .int64(Int64(int(9)))])
        }

        private func int(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random.random) }

        private func applyFlush() {
            let events = list.takeEvents()
            for index in screens.indices { screens[index].receive(events) }
        }

        private func randomController() -> Numbered? {
            guard list.adapter.objectCount > 0 else { return nil }
            return list.adapter.sectionController(at: int(list.adapter.objectCount)) as? Numbered
        }

        func step() throws {
            list.now += 10
            switch int(12) {
            case 0, 1, 2: update()
            case 3: try request()
            case 4, 5: flush()
            case 6: list.receive(list.adapter.commitFlush())
            case 7: list.receive(list.adapter.abortFlush(ListError(.storeFailed, "full")))
            case 8, 9: try scroll()
            case 10: selectOwn()
            default: try select()
            }
            list.receive(list.adapter.takeEvents())
            applyFlush()
        }

        private func flush() {
            var step = list.adapter.beginFlush(now: list.now)
            if case .diff(let job) = step { step = list.adapter.finishDiff(job.run()) }
            if case .finished(let result) = step { list.receive(result) }
        }

        private func update() {
            guard let controller = randomController(), let context = controller.context else { return }
            let index = completions.count
            completions.append(0)
            context.performBatch(
                updates: { [self] batch in change(controller, &batch) },
                completion: { [self] _ in completions[index] += 1 })
        }

        private func change(_ controller: Numbered, _ batch: inout ListBatchContext) {
            let count = controller.numbers.count
            switch int(4) {
            case 0 where count > 0:
                let first = int(count)
                let range = first..<min(count, first + 1 + int(5))
                selected.subtract(controller.numbers[range])
                controller.numbers.removeSubrange(range)
                batch.deleteItems(at: Array(range))
            case 1 where count > 1:
                let (from, to) = (int(count), int(count))
                controller.numbers.insert(controller.numbers.remove(at: from), at: to)
                if from != to { batch.moveItem(from: from, to: to) }
            case 2 where count > 0:
                let index = int(count)
                batch.reloadItems(at: [index])
            default:
                let place = int(count + 1)
                let new = (0...int(4)).map { _ in nextNumber() }
                controller.numbers.insert(contentsOf: new, at: place)
                batch.insertItems(at: Array(place..<place + new.count))
            }
            if int(3) == 0 { selectOwn(controller) }
        }

        /// Makes a section controller select or deselect a random item of its own.
        private func selectOwn(_ known: Numbered? = nil) {
            guard let controller = known ?? randomController(), let context = controller.context,
                !controller.numbers.isEmpty
            else { return }
            let index = int(controller.numbers.count)
            if int(2) == 0 {
                selected.insert(controller.numbers[index])
                context.selectItem(at: index)
            } else {
                selected.remove(controller.numbers[index])
                context.deselectItem(at: index)
            }
        }

        /// Selects or deselects a random item, as a viewer does.
        private func select() throws {
            guard list.adapter.objectCount > 0 else { return }
            let section = int(list.adapter.objectCount)
            guard let id = list.adapter.object(at: section)?.id, let count = list.adapter.itemCount(inSection: section),
                count > 0
            else { return }
            if int(2) == 0 {
                list.receive(try list.adapter.selectItem(int(count), ofObject: id).events)
            } else {
                list.receive(try list.adapter.deselectItem(int(count), ofObject: id).events)
            }
        }

        private func request() throws {
            let ids = list.ids
            switch int(4) {
            case 0: list.enqueue(.moveObject(id: ids.isEmpty ? "none" : ids[int(ids.count)], position: .first))
            case 1 where ids.count > 2: list.enqueue(.applyChanges(removed: [ids[int(ids.count)]], upserts: []))
            case 2:
                var objects = list.adapter.objects(from: 0, limit: .max)
                objects.shuffle(using: &random.random)
                if objects.count > 2 { objects.removeLast() }
                list.enqueue(.performUpdates(objects: objects + [try newObject()]))
            default:
                let upsert = UpdateRequest.Upsert(try newObject(), position: int(2) == 0 ? .first : .last)
                list.enqueue(.applyChanges(removed: [], upserts: [upsert]))
            }
        }

        private func scroll() throws {
            // A host holds views back while it stores a transaction.
            guard !list.adapter.isFlushing else { return }
            let index = int(2)
            let rect = Rect(x: 0, y: Double(int(20)) * 10, width: 100, height: 100)
            list.receive(try list.adapter.setViewport(view: ViewID(index + 1), seen: 0, rect: rect))
            applyFlush()
            list.receive(try list.adapter.acknowledge(view: ViewID(index + 1), sequence: screens[index].sequence))
        }

        func finish() throws {
            list.receive(list.adapter.commitFlush())
            list.now += 100_000
            list.flush()
            list.receive(list.adapter.takeEvents())
            applyFlush()
            #expect(completions.allSatisfy { $0 == 1 })
            for view in [1, 2] as [ViewID] {
                list.receive(try list.adapter.acknowledge(view: view, sequence: screens[Int(view) - 1].sequence))
                applyFlush()
                try screens[Int(view) - 1].expectEqualToResync(of: list.adapter)
            }
            var present: Set<Int> = []
            for section in 0..<list.adapter.objectCount {
                let controller = list.adapter.sectionController(at: section) as? Numbered
                let numbers = list.adapter.items(inSection: section).compactMap { $0.content["n"]?.int }
                #expect(numbers == controller?.numbers)
                present.formUnion(numbers)
                let shown = Set(screens.flatMap(\.items).filter { $0.section == section }.map(\.item))
                #expect(controller?.shown == shown.count)
                #expect(controller?.isShown == (shown.isEmpty ? 0 : 1))
                #expect(controller?.context?.visibleIndexes == shown.sorted())
            }
            for controller in controllers where controller.section == nil {
                #expect(controller.shown == 0 && controller.isShown == 0)
            }
            let found = list.adapter.selectedItems.compactMap { item in
                (list.adapter.sectionController(forID: item.objectID) as? Numbered)?.numbers[item.item]
            }
            #expect(Set(found) == selected.intersection(present))
        }
    }
}
