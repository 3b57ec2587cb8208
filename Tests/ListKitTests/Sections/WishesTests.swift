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
}
