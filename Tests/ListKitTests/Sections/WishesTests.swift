@_spi(Daemon) import ListKit
import Testing

@Suite("What section controllers and their makers ask for at odd moments")
struct WishesTests {
    // MARK: While a controller is made

    private final class Maker {
        weak var adapter: ListAdapter?
        private(set) var found: [String: Bool] = [:]

        /// Asks the list for controllers before it answers one.
        func make(_ object: ListObject, asking ids: [String]) -> ListSectionController {
            for id in ids { found["\(object.id) asks for \(id)"] = adapter?.sectionController(forID: id) != nil }
            return LetterController(log: EventList())
        }
    }

    @Test("a maker asks for the controller that it is to make, or for one whose maker asks for it → there is none yet")
    func made() throws {
        let maker = Maker()
        let host = TestHost(
            [],
            provider: ScriptedProvider { object in
                maker.make(object, asking: object.id == "a" ? ["a", "b"] : ["a"])
            })
        maker.adapter = host.adapter
        try host.update([letters("a:xy"), letters("b:z")])
        #expect(maker.found == ["a asks for a": false, "a asks for b": true, "b asks for a": false])
        #expect(host.itemCounts == [2, 1])
        #expect(try host.perform(.reloadData).revision == 2)
        #expect(host.itemCounts == [2, 1])
    }

    // MARK: While a view is shown anew

    private final class Transitional: LetterController, ListTransitionDelegate {
        var wish: ((Transitional) -> Void)?

        override init(log: EventList) {
            super.init(log: log)
            transitionDelegate = self
        }
        func sectionController(
            _ controller: ListSectionController, initialFrameForItemAt index: Int, resting frame: Rect
        ) -> Rect {
            wish?(self)
            wish = nil
            return frame
        }
        func sectionController(
            _ controller: ListSectionController, finalFrameForItemAt index: Int, resting frame: Rect
        ) -> Rect { frame }
    }

    @Test("asked for while a view is shown anew → done at once, and the host is told", arguments: [false, true])
    func shownAnew(scrolls: Bool) throws {
        let list = TestHost(
            try [letters("a:abcdefghijklmnopqrst")], provider: ScriptedProvider { _ in Transitional(log: EventList()) })
        var screen = try list.open()
        let controller = try #require(list.controller("a") as? Transitional)
        var wakes = 0
        list.adapter.onActivity = { wakes += 1 }
        controller.context?.reportFault("no")
        #expect(wakes == 1)
        controller.wish = { controller in
            if scrolls {
                controller.context?.scrollToItem(at: 19, position: .end)
            } else {
                controller.context?.performBatch(updates: { $0.reloadSection() })
            }
        }
        screen.take(list.adapter.takeEvents())
        #expect(controller.wish == nil && wakes == 2)
        #expect(screen.offset.y == (scrolls ? 100 : 0))
        #expect(list.adapter.flushTiming == (scrolls ? .idle : .now))
    }
}
