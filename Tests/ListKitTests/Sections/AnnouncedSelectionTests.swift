// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("The selected items in an announcement")
struct AnnouncedSelectionTests {
    private func presentation(_ count: Int) throws -> Presentation {
        Presentation(
            configuration: ListOptions(name: "x"), controllers: BuiltInSectionControllerProvider(),
            objects: try (0..<count).map { try ListObject(id: "o\($0)", fields: [:]) }, executor: nil, observer: nil)
    }

    @Test("an item is selected beside 8,000 others → the places of some of them are looked up, not of all")
    func few() {
        var selected = SelectedItems((0..<8000).map { SelectedItem(objectID: "\(2 * $0)", item: 0) })
        var lookups = 0
        let position = { (id: String) in
            lookups += 1
            return Int(id)
        }
        let change = SelectionChange(
            revision: 0, selected: [SelectedItem(objectID: "9001", item: 0)],
            deselected: [SelectedItem(objectID: "9000", item: 0)])
        #expect(selected.apply(change, position: position) && lookups <= 30)
        let items = Array(selected)
        #expect(items.count == 8000 && selected.count == 8000)
        #expect(items[4499].objectID == "8998" && items[4500].objectID == "9001")
    }

    @Test("an item is selected while 8,000 others are, whose announcement is kept → few of them are copied")
    func shared() throws {
        let list = try presentation(8001)
        let others = (0..<8000).map { SelectedItem(objectID: "o\($0)", item: 0) }
        let known = try #require(
            list.announcement(of: list.changeSelection(select: others, deselect: []).events).selection)
        let places = Set(known.parts.map(address))
        for (isSelected, id) in [(true, "o8000"), (false, "o4000")] {
            let events =
                isSelected
                ? try list.selectItem(0, ofObject: id).events : try list.deselectItem(0, ofObject: id).events
            let said = try #require(list.announcement(of: events).selection)
            let copied = said.parts.filter { !places.contains(address($0)) }.map(\.count).reduce(0, +)
            #expect(copied <= 600)
        }
    }

    private func address(_ items: [SelectedItem]) -> UInt {
        unsafe items.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    @Test("items are selected, deselected, moved and removed at random → each announcement has the selection in order")
    func random() throws {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let list = try presentation(40)
            var known: [SelectedItem] = []
            for _ in 0..<120 {
                let id = "o\(Int.random(in: 0..<40, using: &random))"
                let said: Announcement
                switch Int.random(in: 0..<8, using: &random) {
                case 0 where list.objectCount > 20:
                    var change = Change()
                    change.removed = [(Int.random(in: 0..<list.objectCount, using: &random), nil)]
                    said = list.present(change)
                case 1:
                    var change = Change()
                    let old = Int.random(in: 0..<list.objectCount, using: &random)
                    let new = Int.random(in: 0..<list.objectCount, using: &random)
                    if old != new { change.moved = [(old, new, nil, nil)] }
                    said = list.present(change)
                case 2, 3: said = list.announcement(of: (try? list.deselectItem(0, ofObject: id).events) ?? [])
                default: said = list.announcement(of: (try? list.selectItem(0, ofObject: id).events) ?? [])
                }
                known = said.selection.map(Array.init) ?? known
                try #require(known == list.selectedItems)
            }
        }
    }
}
