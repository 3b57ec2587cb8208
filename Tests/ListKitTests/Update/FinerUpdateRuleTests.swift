// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Special cases of IGListKit's update rules")
struct FinerUpdateRuleTests {
    private func faults(_ events: [AdapterEvent]) -> [SectionFault] {
        events.compactMap { if case .sectionFault(let fault) = $0 { fault } else { nil } }
    }

    // MARK: Callbacks during an update

    @Test(
        "an item is requested while its section's items are created → the result is nil; afterwards → the new item",
        .rule("EE-49"))
    func displayedWhileMaking() throws {
        let list = try TestHost.letters("a:xy", "b:q")
        _ = try list.open()
        let controller = try #require(list.controller("a"))
        var seen: [String?] = []
        controller.onItem = { controller, index in
            let shown = controller.context?.displayedItem(at: 1 - index)
            seen.append(shown?.content["letter"]?.string)
        }
        try list.update([letters("a:uv"), letters("b:q")])
        #expect(seen == [nil, nil])
        controller.onItem = nil
        let context = try #require(controller.context)
        #expect((0..<3).map { context.displayedItem(at: $0)?.content["letter"]?.string } == ["u", "v", nil])
        // A section that does not change has its items during the whole update.
        controller.onItem = { [weak list] _, _ in
            seen.append(list?.controller("b")?.context?.displayedItem(at: 0)?.content["letter"]?.string)
        }
        seen = []
        try list.update([letters("a:st"), letters("b:q")])
        #expect(seen == ["q", "q"])
    }

