// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("The updater's queue and transaction states")
struct TransactionRuleTests {
    static let wishes: [@Sendable () throws -> UpdateRequest.Operation] = [
        { .performUpdates(objects: try objects("a", "b")) }, { .performUpdates(objects: []) },
        { .performUpdates(objects: try objects("c", "a")) }, { .reloadData }, { .reloadObjects(["a"]) },
    ]

    @Test(
        "a request of any kind is queued → a flush is due until the request has run", .rule("TR-12", "UP-01...UP-04"),
        arguments: 0...wishes.count)
    func due(wish: Int) throws {
        let list = try TestHost.letters("a:x")
        #expect(list.adapter.flushTiming == .idle)
        if wish < Self.wishes.count {
            list.enqueue(try Self.wishes[wish]())
        } else {
            list.controller("a")?.context?.performBatch(updates: { $0.reloadSection() })
        }
        #expect(list.adapter.flushTiming == .now && !list.adapter.isFlushing)
        guard case .commit = list.adapter.beginFlush(now: 0) else {
            // Item updates need no store.
            #expect(wish == Self.wishes.count && list.adapter.revision == 1 && list.adapter.flushTiming == .idle)
            return
        }
        #expect(list.adapter.isFlushing && list.adapter.flushTiming == .idle)
        _ = list.adapter.commitFlush()
        #expect(!list.adapter.isFlushing && list.adapter.flushTiming == .idle && list.adapter.revision == 1)
    }

    @Test(
        "no request is queued, or none changes anything → there is no revision, and completions are called",
        .rule("EE-08", "UP-09"))
    func nothing() throws {
        let list = try TestHost.letters("a:x")
        #expect(list.adapter.flushNow().isEmpty)
        guard case .finished(let result) = list.adapter.beginFlush(now: 0) else {
            Issue.record("the flush has another step than expected")
            return
        }
        #expect(result.transaction == nil && result.answers.isEmpty && result.events.isEmpty)
        var finished: [Bool] = []
        let listener = EndToEndVectorTests.Listener()
        list.adapter.addUpdateListener(listener)
        list.adapter.performUpdates(try [letters("a:x")]) { finished.append($0) }
        list.adapter.flushNow()
        #expect(finished == [true] && list.adapter.revision == 0 && listener.hits.map(\.kind) == [.performUpdates])
    }

    @Test(
        "a diff is cancelled once or twice → its requests remain pending, and run before all others",
        .rule("TR-02", "TR-06", "UP-15")
    )
    func cancelled() throws {
        let list = try TestHost.letters("a:x", configure: { $0.backgroundDiffThreshold = 0 })
        let first = list.enqueue(.performUpdates(objects: try [letters("b:x")]))
        guard case .diff(let job) = list.adapter.beginFlush(now: 0) else {
            Issue.record("the flush has another step than expected")
            return
        }
        let second = list.enqueue(.applyChanges(removed: ["b"], upserts: []))
        list.adapter.cancelFlush()
        list.adapter.cancelFlush()
        #expect(!list.adapter.isFlushing && list.adapter.flushTiming == .now)
        guard case .finished(let late) = list.adapter.finishDiff(job.run()) else {
            Issue.record("the flush has another step than expected")
            return
        }
        #expect(late.answers.isEmpty && late.events.isEmpty && list.ids == ["a"])
        list.flush()
        #expect(list.answers.map(\.id) == [first, second] && list.ids.isEmpty && list.adapter.revision == 1)
    }

    /// Cancels the first finished diff.
    private final class Canceller: ListUpdaterDelegate {
        private var isArmed = true

        func adapter(_ adapter: ListAdapter, didDiff result: ListIndexSetResult, onBackgroundThread: Bool) {
            if isArmed { adapter.cancelFlush() }
            isArmed = false
        }
    }

