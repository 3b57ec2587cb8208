// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Applying an object list's updates to sections and views")
struct PresentingTests {
    @Test(
        "random requests, scrolls and selections → the results are those of an adapter that flushes by itself",
        arguments: 0..<16, [false, true])
    func sameAsFlushing(seed: Int, sharesTable: Bool) throws {
        let pair = try Pair(seed: seed, sharesTable: sharesTable)
        for _ in 0..<60 {
            try pair.step()
            try pair.compare()
        }
        #expect(pair.transactions > 10)
    }

    @Test("an update only applies options → it has no transaction, and item updates wait for the next update")
    func optionsOnly() throws {
        let list = try TestHost.letters("a:x")
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters.append("y")
            batch.insertItems(at: [1])
        })
        var update = Change()
        update.options = list.adapter.configuration
        update.options?.workingRange = 4
        #expect(list.adapter.presentation.present(update).transaction == nil)
        #expect(list.adapter.configuration.workingRange == 4 && list.itemCounts == [1])
        let presented = list.adapter.presentation.presentItems()
        #expect(presented.transaction?.items.inserts == [ItemPlace(0, 1)] && presented.itemCount == 2)
        #expect(list.adapter.presentation.presentItems().transaction == nil)
    }

    @Test(
        "a request requires a transaction of its own → earlier item updates run before the request, later ones after it"
    )
    func places() throws {
        let list = ObjectList(
            table: SectionTable(resting: [try letters("a:x")]), numbers: RevisionNumbers(unstoredAt: 0),
            log: ChangeLog(), configuration: ListOptions(name: "places"))
        let provider = ScriptedProvider { _ in LetterController(log: EventList()) }
        let adapter = Presentation(
            configuration: list.configuration, controllers: provider, sharing: list.table,
            makeTicket: { list.makeTicket() }, executor: nil, observer: nil)
        #expect(!list.table.isResting && list.table.itemCount(.old) == 1)
        let controller = try #require(adapter.sectionController(at: 0) as? LetterController)
        func append(_ letter: String) {
            controller.context?.performBatch(updates: { batch in
                controller.letters.append(letter)
                batch.insertItems(at: [controller.letters.count - 1])
            })
        }
        append("y")
        let first = try #require(adapter.firstItemUpdate)
        let ticket = list.enqueue(UpdateRequest(id: 1, operation: .reloadData), now: 0)
        append("z")
        #expect(first < ticket)
        #expect(adapter.presentItems(through: ticket).transaction?.items.inserts == [ItemPlace(0, 1)])
        #expect(controller.letters == ["x", "y"] && list.table.itemCount(.old) == 2)
        #expect(adapter.firstItemUpdate.map { ticket < $0 } == true)
        #expect(adapter.presentItems(through: ticket).transaction == nil)
        var update = Change()
        update.scope = .layout
        update.through = try #require(adapter.firstItemUpdate)
        #expect(adapter.present(update).itemCount == 3 && adapter.firstItemUpdate == nil)
    }

    @Test("one Presentation leaves its section table to another → the other has the same sections and item counts")
    func leaving() throws {
        let table = SectionTable(resting: try (0..<5).map { try letters("s\($0):abc") })
        func present() -> Presentation {
            let provider = ScriptedProvider { _ in LetterController(log: EventList()) }
            return Presentation(
                configuration: ListOptions(name: "x"), controllers: provider, sharing: table,
                makeTicket: { .none }, executor: nil, observer: nil)
        }
        let first = present()
        _ = first.items(inSection: 2)
        var update = Change()
        update.moved = [(4, 0, nil, nil)]
        update.updated = [(1, nil, try letters("s1:ab"))]
        #expect(first.present(update).itemCount == 14)
        first.leaveTable()
        let second = present()
        #expect(second.itemCount == 14 && second.objectCount == 5)
        #expect(second.items(inSection: 0).map { $0.content["letter"]?.string } == ["a", "b", "c"])
        #expect(table.objects(.old, in: 0..<9).map(\.id) == ["s4", "s0", "s1", "s2", "s3"])
    }

    @Test("changes of most sections arrive without the resulting list → the presented list equals that list")
    func bulk() throws {
        let before = try (0..<300).map { try letters("s\($0):ab") }
        let after = try (100..<500).reversed().map { try letters("s\($0):\($0 % 3 == 0 ? "ab" : "c")") }
        let diff = DiffJob(old: before, new: after, comparison: ListComparison(), generation: 0).run()
        let provider = ScriptedProvider { _ in LetterController(log: EventList()) }
        let list = TestHost(before, provider: provider)
        var update = diff.change
        update.list = nil
        _ = list.adapter.presentation.present(update)
        #expect(list.adapter.objects(from: 0, limit: .max) == after)
        #expect(list.itemCounts == after.map { $0.fields["items"] == "ab" ? 2 : 1 })
    }

    @Test("a controller moves a dragged item → the move is applied after pending item updates")
    func moveItself() throws {
        let provider = ScriptedProvider { _ in MovableLetters(log: EventList()) }
        let list = TestHost([try letters("a:xyz"), try letters("b:w")], provider: provider)
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters.insert("v", at: 0)
            batch.insertItems(at: [0])
        })
        let move = ItemMoveRequest(id: 1, from: IndexPath(section: 0, item: 3), to: IndexPath(section: 0, item: 0))
        let answer = list.adapter.presentation.answer(move)
        #expect(answer.verdict == nil)
        #expect(answer.changes.map { $0.transaction?.items.moves.count } == [0, 1])
        #expect(controller.letters == ["z", "v", "x", "y"] && list.itemCounts == [4, 1])
        let outside = ItemMoveRequest(id: 2, from: IndexPath(section: 0, item: 9), to: move.to)
        guard case .error(let error) = list.adapter.presentation.answer(outside).verdict else {
            Issue.record("an item that does not exist may move")
            return
        }
        #expect(error.code == .noSuchItem)
    }
}

