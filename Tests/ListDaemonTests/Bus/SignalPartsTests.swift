// SPDX-License-Identifier: Apache-2.0

import ListDaemon
@_spi(Daemon) import ListKit
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Splitting large signals")
struct SignalPartsTests {
    private func change(_ count: Int, idBytes: Int) -> DisplayChange {
        var change = DisplayChange(view: 3, revision: 7)
        let tail = String(repeating: "x", count: idBytes)
        change.willDisplay = (0..<count).map { SectionReference(section: $0, objectID: "\($0)" + tail) }
        change.itemsDidEndDisplaying = (0..<count).map { ItemReference(section: $0, objectID: "\($0)" + tail, item: 1) }
        return change
    }

    @Test("a signal is within the size limit → it stays one part; it is empty → it stays one empty part")
    func small() {
        #expect(change(10, idBytes: 10).parts == [change(10, idBytes: 10)])
        #expect(change(0, idBytes: 0).parts == [DisplayChange(view: 3, revision: 7)])
    }

    @Test(
        "a whole list with long names changes → the parts are within the limit and contain the whole change, in order")
    func large() {
        let whole = change(2000, idBytes: 1000)
        let parts = whole.parts
        #expect(parts.count > 10)
        #expect(parts.allSatisfy { $0.view == 3 && $0.revision == 7 && !$0.isEmpty })
        #expect(parts.flatMap(\.willDisplay) == whole.willDisplay)
        #expect(parts.flatMap(\.itemsDidEndDisplaying) == whole.itemsDidEndDisplaying)
        for part in parts {
            let names = part.willDisplay.map(\.objectID) + part.itemsDidEndDisplaying.map(\.objectID)
            #expect(names.reduce(0) { $0 + $1.utf8.count } <= SignalLimits.bytes)
        }
    }

    @Test(
        "a working range covers the whole list → its parts are within the limit and contain the whole range, in order")
    func range() {
        var whole = WorkingRangeChange(view: 1, revision: 2)
        let name = String(repeating: "x", count: 4000)
        whole.willEnter = (0..<200).map { SectionReference(section: $0, objectID: name) }
        whole.didExit = (0..<200).map { SectionReference(section: $0, objectID: name) }
        whole.itemsWillEnter = (0..<200).map { ItemReference(section: 0, objectID: name, item: $0) }
        whole.itemsDidExit = (0..<200).map { ItemReference(section: 1, objectID: name, item: $0) }
        #expect(whole.parts.count > 5)
        #expect(whole.parts.flatMap(\.willEnter) == whole.willEnter)
        #expect(whole.parts.flatMap(\.didExit) == whole.didExit)
        #expect(whole.parts.flatMap(\.itemsWillEnter) == whole.itemsWillEnter)
        #expect(whole.parts.flatMap(\.itemsDidExit) == whole.itemsDidExit)
        #expect(whole.parts.allSatisfy { $0.willEnter.count + $0.itemsWillEnter.count + $0.itemsDidExit.count <= 65 })
    }

    @Test("every item of a selection moves → the parts are within the limit and have the same revision")
    func selection() {
        let name = String(repeating: "x", count: 4000)
        let whole = SelectionChange(
            revision: 9, selected: (0..<200).map { SelectedItem(objectID: name, item: $0) },
            deselected: (200..<400).map { SelectedItem(objectID: name, item: $0) })
        #expect(whole.parts.count > 5)
        #expect(whole.parts.allSatisfy { $0.revision == 9 && $0.selected.count + $0.deselected.count <= 65 })
        #expect(whole.parts.flatMap(\.selected) == whole.selected)
        #expect(whole.parts.flatMap(\.deselected) == whole.deselected)
    }
}