    @Test(
        "the delegate cancels a diff in its notification → each request is answered once", .rule("TR-02"))
    func cancelledByDelegate() throws {
        let list = try TestHost.letters("a:x")
        let canceller = Canceller()
        list.adapter.updaterDelegate = canceller
        let request = list.enqueue(.performUpdates(objects: try [letters("b:x")]))
        var finished: [Bool] = []
        list.adapter.performUpdates(try [letters("b:x")]) { finished.append($0) }
        guard case .finished(let result) = list.adapter.beginFlush(now: 0) else {
            Issue.record("the flush has another step than expected")
            return
        }
        #expect(result.answers.isEmpty && finished.isEmpty && list.ids == ["a"] && list.adapter.flushTiming == .now)
        list.flush()
        #expect(list.answers.map(\.id) == [request] && finished == [true] && list.adapter.revision == 1)
    }

    @Test(
        "a diff is cancelled although none is in progress → a reload and a data source change are still performed",
        .rule("TR-07", "TR-08"))
    func notCancellable() throws {
        let list = try TestHost.letters("a:x")
        let before = list.controller("a")
        list.enqueue(.reloadData)
        guard case .commit = list.adapter.beginFlush(now: 0) else {
            Issue.record("the flush has another step than expected")
            return
        }
        list.adapter.cancelFlush()
        #expect(list.adapter.isFlushing)
        #expect(list.adapter.commitFlush().transaction?.kind == .reload)
        #expect(list.controller("a") !== before)
        let source = LibraryTests.Source(try objects("b", "c"))
        list.adapter.setDataSource(source)
        list.adapter.cancelFlush()
        #expect(list.ids == ["b", "c"])
    }

    @Test("one request of a flush disables animation → the whole flush is not animated", .rule("UP-16"))
    func animated() throws {
        for (first, second, expected) in [(true, true, true), (true, false, false), (false, true, false)] {
            let list = try TestHost.letters("a:x")
            list.enqueue(.performUpdates(objects: try [letters("b:x")]), animated: first)
            list.enqueue(.applyChanges(removed: [], upserts: [.init(try letters("c:x"))]), animated: second)
            #expect(list.flush().transaction?.animated == expected)
        }
    }

    @Test(
        "item updates are requested during a reload → the list has the new counts, and all updates are completed",
        .rule("UP-17", "UP-19", "UP-54"),
        arguments: [ScrollDirection.vertical, .horizontal])
    func reload(direction: ScrollDirection) throws {
        let source = LibraryTests.Source(try [letters("a:x")])
        var inner: [Bool] = []
        let list = TestHost(
            provider: ScriptedProvider { _ in
                let controller = LetterController(log: EventList())
                controller.onUpdate = { controller in
                    controller.context?.performBatch(updates: { $0.reloadSection() }, completion: { inner.append($0) })
                }
                return controller
            }, configure: { $0.direction = direction })
        list.adapter.setDataSource(source)
        var screen = try list.open()
        _ = list.takeEvents()
        for lists in [["a:x", "b:y"], ["a:x"], ["a:x", "b:y"], []] {
            source.list = try lists.map { try letters($0) }
            inner = []
            var finished: [Bool] = []
            list.adapter.reloadData { finished.append($0) }
            for result in list.adapter.flushNow() { screen.receive(result.events) }
            #expect(finished == [true] && list.ids.count == lists.count)
            #expect(inner.count >= lists.count && inner.allSatisfy { $0 })
            try screen.expectEqualToResync(of: list.adapter)
        }
    }

    @Test(
        "a reload together with an item update → the block runs, and its operations become part of the reload",
        .rule("EE-33", "UP-52", "UP-53"))
    func reloadWithItems() throws {
        let list = try TestHost.letters("a:x")
        var order: [String] = []
        list.adapter.reloadData { _ in order.append("reload") }
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(
            updates: { batch in
                controller.letters.append("y")
                batch.insertItems(at: [1])
            }, completion: { _ in order.append("items") })
        let transaction = list.flush().transaction
        #expect(order == ["reload", "items"])
        #expect(transaction?.kind == .reload && transaction?.items.isEmpty == true)
    }