extension PresentingTests {
    /// A section of letters that may be dragged within it.
    final class MovableLetters: LetterController {
        override func canMoveItem(at index: Int) -> Bool { true }

        override func moveItem(from source: Int, to destination: Int) {
            letters.insert(letters.remove(at: source), at: destination)
        }
    }

    /// Two lists that get the same random requests: one flushes by itself, the other presents the updates of an
    /// object list.
    final class Pair {
        private static let revision: UInt64 = 100
        private var source: RandomList
        private let hasLetters: Bool
        private let sharesTable: Bool
        private let flushing: ListAdapter
        private let presenting: Presentation
        private let list: ObjectList
        private let logs = (flushing: EventList(), presenting: EventList())
        private var lastID: RequestID = 0
        private(set) var transactions = 0
        private var answers: (flushing: [RequestAnswer], presenting: [RequestAnswer]) = ([], [])

        init(seed: Int, sharesTable: Bool) throws {
            self.sharesTable = sharesTable
            source = RandomList(seed: UInt64(seed) &* 6007 &+ 11, ids: 9)
            hasLetters = seed % 2 == 0
            var configuration = ListOptions(name: "pair")
            ConvergenceTests.configurations[seed / 2 % ConvergenceTests.configurations.count](&configuration)
            flushing = ListAdapter(
                configuration: configuration, controllers: Pair.provider(hasLetters, logs.flushing),
                revision: Pair.revision)
            let list = ObjectList(
                table: SectionTable(), numbers: RevisionNumbers(unstoredAt: Pair.revision),
                log: ChangeLog(revision: Pair.revision), configuration: configuration)
            self.list = list
            let provider = Pair.provider(hasLetters, logs.presenting)
            presenting =
                sharesTable
                ? Presentation(
                    configuration: configuration, controllers: provider, sharing: list.table,
                    makeTicket: { list.makeTicket() }, executor: nil, observer: nil)
                : Presentation(
                    configuration: configuration, controllers: provider, objects: [], executor: nil, observer: nil)
            for (id, layout) in [(1, ListLayoutKind.flow), (2, .none), (3, .absolute)] as [(ViewID, ListLayoutKind)] {
                var options = ListViewOptions()
                options.layout = layout
                options.buffer = 0
                try flushing.openView(id, options: options)
                try presenting.openView(id, options: options)
            }
        }

