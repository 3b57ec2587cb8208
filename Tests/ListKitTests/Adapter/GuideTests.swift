// SPDX-License-Identifier: Apache-2.0

import ListKit
import Testing

// The examples of IGListKit's guide "Getting Started", with other imports and names: an item is a value that is returned
// instead of a cell that is dequeued, and a view has a number instead of being a widget.

private final class LabelSectionController: ListValueSectionController<String> {
    private var text = ""

    override func sizeForItem(at index: Int) -> Size {
        return Size(width: context?.containerSize.width ?? 0, height: 55)
    }

    override func item(at index: Int) -> ListItem {
        return ListItem(reuseIdentifier: "MyCell", content: ["text": .string(text)])
    }

    override func didUpdate(to value: String) { text = value }
}

private final class NumberSectionController: ListValueSectionController<Int> {
    private var number = 0

    override func sizeForItem(at index: Int) -> Size {
        return Size(width: context?.containerSize.width ?? 0, height: 30)
    }

    override func item(at index: Int) -> ListItem {
        return ListItem(reuseIdentifier: "NumberCell", content: ["number": .int64(Int64(number))])
    }

    override func didUpdate(to value: Int) { number = value }
}

/// The guide's view controller.
private final class ListOwner: ListModelDataSource {
    var data: [any ListModel] = ["Foo", "Bar", 42, "Biz"]

    func objects(for adapter: ListAdapter) -> [any ListModel] {
        // this can be anything!
        return data
    }

    func adapter(
        _ adapter: ListAdapter, sectionControllerFor object: any ListModel, context: ListCollectionContext
    ) -> ListSectionController {
        if object is String {
            return LabelSectionController()
        } else if object is User {
            return UserSectionController()
        } else {
            return NumberSectionController()
        }
    }
}

/// The guide's model.
private struct User {
    let primaryKey: Int
    let name: String
}

extension User: ListModel {
    var listIdentifier: String {
        return "user \(primaryKey)"
    }

    static var listType: String { "User" }

    var listFields: Fields { ["primaryKey": .int64(Int64(primaryKey)), "name": .string(name)] }

    init(_ object: ListObject) throws(ListError) {
        guard let key = object.fields["primaryKey"]?.int, let name = object.fields["name"]?.string else {
            throw ListError(.invalidObject, "the object \(object.id.quoted) is no user")
        }
        self.init(primaryKey: key, name: name)
    }
}

extension User: ListDiffable {
    var diffIdentifier: Int {
        return primaryKey
    }

    func isEqual(toDiffable other: User) -> Bool {
        return name == other.name
    }
}

/// The guide's delegates, all of which are the section controller itself.
private final class UserSectionController: ListValueSectionController<User>, ListWorkingRangeDelegate,
    ListSupplementarySource, ListDisplayDelegate
{
    private(set) var events: [String] = []
    private var user: User?

    override init() {
        super.init()
        workingRangeDelegate = self
        supplementarySource = self
        displayDelegate = self
    }

    override func sizeForItem(at index: Int) -> Size { Size(width: context?.containerSize.width ?? 0, height: 40) }

    override func item(at index: Int) -> ListItem {
        ListItem(reuseIdentifier: "UserCell", content: ["name": .string(user?.name ?? "")])
    }

    override func didUpdate(to value: User) { user = value }

    func sectionControllerWillEnterWorkingRange(_ controller: ListSectionController) { events.append("enter") }
    func sectionControllerDidExitWorkingRange(_ controller: ListSectionController) { events.append("exit") }

    var supportedElementKinds: Set<ElementKind> { [.header] }
    func sizeForSupplementaryElement(of kind: ElementKind) -> Size {
        Size(width: context?.containerSize.width ?? 0, height: 20)
    }
    func supplementaryElement(of kind: ElementKind) -> ListItem {
        ListItem(reuseIdentifier: "UserHeader", content: ["title": "User"])
    }

    func sectionControllerWillDisplay(_ controller: ListSectionController) { events.append("will display") }
    func sectionControllerDidEndDisplaying(_ controller: ListSectionController) { events.append("did end") }
    func sectionController(_ controller: ListSectionController, willDisplayItemAt index: Int) {
        events.append("will display \(index)")
    }
    func sectionController(_ controller: ListSectionController, didEndDisplayingItemAt index: Int) {
        events.append("did end \(index)")
    }
}

@Suite("The examples of IGListKit's guide")
struct GuideTests {
    private static func makeAdapter(for owner: ListOwner, workingRangeSize: Int = 0) throws -> ListAdapter {
        var configuration = ListOptions()
        configuration.workingRange = workingRangeSize
        let adapter = ListAdapter(configuration: configuration, dataSource: owner)
        var options = ListViewOptions()
        options.buffer = 0
        try adapter.openView(1, options: options)
        return adapter
    }