    @Test(
        "a section enters the working range during an update → its items exist at the new section index",
        .rule("EE-50"))
    func displayedWhenEntering() throws {
        final class Entering: LetterController {
            override func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController) {
                guard let context else { return log.record("no context") }
                let shown = context.visibleIndexes.map {
                    context.displayedItem(at: $0)?.content["letter"]?.string ?? "?"
                }
                log.record("enter \(id)@\(section ?? -1) \(context.visibleIndexes) \(shown)")
            }
        }
        let log = EventList()
        let list = TestHost([try letters("a:x")], provider: ScriptedProvider { _ in Entering(log: log) })
        _ = try list.open()
        _ = log.drain()
        try list.update([letters("n:uv"), letters("a:x")])
        #expect(log.drain().filter { $0.hasPrefix("enter") } == [#"enter n@0 [0, 1] ["u", "v"]"#])
    }

    @Test(
        "an update is requested during another update → applied afterwards, and each completion sees its own result",
        .rule("UP-51"))
    func updateWhileApplying() throws {
        let list = try TestHost.letters("a:x")
        var done: [String] = []
        let controller = try #require(list.controller("a"))
        controller.onUpdate = { [weak list] controller in
            controller.onUpdate = nil
            guard let adapter = list?.adapter, let more = try? [letters("a:y"), letters("b:y"), letters("c:z")] else {
                return
            }
            adapter.performUpdates(more) { done.append("second \($0) \(adapter.objectCount)") }
            #expect(adapter.flushNow().isEmpty && adapter.flushTiming == .idle)
            done.append("applying \(adapter.objectCount)")
        }
        list.adapter.performUpdates(try [letters("a:y"), letters("b:y")]) {
            done.append("first \($0) \(list.adapter.objectCount)")
        }
        let revisions = list.adapter.flushNow().compactMap { $0.transaction?.revision }
        #expect(done == ["applying 2", "first true 2", "second true 3"] && revisions == [1, 2])
    }

    @Test("two layout invalidations are pending → both are performed", .rule("AD-156"))
    func twoInvalidations() throws {
        let list = try TestHost.letters("a:x", "b:y")
        var screen = try list.open()
        _ = list.takeEvents()
        var finished: [String] = []
        for id in ["a", "b"] {
            let controller = try #require(list.controller(id))
            controller.height = 30
            list.adapter.performUpdates(try [letters("a:x"), letters("b:y")])
            controller.context?.invalidateLayout { finished.append("\(id) \($0)") }
        }
        list.flush()
        screen.receive(list.takeEvents())
        #expect(finished == ["a true", "b true"] && screen.items.map(\.frame.size.height) == [30, 30])
    }

    // MARK: Coalescing

    @Test(
        "all views are off the screen → an update waits for the maximum interval; no view is open → it does not wait",
        .rule("CO-06", "CO-08"))
    func withoutViews() throws {
        let list = TestHost {
            $0.coalescing = .init(minimum: 10, maximum: 500, increment: 10, usesMaximumWhenNotVisible: true)
        }
        list.now = 1000
        list.enqueue(.performUpdates(objects: try objects("a")))
        #expect(list.adapter.flushTiming == .now)
        list.flush()
        try list.adapter.openView(1)
        _ = try list.adapter.setVisible(false, view: 1)
        list.now = 2000
        list.enqueue(.performUpdates(objects: try objects("b")))
        #expect(list.adapter.flushTiming == .at(2500))
        // CO-11: becoming visible does not change the time of a pending flush.
        _ = try list.adapter.setVisible(true, view: 1)
        list.now = 2100
        list.enqueue(.performUpdates(objects: try objects("c")))
        #expect(list.adapter.flushTiming == .at(2500))
        list.flush()
        _ = try list.adapter.closeView(1)
        list.now = 9000
        list.enqueue(.performUpdates(objects: try objects("d")))
        #expect(list.adapter.flushTiming == .now)
    }

    @Test(
        "the coalescing options change → the minimum interval applies again, measured from the last flush's start",
        .rule("CO-09", "CO-10"))
    func newConfiguration() {
        var coalescer = UpdateCoalescer(configuration: .init(minimum: 10, maximum: 100, increment: 20))
        func request(_ time: UInt64) -> FlushTiming {
            coalescer.requestFlush(now: time, isVisible: true)
            return coalescer.timing
        }
        #expect(request(0) == .now)
        coalescer.recordFlushStart(now: 0)
        #expect(request(5) == .at(10) && request(9) == .at(10))
        coalescer.recordFlushStart(now: 12)
        #expect(request(20) == .at(42))
        coalescer.recordFlushStart(now: 42)
        coalescer.setConfiguration(.init(minimum: 4, maximum: 100, increment: 20))
        #expect(request(43) == .at(46))
        coalescer.recordFlushStart(now: 46)
        #expect(request(47) == .at(70))
        coalescer.recordFlushStart(now: 70)
        // More time than the interval has passed since the last start: the flush is due immediately, and the interval
        // is the minimum again.
        #expect(request(500) == .now)
        coalescer.recordFlushStart(now: 500)
        #expect(request(501) == .at(504))
    }

    // MARK: Lookups, and controllers whose object has left

    @Test("the objects of a range of sections are requested → exactly these objects are returned", .rule("SM-07"))
    func partOfTheMap() throws {
        let list = TestHost(try objects("a", "b", "c"))
        #expect(list.adapter.objects(from: 0, limit: 2).map(\.id) == ["a", "b"])
        #expect(list.adapter.objects(from: 1, limit: 1).map(\.id) == ["b"])
        #expect(list.adapter.objects(from: 2, limit: .max).map(\.id) == ["c"])
        for (from, limit) in [(3, 1), (-1, 2), (0, 0), (.max, .max), (0, -1)] {
            #expect(list.adapter.objects(from: from, limit: limit).isEmpty)
        }
    }

    @Test(
        "a context outlives its object → its queries return nil, and its commands do nothing",
        .rule("AD-52...AD-56")
    )
    func departed() throws {
        let list = try TestHost.letters("a:x", "b:y", "c:z")
        var screen = try list.open()
        _ = list.takeEvents()
        let controller = try #require(list.controller("b"))
        let context = try #require(controller.context)
        context.state = ["kept": true]
        #expect(context.displayedItem(at: 0) != nil && context.visibleIndexes == [0] && context.itemCount == 1)
        try list.update([letters("a:x"), letters("c:z")])
        #expect(controller.context == nil && controller.section == nil)
        #expect(context.object == nil && context.itemCount == 0 && context.displayedItem(at: 0) == nil)
        #expect(context.visibleIndexes.isEmpty && context.fullyVisibleIndexes.isEmpty && context.state.isEmpty)
        screen.receive(list.takeEvents())
        let revision = list.adapter.revision
        var finished: [Bool] = []
        context.state = ["kept": true]
        context.selectItem(at: 0)
        context.scrollToItem(at: 0)
        context.reportFault("gone")
        context.invalidateLayout { finished.append($0) }
        context.performBatch(updates: { $0.insertItems(at: [0]) }, completion: { finished.append($0) })
        let events = list.flush().events
        #expect(finished == [false, false] && list.adapter.revision == revision && list.itemCounts == [1, 1])
        #expect(list.adapter.selectedItems.isEmpty && context.state.isEmpty && faults(events).isEmpty)
        screen.receive(list.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
    }

    // MARK: Announced changes

    @Test(
        "an object is replaced by an object with the same identifier and other content → only its section reloads",
        .rule("UP-33"))
    func updateAlone() throws {
        let list = try TestHost.letters("a:x", "b:xy", "c:xyz")
        let transaction = try #require(
            try list.update([letters("a:x"), letters("b:pq"), letters("c:xyz")]).transaction)
        var expected = SectionBatch()
        expected.reloads = [IndexRun(first: 1, length: 1)]
        #expect(transaction.kind == .update && transaction.sections == expected && transaction.items.isEmpty)
    }

    @Test(
        "an item is reloaded twice → one reload is announced; reloaded and deleted → only the delete is announced",
        .rule("EE-16", "EE-17", "UP-47", "UP-48"))
    func itemReloads() throws {
        let list = try TestHost.letters("a:wxyz")
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters = ["w", "x", "z"]
            batch.reloadItems(at: [0])
            batch.reloadItems(at: [0, 2])
            batch.deleteItems(at: [2, 2])
            batch.deleteItems(at: [2])
        })
        let result = list.flush()
        let transaction = try #require(result.transaction)
        #expect(transaction.items.deletes == [ItemPlace(0, 2)] && transaction.items.reloads == [ItemPlace(0, 0)])
        #expect(transaction.items.inserts.isEmpty && transaction.items.moves.isEmpty && transaction.sections.isEmpty)
        #expect(faults(result.events).isEmpty && list.itemCounts == [3])
    }

    // MARK: Descriptions

    @Test(
        "a debug description is requested in each state → it has controllers, faults, counts and pending work",
        .rule("DB-01", "DB-02"))
    func descriptions() throws {
        let list = try TestHost.letters("a:x", "b:yz", configure: { $0.backgroundDiffThreshold = 0 })
        _ = try list.open()
        _ = try list.adapter.selectItem(0, ofObject: "b")
        list.controller("a")?.context?.reportFault("broken on purpose")
        func has(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
            let lines = list.adapter.debugDescriptionLines
            #expect(lines.contains { $0.contains(text) }, "\(text) in \(lines)", sourceLocation: sourceLocation)
        }
        has("revision 0, 2 objects, 3 items, 1 selected")
        has(#"section 1 "b": LetterController, 2 items"#)
        has(#"fault of "a": broken on purpose"#)
        has("updater batch: idle, 0 queued, next flush idle")
        list.enqueue(.performUpdates(objects: try [letters("b:yz"), letters("c:q")]))
        has("idle, 1 queued, next flush now")
        guard case .diff(let job) = list.adapter.beginFlush(now: 0) else {
            Issue.record("the flush has no diff")
            return
        }
        has("diffing (1 requests), 0 queued")
        list.enqueue(.reloadObjects(["b"]))
        has("diffing (1 requests), 1 queued")
        _ = list.adapter.finishDiff(job.run())
        has("storing (1 requests, 2 changes)")
        var applying: [String] = []
        list.controller("b")?.onItem = { [weak list] _, _ in applying += list?.adapter.debugDescriptionLines ?? [] }
        _ = list.adapter.commitFlush()
        list.flush()
        #expect(applying.contains { $0.contains("applying") })
        // DB-01 before and after an update: sections that have left are no longer described.
        #expect(!list.adapter.debugDescriptionLines.contains { $0.contains(#""a""#) })
    }

    @Test("a batch is described → the description has its counts in words", .rule("DB-03", "DD-01"))
    func batchDescription() throws {
        final class Batches: ListUpdaterDelegate {
            var lines: [String] = []
            func adapter(_ adapter: ListAdapter, didApply batch: ListBatchUpdateData, as transaction: Transaction) {
                lines.append(batch.description)
            }
        }
        let batches = Batches()
        let list = try TestHost.letters("a:x", "b:y")
        list.adapter.updaterDelegate = batches
        try list.update([letters("b:y"), letters("c:z"), letters("d:z")])
        let line = try #require(batches.lines.first)
        #expect(batches.lines.count == 1 && line.filter(\.isNumber).prefix(3) == "120", "\(line)")
    }

    @Test(
        "canMoveItem(from:to:) is not overridden → every target is allowed for items that may be dragged",
        .rule("AD-137", "AD-138", "SC-06")
    )
    func mayMove() throws {
        final class Some: LetterController {
            override func canMoveItem(at index: Int) -> Bool { index == 1 }
            override func moveItem(from source: Int, to destination: Int) {
                letters.insert(letters.remove(at: source), at: destination)
            }
        }
        let list = TestHost([try letters("a:xyz")], provider: ScriptedProvider { _ in Some(log: EventList()) })
        let controller = try #require(list.controller("a"))
        #expect(controller.canMoveItem(from: 1, to: 0) && !controller.canMoveItem(from: 0, to: 1))
        let path = { IndexPath(section: 0, item: $0) }
        #expect(try list.perform(.moveItem(from: path(0), to: path(1))).isRefused)
        #expect(controller.letters == ["x", "y", "z"] && list.adapter.revision == 0)
        #expect(try !list.perform(.moveItem(from: path(1), to: path(0))).isRefused)
        #expect(controller.letters == ["y", "x", "z"] && list.adapter.revision == 1)
    }

    // MARK: Item updates together with a reload

    @Test(
        "a batch is queued before reloadData → its block runs once on the old controller, then everything reloads",
        .rule("UP-52", "UP-53")
    )
    func batchBesideReload() throws {
        let list = try TestHost.letters("a:xy")
        var screen = try list.open()
        _ = list.takeEvents()
        let before = try #require(list.controller("a"))
        var order: [String] = []
        before.context?.performBatch(
            updates: { batch in
                order.append("ran \(before.section.map(String.init) ?? "without a section")")
                before.letters.append("z")
                batch.insertItems(at: [2])
            }, completion: { order.append("items \($0)") })
        list.adapter.reloadData { order.append("reload \($0)") }
        let result = list.flush()
        #expect(order == ["ran 0", "items true", "reload true"])
        #expect(result.transaction?.kind == .reload && result.transaction?.items.isEmpty == true)
        #expect(faults(result.events).isEmpty && list.itemCounts == [2] && list.controller("a") !== before)
        screen.receive(list.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
    }
}