        private static func provider(_ hasLetters: Bool, _ log: EventList) -> any ListSectionControllerProvider {
            hasLetters
                ? ScriptedProvider { _ in MovableLetters(log: log) }
                : BuiltInSectionControllerProvider(names: ["binding": "listd/binding"])
        }

        private func int(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &source.random) }

        func step() throws {
            switch int(6) {
            case 0: try scroll()
            case 1: try select()
            default:
                let changesItems = hasLetters && int(2) == 0
                if changesItems { changeItems() }
                for _ in 0..<int(4) { enqueue(try operation(), animated: changesItems || int(3) > 0) }
                try flush()
            }
        }

        // MARK: Requests to both lists

        private func operation() throws -> UpdateRequest.Operation {
            if int(12) == 0 {
                var configuration = list.configuration
                if int(2) == 0 { configuration.workingRange = int(3) } else { configuration.topContentInset += 5 }
                return .configure(configuration, controllersChanged: int(4) == 0)
            }
            if int(6) == 0, flushing.objectCount > 0 {
                let from = IndexPath(section: int(flushing.objectCount), item: int(3))
                let section = int(2) == 0 ? from.section : int(flushing.objectCount)
                return .moveItem(from: from, to: IndexPath(section: section, item: int(3)))
            }
            let operation = try source.operation()
            guard hasLetters else { return operation }
            switch operation {
            case .performUpdates(let objects, let duplicates):
                return .performUpdates(objects: try objects.map(lettered), duplicates: duplicates)
            case .applyChanges(let removed, let upserts):
                return .applyChanges(
                    removed: removed, upserts: try upserts.map { .init(try lettered($0.object), position: $0.position) }
                )
            case .patchObject(let id, _, _): return .patchObject(id: id, set: ["items": .string(word())], unset: [])
            default: return operation
            }
        }

        private func lettered(_ object: ListObject) throws -> ListObject { try letters("\(object.id):\(word())") }
        private func word() -> String { String((0..<int(5)).map { _ in source.random.pick(Array("uvwxyz")) ?? "u" }) }

        private func enqueue(_ operation: UpdateRequest.Operation, animated: Bool) {
            lastID += 1
            let expected = int(5) == 0 ? list.numbers.last : 0
            let request = UpdateRequest(
                id: lastID, expectedRevision: expected, animated: animated, operation: operation)
            flushing.enqueue(request)
            list.enqueue(request, now: 0)
        }

        private func changeItems() {
            guard flushing.objectCount > 0 else { return }
            let (section, isDelete, isAnimated) = (int(flushing.objectCount), int(2) == 0, int(2) == 0)
            for found in [flushing.sectionController(at: section), presenting.sectionController(at: section)] {
                guard let controller = found as? LetterController else { continue }
                controller.context?.performBatch(
                    animated: isAnimated,
                    updates: { batch in
                        if isDelete, !controller.letters.isEmpty {
                            controller.letters.removeLast()
                            batch.deleteItems(at: [controller.letters.count])
                        } else {
                            controller.letters.insert("n", at: 0)
                            batch.insertItems(at: [0])
                        }
                    })
            }
            let ticket = sharesTable ? presenting.firstItemUpdate : list.makeTicket()
            list.setFirstItemUpdate(ticket, now: 0, isOnScreen: true)
        }

        private func scroll() throws {
            let view = ViewID(int(3) + 1)
            if view == 2 {
                let range = (IndexPath(section: int(4), item: 0), IndexPath(section: int(4) + 4, item: 1))
                compare(
                    try flushing.setVisibleRange(view: view, first: range.0, last: range.1).effects,
                    stamped(try presenting.setVisibleRange(view: view, first: range.0, last: range.1).effects))
            } else {
                let rect = Rect(x: 0, y: Double(int(20)) * 10, width: 200, height: 90)
                compare(
                    try flushing.setViewport(view: view, seen: 0, rect: rect).effects,
                    stamped(try presenting.setViewport(view: view, seen: 0, rect: rect).effects))
            }
        }

