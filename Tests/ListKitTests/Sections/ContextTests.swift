// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("A section controller's context: queries and commands")
struct ContextTests {
    @Test(
        "a context is asked for its geometry → it has viewport, insets, remaining size, offset and direction",
        .rule("AD-100...AD-106"))
    func geometry() throws {
        let list = try TestHost.letters("a:xyz")
        _ = try list.open(y: 10) { $0.contentInset = EdgeInsets(top: 1, left: 2, bottom: 3, right: 4) }
        let controller = try #require(list.controller("a"))
        let context = try #require(controller.context)
        #expect(context.containerSize == Size(width: 100, height: 100))
        #expect(context.containerInset == EdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
        #expect(context.insetContainerSize == Size(width: 94, height: 96))
        controller.inset = EdgeInsets(top: 1, left: 1, bottom: 1, right: 1)
        #expect(context.sectionContainerSize == Size(width: 98, height: 98))
        #expect(context.containerContentOffset == Point(x: 0, y: 10) && context.scrollDirection == .vertical)
        #expect(context.object?.id == "a" && context.itemCount == 3)
    }

    @Test(
        "a context is asked for visible items → it has the indexes, those of fully visible items, and displayed items",
        .rule("AD-44...AD-51", "AD-57"))
    func lookups() throws {
        let list = try TestHost.letters("a:xyz", "b:qr") { $0.height = 30 }
        _ = try list.open(y: 15)
        let context = try #require(list.controller("a")?.context)
        #expect(context.visibleIndexes == [0, 1, 2] && context.fullyVisibleIndexes == [1, 2])
        #expect(context.displayedItem(at: 1)?.content == ["letter": "y"])
        #expect(context.displayedItem(at: 7) == nil)
        #expect(list.adapter.item(at: Point(x: 50, y: 95), in: 1) == IndexPath(section: 1, item: 0))
        #expect(list.adapter.item(at: Point(x: 50, y: 95), in: 9) == nil)
        #expect(list.adapter.openViews == [1])
    }

    @Test(
        "a controller selects and deselects items → the selection changes without delegate calls",
        .rule("AD-92", "AD-93"))
    func selection() throws {
        let log = EventList()
        let list = try TestHost.letters("a:xy", log: log)
        let context = try #require(list.controller("a")?.context)
        _ = log.drain()
        context.selectItem(at: 1)
        context.selectItem(at: 9)
        #expect(list.adapter.selectedItems == [SelectedItem(objectID: "a", item: 1)])
        context.deselectItem(at: 1)
        #expect(list.adapter.selectedItems.isEmpty && log.drain().isEmpty)
        #expect(list.adapter.takeEvents().count == 2)
    }

    @Test("a viewer deselects and highlights items → the controller is notified", .rule("AD-80...AD-86"))
    func viewer() throws {
        let log = EventList()
        let list = try TestHost.letters("a:xy", log: log)
        _ = try list.adapter.selectItem(1, ofObject: "a")
        _ = log.drain()
        #expect(try list.adapter.deselectItem(1, ofObject: "a").deselected)
        #expect(try list.adapter.setHighlighted(true, item: 0, ofObject: "a").isEmpty)
        #expect(try list.adapter.setHighlighted(false, item: 0, ofObject: "a").isEmpty)
        #expect(log.drain() == ["deselect a.1", "highlight a.0", "unhighlight a.0"])
        #expect(throws: ListError.self) { try list.adapter.setHighlighted(true, item: 5, ofObject: "a") }
    }

    @Test("an item is selected in a list with automatic deselection → deselected immediately", .rule("AD-79"))
    func automatic() throws {
        let list = try TestHost.letters("a:xy", configure: { $0.deselectsAutomatically = true })
        #expect(try list.adapter.selectItem(1, ofObject: "a").selected == false)
        #expect(list.adapter.selectedItems.isEmpty)
    }

    @Test(
        "sizes are invalidated → items are laid out again in their slots; the section leaves → completed with false",
        .rule("AD-156", "EE-52", "EE-54")
    )
    func invalidation() throws {
        let list = try TestHost.letters("a:x", "b:y")
        var screen = try list.open()
        _ = list.takeEvents()
        let controller = try #require(list.controller("a"))
        controller.height = 40
        var finished: [Bool] = []
        let slots = screen.items.map(\.slot)
        controller.context?.invalidateLayout { finished.append($0) }
        list.flush()
        screen.receive(list.takeEvents())
        #expect(screen.contentSize.height == 50 && finished == [true] && screen.items.map(\.slot) == slots)
        controller.context?.invalidateLayout { finished.append($0) }
        list.adapter.performUpdates(try [letters("b:y")]) { finished.append($0) }
        list.flush()
        #expect(finished == [true, false, true])
    }

    @Test("items with measured sizes move → the sizes are kept; the items are removed → the sizes are dropped")
    func measured() throws {
        let list = try TestHost.letters("a:xy")
        var screen = try list.open()
        _ = list.takeEvents()
        let reply = try list.adapter.reportSizes(
            view: 1, sizes: [MeasuredSize(objectID: "a", item: 1, size: Size(width: 100, height: 70))])
        screen.receive(reply.effects)
        let controller = try #require(list.controller("a"))
        controller.context?.performBatch(updates: { batch in
            controller.letters = ["w", "x", "y"]
            batch.insertItems(at: [0])
        })
        list.flush()
        screen.receive(list.takeEvents())
        #expect(screen.items.map(\.frame.size.height) == [10, 10, 70])
        controller.context?.performBatch(updates: { batch in
            controller.letters = ["w", "x"]
            batch.deleteItems(at: [2])
        })
        list.flush()
        screen.receive(list.takeEvents())
        #expect(screen.contentSize.height == 20)
    }

    @Test("a predicate for emptiness is set → the predicate alone decides whether the empty view is shown")
    func emptiness() throws {
        let list = try TestHost.letters("a:x", configure: { $0.emptyContent = ["text": "nothing here"] })
        list.adapter.emptinessPredicate = { $0.objectCount < 2 }
        var screen = try list.open()
        #expect(screen.items.contains { $0.content == ["text": "nothing here"] })
        screen.receive(try list.update([letters("a:x"), letters("b:y")]).events)
        #expect(!screen.items.contains { $0.objectID.isEmpty })
    }
}
