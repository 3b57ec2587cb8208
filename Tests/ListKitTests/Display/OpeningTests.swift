// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

/// Provides the test's controllers for objects of type `letters`, and built-in controllers for all other types. The
/// sections of built-in controllers need no calls.
private final class MixedProvider: ListSectionControllerProvider {
    private let scripted: ScriptedProvider
    private let builtIn = BuiltInSectionControllerProvider()

    init(_ make: @escaping (ListObject) -> ListSectionController) { scripted = ScriptedProvider(make) }

    func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
        (type == "letters" ? scripted as any ListSectionControllerProvider : builtIn).sectionControllerKind(
            forType: type)
    }
}

@Suite("Opening a view at an object")
struct OpeningTests {
    private static func options(
        at id: String, item: Int = 0, _ position: ScrollPosition = .none, _ layout: ListLayoutKind = .flow
    ) -> ListViewOptions {
        var options = ListViewOptions()
        (options.layout, options.buffer) = (layout, 0)
        options.opening = ListViewOpening(objectID: id, item: item, position: position)
        return options
    }

    private static func pictures(_ events: [AdapterEvent]) -> [PictureChange] {
        events.compactMap { if case .picture(let change) = $0 { change } else { nil } }
    }

    private static let size = Size(width: 100, height: 100)

