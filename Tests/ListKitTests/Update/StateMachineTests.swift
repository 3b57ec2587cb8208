// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("State machine: random requests of all kinds, on a virtual clock")
struct StateMachineTests {
    @Test(
        "requests of all kinds are made at random → each is answered once in order, and all copies equal the reference",
        arguments: 0..<24)
    func schedule(seed: Int) throws {
        let machine = Machine(seed: UInt64(seed))
        try machine.start()
        for _ in 0..<120 { try machine.step() }
        try machine.finish()
    }

    /// A request that is not answered yet.
    enum PendingRequest {
        /// An operation on objects, with a completion or an answer.
        case objects(UpdateRequest.Operation)
        /// The objects of a data source when it was last read.
        case source(LibraryTests.Source)
        /// Any request that does not change the objects.
        case other
    }

    /// Makes random requests, and applies them to a naive model.
    final class Machine {
        let clock = AnsweringClock()
        let adapter: ListAdapter
        var random: RandomList
        private let provider: ScriptedProvider
        private var source: LibraryTests.Source?
        private var reference = ReferenceList(objects: [])
        /// The pending requests, in order. A request gets its number when it is made.
        private var waiting: [(number: UInt64, request: PendingRequest, isAnswered: Bool)] = []
        private var nextNumber: UInt64 = 1
        /// The numbers of the requests that were completed or answered since the last flush.
        private var done: [UInt64] = []
        private var expectedCode: [UInt64: ListError.Code?] = [:]
        /// The number of completions of each item update that was requested inside of another one.
        private var inner: [Int] = []
        private var mirror: Mirror
        private var screen = Screen(view: 1)
        private var flushes = 0
        private var faults: [String] = []
        private var depth = 0

        init(seed: UInt64) {
            random = RandomList(seed: seed &* 977 &+ 5, ids: 9)
            var configuration = ListOptions(name: "machine")
            configuration.backgroundDiffThreshold = seed % 2 == 0 ? 0 : 4096
            if seed % 3 == 0 { configuration.coalescing = .init(minimum: 10, maximum: 50, increment: 10) }
            configuration.minimalMoves = seed % 5 == 0
            configuration.sectionMovesAsDeletesInserts = seed % 7 == 3
            configuration.preferItemReloads = seed % 7 == 5
            if seed % 11 == 1 { configuration.updater = .reload }
            provider = ScriptedProvider { _ in LetterController(log: EventList()) }
            adapter = ListAdapter(configuration: configuration, controllers: provider)
            mirror = Mirror(adapter)
            clock.keepsJobs = seed % 4 == 0
        }

