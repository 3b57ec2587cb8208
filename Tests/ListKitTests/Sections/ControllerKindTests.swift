// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Base classes of section controllers")
struct ControllerKindTests {
    /// A model type for generic section controllers.
    struct Weather: ListModel, Equatable {
        let city: String
        let degrees: Int64

        init(city: String, degrees: Int64) {
            self.city = city
            self.degrees = degrees
        }

        init(_ object: ListObject) throws(ListError) {
            guard let degrees = object.fields["degrees"]?.int else {
                throw ListError(.invalidObject, "\(object.id): no degrees")
            }
            self.init(city: object.id, degrees: Int64(degrees))
        }

        var listIdentifier: String { city }
        static var listType: String { "weather" }
        var listFields: Fields { ["degrees": .int64(degrees)] }
    }

    final class WeatherController: ListGenericSectionController<Weather> {
        override func item(at index: Int) -> ListItem {
            ListItem(reuseIdentifier: "weather", content: ["shown": .int64(model?.degrees ?? -99)])
        }
    }

    final class WeatherValueController: ListValueSectionController<Weather> {
        private(set) var values: [Weather] = []
        override func didUpdate(to value: Weather) { values.append(value) }
        override func item(at index: Int) -> ListItem { ListItem(reuseIdentifier: "weather") }
    }

    final class CardController: ListBindingSingleSectionController {
        let log: EventList
        init(log: EventList) { self.log = log }
        override func item(for object: ListObject) -> ListItem {
            ListItem(reuseIdentifier: "card", content: object.fields)
        }
        override func size(for object: ListObject) -> Size { Size(width: 100, height: 44) }
        override func didSelect(_ item: ListItem?) { record("select", item) }
        override func didDeselect(_ item: ListItem?) { record("deselect", item) }
        override func didHighlight(_ item: ListItem?) { record("highlight", item) }
        override func didUnhighlight(_ item: ListItem?) { record("unhighlight", item) }
        private func record(_ event: String, _ item: ListItem?) {
            log.record("\(event) \(item?.content["n"]?.int ?? -1)")
        }
    }

    final class PlainCard: ListBindingSingleSectionController {}

    final class SelectionLog: ListSingleSelectionDelegate {
        var lines: [String] = []
        func sectionController(_ controller: ListSingleSectionController, didSelect object: ListObject) {
            lines.append("select \(object.id)")
        }
        func sectionController(_ controller: ListSingleSectionController, didDeselect object: ListObject) {
            lines.append("deselect \(object.id)")
        }
    }

    /// A delegate that implements only the required method.
    final class HalfLog: ListSingleSelectionDelegate {
        var count = 0
        func sectionController(_ controller: ListSingleSectionController, didSelect object: ListObject) { count += 1 }
    }

    private func list(_ make: @escaping (ListObject) -> ListSectionController) -> TestHost {
        TestHost(provider: ScriptedProvider(make))
    }

    private func single(_ delegate: (any ListSingleSelectionDelegate)?) -> TestHost {
        list { _ in
            let controller = ListSingleSectionController(
                size: { _, context in Size(width: context.containerSize.width, height: 44) },
                configure: { ListItem(reuseIdentifier: "single", content: $0.fields) })
            controller.selectionDelegate = delegate
            return controller
        }
    }

    @Test(
        "single: a list has three objects → each has one item with the closures' content and size, even after a change",
        .rule("SG-01...SG-04"))
    func singleItems() throws {
        let list = single(nil)
        try list.update(objects("a1", "b2", "c3"))
        var screen = try list.open()
        #expect(list.itemCounts == [1, 1, 1])
        #expect(screen.items.map(\.content) == [["n": .int64(1)], ["n": .int64(2)], ["n": .int64(3)]])
        #expect(screen.items.first?.frame == Rect(x: 0, y: 0, width: 100, height: 44))
        screen.receive(try list.update(objects("a9", "b2", "c3")).events)
        #expect(screen.items.first?.content == ["n": .int64(9)])
    }

    @Test(
        "single: an item is selected and deselected → the delegate gets the controller and the object",
        .rule("SG-05", "SG-06"))
    func singleSelection() throws {
        let log = SelectionLog()
        let list = single(log)
        try list.update(objects("a"))
        _ = try list.adapter.selectItem(0, ofObject: "a")
        _ = try list.adapter.deselectItem(0, ofObject: "a")
        #expect(log.lines == ["select a", "deselect a"])
    }

