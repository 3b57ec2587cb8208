// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

@Suite("A ListAdapter without a host")
struct FirstStepsTests {
    @Test("a full list and changes are applied → the list has the expected revisions, transactions and objects")
    func writing() throws {
        let list = TestHost()
        var mirror = Mirror(list.adapter)
        #expect(try list.perform(.performUpdates(objects: objects("a", "b", "c"))).revision == 1)
        for event in list.takeEvents() {
            if case .updated(let transaction) = event { try mirror.apply(transaction, from: list.adapter) }
        }
        #expect(list.ids == ["a", "b", "c"])
        let answer = try list.perform(
            .applyChanges(
                removed: ["b", "unknown"],
                upserts: [.init(object("d"), position: .before("c")), .init(object("a1"), position: .last)]))
        #expect(answer.revision == 2)
        for event in list.takeEvents() {
            if case .updated(let transaction) = event { try mirror.apply(transaction, from: list.adapter) }
        }
        #expect(list.ids == ["d", "c", "a"])
        mirror.expectEqual(to: list.adapter)
    }

    @Test("a view shows a list of single items → it has the items in the viewport, also after changes and scrolling")
    func viewing() throws {
        let list = TestHost(
            try objects(
                (0..<100).map {
                    "o\(String(UnicodeScalar(UInt8(97 + $0 / 10))))\(String(UnicodeScalar(UInt8(97 + $0 % 10))))"
                }))
        var screen = Screen(view: 1)
        try list.adapter.openView(1)
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 320, height: 440)).effects)
        #expect(screen.items.count == 11)
        #expect(screen.contentSize == Size(width: 320, height: 4400))
        screen.receive(
            try list.adapter.setViewport(view: 1, seen: 1, rect: Rect(x: 0, y: 880, width: 320, height: 440)).effects)
        #expect(screen.items.map(\.section) == Array(19...30))
        try screen.expectEqualToResync(of: list.adapter)
        list.enqueue(.applyChanges(removed: ["ocb"], upserts: []))
        screen.receive(list.flush().events)
        try screen.expectEqualToResync(of: list.adapter)
        screen.receive(try list.adapter.closeView(1))
        #expect(screen.isClosed)
    }
}
