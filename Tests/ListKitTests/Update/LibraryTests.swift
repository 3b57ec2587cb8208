// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("ListKit as a library: completions, data sources and a scheduler")
struct LibraryTests {
    /// A scheduler with a virtual clock, which a test advances.
    class Clock: ListScheduler {
        var now: UInt64 = 0
        var work: [(due: UInt64, run: () -> Void)] = []
        var jobs: [(DiffJob, (DiffJob.Output) -> Void)] = []
        var keepsJobs = false
        var events: [AdapterEvent] = []

        func schedule(_ timing: FlushTiming, _ work: @escaping () -> Void) {
            switch timing {
            case .idle: break
            case .now: self.work.append((now, work))
            case .at(let time): self.work.append((time, work))
            }
        }

        func run(_ job: DiffJob, completion: @escaping (DiffJob.Output) -> Void) {
            if keepsJobs { jobs.append((job, completion)) } else { completion(job.run()) }
        }

        var answers: [RequestAnswer] = []

        func adapter(_ adapter: ListAdapter, answered answers: [RequestAnswer]) { self.answers += answers }
        func adapter(_ adapter: ListAdapter, emitted events: [AdapterEvent]) { self.events += events }

        func advance(to time: UInt64) {
            while let index = work.indices.filter({ work[$0].due <= time }).min(by: { work[$0].due < work[$1].due }) {
                let next = work.remove(at: index)
                now = max(now, next.due)
                next.run()
            }
            now = time
        }

        func finishJobs() {
            let waiting = jobs
            jobs = []
            for (job, completion) in waiting { completion(job.run()) }
        }
    }

    final class Source: ListAdapterDataSource {
        var list: [ListObject]
        var reads = 0
        private(set) var lastRead: [ListObject] = []
        init(_ list: [ListObject]) { self.list = list }
        func objects(for adapter: ListAdapter) -> [ListObject] {
            reads += 1
            lastRead = list
            return list
        }
    }

    private func adapter(_ clock: Clock, configure: (inout ListOptions) -> Void = { _ in }) -> ListAdapter {
        var configuration = ListOptions()
        configure(&configuration)
        let adapter = ListAdapter(configuration: configuration, controllers: BuiltInSectionControllerProvider())
        adapter.scheduler = clock
        return adapter
    }

    @Test(
        "the adapter is released during a diff or a store write → its completions are called with false",
        .rule("EE-90"),
        arguments: [false, true])
    func releasedWhileFlushing(isStoring: Bool) throws {
        let clock = Clock()
        clock.keepsJobs = true
        var answers: [String] = []
        var list: ListAdapter? = adapter(clock) { $0.backgroundDiffThreshold = isStoring ? 1000 : 0 }
        list?.performUpdates(try objects("a")) { answers.append("flushing \($0)") }
        if isStoring {
            guard case .commit = list?.beginFlush(now: 0) else {
                Issue.record("there is no transaction to commit")
                return
            }
        } else {
            clock.advance(to: 0)
            #expect(clock.jobs.count == 1)
        }
        list?.performUpdates(try objects("b")) { answers.append("waiting \($0)") }
        list = nil
        clock.finishJobs()
        #expect(answers == ["flushing false", "waiting false"])
    }

    @Test(
        "a flush becomes due earlier than scheduled → it is rescheduled; due later → the scheduled call does not flush")
    func dueAtAnotherTime() throws {
        let clock = Clock()
        let adapter = adapter(clock) {
            $0.coalescing = .init(minimum: 10, maximum: 10_000, increment: 10, usesMaximumWhenNotVisible: true)
        }
        try adapter.openView(1)
        _ = try adapter.setVisible(false, view: 1)
        adapter.performUpdates(try objects("a"))
        #expect(adapter.flushTiming == .at(10_000))
        adapter.flushNow()
        _ = try adapter.setVisible(true, view: 1)
        clock.advance(to: 100)
        adapter.performUpdates(try objects("b"))
        #expect(adapter.flushTiming == .now)
        clock.advance(to: 101)
        #expect(adapter.section(forID: "b") == 0)
        #expect(adapter.object(forID: "b")?.id == "b" && adapter.object(forID: "d") == nil)

        clock.advance(to: 200)
        adapter.performUpdates(try objects("c"))
        adapter.flushNow()
        _ = try adapter.setVisible(false, view: 1)
        adapter.performUpdates(try objects("d"))
        clock.advance(to: 9_999)
        #expect(adapter.section(forID: "d") == nil)
        clock.advance(to: 20_000)
        #expect(adapter.section(forID: "d") == 0)
    }

