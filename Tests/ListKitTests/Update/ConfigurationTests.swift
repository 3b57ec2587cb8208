// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Changing the options of an existing list")
struct ConfigurationTests {
    private func change(
        _ list: TestHost, controllersChanged: Bool = false, expecting revision: UInt64 = 0,
        _ edit: (inout ListOptions) -> Void
    ) throws -> RequestAnswer {
        var configuration = list.adapter.configuration
        edit(&configuration)
        return try list.perform(.configure(configuration, controllersChanged: controllersChanged), expecting: revision)
    }

    @Test(
        "an option that does not affect views changes → it is applied without a revision or an event",
        .rule("CO-03", "UP-08")
    )
    func quiet() throws {
        let list = TestHost(try objects("a", "b"))
        let answer = try change(list) {
            $0.reloadThreshold = 7
            $0.coalescing = .init(minimum: 5, maximum: 9, increment: 1)
        }
        #expect(answer.revision == nil || list.adapter.revision == 0)
        #expect(list.adapter.configuration.reloadThreshold == 7 && list.takeEvents().isEmpty)
        #expect(list.adapter.configuration.coalescing == .init(minimum: 5, maximum: 9, increment: 1))
    }

    @Test(
        "many sections change → a batch is announced, or a reload above a configured threshold",
        arguments: [(0, 101, Transaction.Kind.update), (100, 100, .update), (100, 101, .reload)])
    func reloadThreshold(threshold: Int, changes: Int, kind: Transaction.Kind) throws {
        let list = TestHost { if threshold > 0 { $0.reloadThreshold = threshold } }
        let objects = try (0..<changes).map { try ListObject(id: "\($0)") }
        #expect(try list.update(objects).transaction?.kind == kind)
    }

    @Test(
        "a program sets no threshold → 100 changes of sections are a batch and 101 a reload, as in IGListKit",
        .rule("UP-63"), arguments: [(100, Transaction.Kind.update), (101, .reload)])
    func standardThreshold(changes: Int, kind: Transaction.Kind) throws {
        let adapter = ListAdapter(configuration: .init(), controllers: BuiltInSectionControllerProvider())
        adapter.performUpdates(try (0..<changes).map { try ListObject(id: "\($0)") })
        #expect(adapter.flushNow().map(\.transaction?.kind) == [kind])
    }

    @Test("the direction changes → a reload is announced, and views are laid out again with the same objects")
    func direction() throws {
        let list = TestHost(try objects("a", "b"))
        var screen = try list.open()
        _ = list.takeEvents()
        #expect(screen.contentSize == Size(width: 100, height: 88))
        _ = try change(list) { $0.direction = .horizontal }
        screen.receive(list.takeEvents())
        #expect(screen.contentSize == Size(width: 88, height: 100))
        #expect(list.adapter.revision == 1 && list.ids == ["a", "b"])
    }

    @Test("the layout changes → a view is empty until its viewport is set again")
    func layout() throws {
        let list = TestHost(try objects("a", "b"))
        var screen = try list.open()
        _ = list.takeEvents()
        _ = try change(list) { $0.layout = .none }
        screen.receive(list.takeEvents())
        #expect(try list.adapter.viewDescription(1).state == .new)
        let reply = try list.adapter.setVisibleRange(
            view: 1, first: IndexPath(section: 0, item: 0), last: IndexPath(section: 1, item: 0))
        screen.receive(reply.effects)
        #expect(screen.items.map(\.objectID) == ["a", "b"])
        #expect(screen.items.allSatisfy { $0.frame == .zero })
    }