    private static func show(_ adapter: ListAdapter, y: Double = 0) throws -> [PictureItem] {
        adapter.flushNow()
        _ = try adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: y, width: 100, height: 200))
        return try adapter.resync(view: 1).items
    }

    @Test("the first list, of texts and a number → each value has a section by the controller for its type")
    func firstList() throws {
        let owner = ListOwner()
        let adapter = try Self.makeAdapter(for: owner)
        let shown = try Self.show(adapter)
        #expect(shown.map(\.reuseIdentifier) == ["MyCell", "MyCell", "NumberCell", "MyCell"])
        #expect(shown.map { $0.content["text"] ?? $0.content["number"] } == ["Foo", "Bar", 42, "Biz"])
        #expect(shown.map(\.frame.size.height) == [55, 55, 30, 55])
        owner.data = ["Bar", 42, 43, "Foo"]
        var isDone: Bool?
        adapter.performUpdates(animated: true) { isDone = $0 }
        #expect(try Self.show(adapter).map { $0.content["text"] ?? $0.content["number"] } == ["Bar", 42, 43, "Foo"])
        #expect(isDone == true)
    }

    @Test("a user's name changes → the section controller of the user stays, and gets the new value")
    func diffing() throws {
        let (shayne, ann) = (User(primaryKey: 2, name: "Shayne"), User(primaryKey: 2, name: "Ann"))
        let owner = ListOwner()
        owner.data = [shayne, "Foo"]
        let adapter = try Self.makeAdapter(for: owner)
        _ = try Self.show(adapter)
        let controller = adapter.sectionController(forID: "user 2")
        owner.data = [ann, "Foo"]
        adapter.performUpdates()
        #expect(try Self.show(adapter).contains { $0.content["name"] == "Ann" })
        #expect(controller != nil && adapter.sectionController(forID: "user 2") === controller)
    }

    @Test("the diff is used outside of a list → it has inserts, deletes, updates and moves")
    func diffOutsideOfLists() {
        let oldUsers = [User(primaryKey: 1, name: "Ryan"), User(primaryKey: 2, name: "Shayne")]
        let newUsers = [User(primaryKey: 2, name: "Ann"), User(primaryKey: 3, name: "Jesse")]
        let result = ListDiff.between(oldUsers, newUsers, option: .equality)
        #expect(Array(result.deletes) == [0] && Array(result.inserts) == [1] && Array(result.updates) == [1])
    }

    @Test("a section has working range, header and display delegate → all are called as it comes near and leaves")
    func advancedFeatures() throws {
        let owner = ListOwner()
        owner.data = (0..<10).map { User(primaryKey: $0, name: "user") }
        let adapter = try Self.makeAdapter(for: owner, workingRangeSize: 1)
        let shown = try Self.show(adapter)
        #expect(shown.filter { $0.kind == .header }.map(\.reuseIdentifier) == Array(repeating: "UserHeader", count: 4))
        let near = try #require(adapter.sectionController(forID: "user 4") as? UserSectionController)
        #expect(near.events == ["enter"])
        _ = try Self.show(adapter, y: 200)
        #expect(near.events == ["enter", "will display", "will display 0"])
        _ = try Self.show(adapter, y: 0)
        #expect(near.events == ["enter", "will display", "will display 0", "did end 0", "did end"])
    }

    @Test("a list is made with an updater, as in the guide → it updates, with ListKit's updaters or another one")
    func customUpdaters() throws {
        final class MyUpdater: ListUpdating {
            func form(of change: ListChangeCounts) -> ListOptions.Updater { change.animated ? .batch : .reload }
        }
        let owner = ListOwner()
        let updater = ListBatchUpdater()
        let updaters: [any ListUpdating] = [updater, ListReloadUpdater(), MyUpdater()]
        for updater in updaters {
            owner.data = ["Foo"]
            let adapter = ListAdapter(updater: updater, dataSource: owner)
            try adapter.openView(1)
            #expect(try Self.show(adapter).map { $0.content["text"] } == ["Foo"])
            owner.data = ["Foo", 42]
            adapter.performUpdates(animated: true)
            let kinds = adapter.flushNow().compactMap(\.transaction?.kind)
            #expect(kinds == [updater is ListReloadUpdater ? .reload : .update])
            #expect(try Self.show(adapter).count == 2)
        }
    }

    @Test("a value of the data source cannot be an object → the update fails and says why, and the list stays")
    func invalidValue() throws {
        final class Watcher: ListUpdaterDelegate {
            private(set) var reasons: [String] = []
            func adapter(_ adapter: ListAdapter, didFindFault fault: SectionFault) { reasons.append(fault.reason) }
        }
        let owner = ListOwner()
        let adapter = try Self.makeAdapter(for: owner)
        let watcher = Watcher()
        adapter.updaterDelegate = watcher
        #expect(try Self.show(adapter).count == 4)
        owner.data = [String(repeating: "x", count: 70_000)]
        var isDone: Bool?
        adapter.performUpdates { isDone = $0 }
        #expect(try Self.show(adapter).count == 4)
        #expect(isDone == false && watcher.reasons.count == 1 && watcher.reasons.first?.contains("65535") == true)
    }

    @Test("the data source is released → the list keeps its values, and both can be freed")
    func released() throws {
        var owner: ListOwner? = ListOwner()
        weak let freed = owner
        let adapter = try Self.makeAdapter(for: try #require(owner))
        #expect(try Self.show(adapter).count == 4)
        owner = nil
        #expect(freed == nil)
        adapter.performUpdates()
        #expect(try Self.show(adapter).count == 4)
        adapter.reloadData()
        #expect(try Self.show(adapter).map(\.reuseIdentifier) == Array(repeating: "listd/fault", count: 4))
    }

    @Test("values of the list are set without its data source → their section controllers are the data source's")
    func withoutAsking() throws {
        let owner = ListOwner()
        let adapter = try Self.makeAdapter(for: owner)
        adapter.flushNow()
        try adapter.performUpdates([User(primaryKey: 9, name: "Kim"), 1])
        #expect(try Self.show(adapter).map(\.reuseIdentifier) == ["UserHeader", "UserCell", "NumberCell"])
        // An object whose type no value of the list has had cannot be shown.
        adapter.performUpdates([try ListObject(id: "x", type: "unknown")])
        #expect(try Self.show(adapter).map(\.reuseIdentifier) == ["listd/fault"])
    }
}
