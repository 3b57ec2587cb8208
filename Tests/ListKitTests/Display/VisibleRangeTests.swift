// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Requested ranges of views with layout none")
struct VisibleRangeTests {
    private static func options(_ change: (inout ListViewOptions) -> Void = { _ in }) -> ListViewOptions {
        var options = ListViewOptions()
        options.layout = ListLayoutKind.none
        change(&options)
        return options
    }

    private static func path(_ section: Int, _ item: Int = 0) -> IndexPath { IndexPath(section: section, item: item) }

    /// A view of a list, and the expected view as plain arrays.
    fileprivate struct World {
        let list: TestHost
        let options: ListViewOptions
        var model = FollowedView()
        var wanted: VisibleItems?
        var screen = Screen(view: 1)
        /// The list at each picture since the last acknowledged one, by sequence.
        var pictures: [UInt64: FollowedView] = [:]
        var acknowledged: UInt64 = 0

        init(_ options: ListViewOptions) throws {
            list = TestHost(names: ["binding": "listd/binding"])
            self.options = options
            try list.adapter.openView(1, options: options)
        }

        mutating func receive(_ events: [AdapterEvent]) {
            for case .picture(let change) in events { pictures[change.sequence] = model }
            screen.receive(events)
        }

        mutating func update(_ random: inout SeededRandom) throws {
            let before = model
            let new = model.randomlyChanged(&random)
            model.update(to: new)
            if let wanted { self.wanted = model.movedRange(wanted, from: before, options) }
            let objects = try new.map { try FollowedView.object($0.id, $0.items) }
            if random.chance(oneIn: 12) { list.enqueue(.reloadData) }
            list.enqueue(.performUpdates(objects: objects))
            list.flush()
            receive(list.takeEvents())
        }

        mutating func setRandomRange(_ random: inout SeededRandom) throws {
            let sections = 0..<model.sections.count + 4
            let (one, other) = (
                path(Int.random(in: sections, using: &random), Int.random(in: 0..<5, using: &random)),
                path(Int.random(in: sections, using: &random), Int.random(in: 0..<5, using: &random))
            )
            let (first, last) = (min(one, other), max(one, other))
            let seen = UInt64.random(in: 0...screen.sequence + 1, using: &random)
            let newest = seen == 0 || seen > screen.sequence
            let old = pictures[newest ? screen.sequence : max(seen, acknowledged)] ?? model
            let wanted = model.rebased(first, last, in: old)
            self.wanted = wanted
            receive(try list.adapter.setVisibleRange(view: 1, seen: seen, first: first, last: last).effects)
            #expect(
                try list.adapter.viewDescription(1).visibleItems == wanted,
                "\(first)…\(last) of \(seen) in \(old.sections) now \(model.sections)")
        }

        mutating func acknowledge(_ random: inout SeededRandom) throws {
            let sequence = UInt64.random(in: acknowledged...max(acknowledged, screen.sequence), using: &random)
            receive(try list.adapter.acknowledge(view: 1, sequence: sequence))
            acknowledged = sequence
        }

        mutating func resync() throws {
            let picture = try list.adapter.resync(view: 1)
            pictures[picture.sequence] = model
            acknowledged = picture.sequence
            screen = Screen(view: 1)
            screen.replace(with: picture)
        }