    @Test(
        "single: a delegate lacks the optional method → it is notified only of selection, not of deselection",
        .rule("SG-07"))
    func singleHalfDelegate() throws {
        let log = HalfLog()
        let list = single(log)
        try list.update(objects("a"))
        #expect(try list.adapter.selectItem(0, ofObject: "a").selected)
        #expect(try list.adapter.deselectItem(0, ofObject: "a").deselected)
        #expect(log.count == 1)
    }

    @Test("single: a controller has no object → it has an error item without a size")
    func singleAlone() {
        let controller = ListSingleSectionController(size: { _, _ in Size(width: 1, height: 1) }) { _ in
            ListItem(reuseIdentifier: "x")
        }
        #expect(controller.item(at: 0).reuseIdentifier == "listd/fault")
        #expect(controller.sizeForItem(at: 0) == .zero && controller.object == nil)
    }

    @Test("binding single: the object changes → the displayed item is rebound in its slot", .rule("BS-02...BS-10"))
    func bindingSingle() throws {
        let log = EventList()
        let list = list { _ in CardController(log: log) }
        try list.update(objects("a1", "b2", "c3"))
        var screen = try list.open(y: 45)
        #expect(list.itemCounts == [1, 1, 1])
        #expect(screen.items.map(\.objectID) == ["b", "c"])
        let slots = screen.items.map(\.slot)
        screen.receive(try list.update(objects("a1", "b7", "c3")).events)
        #expect(screen.items.map(\.slot) == slots)
        #expect(screen.items.first?.content == ["n": .int64(7)])
        let card = try #require(list.adapter.sectionController(forID: "b") as? CardController)
        #expect(card.isDisplayingItem && card.displayedItem?.content == ["n": .int64(7)])
        let hidden = try #require(list.adapter.sectionController(forID: "a") as? CardController)
        #expect(!hidden.isDisplayingItem)
    }

    @Test(
        "binding single: an item is selected and highlighted → the overridden methods get the displayed item",
        .rule("BS-08"))
    func bindingSingleSelection() throws {
        let log = EventList()
        let list = list { _ in CardController(log: log) }
        try list.update(objects("a1"))
        _ = try list.open()
        _ = try list.adapter.setHighlighted(true, item: 0, ofObject: "a")
        _ = try list.adapter.setHighlighted(false, item: 0, ofObject: "a")
        _ = try list.adapter.selectItem(0, ofObject: "a")
        _ = try list.adapter.deselectItem(0, ofObject: "a")
        #expect(log.drain() == ["highlight 1", "unhighlight 1", "select 1", "deselect 1"])
    }

    @Test(
        "binding single: a subclass has no overrides → the missing item is a fault, and no other method traps",
        .rule("BS-01"))
    func bindingSinglePlain() throws {
        let list = list { _ in PlainCard() }
        try list.update(objects("a1"))
        let screen = try list.open()
        #expect(screen.items.isEmpty)
        for isHighlighted in [true, false] {
            _ = try list.adapter.setHighlighted(isHighlighted, item: 0, ofObject: "a")
        }
        #expect(try list.adapter.selectItem(0, ofObject: "a").selected)
        #expect(try list.adapter.deselectItem(0, ofObject: "a").deselected)
        let card = try #require(list.adapter.sectionController(forID: "a") as? PlainCard)
        #expect(card.item(at: 0).reuseIdentifier == "listd/fault")
    }

    /// A section controller with an item for each letter of its object; the items have identities.
    final class TagController: ListBindingSectionController {
        var moves: [String] = []
        override func viewModels(for object: ListObject) -> [ListItem] {
            (object.fields["items"]?.string ?? "").map { ListItem(identity: String($0), reuseIdentifier: "tag") }
        }
        override func canMoveItem(at index: Int) -> Bool { true }
        override func didMoveViewModel(from source: Int, to destination: Int) {
            moves.append("\(source)>\(destination) " + viewModels.compactMap(\.identity).joined())
        }
    }

    /// Records the selected items.
    final class TagLog: ListBindingSelectionDelegate {
        var lines: [String] = []
        func sectionController(
            _ controller: ListBindingSectionController, _ event: ListBindingSelectionEvent, itemAt index: Int,
            viewModel: ListItem
        ) { lines.append("\(event) \(index) \(viewModel.identity ?? "")") }
    }

