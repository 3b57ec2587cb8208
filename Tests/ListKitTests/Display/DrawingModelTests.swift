// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

/// Viewers that scroll by themselves, with pictures that arrive late, against a naive model: another list with the same
/// objects, whose views are new. `LISTD_SOAK` runs it at full length.
@Suite("A viewer that scrolls by itself")
struct DrawingModelTests {
    private static let isSoak = ProcessInfo.processInfo.environment["LISTD_SOAK"] != nil
    private static let seeds = isSoak ? 200 : 18
    private static let steps = isSoak ? 300 : 60

    @Test(
        "random updates, scrolls, sizes and late pictures → place, items, sticky headers and causes are those of the model",
        .rule("VW-25", "VW-26", "VW-27", "VW-28", "VW-29", "VW-31"), arguments: 0..<seeds)
    func model(seed: Int) throws {
        let viewer = try SelfScrollingViewer(seed: seed)
        for step in 0..<Self.steps {
            try viewer.step()
            guard viewer.isUpToDate else { continue }
            try viewer.check("seed \(seed), step \(step)")
        }
    }
}

/// A list with one view, and the view's owner, which scrolls by itself and gets pictures late.
private final class SelfScrollingViewer {
    private var source: RandomList
    private let list: TestHost
    private let layout: ListLayoutKind
    private let direction: ScrollDirection
    private var options = ListViewOptions()
    private var mirror = SlotMirror(view: 1)
    /// The sum of the viewer's own movements.
    private var own = Point.zero
    private var size = Size(width: 120, height: 90)
    private var late: [PictureChange] = []
    private var isStalled = false
    /// The ids of the list at the last picture, and the updates since.
    private var before: [String] = []
    /// The objects of them that have a single item.
    private var singles: Set<String> = []
    /// The last steps, for messages.
    private var trace: [String] = []
    private var updates: [Transaction] = []
    /// Whether the viewer has a viewport or a range.
    private var isStarted = false

    init(seed: Int) throws {
        source = RandomList(seed: UInt64(seed) &* 48_611 &+ 11, ids: 20)
        let (layout, direction): (ListLayoutKind, ScrollDirection) = (
            [.flow, .flow, .absolute, .none][seed % 4], seed / 4 % 2 == 0 ? .vertical : .horizontal
        )
        (self.layout, self.direction) = (layout, direction)
        source.placesItems = layout == .absolute
        var configuration = source
        list = TestHost(names: ["binding": "listd/binding"]) {
            $0.layout = layout
            $0.direction = direction
            $0.stickyHeaders = configuration.random.chance(oneIn: 2)
            $0.topContentInset = configuration.random.chance(oneIn: 3) ? 6 : 0
            $0.stickyHeaderOffset = configuration.random.chance(oneIn: 3) ? -4 : 0
            $0.workingRange = 1
            $0.updater = configuration.random.chance(oneIn: 5) ? .reload : .batch
        }
        options.buffer = source.random.pick([0, 20, 60]) ?? 0
        options.prefetch = source.random.pick([0, 0, 40, 150]) ?? 0
        options.isAnchored = !source.random.chance(oneIn: 5)
        options.isAnchoredAtStart = source.random.chance(oneIn: 3)
        options.scale = source.random.pick([0, 0, 2]) ?? 0
        options.window = source.random.chance(oneIn: 2) ? 2 : nil
        if source.random.chance(oneIn: 3) { options.contentInset = EdgeInsets(top: 5, left: 3, bottom: 7, right: 2) }
        try list.adapter.openView(1, options: options)
        try list.update(try source.ids.map { try source.object($0) })
        _ = list.takeEvents()
        rememberList()
    }

    /// Whether the viewer has drawn everything.
    var isUpToDate: Bool { late.isEmpty && !isStalled && isStarted }

    /// Where the viewer is.
    private var place: Point { own + mirror.shift }

    // MARK: Steps

    func step() throws {
        switch Int.random(in: 0..<12, using: &source.random) {
        case 0..<4: try update()
        case 4..<7: try scroll()
        case 7: try resize()
        case 8 where isStarted && layout != .none: try scrollTo()
        case 9 where isStarted: try resync()
        default: try draw()
        }
    }

    private func update() throws {
        let anchor = isUpToDate ? firstVisible() : nil
        let animated = !source.random.chance(oneIn: 3)
        list.enqueue(try source.operation(), animated: animated)
        list.flush()
        receive(list.takeEvents())
        if let anchor, !isStalled { try checkPlace(of: anchor) }
    }

