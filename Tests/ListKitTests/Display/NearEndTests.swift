// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

/// Tests the notification with which a program loads more pages near the end of the list.
@Suite("Notifications near the end of the list")
struct NearEndTests {
    private func rows(_ count: Int, from first: Int = 0, height: Double = 50) throws -> [ListObject] {
        try (first..<first + count).map { try ListObject(id: "o\($0)", fields: ["height": .double(height)]) }
    }

    private func list(_ count: Int, _ distance: Double = 100) throws -> TestHost {
        TestHost(try rows(count)) { $0.nearEndDistance = distance }
    }

    /// Returns the distances to the end in a view's events; `nil` = the end is no longer near.
    private func nearEndDistances(_ events: [AdapterEvent], of view: ViewID = 1) -> [Double?] {
        events.compactMap { event -> Double?? in
            if case .nearEnd(view, _, let distance) = event { .some(distance) } else { nil }
        }
    }

    private func scroll(_ list: TestHost, _ y: Double, view: ViewID = 1) throws -> [Double?] {
        let rect = Rect(x: 0, y: y, width: 100, height: 100)
        return nearEndDistances(try list.adapter.setViewport(view: view, seen: 0, rect: rect).effects, of: view)
    }

    @Test("a view scrolls near the end → one notification is sent; it scrolls away and back → another one is sent")
    func scrolling() throws {
        let list = try list(10)
        _ = try list.open()
        #expect(nearEndDistances(list.takeEvents()) == [])
        #expect(try scroll(list, 299) == [])
        #expect(try scroll(list, 300) == [100])
        #expect(try scroll(list, 350) == [])
        #expect(try scroll(list, 1000) == [])
        #expect(try scroll(list, 200) == [nil])
        #expect(try scroll(list, 100) == [])
        #expect(try scroll(list, 1000) == [0])
    }

    @Test("a list near its end is updated → another notification is sent only if the last object has changed")
    func updates() throws {
        let list = try list(3)
        _ = try list.open()
        #expect(nearEndDistances(list.takeEvents()) == [50])
        try list.update(try rows(1, from: 9) + rows(3))
        #expect(nearEndDistances(list.takeEvents()) == [])
        try list.update(try rows(4))
        #expect(nearEndDistances(list.takeEvents()) == [100])
        try list.update(try rows(20))
        #expect(nearEndDistances(list.takeEvents()) == [nil])
        try list.update(try rows(4))
        #expect(nearEndDistances(list.takeEvents()) == [100])
        try list.update(try rows(4).reversed())
        #expect(nearEndDistances(list.takeEvents()) == [100])
    }

    @Test("a list is empty → it counts as near the end; the first objects arrive → another notification is sent")
    func empty() throws {
        let list = try list(0)
        _ = try list.open()
        #expect(nearEndDistances(list.takeEvents()) == [0])
        try list.update(try rows(2))
        #expect(nearEndDistances(list.takeEvents()) == [0])
    }

    @Test("the distance is 0, or a view has no viewport → no notification is sent")
    func never() throws {
        let list = try list(1, 0)
        _ = try list.open()
        #expect(nearEndDistances(list.takeEvents()) == [])
        let other = try self.list(1)
        try other.adapter.openView(1)
        try other.update(try rows(2))
        #expect(nearEndDistances(other.takeEvents()) == [])
    }

    @Test("the distance option changes → a notification is sent if the end becomes near or is no longer near")
    func configured() throws {
        let list = try list(5, 0)
        _ = try list.open()
        func configure(_ distance: Double) throws -> [Double?] {
            var configuration = list.adapter.configuration
            configuration.nearEndDistance = distance
            _ = list.takeEvents()
            _ = try list.perform(.configure(configuration, controllersChanged: true))
            return nearEndDistances(list.takeEvents())
        }
        #expect(try configure(150) == [150])
        #expect(try configure(149) == [nil])
    }