    @Test(
        "binding: an item is selected → the delegate is notified; an item is dragged → items are reordered",
        .rule("BN-08...BN-13", "BN-21")
    )
    func binding() throws {
        let list = list { $0.id == "plain" ? ListBindingSectionController() : TagController() }
        try list.update([letters("a:xyz"), letters("plain:xyz")])
        let controller = try #require(list.adapter.sectionController(forID: "a") as? TagController)
        let log = TagLog()
        controller.selectionDelegate = log
        #expect(list.itemCounts == [3, 0])
        #expect(try list.adapter.selectItem(1, ofObject: "a").selected)
        #expect(try list.adapter.deselectItem(1, ofObject: "a").deselected)
        for isDown in [true, false] { _ = try list.adapter.setHighlighted(isDown, item: 2, ofObject: "a") }
        #expect(log.lines == ["select 1 y", "deselect 1 y", "highlight 2 z", "unhighlight 2 z"])
        controller.selectionDelegate = nil
        #expect(try list.adapter.selectItem(0, ofObject: "a").selected)
        for (from, to) in [(0, 2), (2, 1)] {
            let path = { IndexPath(section: 0, item: $0) }
            #expect(try !list.perform(.moveItem(from: path(from), to: path(to))).isRefused)
        }
        #expect(controller.moves == ["0>2 yzx", "2>1 yxz"])
        #expect(list.adapter.selectedItems == [SelectedItem(objectID: "a", item: 1)])
    }

    @Test(
        "generic: an object arrives → the controller has the decoded model; it cannot be decoded → a fault is reported",
        .rule("GN-01"))
    func generic() throws {
        let list = list { _ in WeatherController() }
        try list.update([Weather(city: "Oslo", degrees: 3)].listObjects())
        let controller = try #require(list.adapter.sectionController(forID: "Oslo") as? WeatherController)
        #expect(controller.model == Weather(city: "Oslo", degrees: 3))
        try list.update([try ListObject(id: "Oslo", type: "weather")])
        #expect(controller.model == nil)
        #expect(
            list.events.contains { if case .sectionFault(let fault) = $0 { fault.objectID == "Oslo" } else { false } })
    }

    @Test("value: an object arrives → didUpdate gets the decoded value; it cannot be decoded → a fault is reported")
    func value() throws {
        let list = list { _ in WeatherValueController() }
        try list.update([Weather(city: "Oslo", degrees: 3)].listObjects())
        try list.update([Weather(city: "Oslo", degrees: 4)].listObjects())
        let controller = try #require(list.adapter.sectionController(forID: "Oslo") as? WeatherValueController)
        #expect(controller.values == [Weather(city: "Oslo", degrees: 3), Weather(city: "Oslo", degrees: 4)])
        try list.update([try ListObject(id: "Oslo", type: "weather", fields: ["degrees": "warm"])])
        #expect(controller.values.count == 2)
        #expect(list.events.contains { if case .sectionFault = $0 { true } else { false } })
    }

    @Test("a model has an invalid identifier → the error names the identifier, and no object is created")
    func unnamedModel() {
        #expect(throws: ListError.self) { try Weather(city: "", degrees: 1).listObject() }
        #expect(throws: ListError.self) {
            try [Weather(city: "Oslo", degrees: 1), Weather(city: "a\u{0}", degrees: 1)].listObjects()
        }
    }

    @Test("a controller lacks the required overrides → faults are reported, without a trap", .rule("SC-01...SC-07"))
    func bare() throws {
        final class Bare: ListSectionController {}
        let list = list { _ in Bare() }
        try list.update(objects("a"))
        let controller = try #require(list.adapter.sectionController(forID: "a"))
        #expect(controller.numberOfItems() == 1 && controller.sizeForItem(at: 0) == .zero)
        #expect(controller.shouldSelectItem(at: 0) && controller.shouldDeselectItem(at: 0))
        #expect(!controller.canMoveItem(at: 0) && !controller.canMoveItem(from: 0, to: 1))
        #expect(controller.placementOfItem(at: 0) == ItemPlacement(frame: .zero))
        controller.didSelectItem(at: 0)
        controller.didDeselectItem(at: 0)
        controller.didHighlightItem(at: 0)
        controller.didUnhighlightItem(at: 0)
        controller.moveItem(from: 0, to: 0)
        #expect(controller.item(at: 0).reuseIdentifier == "listd/fault")
        let outside = Bare()
        #expect(outside.context == nil && outside.section == nil && outside.inset == .zero)
        #expect(outside.minimumLineSpacing == 0 && !outside.isFirstSection && !outside.isLastSection)
    }
}