    @Test(
        "performUpdates has no data source → it completes with false; it has one → objects are read at the flush",
        .rule("AD-01", "AD-28", "EE-57", "UP-66")
    )
    func dataSource() throws {
        let clock = Clock()
        let adapter = adapter(clock)
        var answers: [Bool] = []
        adapter.performUpdates { answers.append($0) }
        #expect(answers == [false])
        let source = Source(try objects("a"))
        adapter.setDataSource(source)
        #expect(adapter.objectCount == 1 && source.reads == 1)
        source.list = try objects("b", "c")
        adapter.performUpdates { answers.append($0) }
        adapter.performUpdates { answers.append($0) }
        source.list = try objects("b", "c", "d")
        #expect(adapter.objectCount == 1)
        clock.advance(to: 1)
        #expect(adapter.objectCount == 3 && source.reads == 2 && answers == [false, true, true])
    }

    @Test("the data source is released right after performUpdates → the update still uses its objects", .rule("EE-91"))
    func releasedSource() throws {
        let clock = Clock()
        let adapter = adapter(clock)
        var source: Source? = Source(try objects("a"))
        adapter.setDataSource(source)
        source?.list = try objects("a", "b")
        adapter.performUpdates()
        source = nil
        clock.advance(to: 1)
        #expect(adapter.objectCount == 2)
    }

    @Test(
        "the adapter is released before its flush → each completion is called once with false", .rule("AD-159", "EE-90")
    )
    func releasedAdapter() throws {
        var adapter: ListAdapter? = adapter(Clock())
        var answers: [Bool] = []
        adapter?.performUpdates(try objects("a")) { answers.append($0) }
        adapter?.reloadData { answers.append($0) }
        adapter = nil
        #expect(answers == [false, false])
    }

    @Test(
        "updates complete → completions run in order, after the listeners, and their requests wait for the next flush",
        .rule("UP-52", "UP-65")
    )
    func completionOrder() throws {
        let clock = Clock()
        let adapter = adapter(clock)
        var order: [String] = []
        adapter.performUpdates(try objects("a")) { _ in
            order.append("first")
            adapter.performUpdates([]) { _ in order.append("third") }
        }
        adapter.reloadData { _ in order.append("second") }
        clock.advance(to: 0)
        #expect(order == ["first", "second", "third"])
        #expect(adapter.revision == 2)
    }

    @Test(
        "the data source is replaced during a diff → the diff is discarded, and the new update includes its request",
        .rule("EE-86", "EE-87", "TR-05")
    )
    func cancelled() throws {
        let clock = Clock()
        clock.keepsJobs = true
        let adapter = adapter(clock) { $0.backgroundDiffThreshold = 0 }
        var answers: [Bool] = []
        adapter.performUpdates(try objects("a", "b")) { answers.append($0) }
        clock.advance(to: 0)
        #expect(clock.jobs.count == 1 && answers.isEmpty && adapter.isFlushing)
        let source = Source(try objects("a", "b", "c"))
        adapter.setDataSource(source)
        #expect(adapter.objectCount == 3 && answers == [true] && adapter.revision == 1)
        clock.finishJobs()
        #expect(adapter.objectCount == 3 && adapter.revision == 1)
    }

    @Test("an update is awaited → the call returns whether the update was applied")
    func awaited() async throws {
        let adapter = ListAdapter(
            configuration: ListOptions(), controllers: BuiltInSectionControllerProvider())
        #expect(await adapter.performUpdates() == false)
    }

    @Test(
        "the data source is replaced in a callback or during a store write → the new one is used immediately afterwards"
    )
    func sourceFromInside() throws {
        for hasClock in [true, false] {
            let clock = Clock()
            let list = try TestHost.letters("a:x")
            if hasClock { list.adapter.scheduler = clock }
            let (first, second) = (Source(try [letters("b:y")]), Source(try [letters("c:z")]))
            list.controller("a")?.onUpdate = { [weak list] _ in
                #expect(list?.adapter.setDataSource(first).isEmpty == true)
            }
            list.adapter.performUpdates(try [letters("a:z")])
            list.adapter.flushNow()
            #expect(list.ids == ["b"] && list.adapter.dataSource === first)
            list.enqueue(.performUpdates(objects: []))
            guard case .commit = list.adapter.beginFlush(now: 0) else {
                Issue.record("there is no transaction to commit")
                return
            }
            #expect(list.adapter.setDataSource(second).isEmpty && list.ids == ["b"])
            _ = list.adapter.commitFlush()
            #expect(list.ids.isEmpty && list.adapter.flushTiming == .now)
            list.flush()
            #expect(list.ids == ["c"])
        }
    }