    private func scroll() throws {
        if layout == .none {
            let first = Int.random(in: 0..<20, using: &source.random)
            let last = first + Int.random(in: 0..<6, using: &source.random)
            let reply = try list.adapter.setVisibleRange(
                view: 1, first: IndexPath(section: first, item: 0), last: IndexPath(section: last, item: 0))
            isStarted = true
            return receive(reply.effects)
        }
        let along = Double(Int.random(in: -4...8, using: &source.random)) * 12.5
        let across = layout == .absolute ? Double(Int.random(in: -4...4, using: &source.random)) * 10 : 0
        own = own + (direction == .vertical ? Point(x: across, y: along) : Point(x: along, y: across))
        try setViewport()
    }

    private func setViewport() throws {
        // Sequence 0 means the newest picture, so a viewer scrolls only when it has drawn the first one.
        while mirror.sequence == 0, !late.isEmpty { try draw() }
        isStarted = true
        trace.append("viewport \(place) \(size) seen \(mirror.sequence)")
        receive(
            try list.adapter.setViewport(view: 1, seen: mirror.sequence, rect: Rect(origin: place, size: size)).effects)
    }

    private func resize() throws {
        guard layout != .none, isStarted else { return }
        while !isUpToDate { try draw() }
        let sizes = [(120, 90), (80, 90), (200, 90), (120, 140), (60, 60)]
        let (width, height) = source.random.pick(sizes) ?? (120, 90)
        let old = size
        size = Size(width: Double(width), height: Double(height))
        let seen = direction.size(size, across: old)
        let anchor = direction.along(old) == 0 ? nil : firstVisible(in: Rect(origin: place, size: seen))
        try setViewport()
        if let anchor { try checkPlace(of: anchor) }
    }

    private func scrollTo() throws {
        guard let id = source.random.pick(list.ids) else { return }
        let position = source.random.pick(ScrollPosition.allCases) ?? .none
        guard let reply = try? list.adapter.scrollTo(view: 1, object: id, item: 0, position: position).reply else {
            return receive(list.adapter.presentation.takeEvents())
        }
        trace.append("scrollTo \(id) \(position)")
        receive(reply.effects)
    }

    private func resync() throws {
        // The viewer gets what was sent before.
        while let change = late.first {
            late.removeFirst()
            mirror.apply(change)
        }
        mirror.replace(with: try list.adapter.resync(view: 1))
        isStalled = false
        rememberList()
    }

    private func draw() throws {
        guard let change = late.first else {
            guard options.window != nil else { return }
            receive(try list.adapter.acknowledge(view: 1, sequence: mirror.sequence))
            // A stall ends without a picture if nothing differs any more.
            isStalled = try list.adapter.viewDescription(1).state == .stalled
            return
        }
        late.removeFirst()
        #expect(mirror.apply(change) == .applied)
        if options.window != nil, source.random.chance(oneIn: 2) || late.isEmpty {
            receive(try list.adapter.acknowledge(view: 1, sequence: mirror.sequence))
        }
    }

    private func rememberList() {
        (before, updates) = (list.ids, [])
        singles = Set(list.adapter.objects(from: 0, limit: .max).filter { $0.type.isEmpty }.map(\.id))
    }

    private func receive(_ events: [AdapterEvent]) {
        for event in events { trace.append(String(describing: event).prefix(60) + "…") }
        for event in events { if case .updated(let transaction) = event { updates.append(transaction) } }
        for event in events {
            switch event {
            case .picture(let change):
                checkCauses(change)
                late.append(change)
                rememberList()
                isStalled = false
            case .stalled: isStalled = true
            default: break
            }
        }
        if !isStalled { rememberList() }
    }

    // MARK: Anchors

    private typealias Anchor = (id: String, kind: String, distance: Double)

    /// The first visible item, and its distance to the edge of the viewport, if the view keeps it at its place.
    private func firstVisible(in rect: Rect? = nil) -> Anchor? {
        let rect = rect ?? Rect(origin: place, size: size)
        guard layout == .flow, options.isAnchored, options.isAnchoredAtStart || direction.along(rect.origin) > 0 else {
            return nil
        }
        let found = mirror.items.first { $0.kind == .cell && $0.frame.intersects(rect) }
        guard let found, found.item == 0, let object = list.adapter.object(forID: found.objectID) else { return nil }
        return (found.objectID, object.type, direction.along(found.frame.origin - rect.origin))
    }

