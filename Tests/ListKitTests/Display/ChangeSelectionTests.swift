// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Selecting and deselecting many items at once")
struct ChangeSelectionTests {
    /// Refuses to select and deselect items of objects whose identifier begins with x.
    private final class Careful: ListSectionController {
        private var object: ListObject?
        override func didUpdate(to object: ListObject) { self.object = object }
        override func shouldSelectItem(at index: Int) -> Bool { object?.id.hasPrefix("x") == false }
        override func shouldDeselectItem(at index: Int) -> Bool { object?.id.hasPrefix("x") == false }
    }

    private static func item(_ id: String, _ item: Int = 0) -> SelectedItem { SelectedItem(objectID: id, item: item) }

    private func selections(_ events: [AdapterEvent]) -> [SelectionChange] {
        events.compactMap { if case .selection(let change) = $0 { change } else { nil } }
    }

    @Test(
        "items are selected and deselected in one call → one event in list order has the new selection",
        .rule("SE-03"))
    func many() throws {
        let list = TestHost(try (0..<9).map { try ListObject(id: "o\($0)") })
        let first = try list.adapter.changeSelection(
            select: [5, 2, 7, 2].map { Self.item("o\($0)") }, deselect: [Self.item("o8")])
        #expect(selections(first.events).map(\.selected) == [[2, 5, 7].map { Self.item("o\($0)") }])
        #expect(selections(first.events).map(\.deselected) == [[]])
        #expect(first.selected.map(\.objectID) == ["o5", "o2", "o7", "o2"] && first.deselected == [Self.item("o8")])
        let second = try list.adapter.changeSelection(
            select: [Self.item("o0"), Self.item("o5")], deselect: [Self.item("o7"), Self.item("o2")])
        #expect(selections(second.events).count == 1)
        #expect(selections(second.events).first?.selected == [Self.item("o0")])
        #expect(selections(second.events).first?.deselected == [Self.item("o2"), Self.item("o7")])
        #expect(list.adapter.selectedItems == [Self.item("o0"), Self.item("o5")])
        #expect(try list.adapter.changeSelection(select: [Self.item("o0")], deselect: []).events.isEmpty)
    }

    @Test("one object or item of a call is unknown → the call fails, and nothing changes", .rule("SE-03"))
    func unknown() throws {
        let list = TestHost(try (0..<3).map { try ListObject(id: "o\($0)") })
        _ = try list.adapter.selectItem(0, ofObject: "o2")
        for (wrong, code) in [(Self.item("nope"), ListError.Code.noSuchObject), (Self.item("o1", 1), .noSuchItem)] {
            for (select, deselect) in [([Self.item("o0"), wrong], []), ([Self.item("o0")], [Self.item("o2"), wrong])] {
                let error = #expect(throws: ListError.self) {
                    try list.adapter.changeSelection(select: select, deselect: deselect)
                }
                #expect(error?.code == code)
            }
        }
        #expect(list.adapter.selectedItems == [Self.item("o2")] && list.takeEvents().isEmpty)
    }

    @Test("controllers refuse some items → only the accepted items change, and the reply lists only these")
    func refused() throws {
        let list = TestHost(
            try ["o0", "x1", "o2"].map { try ListObject(id: $0) }, provider: ScriptedProvider { _ in Careful() })
        let change = try list.adapter.changeSelection(
            select: ["o0", "x1"].map { Self.item($0) }, deselect: [Self.item("o2")])
        #expect(change.selected == [Self.item("o0")] && change.deselected == [Self.item("o2")])
        #expect(selections(change.events).map(\.selected) == [[Self.item("o0")]])
    }

    @Test("a controller deselects an item immediately after its selection → no event is sent")
    func automatic() throws {
        let list = TestHost(try [ListObject(id: "o")]) { $0.deselectsAutomatically = true }
        let change = try list.adapter.changeSelection(select: [Self.item("o")], deselect: [])
        #expect(change.selected.isEmpty && selections(change.events).isEmpty)
    }
}