        func start() throws {
            clock.machine = self
            adapter.scheduler = clock
            try adapter.openView(1)
            let rect = Rect(x: 0, y: 0, width: 100, height: 100)
            screen.receive(try adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
        }

        // MARK: Requests

        func step() throws {
            switch int(15) {
            case 0, 1, 14: clock.advance(to: clock.now + UInt64(int(30)))
            case 2: clock.finishJobs()
            case 3: adapter.cancelFlush()
            case 4:
                try replaceSource()
            case 5: screen.receive(try adapter.acknowledge(view: 1, sequence: screen.sequence))
            default: try makeRandomRequest()
            }
        }

        /// Makes one random request. Also called inside of item updates.
        private func makeRandomRequest() throws {
            switch int(9) {
            case 0, 1:
                let list = try randomObjects()
                let number = expect(.objects(.performUpdates(objects: list)))
                adapter.performUpdates(list, animated: int(2) == 0) { [self] in complete(number, $0) }
            case 2:
                guard let source else { return }
                source.list = try randomObjects()
                let number = expect(.source(source))
                adapter.performUpdates { [self] in complete(number, $0) }
            case 3:
                if let source { waiting.append((0, .source(source), false)) }
                let number = expect(.other)
                adapter.reloadData { [self] in complete(number, $0) }
            case 4:
                let number = expect(.other)
                adapter.reloadObjects([randomID(), randomID()]) { [self] in complete(number, $0) }
            case 5, 6: try request()
            default: try itemUpdate()
            }
        }

        /// Makes a request with an answer instead of a completion.
        private func request() throws {
            let operation: UpdateRequest.Operation
            switch int(4) {
            case 0: operation = .moveObject(id: randomID(), position: random.position())
            case 1: operation = .patchObject(id: randomID(), set: ["items": .string(randomWord())], unset: [])
            case 2 where adapter.objectCount > 0 && depth == 0:
                // Whether an item may be dragged depends on the item counts of that moment, so both acceptance and
                // refusal must leave the objects unchanged.
                let (from, to) = (int(adapter.objectCount), int(adapter.objectCount))
                operation = .moveItem(from: IndexPath(section: from, item: 0), to: IndexPath(section: to, item: 0))
                adapter.enqueue(UpdateRequest(id: expect(.other), operation: operation), now: clock.now)
                return
            default:
                let upserts = try (0..<int(3)).map { _ in
                    UpdateRequest.Upsert(try randomObject(randomID()), position: random.position())
                }
                operation = .applyChanges(removed: [randomID()], upserts: upserts)
            }
            adapter.enqueue(UpdateRequest(id: expect(.objects(operation)), operation: operation), now: clock.now)
        }

        private func itemUpdate() throws {
            guard adapter.objectCount > 0, let controller = controller(int(adapter.objectCount)),
                let context = controller.context
            else { return }
            if depth > 0 { return updateInside(controller, context) }
            let number = expect(.other)
            var isPresent: Bool?
            context.performBatch(
                animated: int(2) == 0,
                updates: { [self] batch in
                    isPresent = controller.section != nil
                    change(controller, &batch)
                }, completion: { [self] in complete(number, $0, expecting: isPresent) })
        }

        /// Changes letters and reports the changes to the batch. Sometimes makes further requests inside of the
        /// block.
        private func change(_ controller: LetterController, _ batch: inout ListBatchContext) {
            for _ in 0...int(2) {
                let count = controller.letters.count
                switch int(6) {
                case 0 where count > 0:
                    batch.deleteItems(at: [remove(int(count), of: controller)])
                case 1 where count > 0:
                    let index = int(count)
                    controller.letters[index] = randomWord(1)
                    batch.reloadItems(at: [index])
                case 2 where count > 1:
                    let (from, to) = (int(count), int(count))
                    controller.letters.insert(controller.letters.remove(at: from), at: to)
                    if from != to { batch.moveItem(from: from, to: to) }
                case 3:
                    controller.letters = randomWord().map { String($0) }
                    batch.reloadSection()
                case 4:
                    nest(controller)
                    continue
                default:
                    let index = int(count + 1)
                    controller.letters.insert(randomWord(1), at: index)
                    batch.insertItems(at: [index])
                }
                // All indexes of a block refer to the same state, so a second change needs a separate item update.
                nest(controller)
                return
            }
        }

        private func remove(_ index: Int, of controller: LetterController) -> Int {
            controller.letters.remove(at: index)
            return index
        }

        /// Makes an item update or another request inside of an item update.
        private func nest(_ controller: LetterController) {
            guard depth < 4, int(3) == 0 else { return }
            depth += 1
            defer { depth -= 1 }
            if int(3) == 0 { return (try? makeRandomRequest()) ?? () }
            if let context = controller.context { updateInside(controller, context) }
        }

        /// Makes an item update that runs at once. Its completion comes after those of the flush.
        private func updateInside(_ controller: LetterController, _ context: ListCollectionContext) {
            let index = inner.count
            inner.append(0)
            context.performBatch(
                updates: { [self] batch in change(controller, &batch) }, completion: { [self] _ in inner[index] += 1 })
        }

        private func replaceSource() throws {
            let new = LibraryTests.Source(try randomObjects())
            source = new
            waiting.append((0, .source(new), false))
            clock.isReplacing = true
            adapter.setDataSource(new)
            clock.isReplacing = false
            finishFlush(through: waiting.count)
            compare()
        }

        private func expect(_ request: PendingRequest) -> UInt64 {
            defer { nextNumber += 1 }
            waiting.append((nextNumber, request, false))
            return nextNumber
        }

        // MARK: Answers

        private func complete(_ number: UInt64, _ finished: Bool, expecting: Bool? = true) {
            #expect(done.last.map { $0 < number } ?? true)
            done.append(number)
            #expect(finished == expecting)
        }

        func receive(_ answers: [RequestAnswer]) {
            for answer in answers {
                expectedCode[answer.id] = answer.errorCode
                #expect(waiting.contains { $0.number == answer.id && !$0.isAnswered })
                done.append(answer.id)
            }
            #expect(answers.map(\.id) == answers.map(\.id).sorted())
        }

        /// Handles the end of a flush: removes the answered requests, and applies them to the reference.
        func receive(_ events: [AdapterEvent]) throws {
            flushes += 1
            screen.receive(events)
            for case .sectionFault(let fault) in events { faults.append(fault.reason) }
            for case .updated(let transaction) in events { try mirror.apply(transaction, from: adapter) }
            finishFlush(
                through: done.max().flatMap { last in waiting.lastIndex { $0.number == last } }.map { $0 + 1 } ?? 0)
            if !clock.isReplacing { compare() }
        }

        private func finishFlush(through end: Int) {
            for (number, request, _) in waiting[..<end] {
                #expect(number == 0 || done.count { $0 == number } == 1)
                switch request {
                case .objects(let operation):
                    let code = reference.apply(operation)
                    if let answered = expectedCode[number] { #expect(answered == code) }
                case .source(let source): _ = reference.apply(.performUpdates(objects: source.lastRead))
                case .other: break
                }
            }
            #expect(done.allSatisfy { number in waiting[..<end].contains { $0.number == number } })
            waiting.removeFirst(end)
            done = []
        }

        private func compare() {
            #expect(adapter.objects(from: 0, limit: .max) == reference.objects)
            #expect(faults.isEmpty)
            for section in 0..<adapter.objectCount {
                let shown = adapter.items(inSection: section).compactMap { $0.content["letter"]?.string }
                #expect(shown == controller(section)?.letters)
            }
        }

        func finish() throws {
            for _ in 0..<60 {
                clock.advance(to: clock.now + 100)
                clock.finishJobs()
            }
            #expect(waiting.isEmpty && inner.allSatisfy { $0 == 1 } && flushes > 9)
            #expect(adapter.flushTiming == .idle && !adapter.isFlushing)
            compare()
            mirror.expectEqual(to: adapter)
            screen.receive(try adapter.acknowledge(view: 1, sequence: screen.sequence))
            try screen.expectEqualToResync(of: adapter)
        }

        // MARK: Random values

        private func int(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random.random) }
        private func randomID() -> String { random.id() }
        private func randomWord(_ length: Int? = nil) -> String {
            String((0..<(length ?? int(5))).map { _ in random.random.pick(Array("uvwxyz")) ?? "u" })
        }
        private func randomObject(_ id: String) throws -> ListObject { try letters("\(id):\(randomWord())") }
        private func randomObjects() throws -> [ListObject] {
            try random.ids.shuffled(using: &random.random).prefix(int(8)).map { try randomObject($0) }
        }
        private func controller(_ section: Int) -> LetterController? {
            adapter.sectionController(at: section) as? LetterController
        }
    }

    /// A virtual clock that passes the list's answers and events to a machine.
    final class AnsweringClock: LibraryTests.Clock {
        weak var machine: Machine?
        /// Whether the data source is being replaced. The replacement flushes before it returns.
        var isReplacing = false

        override func adapter(_ adapter: ListAdapter, answered answers: [RequestAnswer]) { machine?.receive(answers) }
        override func adapter(_ adapter: ListAdapter, emitted events: [AdapterEvent]) {
            do { try machine?.receive(events) } catch { Issue.record(error) }
        }
    }
}