    /// Checks that an item is where it was, unless the viewport has come to an end of the content.
    private func checkPlace(of anchor: Anchor) throws {
        for change in late { mirror.apply(change) }
        late = []
        guard let object = list.adapter.object(forID: anchor.id), object.type == anchor.kind, anchor.kind.isEmpty,
            let item = mirror.items.first(where: { $0.objectID == anchor.id && $0.kind == .cell })
        else { return }
        let room = max(0, direction.along(mirror.contentSize) - direction.along(size))
        let offset = direction.along(place)
        guard offset > 0, offset < room else { return }
        let distance = direction.along(item.frame.origin - place)
        #expect(abs(distance - anchor.distance) <= 0.25, "\(anchor.id) lies at \(distance), not at \(anchor.distance)")
    }

    // MARK: The model

    func check(_ step: Comment) throws {
        let description = try list.adapter.viewDescription(1)
        let objects = list.adapter.objects(from: 0, limit: .max)
        let reference = ListAdapter(
            configuration: list.adapter.configuration,
            controllers: BuiltInSectionControllerProvider(names: ["binding": "listd/binding"]), objects: objects)
        var fresh = options
        fresh.window = nil
        try reference.openView(9, options: fresh)
        var screen = SlotMirror(view: 9)
        if layout == .none {
            #expect(description.visibleItems != nil, step)
        } else {
            let away = place - description.viewport.origin
            #expect(max(abs(away.x), abs(away.y)) <= 0.25, "\(step): \(away) after \(trace.suffix(12))")
            screen.apply(
                try reference.setViewport(view: 9, seen: 0, rect: Rect(origin: place, size: description.viewport.size))
                    .effects)
            #expect(screen.items.map(Self.withoutSlot) == mirror.items.map(Self.withoutSlot), step)
            #expect(screen.stickyEdge == mirror.stickyEdge, step)
            #expect(description.visibleObjects == (try reference.viewDescription(9).visibleObjects), step)
            #expect(description.workingRange == (try reference.viewDescription(9).workingRange), step)
            try checkSticky(reference, step)
        }
        let picture = try list.adapter.resync(view: 1)
        #expect(picture.items == mirror.items && picture.shift == .zero, step)
        #expect(Set(picture.sticky) == Set(mirror.sticky.values) && picture.stickyEdge == mirror.stickyEdge, step)
        if options.window != nil { receive(try list.adapter.acknowledge(view: 1, sequence: mirror.sequence)) }
    }

    /// Compares sticky headers at other offsets with the layout's own.
    private func checkSticky(_ reference: ListAdapter, _ step: Comment) throws {
        let layout = try #require(reference.presentation.views.view(9)).geometry.layout
        for distance in [-70.0, -3, 25, 110] {
            let origin = direction.replacing(direction.along(place) + distance, in: place)
            for item in mirror.items where item.kind != .cell {
                let there = layout.attributes(of: item.kind, section: item.section, origin: origin)?.frame
                let here = mirror.frame(of: item, at: origin, direction)
                #expect(there == nil || Self.distance(there ?? .zero, here) <= 0.25, step)
            }
        }
    }

    private static func distance(_ one: Rect, _ other: Rect) -> Double {
        max(
            abs(one.minX - other.minX), abs(one.minY - other.minY), abs(one.maxX - other.maxX),
            abs(one.maxY - other.maxY))
    }

    private func checkCauses(_ change: PictureChange) {
        guard !updates.isEmpty else {
            // Sizes that section controllers changed have no transaction; built-in ones change none.
            #expect(change.causes.isEmpty && change.isAnimated == nil)
            return
        }
        #expect(change.isAnimated == updates.allSatisfy(\.animated))
        let reasons = change.reasons
        let (old, new) = (Set(before), Set(list.ids))
        var known = mirror
        for earlier in late { known.apply(earlier) }
        for (item, reason) in zip(change.shown, reasons.shown) where !item.objectID.isEmpty {
            if !old.contains(item.objectID) { #expect(reason == .inserted, "\(item.objectID) is new") }
            if updates.count == 1, singles.contains(item.objectID), item.kind == .cell,
                list.adapter.object(forID: item.objectID)?.type.isEmpty == true
            {
                #expect(reason != .inserted, "\(item.objectID) was there before")
            }
            #expect(reason != .deleted)
        }
        for (slot, reason) in zip(change.released, reasons.released) {
            guard let item = known.slots[slot], !item.objectID.isEmpty else { continue }
            if !new.contains(item.objectID) { #expect(reason == .deleted, "\(item.objectID) is gone") }
            #expect(reason != .inserted)
        }
        for (place, reason) in zip(change.placed, reasons.placed) {
            guard let item = known.slots[place.slot] else { continue }
            if item.section != place.section || item.item != place.item { #expect(reason == .moved) }
            #expect(reason == .moved || reason == .scrolled)
        }
    }

    private static func withoutSlot(_ item: PictureItem) -> PictureItem {
        var item = item
        item.slot = 0
        return item
    }
}