    @Test(
        "a view opens at the last of 1,000,000 objects → only the section controllers of visible objects are called",
        .rule("VW-15"),
        arguments: [ListLayoutKind.flow, .none])
    func millionObjects(layout: ListLayoutKind) throws {
        let log = EventList()
        let provider = MixedProvider { _ in
            let controller = LetterController(log: log)
            controller.onItem = { controller, index in log.record("item \(controller.id).\(index)") }
            return controller
        }
        let count = 1_000_000
        let last = try letters("last:x")
        let list = TestHost(try (0..<count - 1).map { try ListObject(id: "o\($0)") } + [last], provider: provider)
        _ = log.drain()
        let mark = list.adapter.takeEvents().count
        try list.adapter.openView(1, options: Self.options(at: "last", .none, layout))
        #expect(list.adapter.takeEvents().isEmpty && mark == 0)
        let reply =
            layout == .none
            ? try list.adapter.setVisibleRange(
                view: 1, first: IndexPath(section: 0, item: 0), last: IndexPath(section: 1, item: 0))
            : try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(origin: .zero, size: Self.size))
        let pictures = Self.pictures(reply.effects)
        #expect(pictures.count == 1 && reply.sequence == 1)
        #expect(pictures.first?.shown.map(\.section).min() ?? 0 >= count - 4)
        #expect(pictures.first?.shown.last?.objectID == "last")
        #expect(log.drain().filter { $0.hasPrefix("item") } == ["item last.0"])
        let displayed = reply.effects.compactMap { if case .display(let change) = $0 { change } else { nil } }
        #expect(displayed.count == 1 && displayed.first?.didEndDisplaying.isEmpty == true)
        #expect(displayed.first?.willDisplay.map(\.section).min() ?? 0 >= count - 4)
    }

    /// Returns the start of a range of `length` items in which the target has the scroll position, by exhaustive
    /// search.
    private func expectedStart(count: Int, length: Int, target: Int, position: ScrollPosition) -> Int {
        let begins = Array(0...max(0, count - length))
        // The target's position in the range, as near to the requested one as the list allows.
        let wanted =
            switch position {
            case .none: begins.first { $0 + length > target } ?? 0
            case .start: target
            case .end: target - (length - 1)
            case .center: target - length / 2
            }
        return begins.min { abs($0 - wanted) < abs($1 - wanted) } ?? 0
    }

    @Test(
        "views with layout none open at every item of small lists → each has the range that an exhaustive search finds",
        arguments: ScrollPosition.allCases)
    func ranges(position: ScrollPosition) throws {
        for count in 1...7 {
            let list = TestHost(try ViewTests.ids(0..<count))
            for length in 1...8 {
                for target in 0..<count {
                    try list.adapter.openView(1, options: Self.options(at: "o\(target)", position, .none))
                    let last = IndexPath(section: 3 + length - 1, item: 0)
                    var screen = Screen(view: 1)
                    // Only the length of the range is used, even if the range is partly outside of the list.
                    screen.receive(
                        try list.adapter.setVisibleRange(view: 1, first: IndexPath(section: 3, item: 0), last: last)
                            .effects)
                    let begin = expectedStart(count: count, length: length, target: target, position: position)
                    #expect(
                        screen.items.map(\.section) == Array(begin..<min(count, begin + length)),
                        "\(count) \(length) \(target)")
                    #expect(screen.sequence == 1)
                    _ = try list.adapter.closeView(1)
                }
            }
        }
    }

    @Test(
        "a view with layout flow opens at an object → one picture has the offset that ScrollTo would set",
        arguments: ScrollPosition.allCases)
    func viewports(position: ScrollPosition) throws {
        for count in [1, 2, 5, 40] {
            let list = TestHost(try ViewTests.ids(0..<count))
            for target in 0..<count {
                try list.adapter.openView(1, options: Self.options(at: "o\(target)", position))
                // Only the size of the viewport is used.
                let rect = Rect(x: 7, y: 300, width: 100, height: 100)
                let reply = try list.adapter.setViewport(view: 1, seen: 0, rect: rect)
                var twin = try list.open(2)
                let (offset, scrolled) = try list.adapter.scrollTo(
                    view: 2, object: "o\(target)", item: 0, position: position)
                twin.receive(scrolled.effects)
                let pictures = Self.pictures(reply.effects)
                #expect(pictures.count == 1 && pictures.first?.offset == offset)
                #expect(pictures.first?.shown.map(\.objectID) == twin.items.map(\.objectID))
                #expect(try list.adapter.viewDescription(1).viewport == Rect(origin: offset, size: Self.size))
                // The option affects only the first viewport.
                let again = try list.adapter.setViewport(
                    view: 1, seen: 1, rect: Rect(x: 0, y: 0, width: 100, height: 100))
                #expect(again.sequence >= 1)
                #expect(try list.adapter.viewDescription(1).viewport.origin == .zero)
                _ = try (list.adapter.closeView(1), list.adapter.closeView(2))
            }
        }
    }

    @Test("a view opens at an unknown object or item → the call fails, and the view is not opened")
    func unknown() throws {
        let list = try TestHost.letters("a:12", "b:")
        let cases = [
            ("x", 0, ListError.Code.noSuchObject), ("a", 2, .noSuchItem), ("a", -1, .noSuchItem),
            ("b", 0, .noSuchItem),
        ]
        for (id, item, code) in cases {
            let error = #expect(throws: ListError.self) {
                try list.adapter.openView(1, options: Self.options(at: id, item: item))
            }
            #expect(error?.code == code)
            #expect(list.adapter.openViews.isEmpty)
        }
    }

    @Test(
        "the object is removed before the first picture → the opening position is ignored",
        arguments: [ListLayoutKind.flow, .none])
    func gone(layout: ListLayoutKind) throws {
        let list = TestHost(try ViewTests.ids(0..<40))
        try list.adapter.openView(1, options: Self.options(at: "o30", .start, layout))
        try list.update(ViewTests.ids(0..<30))
        try list.update(ViewTests.ids(0..<40))
        var screen = Screen(view: 1)
        let reply =
            layout == .none
            ? try list.adapter.setVisibleRange(
                view: 1, first: IndexPath(section: 5, item: 0), last: IndexPath(section: 6, item: 0))
            : try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 220, width: 100, height: 44))
        screen.receive(reply.effects)
        #expect(screen.items.first?.objectID == "o5")
    }

    @Test("items and objects are inserted before the object → the opening position follows it until the first picture")
    func followed() throws {
        func section(_ id: String, _ items: [String]) throws -> ListObject { try FollowedView.object(id, items) }
        let list = TestHost(
            [try section("a", ["1", "2"]), try section("b", ["x", "y"])], names: ["binding": "listd/binding"])
        try list.adapter.openView(1, options: Self.options(at: "b", item: 1, .start, .none))
        try list.update([
            section("new", ["5"]), section("a", ["1", "2"]), section("b", ["w", "x", "v", "y", "z"]),
        ])
        let left = try list.adapter.viewState(of: 1)
        #expect(left.options.opening == ListViewOpening(objectID: "b", item: 3, position: .start))
        let next = TestHost(
            list.adapter.objects(from: 0, limit: .max), names: ["binding": "listd/binding"])
        for adapter in [list.adapter, next.adapter] {
            if adapter === next.adapter { _ = try adapter.resumeView(left) }
            var screen = Screen(view: 1)
            screen.receive(
                try adapter.setVisibleRange(
                    view: 1, first: IndexPath(section: 0, item: 0), last: IndexPath(section: 0, item: 0)
                ).effects)
            #expect(screen.items.map(\.objectID) == ["b"] && screen.items.map(\.item) == [3])
        }
        // The view is opened although the object is not found.
        let other = TestHost()
        _ = try other.adapter.resumeView(left)
        #expect(other.adapter.openViews == [1])
    }

    // MARK: Scrolling before the first viewport

    /// Letter sections of 30 items of 10 points each, with the identifiers `s0`, `s1` and so on.
    private static func tall(_ count: Int, log: EventList = EventList()) throws -> TestHost {
        let provider = ScriptedProvider { _ in LetterController(log: log) }
        return TestHost(
            try (0..<count).map { try letters("s\($0):abcdefghijklmnopqrstuvwxyzABCD") }, provider: provider)
    }

    @Test(
        "a program scrolls to an object before the first viewport → the first picture is there, and nothing above is shown",
        .rule("AD-121"), arguments: ScrollPosition.allCases)
    func scrolledEarly(position: ScrollPosition) throws {
        let log = EventList()
        let list = try Self.tall(3, log: log)
        var options = ListViewOptions()
        options.buffer = 0
        try list.adapter.openView(1, options: options)
        let (offset, early) = try list.adapter.scroll(
            view: 1, toObject: "s1", position: position, additionalOffset: 7)
        #expect(offset == .zero && early.sequence == 0 && early.effects.isEmpty)
        _ = log.drain()
        let reply = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100))
        let twin = try Self.tall(3)
        try twin.adapter.openView(1, options: options)
        _ = try twin.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100))
        let (expected, _) = try twin.adapter.scroll(
            view: 1, toObject: "s1", position: position, additionalOffset: 7)
        #expect(Self.pictures(reply.effects).map(\.offset) == [expected])
        #expect(try list.adapter.viewDescription(1).viewport == Rect(origin: expected, size: Self.size))
        #expect(!log.drain().contains { $0.hasPrefix("will s0") })
        // The scroll is done once.
        let again = try list.adapter.setViewport(
            view: 1, seen: reply.sequence, rect: Rect(x: 0, y: 20, width: 100, height: 100))
        #expect(try again.sequence >= 1 && list.adapter.viewDescription(1).viewport.minY == 20)
    }

    @Test("objects change between an early scroll and the first viewport → the scroll follows its object")
    func scrolledEarlyAndUpdated() throws {
        let list = TestHost(try ViewTests.ids(0..<40))
        for id in 1...2 as ClosedRange<ViewID> { try list.adapter.openView(id, options: ListViewOptions()) }
        _ = try list.adapter.scroll(view: 1, toObject: "o30", position: .start)
        _ = try list.adapter.scroll(view: 2, toObject: "o5", position: .start)
        _ = try list.adapter.scroll(view: 2, toObject: "nobody", position: .start)
        // A later scroll replaces an earlier one; an unknown object does not.
        _ = try list.adapter.scroll(view: 2, toObject: "o39", position: .start)
        try list.update(ViewTests.ids(10..<39))
        let rect = Rect(x: 0, y: 0, width: 100, height: 100)
        for id in 1...2 as ClosedRange<ViewID> { _ = try list.adapter.setViewport(view: id, seen: 0, rect: rect) }
        #expect(try list.adapter.viewDescription(1).viewport.minY == 20 * 44)
        #expect(try list.adapter.viewDescription(2).viewport.minY == 0)
    }

    @Test("a view scrolls early to a section without items and its header → the first picture starts with the header")
    func scrolledEarlyToHeader() throws {
        func section(_ id: String, _ ids: String) throws -> ListObject {
            try BuiltInControllerTests.binding(ids, ["header": Value(["height": 10.0])], id: id)
        }
        let list = TestHost(
            try [section("a", "0123456789"), section("b", ""), section("c", "0123456789")],
            names: ["*": "listd/binding"]
        ) { $0.showHeaderWhenEmpty = true }
        try list.adapter.openView(1)
        _ = try list.adapter.scroll(view: 1, toObject: "b", supplementary: [.header], position: .start)
        _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100))
        #expect(try list.adapter.viewDescription(1).viewport.minY == 110)
    }

    @Test("a view has layout none → it cannot scroll, before its first range either")
    func neverScrolls() throws {
        let list = TestHost(try objects("a"))
        var options = ListViewOptions()
        options.layout = ListLayoutKind.none
        try list.adapter.openView(1, options: options)
        #expect(throws: ListError.self) { try list.adapter.scroll(view: 1, toObject: "a") }
    }
}
