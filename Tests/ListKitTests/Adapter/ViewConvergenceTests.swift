// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Convergence: the slots of each viewer equal its view's picture")
struct ViewConvergenceTests {
    /// A view under test, and the viewer's copy of its slots.
    final class Viewer {
        let options: ListViewOptions
        var screen: Screen
        var viewport = Rect(x: 0, y: 0, width: 200, height: 150)
        var range: ClosedRange<IndexPath>?
        /// The displayed sections and items, according to the display events.
        var displayed: Set<String> = []
        var inRange: Set<String> = []
        var isOnScreen = true

        init(_ id: ViewID, _ options: ListViewOptions) {
            self.options = options
            screen = Screen(view: id)
        }

        func receive(_ events: [AdapterEvent]) {
            screen.receive(events)
            for event in events {
                switch event {
                case .display(let change) where change.view == screen.view:
                    for place in change.willDisplay { #expect(displayed.insert(place.objectID).inserted) }
                    for place in change.didEndDisplaying { #expect(displayed.remove(place.objectID) != nil) }
                case .workingRange(let change) where change.view == screen.view:
                    for place in change.willEnter { #expect(inRange.insert(place.objectID).inserted) }
                    for place in change.didExit { #expect(inRange.remove(place.objectID) != nil) }
                default: break
                }
            }
        }
    }

    static func options(_ index: Int) -> ListViewOptions {
        var options = ListViewOptions()
        switch index {
        case 1:
            options.fields = ["n", "v", "height"]
            options.lead = 2
            options.trail = 1
            options.buffer = 0
        case 2:
            options.window = 2
            options.isAnchoredAtStart = true
        case 3:
            options.layout = ListLayoutKind.none
            options.overscanItems = 2
        case 4:
            options.layout = .absolute
            options.workingRangeUnit = .items
        case 5:
            options.windowBytes = 300
            options.isAnchored = false
            options.workingRangeUnit = .items
            options.lead = 2
            options.trail = 3
            options.scale = 2
        default: break
        }
        return options
    }

    @Test(
        "viewers scroll, acknowledge and report sizes at random → each screen equals the screen of a new view",
        arguments: 0..<9
    )
    func screens(seed: Int) throws {
        var source = RandomList(seed: UInt64(seed) &* 31_337)
        let list = TestHost(names: ["binding": "listd/binding"]) { configuration in
            ConvergenceTests.configurations[seed % ConvergenceTests.configurations.count](&configuration)
            configuration.workingRange = seed % 3
        }
        let viewers = (0..<6).map { Viewer(ViewID($0 + 1), Self.options($0)) }
        for viewer in viewers { try list.adapter.openView(viewer.screen.view, options: viewer.options) }
        for _ in 0..<45 {
            try step(&source, list, viewers)
            for viewer in viewers { try check(viewer, list.adapter, &source) }
        }
        for viewer in viewers {
            viewer.receive(try list.adapter.closeView(viewer.screen.view))
            #expect(viewer.screen.isClosed)
            #expect(viewer.displayed.isEmpty)
            #expect(viewer.inRange.isEmpty)
        }
    }

    @Test(
        "sections move in a list that is longer than the views → each screen equals the screen of a new view",
        arguments: 0..<9
    )
    func moves(seed: Int) throws {
        var source = RandomList(seed: UInt64(seed) &* 7_919 &+ 3, ids: 60)
        let list = TestHost(names: ["binding": "listd/binding"]) { configuration in
            ConvergenceTests.configurations[seed % ConvergenceTests.configurations.count](&configuration)
            (configuration.workingRange, configuration.nearEndDistance) = (seed % 3, 30)
        }
        let viewers = (0..<9).map { Viewer(ViewID($0 + 1), Self.options($0 % 6)) }
        for viewer in viewers {
            viewer.viewport.size = Size(width: 200, height: 60)
            try list.adapter.openView(viewer.screen.view, options: viewer.options)
        }
        try list.update(try source.ids.map { try source.object($0) })
        for viewer in viewers {
            viewer.receive(list.takeEvents())
            for _ in 0..<2 { viewer.receive(try performRandomAction(viewer, list.adapter, &source)) }
        }
        for _ in 0..<16 {
            if source.random.chance(oneIn: 4), let viewer = source.random.pick(viewers) {
                viewer.receive(try performRandomAction(viewer, list.adapter, &source))
            } else {
                for _ in 0..<Int.random(in: 1...2, using: &source.random) {
                    let old = Int.random(in: 0..<list.adapter.objectCount, using: &source.random)
                    let new = max(0, min(old + Int.random(in: -6...6, using: &source.random), list.ids.count - 1))
                    list.enqueue(
                        source.random.chance(oneIn: 12)
                            ? try source.operation() : .moveObject(id: list.ids[old], position: .before(list.ids[new])))
                }
                list.flush()
                let events = list.takeEvents()
                for viewer in viewers { viewer.receive(events) }
                guard list.adapter.objectCount > 0 else { break }
            }
            for viewer in viewers { try check(viewer, list.adapter, &source) }
        }
    }

    @Test(
        "views of many items scroll by little between moves and patches → each screen equals the screen of a new view",
        arguments: 0..<9
    )
    func littleScrolls(seed: Int) throws {
        var source = RandomList(seed: UInt64(seed) &* 52_711 &+ 5, ids: 120)
        let list = TestHost(names: ["binding": "listd/binding"]) { configuration in
            ConvergenceTests.configurations[seed % ConvergenceTests.configurations.count](&configuration)
            (configuration.workingRange, configuration.nearEndDistance) = (seed % 3, 30)
        }
        let viewers = (0..<6).map { Viewer(ViewID($0 + 1), Self.options($0)) }
        for viewer in viewers {
            viewer.viewport = Rect(x: 0, y: 100, width: 200, height: 500)
            try list.adapter.openView(viewer.screen.view, options: viewer.options)
        }
        try list.update(try source.ids.map { try source.object($0) })
        for viewer in viewers {
            viewer.receive(list.takeEvents())
            guard viewer.options.layout != ListLayoutKind.none else { continue }
            let id = viewer.screen.view
            viewer.receive(try list.adapter.setViewport(view: id, seen: 0, rect: viewer.viewport).effects)
            viewer.receive(try list.adapter.acknowledge(view: id, sequence: viewer.screen.sequence))
        }
        for _ in 0..<40 {
            let viewer = viewers[Int.random(in: 0..<viewers.count, using: &source.random)]
            if source.random.chance(oneIn: 3), list.adapter.objectCount > 0 {
                let old = Int.random(in: 0..<list.adapter.objectCount, using: &source.random)
                let new = max(0, min(old + Int.random(in: -6...6, using: &source.random), list.ids.count - 1))
                if source.random.chance(oneIn: 3) {
                    list.enqueue(
                        .applyChanges(removed: [], upserts: [.init(try source.object(list.ids[old]))]))
                } else {
                    list.enqueue(.moveObject(id: list.ids[old], position: .before(list.ids[new])))
                }
                if source.random.chance(oneIn: 8) { list.enqueue(try source.operation()) }
                list.flush()
                let events = list.takeEvents()
                for viewer in viewers { viewer.receive(events) }
            } else if viewer.options.layout == ListLayoutKind.none || source.random.chance(oneIn: 12) {
                viewer.receive(try performRandomAction(viewer, list.adapter, &source))
            } else {
                let description = try list.adapter.viewDescription(viewer.screen.view)
                let distance = Double(Int.random(in: -8...8, using: &source.random)) * 7.5
                let rect = Rect(
                    origin: description.viewport.origin + Point(x: 0, y: distance), size: description.viewport.size)
                let growth = source.random.chance(oneIn: 4) ? 0 : Int.max
                let reply = try? list.adapter.presentation.setViewport(
                    view: viewer.screen.view, seen: 0, rect: rect, growth: growth)
                viewer.receive(reply?.effects ?? list.adapter.presentation.takeEvents())
                if source.random.chance(oneIn: 2) {
                    viewer.receive(
                        try list.adapter.acknowledge(view: viewer.screen.view, sequence: viewer.screen.sequence))
                }
            }
            for viewer in viewers { try check(viewer, list.adapter, &source) }
            checkElements(list.adapter)
        }
    }

    /// Compares the elements of all views with those that are computed anew.
    private func checkElements(_ adapter: ListAdapter) {
        for view in adapter.presentation.views.views where !view.geometry.isAsleep {
            let fresh = view.geometry.visibleElements()
            #expect(view.elements.map(\.key) == fresh.all.map(\.key), "view \(view.id)")
            #expect(view.displayed.map(\.frame) == fresh.displayed.map(\.frame), "view \(view.id)")
        }
    }

    private func step(_ source: inout RandomList, _ list: TestHost, _ viewers: [Viewer]) throws {
        if source.random.chance(oneIn: 2) {
            for _ in 0..<Int.random(in: 1...2, using: &source.random) { list.enqueue(try source.operation()) }
            list.flush()
            let events = list.takeEvents()
            for viewer in viewers { viewer.receive(events) }
            return
        }
        guard let viewer = source.random.pick(viewers) else { return }
        viewer.receive(try performRandomAction(viewer, list.adapter, &source))
    }

    private func performRandomAction(_ viewer: Viewer, _ adapter: ListAdapter, _ source: inout RandomList) throws
        -> [AdapterEvent]
    {
        let id = viewer.screen.view
        let total = adapter.objectCount
        switch Int.random(in: 0..<10, using: &source.random) {
        case 8 where viewer.options.window == nil && viewer.options.windowBytes == nil:
            viewer.isOnScreen.toggle()
            return try adapter.setVisible(viewer.isOnScreen, view: id)
        case 9 where viewer.options.layout != ListLayoutKind.none:
            // A refused call leaves no trace.
            let rect = Rect(x: 0, y: 100, width: 130, height: 300)
            let reply = try? adapter.presentation.setViewport(view: id, seen: 0, rect: rect, growth: 0)
            return reply?.effects ?? adapter.presentation.takeEvents()
        case 0: return try adapter.acknowledge(view: id, sequence: viewer.screen.sequence)
        case 1 where id == 1 || id == 6:
            let sizes = (0..<2).map { _ in
                MeasuredSize(
                    objectID: source.id(), item: Int.random(in: 0..<3, using: &source.random),
                    size: Size(width: 60, height: Double(Int.random(in: 1...5, using: &source.random)) * 10))
            }
            return try adapter.reportSizes(view: id, sizes: sizes).effects
        case 2 where viewer.options.layout != ListLayoutKind.none:
            let target = source.id()
            guard let reply = try? adapter.scrollTo(view: id, object: target, item: 0, position: .none) else {
                return adapter.presentation.takeEvents()
            }
            return reply.reply.effects
        default:
            if viewer.options.layout == ListLayoutKind.none {
                guard total > 0 else { return [] }
                let first = Int.random(in: 0..<total, using: &source.random)
                let last = Int.random(in: first..<total + 1, using: &source.random)
                let range = IndexPath(section: first, item: 0)...IndexPath(section: last, item: 1)
                viewer.range = range
                return try adapter.setVisibleRange(view: id, first: range.lowerBound, last: range.upperBound).effects
            }
            let size = source.random.chance(oneIn: 6) ? Size(width: 120, height: 90) : viewer.viewport.size
            viewer.viewport = Rect(
                origin: Point(
                    x: Double(Int.random(in: -2...20, using: &source.random)) * 10,
                    y: Double(Int.random(in: -2...40, using: &source.random)) * 10), size: size)
            let seen = source.random.chance(oneIn: 3) ? 0 : viewer.screen.sequence
            return try adapter.setViewport(view: id, seen: seen, rect: viewer.viewport).effects
        }
    }

    /// Compares a screen with a new view of the same viewport.
    private func check(_ viewer: Viewer, _ adapter: ListAdapter, _ source: inout RandomList) throws {
        let description = try adapter.viewDescription(viewer.screen.view)
        guard description.state != .new else { return }
        if viewer.screen.isStalled {
            #expect(description.state == .stalled)
            if source.random.chance(oneIn: 4) { try viewer.screen.expectEqualToResync(of: adapter) }
            return
        }
        #expect(description.sequence == viewer.screen.sequence)
        guard viewer.isOnScreen else {
            #expect(viewer.displayed.isSuperset(of: description.visibleObjects))
            return
        }
        if source.random.chance(oneIn: 10) { try viewer.screen.expectEqualToResync(of: adapter) }
        #expect(viewer.displayed.isSuperset(of: description.visibleObjects))
        #expect(description.visibleObjects == adapter.visibleObjects(in: viewer.screen.view).map(\.id))
        // Sizes that a viewer reported apply to its view only, so it cannot be compared with a new view.
        guard viewer.screen.view != 1, viewer.screen.view != 6 else { return }
        var options = viewer.options
        options.window = nil
        options.windowBytes = nil
        // Another list with the same objects, because views of one list share their layouts.
        let reference = ListAdapter(
            configuration: adapter.configuration,
            controllers: BuiltInSectionControllerProvider(names: ["binding": "listd/binding"]),
            objects: adapter.objects(from: 0, limit: .max))
        var fresh = Screen(view: 999)
        try reference.openView(999, options: options)
        if viewer.range != nil {
            let items = try #require(description.visibleItems)
            let (first, last) = try ends(of: items, adapter)
            fresh.receive(try reference.setVisibleRange(view: 999, first: first, last: last).effects)
        } else {
            fresh.receive(try reference.setViewport(view: 999, seen: 0, rect: description.viewport).effects)
        }
        let isEqual = viewer.screen.items.map(Self.withoutSlot) == fresh.items.map(Self.withoutSlot)
        #expect(isEqual, "view \(viewer.screen.view)")
        #expect(fresh.contentSize == viewer.screen.contentSize || viewer.screen.sequence == 0)
        #expect(try reference.viewDescription(999).workingRange == description.workingRange)
    }

    /// Returns the paths of the first and the last item of a view's requested range, which moves with the list.
    private func ends(of items: VisibleItems, _ adapter: ListAdapter) throws -> (IndexPath, IndexPath) {
        var (section, left, first) = (items.first.section, items.length, items.first)
        first.item = min(first.item, max(0, (adapter.itemCount(inSection: section) ?? 0) - 1))
        var start = first.item
        while let count = adapter.itemCount(inSection: section) {
            if count - start >= left { return (first, IndexPath(section: section, item: start + left - 1)) }
            left -= count - start
            (section, start) = (section + 1, 0)
        }
        return (first, IndexPath(section: section + left - 1, item: 0))
    }

    private static func withoutSlot(_ item: PictureItem) -> PictureItem {
        var item = item
        item.slot = 0
        return item
    }
}