    @Test(
        "the layout changes while items are visible → the sent changes bring the screen up to date",
        arguments: [ListLayoutKind.none, .flow, .absolute], [ListLayoutKind.none, .flow, .absolute])
    func followedLayout(from: ListLayoutKind, to: ListLayoutKind) throws {
        let list = TestHost(try objects("a", "b")) { $0.layout = from }
        try list.adapter.openView(1)
        var screen = Screen(view: 1)
        let (first, last) = (IndexPath(section: 0, item: 0), IndexPath(section: 1, item: 0))
        screen.receive(
            from == .none
                ? try list.adapter.setVisibleRange(view: 1, first: first, last: last).effects
                : try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100))
                    .effects)
        #expect(screen.items.count == 2)
        _ = list.takeEvents()
        _ = try change(list) { $0.layout = to }
        screen.receive(list.takeEvents())
        #expect(screen.items.count == (from == to || (from != .none && to != .none) ? 2 : 0))
        try screen.expectEqualToResync(of: list.adapter)
        try list.update(objects("b"))
        screen.receive(list.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "the offset of sticky headers or the direction changes → views are laid out again with the same controllers")
    func sameControllers() throws {
        var made = 0
        let provider = ScriptedProvider { _ in
            made += 1
            return LetterController(log: EventList())
        }
        let list = TestHost(try [letters("a:x"), letters("b:y")], provider: provider)
        var screen = try list.open()
        let before = made
        _ = list.takeEvents()
        _ = try change(list) { ($0.stickyHeaderOffset, $0.direction) = (9, .horizontal) }
        #expect(made == before)
        let events = list.takeEvents()
        #expect(
            events.contains { if case .updated(let transaction) = $0 { transaction.kind == .reload } else { false } })
        screen.receive(events)
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("the working range or the empty view changes → views are updated without an announcement")
    func silentOptions() throws {
        let log = EventList()
        let list = try TestHost.letters("a:x", "b:y", log: log) { $0.height = 100 }
        var screen = try list.open()
        _ = (list.takeEvents(), log.drain())
        _ = try change(list) { $0.workingRange = 1 }
        #expect(log.drain() == ["enter b"])
        #expect(list.takeEvents().count == 1)
        try list.update([])
        _ = try change(list) { $0.emptyContent = ["text": "nothing here"] }
        let revision = list.adapter.revision
        screen.receive(list.takeEvents())
        #expect(screen.items.first?.content["text"]?.string == "nothing here")
        _ = try change(list) { $0.emptyContent = ["text": "still nothing"] }
        screen.receive(list.takeEvents())
        #expect(screen.items.map { $0.content["text"]?.string } == ["still nothing"])
        try screen.expectEqualToResync(of: list.adapter)
        #expect(list.adapter.revision == revision)
    }

    @Test(
        "the layout changes while a view past the content's end is stalled → after Ack, the view shows the next range")
    func stalledAndRelaidOut() throws {
        let list = TestHost(try objects("a", "b"))
        var options = ListViewOptions()
        options.window = 1
        try list.adapter.openView(1, options: options)
        var screen = Screen(view: 1)
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 9000, width: 100, height: 100)).effects)
        screen.receive(try list.update(objects("a", "b", "c")).events)
        #expect(screen.isStalled)
        _ = list.takeEvents()
        _ = try change(list) { $0.layout = .none }
        screen.receive(list.takeEvents())
        for _ in 0..<2 { screen.receive(try list.adapter.acknowledge(view: 1, sequence: screen.sequence)) }
        #expect(!screen.isStalled)
        let first = IndexPath(section: 0, item: 0)
        screen.receive(try list.adapter.setVisibleRange(view: 1, first: first, last: first).effects)
        #expect(screen.items.map(\.objectID) == ["a"])
    }

    @Test("the section controllers of a type change → all controllers of the type are replaced")
    func controllers() throws {
        let log = EventList()
        var made = 0
        let provider = ScriptedProvider { _ in
            made += 1
            return LetterController(log: log)
        }
        let list = TestHost(try [letters("a:x"), letters("b:y")], provider: provider)
        _ = try list.open()
        let before = made
        _ = try change(list, controllersChanged: true) { _ in }
        #expect(made == before + 2)
    }

    @Test("an expected revision differs from the current one → the call gets a conflict, and nothing changes")
    func conflict() throws {
        let list = TestHost(try objects("a"))
        let answer = try change(list, expecting: 9) { $0.direction = .horizontal }
        #expect(answer.errorCode == .revisionConflict)
        #expect(list.adapter.configuration.direction == .vertical)
    }

    @Test(
        "an option of the layout changes → a reload is announced; the empty view or working range → none is"
    )
    func visibleOptions() throws {
        let edits: [(inout ListOptions) -> Void] = [
            { $0.stickyHeaders = true }, { $0.stretchToEdge = true }, { $0.showHeaderWhenEmpty = true },
            { $0.topContentInset = 3 }, { $0.stickyHeaderOffset = 4 },
        ]
        let quiet: [(inout ListOptions) -> Void] = [
            { $0.emptyContent = ["text": "none"] }, { $0.emptiness = .noObjects }, { $0.workingRange = 2 },
        ]
        let list = TestHost(try objects("a"))
        for (number, edit) in edits.enumerated() {
            _ = try change(list, edit)
            #expect(list.adapter.revision == UInt64(number + 1))
        }
        for edit in quiet { _ = try change(list, edit) }
        #expect(list.adapter.revision == UInt64(edits.count))
    }
}
