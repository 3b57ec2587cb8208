// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Attaching and detaching views and data sources during pending updates")
struct AttachmentTests {
    private func texts(_ screen: Screen) -> [String] {
        screen.items.map { $0.objectID + ($0.content["letter"]?.string ?? "") }
    }

    @Test(
        "a view is opened before or after the first objects → its items appear when the viewport is set",
        .rule("AD-22...AD-24", "EE-81")
    )
    func order() throws {
        for isViewFirst in [true, false] {
            let list = try TestHost.letters()
            let source = LibraryTests.Source(try [letters("a:xy")])
            if !isViewFirst { list.adapter.setDataSource(source) }
            try list.adapter.openView(1)
            #expect(try list.adapter.resync(view: 1).items.isEmpty)
            if isViewFirst { list.adapter.setDataSource(source) }
            var screen = Screen(view: 1)
            let rect = Rect(x: 0, y: 0, width: 100, height: 100)
            screen.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: rect).effects)
            #expect(texts(screen) == ["ax", "ay"] && source.reads == 1)
            #expect(texts(try list.open(2)) == ["ax", "ay"])
        }
    }

    /// The work that is pending when a view is opened or closed.
    enum Waiting: CaseIterable { case update, reload, items }

    @Test(
        "a view is closed or opened while an update is pending → the update is applied, completed and shown",
        .rule("EE-77", "EE-78", "EE-80", "EE-82", "EE-84"),
        arguments: Waiting.allCases, [true, false])
    func viewChanges(waiting: Waiting, closes: Bool) throws {
        let list = try TestHost.letters("a:x")
        var first = try list.open()
        _ = list.takeEvents()
        let controller = try #require(list.controller("a"))
        var finished: [Bool] = []
        switch waiting {
        case .update: list.adapter.performUpdates(try [letters("a:xy")]) { finished.append($0) }
        case .reload: list.adapter.reloadData { finished.append($0) }
        case .items:
            controller.context?.performBatch(
                updates: { batch in
                    controller.letters.append("y")
                    batch.insertItems(at: [1])
                }, completion: { finished.append($0) })
        }
        if closes { first.receive(try list.adapter.closeView(1)) }
        var second = try list.open(2)
        #expect(texts(second) == ["ax"] && finished.isEmpty && first.isClosed == closes)
        for result in list.adapter.flushNow() {
            first.receive(result.events)
            second.receive(result.events)
        }
        #expect(finished == [true] && texts(second) == (waiting == .reload ? ["ax"] : ["ax", "ay"]))
        if !closes { #expect(texts(first) == texts(second)) }
        second.receive(try list.update([letters("b:z")]).events)
        #expect(texts(second) == ["bz"])
    }

    @Test(
        "the data source is replaced during a pending update → the update completes with the new source's objects",
        .rule("EE-83", "UP-66"))
    func sourceChanges() throws {
        let list = try TestHost.letters()
        let old = LibraryTests.Source(try [letters("a:x")])
        list.adapter.setDataSource(old)
        var seen: [(Bool, Int)] = []
        list.adapter.performUpdates { seen.append(($0, list.ids.count)) }
        let new = LibraryTests.Source(try [letters("a:x"), letters("b:y"), letters("c:z")])
        list.adapter.setDataSource(new)
        #expect(seen.map(\.0) == [true] && seen.map(\.1) == [3] && new.reads == 1)
        list.adapter.setDataSource(new)
        #expect(new.reads == 1)
    }

    @Test(
        "the completion of an update or reload is called → the new items are already visible", .rule("EE-06", "EE-07"))
    func visibleInCompletion() throws {
        let list = try TestHost.letters("a:x")
        _ = try list.open()
        var visible: [[Int]] = []
        let look = { (_: Bool) in visible.append(list.adapter.visibleItems(ofObject: "b", in: 1)) }
        list.adapter.performUpdates(try [letters("a:x"), letters("b:yz")], completion: look)
        list.adapter.flushNow()
        list.adapter.reloadData(completion: look)
        list.adapter.flushNow()
        #expect(visible == [[0, 1], [0, 1]])
    }

    /// Weak references to the parts of a list.
    private final class Remains {
        weak var adapter: ListAdapter?
        weak var controller: LetterController?
        var item: ListItem?
        var completions: [Bool] = []
    }

    @Test(
        "a list is released in any state of an update → adapter, controllers and items are released",
        .rule("AD-34", "AD-35", "EE-53", "EE-92", "EE-93"),
        arguments: 0..<5)
    func released(moment: Int) throws {
        let remains = Remains()
        try {
            let list = try TestHost.letters("a:x") { $0.onUpdate = { $0.context?.invalidateLayout() } }
            _ = try list.open()
            let controller = try #require(list.controller("a"))
            // A shown item is a value, so retaining it does not retain a view.
            (remains.adapter, remains.controller, remains.item) = (
                list.adapter, controller, controller.context?.displayedItem(at: 0)
            )
            switch moment {
            case 1:
                controller.context?.performBatch(
                    updates: { $0.reloadItems(at: [0]) }, completion: { remains.completions.append($0) })
                list.adapter.performUpdates(try [letters("b:y")]) { remains.completions.append($0) }
            case 2: try list.update([letters("a:xy"), letters("b:y")])
            case 3:
                list.enqueue(.performUpdates(objects: try [letters("b:y")]))
                _ = list.adapter.beginFlush(now: 0)
            case 4: try list.perform(.reloadData)
            default: break
            }
        }()
        #expect(remains.adapter == nil && remains.controller == nil && remains.item != nil)
        #expect(remains.completions == (moment == 1 ? [false, false] : []))
    }
}