    @Test("the data source is replaced while requests are pending → each request is completed", .rule("EE-85"))
    func answers() throws {
        for hasClock in [true, false] {
            let clock = Clock()
            let adapter = ListAdapter(
                configuration: ListOptions(), controllers: BuiltInSectionControllerProvider())
            if hasClock { adapter.scheduler = clock }
            adapter.enqueue(UpdateRequest(id: 7, operation: .performUpdates(objects: try objects("a"))))
            adapter.enqueue(UpdateRequest(id: 8, operation: .moveObject(id: "z", position: .first)))
            let source = Source(try objects("b"))
            let results = adapter.setDataSource(source)
            let answers = hasClock ? clock.answers : results.flatMap(\.answers)
            #expect(answers.map(\.id) == [7, 8] && answers.last?.errorCode == .noSuchObject)
            #expect(adapter.object(at: 0)?.id == "b" && adapter.setDataSource(source).isEmpty)
        }
    }

    @Test(
        "debug descriptions are requested in every state → they have the expected lines, without released adapters",
        .rule("DB-01...DB-05"))
    func descriptions() throws {
        let debugger = ListDebugger()
        let lists = try (0..<3).map { _ in TestHost(try objects("a")) }
        for list in lists { debugger.track(list.adapter) }
        _ = try lists[0].open()
        #expect(debugger.descriptions.count == 3 && debugger.descriptions.allSatisfy { !$0.isEmpty })
        #expect(debugger.dump.contains("view 1: flow, active"))
        lists[1].enqueue(.performUpdates(objects: try objects("b")))
        _ = lists[1].adapter.beginFlush(now: 0)
        #expect(lists[1].adapter.debugDescriptionLines.contains { $0.contains("storing") })
        debugger.clear()
        #expect(debugger.descriptions.isEmpty)
    }

    @Test("a tracked adapter is released → the debugger describes only the remaining adapters", .rule("DB-04"))
    func trackedAdapterReleased() throws {
        let debugger = ListDebugger()
        let kept = TestHost(try objects("a"))
        var released: TestHost? = TestHost(try objects("b"))
        if let released { debugger.track(released.adapter) }
        debugger.track(kept.adapter)
        #expect(debugger.descriptions.count == 2)
        released = nil
        #expect(debugger.descriptions.count == 1)
        debugger.track(kept.adapter)
        #expect(debugger.dump.hasPrefix("adapter") && debugger.descriptions.count == 1)
    }

    @Test(
        "an item is selected → delegates are called, and the selection follows the item through updates",
        .rule("AD-76...AD-81")
    )
    func selection() throws {
        let log = EventList()
        let list = try TestHost.letters("a:xyz", "b:q", log: log)
        _ = log.drain()
        #expect(try list.adapter.selectItem(1, ofObject: "a").selected)
        #expect(try list.adapter.selectItem(1, ofObject: "a").events.isEmpty)
        #expect(log.drain() == ["select a.1"])
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters.insert("w", at: 0)
            batch.insertItems(at: [0])
        })
        list.flush()
        #expect(list.adapter.selectedItems == [SelectedItem(objectID: "a", item: 2)])
        let events = try list.update([letters("b:q")]).events
        #expect(
            events.contains {
                if case .selection(let change) = $0 {
                    change.deselected == [SelectedItem(objectID: "a", item: 2)]
                } else {
                    false
                }
            })
        #expect(list.adapter.selectedItems.isEmpty)
        #expect(throws: ListError.self) { try list.adapter.selectItem(0, ofObject: "a") }
        #expect(throws: ListError.self) { try list.adapter.selectItem(9, ofObject: "b") }
        #expect(try list.adapter.deselectItem(0, ofObject: "b").deselected)
    }

    @Test("a controller stores state for its object → the state survives reloads, and is dropped with the object")
    func state() throws {
        let list = try TestHost.letters("a:x")
        list.controller("a")?.context?.state = ["open": true]
        try list.perform(.reloadData)
        #expect(list.controller("a")?.context?.state == ["open": true])
        try list.update([])
        try list.update([letters("a:x")])
        #expect(list.controller("a")?.context?.state.isEmpty == true)
    }
}