        func check() throws {
            guard let wanted, !screen.isStalled else { return }
            let shown = model.shownPositions(of: wanted)
            let around =
                max(
                    0, shown.lowerBound - options.overscanItems)..<min(
                    model.items.count, shown.upperBound + options.overscanItems)
            let paths = shown.isEmpty ? [] : around.map { model.path($0) }
            #expect(
                screen.items.map { IndexPath(section: $0.section, item: $0.item) } == paths,
                "\(wanted) in \(model.sections)")
            #expect(screen.items.map(\.objectID) == paths.map { model.sections[$0.section].id })
        }

        private func path(_ section: Int, _ item: Int) -> IndexPath { IndexPath(section: section, item: item) }
    }

    @Test(
        "ranges of earlier pictures are requested during random updates → the view equals a naive model",
        .rule("VW-14"),
        arguments: 0..<24)
    func random(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed) &* 977 &+ 5)
        var world = try World(
            Self.options {
                $0.isAnchored = seed % 4 != 3
                $0.isAnchoredAtStart = seed % 4 == 2
                $0.overscanItems = seed % 3
                $0.window = seed % 5 == 4 ? 2 : 64
            })
        for _ in 0..<12 { try world.update(&random) }
        for _ in 0..<150 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1, 2: try world.setRandomRange(&random)
            case 3: try world.acknowledge(&random)
            case 4 where world.wanted != nil && random.chance(oneIn: 2): try world.resync()
            default: try world.update(&random)
            }
            try world.check()
        }
    }

    @Test(
        "an item is inserted before the range → visible items keep slots and contents, and only positions are sent",
        .rule("VW-13"))
    func insertInFront() throws {
        let list = TestHost(try ViewTests.ids(0..<50))
        try list.adapter.openView(1, options: Self.options())
        var screen = Screen(view: 1)
        screen.receive(try list.adapter.setVisibleRange(view: 1, first: Self.path(10), last: Self.path(14)).effects)
        let slots = screen.slots.mapValues(\.objectID)
        _ = list.takeEvents()
        try list.perform(.applyChanges(removed: [], upserts: [.init(try object("new"), position: .first)]))
        let events = list.takeEvents()
        let changes = events.compactMap { if case .picture(let change) = $0 { change } else { nil } }
        #expect(changes.count == 1)
        #expect(changes.first?.placed.count == 5 && changes.first?.shown.isEmpty == true)
        #expect(changes.first?.released.isEmpty == true && changes.first?.rebound.isEmpty == true)
        // No item appeared or disappeared.
        #expect(!events.contains { if case .display = $0 { true } else { false } })
        screen.receive(events)
        #expect(screen.slots.mapValues(\.objectID) == slots)
        #expect(screen.items.map(\.section) == Array(11...15))
    }

    @Test(
        "an object is inserted before a range at the start → the range shows it, unless anchor-at-start is set",
        arguments: [false, true])
    func atStart(isAnchoredAtStart: Bool) throws {
        let list = TestHost(try ViewTests.ids(0..<50))
        try list.adapter.openView(1, options: Self.options { $0.isAnchoredAtStart = isAnchoredAtStart })
        var screen = Screen(view: 1)
        screen.receive(try list.adapter.setVisibleRange(view: 1, first: Self.path(0), last: Self.path(2)).effects)
        screen.receive(
            try list.update([try object("new")] + ViewTests.ids(0..<50)).events)
        #expect(screen.items.map(\.objectID) == (isAnchoredAtStart ? ["o0", "o1", "o2"] : ["new", "o0", "o1"]))
    }

    @Test("the list shrinks below the range and grows again → the range is filled again")
    func fillsAgain() throws {
        let list = TestHost(try ViewTests.ids(0..<20))
        try list.adapter.openView(1, options: Self.options())
        var screen = Screen(view: 1)
        screen.receive(try list.adapter.setVisibleRange(view: 1, first: Self.path(15), last: Self.path(19)).effects)
        screen.receive(try list.update(ViewTests.ids(0..<18)).events)
        #expect(screen.items.map(\.section) == Array(13...17))
        screen.receive(try list.update(ViewTests.ids(0..<2)).events)
        #expect(screen.items.map(\.section) == [0, 1])
        screen.receive(try list.update(ViewTests.ids(0..<20)).events)
        #expect(screen.items.map(\.section) == Array(0...4))
        screen.receive(try list.update([]).events)
        screen.receive(try list.update(ViewTests.ids(0..<4)).events)
        #expect(screen.items.map(\.section) == Array(0...3))
        // Each section past the end of the list counts as one item, and the range is shifted into the list.
        screen.receive(try list.adapter.setVisibleRange(view: 1, first: Self.path(90), last: Self.path(91)).effects)
        #expect(screen.items.map(\.section) == [2, 3])
    }

    @Test("a viewer never acknowledges during many updates → memory for earlier pictures is bounded")
    func bounded() throws {
        let list = TestHost(try ViewTests.ids(0..<400))
        try list.adapter.openView(1, options: Self.options { $0.window = 1 })
        var screen = Screen(view: 1)
        let reply = try list.adapter.setVisibleRange(view: 1, first: Self.path(10), last: Self.path(20))
        screen.receive(reply.effects)
        var random = SeededRandom(seed: 3)
        for turn in 0..<2000 {
            let id = "o\(Int.random(in: 0..<400, using: &random))"
            try list.perform(.moveObject(id: id, position: turn % 2 == 0 ? .first : .last))
        }
        let history = try list.adapter.viewState(of: 1).history
        // Only one picture was sent, so there is one base list; all later changes are combined.
        #expect(history.spans.count == 1)
        #expect(history.spans.flatMap(\.changes).reduce(0) { $0 + $1.sections.runs.count } < 4 * 400)
        // The viewer shows o10…o20 and requests the next page.
        let ids = list.ids
        let (o30, o40) = (try #require(ids.firstIndex(of: "o30")), try #require(ids.firstIndex(of: "o40")))
        _ = try list.adapter.setVisibleRange(view: 1, seen: 1, first: Self.path(30), last: Self.path(40))
        let items = try #require(try list.adapter.viewDescription(1).visibleItems)
        #expect(items.first.section == min(o30, o40) && items.length == abs(o30 - o40) + 1)
    }

    @Test(
        "a range's last item is before its first → InvalidArgs; an update has swapped the two → the range is accepted")
    func crossed() throws {
        let list = TestHost(try ViewTests.ids(0..<10))
        try list.adapter.openView(1, options: Self.options())
        _ = try list.adapter.setVisibleRange(view: 1, first: Self.path(0), last: Self.path(1))
        try list.update(ViewTests.ids(0..<10).reversed())
        #expect(throws: ListError.self) {
            try list.adapter.setVisibleRange(view: 1, seen: 1, first: Self.path(7), last: Self.path(3))
        }
        // o3…o7 are at 6…2 now.
        _ = try list.adapter.setVisibleRange(view: 1, seen: 1, first: Self.path(3), last: Self.path(7))
        #expect(try list.adapter.viewDescription(1).visibleObjects == ["o7", "o6", "o5", "o4", "o3"])
    }

    @Test("a view is resumed in another engine → ranges that refer to earlier pictures are still accepted")
    func resumed() throws {
        var random = SeededRandom(seed: 99)
        var world = try World(Self.options { $0.window = 64 })
        for _ in 0..<15 { try world.update(&random) }
        for turn in 0..<60 {
            try world.setRandomRange(&random)
            for _ in 0..<3 { try world.update(&random) }
            let objects = world.list.adapter.objects(from: 0, limit: .max)
            let next = TestHost(objects, names: ["binding": "listd/binding"])
            let left = try world.list.adapter.viewState(of: 1)
            world = try World(world, in: next)
            world.receive(try next.adapter.resumeView(left))
            if turn % 3 == 0 { try world.acknowledge(&random) }
            try world.setRandomRange(&random)
            try world.check()
        }
    }
}

extension VisibleRangeTests.World {
    /// The same world with another engine.
    fileprivate init(_ other: Self, in list: TestHost) throws {
        self.list = list
        options = other.options
        (model, wanted, screen) = (other.model, other.wanted, other.screen)
        (pictures, acknowledged) = (other.pictures, other.acknowledged)
    }
}