    @Test(
        "updates complete → completions run in order, after the listeners and before those of nested item updates",
        .rule("AD-157", "AD-158", "UP-64")
    )
    func completions() throws {
        final class Listener: ListUpdateListener {
            var onUpdate: (() -> Void)?
            func adapter(_ adapter: ListAdapter, didFinish update: ListUpdateKind, animated: Bool) { onUpdate?() }
        }
        var order: [String] = []
        let listener = Listener()
        listener.onUpdate = { order.append("listener") }
        let list = try TestHost.letters("a:x")
        list.adapter.addUpdateListener(listener)
        let controller = try #require(list.controller("a"))
        controller.onUpdate = { controller in
            controller.context?.invalidateLayout { _ in order.append("inside") }
        }
        list.adapter.performUpdates(try [letters("a:y")]) { _ in order.append("update") }
        controller.context?.performBatch(updates: { _ in }, completion: { _ in order.append("items") })
        list.flush()
        #expect(order == ["listener", "update", "items", "inside"])
    }

    @Test(
        "only item updates are queued → no diff is made; a section has a fault → the updater's delegate is notified",
        .rule("AD-153", "SM-17", "UP-61", "UP-67"))
    func updaterDelegate() throws {
        final class Faults: ListUpdaterDelegate {
            var lines: [String] = []
            func adapter(_ adapter: ListAdapter, willDiffFrom old: [ListObject], to new: [ListObject]) {
                lines.append("diff \(old.count)")
            }
            func adapter(_ adapter: ListAdapter, didFindFault fault: SectionFault) {
                lines.append("fault \(fault.objectID) \(fault.controller)")
            }
        }
        let list = try TestHost.letters("a:x")
        let faults = Faults()
        list.adapter.updaterDelegate = faults
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { $0.reloadItems(at: [0]) })
        #expect(list.flush().transaction != nil && faults.lines.isEmpty)
        controller.context?.reportFault("no item")
        #expect(faults.lines == ["fault a test/letters"])
        try list.perform(.reloadData)
        try list.update([])
        #expect(faults.lines.last == "diff 1")  // SM-17: a reload keeps the objects that the next diff begins with
    }

    @Test("sections with a single item change → only section changes are announced", .rule("UP-31", "UP-32"))
    func singleItems() throws {
        let list = try TestHost.letters("a:x", "b:y", configure: { $0.singleItemSectionUpdates = true })
        var counts: [Int] = []
        list.adapter.performUpdates(try [letters("b:z"), letters("a:x")]) { _ in counts.append(list.ids.count) }
        let transaction = list.flush().transaction
        #expect(counts == [2] && transaction?.items.isEmpty == true && transaction?.sections.isEmpty == false)
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { $0.reloadItems(at: [0]) })
        let items = list.flush().transaction
        #expect(items?.items.isEmpty == true && items?.sections.reloads == [IndexRun(first: 1, length: 1)])
    }

    @Test("an object changes its type → its identity stays, and a new controller is created", .rule("UP-60"))
    func otherType() throws {
        let list = try TestHost.letters("a:x")
        let before = try #require(list.controller("a"))
        let transaction = try list.update([letters("a:x", type: "other")]).transaction
        #expect(list.controller("a") !== before && before.section == nil && list.adapter.section(forID: "a") == 0)
        #expect(transaction?.sections.reloads == [IndexRun(first: 0, length: 1)])
    }

    @Test(
        "few or many objects are diffed, synchronously or in the background → the resulting list is the same",
        .rule("EE-60", "EE-64", "EE-65", "PD-03"),
        arguments: [0, 5, 100])
    func diffing(threshold: Int) throws {
        let list = try TestHost.letters("a:xy", "b:x", configure: { $0.backgroundDiffThreshold = threshold })
        list.enqueue(.performUpdates(objects: try [letters("b:x"), letters("n:xyz"), letters("a:xy")]))
        var step = list.adapter.beginFlush(now: 0)
        if case .diff(let job) = step {
            #expect(threshold <= 5)
            step = list.adapter.finishDiff(job.run())
        }
        #expect(list.adapter.commitFlush().transaction?.kind == .update && list.itemCounts == [1, 3, 2])
    }
}