    @Test("a view has the layout none → the distance is the number of items after the requested range")
    func items() throws {
        let list = TestHost(try objects("a", "b", "c", "d", "e", "f")) {
            $0.nearEndDistance = 2
            $0.layout = .none
        }
        try list.adapter.openView(1)
        func show(_ first: Int, _ last: Int, item: Int = 0) throws -> [Double?] {
            nearEndDistances(
                try list.adapter.setVisibleRange(
                    view: 1, first: IndexPath(section: first, item: 0), last: IndexPath(section: last, item: item)
                ).effects)
        }
        #expect(try show(0, 2) == [])
        #expect(try show(0, 3) == [2])
        #expect(try show(0, 2, item: 9) == [nil])
        #expect(try show(0, 99) == [0])
        #expect(try show(0, 5) == [])
    }

    @Test("a list is horizontal → the distance is horizontal")
    func horizontal() throws {
        let list = TestHost(try (0..<10).map { try ListObject(id: "o\($0)", fields: ["width": .double(50)]) }) {
            $0.nearEndDistance = 100
            $0.direction = .horizontal
        }
        _ = try list.open()
        let far = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 200, y: 0, width: 100, height: 100))
        #expect(nearEndDistances(far.effects) == [])
        let near = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 310, y: 0, width: 100, height: 100))
        #expect(nearEndDistances(near.effects) == [90])
    }

    @Test("measured sizes change the content size → the end becomes near or no longer near")
    func measured() throws {
        let list = try list(4)
        _ = try list.open()
        #expect(nearEndDistances(list.takeEvents()) == [100])
        let large = MeasuredSize(objectID: "o0", item: 0, size: Size(width: 100, height: 51))
        #expect(nearEndDistances(try list.adapter.reportSizes(view: 1, sizes: [large]).effects) == [nil])
        let small = MeasuredSize(objectID: "o0", item: 0, size: Size(width: 100, height: 1))
        #expect(nearEndDistances(try list.adapter.reportSizes(view: 1, sizes: [small]).effects) == [51])
    }

    @Test("two views, one of them without credit → each view is notified by its own distance to the end")
    func credit() throws {
        let list = try list(20)
        _ = try list.open { $0.window = 1 }
        _ = try list.open(2)
        _ = list.takeEvents()
        #expect(try scroll(list, 300) == [] && scroll(list, 850) == [50])
        #expect(try scroll(list, 900, view: 2) == [0])
    }

    @Test("a view is resumed in another engine → no second notification is sent")
    func resumption() throws {
        let list = try list(10)
        _ = try list.open()
        func resume(_ objects: [ListObject]) throws -> [Double?] {
            let other = TestHost(objects) { $0.nearEndDistance = 100 }
            return nearEndDistances(try other.adapter.resumeView(try list.adapter.viewState(of: 1)))
        }
        #expect(try resume(try rows(10)) == [])
        #expect(try scroll(list, 320) == [80])
        #expect(try resume(try rows(10)) == [])
        #expect(try resume(try rows(11)) == [nil])
        #expect(try resume(try rows(9)) == [30])
        #expect(try resume([]) == [0])
        let nothing = try self.list(0)
        _ = try nothing.open()
        let other = TestHost { $0.nearEndDistance = 1 }
        #expect(nearEndDistances(try other.adapter.resumeView(try nothing.adapter.viewState(of: 1))) == [])
    }

    @Test(
        "random updates and scrolls → the notifications are those of a straightforward computation", arguments: 1...20)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let list = try list(10, 120)
        _ = try list.open()
        _ = list.takeEvents()
        var told: (isNear: Bool, last: String?) = (false, nil)
        func expected() throws -> [Double?] {
            let present = try list.adapter.viewDescription(1)
            let distance = max(0, present.contentSize.height - present.viewport.maxY)
            let last = list.ids.last
            defer { told = (distance <= 120, last) }
            guard distance <= 120 else { return told.isNear ? [nil] : [] }
            return told.isNear && told.last == last ? [] : [distance]
        }
        _ = try expected()
        for _ in 0..<100 {
            _ = list.takeEvents()
            if Bool.random(using: &random) {
                let events = try scroll(list, Double(Int.random(in: 0..<900, using: &random)))
                #expect(try events == expected())
            } else {
                let count = Int.random(in: 0..<20, using: &random)
                try list.update(try rows(count, from: Int.random(in: 0..<3, using: &random)))
                #expect(try nearEndDistances(list.takeEvents()) == expected())
            }
        }
    }
}
