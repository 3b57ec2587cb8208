// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

@Suite("Section controllers that call the list in deinit")
struct EndingControllerTests {
    final class Ending: LetterController {
        var onEnd: (() -> Void)?
        deinit { onEnd?() }
    }

    @Test(
        "a deinit calls views during a removal or a full reload → changes are sent in order",
        arguments: [false, true])
    func scrolling(reloads: Bool) throws {
        let provider = ScriptedProvider { _ in Ending(log: EventList()) }
        let list = TestHost(try (0..<30).map { try letters("a\($0):x") }, provider: provider)
        var screen = try list.open()
        var heard: [AdapterEvent] = []
        var calls = 0
        (list.adapter.sectionController(forID: "a0") as? Ending)?.onEnd = { [weak list] in
            calls += 1
            let reply = try? list?.adapter.setViewport(
                view: 1, seen: 0, rect: Rect(x: 0, y: 50, width: 100, height: 100))
            heard += reply?.effects ?? []
        }
        list.enqueue(reloads ? .reloadData : .performUpdates(objects: try (1..<30).map { try letters("a\($0):x") }))
        let events = list.flush().events
        #expect(calls == 1)
        // The controller's call was answered before the flush.
        screen.receive(heard + events + list.adapter.takeEvents())
        try screen.expectEqualToResync(of: list.adapter)
    }

    @Test("a deinit calls another section, the data source or the selection → the calls are performed after the update")
    func everythingElse() throws {
        let provider = ScriptedProvider { _ in Ending(log: EventList()) }
        let list = TestHost(try (0..<5).map { try letters("a\($0):x") }, provider: provider)
        var screen = try list.open()
        let source = LibraryTests.Source(try [letters("a3:x"), letters("z:x")])
        (list.adapter.sectionController(forID: "a0") as? Ending)?.onEnd = { [weak list] in
            list?.adapter.sectionController(forID: "a3")?.context?.selectItem(at: 0)
            list?.adapter.setDataSource(source)
        }
        _ = list.takeEvents()
        try list.update((1..<5).map { try letters("a\($0):x") })
        list.flush()
        screen.receive(list.takeEvents() + list.adapter.takeEvents())
        #expect(list.ids == ["a3", "z"] && list.adapter.selectedItems == [SelectedItem(objectID: "a3", item: 0)])
        try screen.expectEqualToResync(of: list.adapter)
    }
}