        private func select() throws {
            let (id, item) = (source.id(), int(2))
            guard let first = try? flushing.selectItem(item, ofObject: id) else {
                #expect((try? presenting.selectItem(item, ofObject: id)) == nil)
                return
            }
            let second = try presenting.selectItem(item, ofObject: id)
            #expect(first.0 == second.0)
            compare(first.1, stamped(second.1))
        }

        /// Returns the events of an adapter with the revisions of the object list.
        private func stamped(_ events: [AdapterEvent]) -> [AdapterEvent] {
            let presented = Announcement(events: events, itemCount: presenting.itemCount)
            return list.recordItemChanges(presented)?.events ?? []
        }

        // MARK: Flushing both lists

        private func flush() throws {
            var events: (flushing: [AdapterEvent], presenting: [AdapterEvent]) = ([], [])
            for result in flushing.flushNow() {
                events.flushing += result.events
                answers.flushing += result.answers
                transactions += result.transaction == nil ? 0 : 1
            }
            while list.timing != .idle {
                perform(list.next(now: 0), &events.presenting)
                if sharesTable { list.setFirstItemUpdate(presenting.firstItemUpdate, now: 0, isOnScreen: true) }
            }
            compare(events.flushing, events.presenting)
        }

        private func perform(_ step: UpdateStep, _ events: inout [AdapterEvent]) {
            switch step {
            case .owner(.wait): break
            case .owner(.diff(let job)): perform(list.finishDiff(job.run()), &events)
            case .ask(let move):
                let answer = presenting.answer(move)
                for (index, changes) in answer.changes.enumerated() {
                    let isLast = answer.verdict == nil && index == answer.changes.count - 1
                    collect(list.recordItemChanges(changes, answering: isLast ? move.id : nil), &events)
                }
                if let verdict = answer.verdict { perform(list.finishAskingAboutMove(verdict), &events) }
            case .owner(.store): perform(list.finishStoring(.success(()), sharesTable: sharesTable, now: 0), &events)
            case .owner(.reserve): Issue.record("a list that is not stored reserves numbers")
            case .present(let update): collect(list.finishPresenting(presenting.present(update)), &events)
            case .presentItems(let ticket):
                let said = presenting.presentItems(through: ticket)
                collect(
                    list.phase == .presenting ? list.finishPresenting(said) : list.recordItemChanges(said), &events)
            case .owner(.announce(let said)): collect(said, &events)
            }
        }

        private func collect(_ announced: Announcement?, _ events: inout [AdapterEvent]) {
            events += announced?.events ?? []
            answers.presenting += announced?.answers ?? []
        }

        // MARK: Comparing

        private func compare(_ first: [AdapterEvent], _ second: [AdapterEvent]) {
            #expect(first.map { "\($0)" } == second.map { "\($0)" })
        }

        func compare() throws {
            let objects = flushing.objects(from: 0, limit: .max)
            try #require(presenting.objects(from: 0, limit: .max) == objects)
            try #require(list.table.objects(.old, in: 0..<objects.count + 1) == objects)
            #expect(list.numbers.last == flushing.revision && list.itemCount == flushing.itemCount)
            #expect(presenting.configuration == flushing.configuration && list.configuration == flushing.configuration)
            #expect(presenting.selectedItems == flushing.selectedItems)
            #expect(logs.presenting.drain() == logs.flushing.drain())
            for section in objects.indices {
                #expect(presenting.items(inSection: section) == flushing.items(inSection: section))
            }
            for view in [1, 2, 3] as [ViewID] {
                let first = try flushing.viewDescription(view)
                #expect("\(try presenting.viewDescription(view))" == "\(first)")
                if int(8) == 0 {
                    #expect(try presenting.resync(view: view).items == flushing.resync(view: view).items)
                }
            }
            #expect(answers.presenting.map(\.id) == answers.flushing.map(\.id))
            #expect(answers.presenting.map(\.errorCode) == answers.flushing.map(\.errorCode))
            #expect(answers.presenting.map(\.isRefused) == answers.flushing.map(\.isRefused))
            #expect(answers.presenting.map(\.droppedDuplicates) == answers.flushing.map(\.droppedDuplicates))
            answers = ([], [])
        }
    }
}
