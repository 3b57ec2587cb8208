// SPDX-License-Identifier: Apache-2.0

import ListKit
import Testing

@Suite("An object that owns its list")
struct OwnerTests {
    /// An owner of an adapter that is also its data source, its provider and all of its delegates.
    final class Owner: ListSectionControllerProvider, ListAdapterDataSource, ListAdapterDelegate, ListUpdateListener,
        ListUpdaterDelegate, ListPerformanceDelegate
    {
        private(set) lazy var adapter = ListAdapter(configuration: .init(name: "owned"), ownedBy: self)
        private(set) var heights: [String: Double] = ["a": 20]
        private(set) var finished = 0

        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
            ListSectionControllerKind(name: "row") { [weak self] object in
                ListSingleSectionController(
                    size: { object, _ in Size(width: 100, height: self?.heights[object.id] ?? 10) },
                    configure: { ListItem(reuseIdentifier: "row", content: $0.fields) })
            }
        }

        func objects(for adapter: ListAdapter) -> [ListObject] {
            ["a", "b"].compactMap { try? ListObject(id: $0) }
        }

        func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall) {}
        func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall) {}
        func adapter(_ adapter: ListAdapter, didFinish update: ListUpdateKind, animated: Bool) { finished += 1 }
    }

    @Test("the owner is released → owner and adapter are deallocated, even if the owner is delegate or data source")
    func freed() throws {
        var owner: Owner? = Owner()
        weak let released = owner
        weak let list = owner?.adapter
        try {
            let adapter = try #require(owner?.adapter)
            adapter.delegate = owner
            adapter.updaterDelegate = owner
            adapter.performanceDelegate = owner
            adapter.addUpdateListener(try #require(owner))
            adapter.setDataSource(owner)
            try adapter.openView(1)
            let shown = try adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100))
            #expect(shown.sequence == 1)
            #expect(try adapter.resync(view: 1).items.map(\.frame.size.height) == [20, 10])
            #expect(owner?.finished == 1)
        }()
        owner = nil
        #expect(released == nil)
        #expect(list == nil)
    }

    /// A provider with one kind of controller for all types. The list references it weakly.
    private final class Provider: ListSectionControllerProvider {
        func sectionControllerKind(forType type: String) -> ListSectionControllerKind? {
            BuiltInSectionControllers.kind(named: BuiltInSectionControllers.single)
        }
    }

    private static func update(_ adapter: ListAdapter, _ objects: [(id: String, type: String)]) throws -> [String] {
        adapter.performUpdates(try objects.map { try ListObject(id: $0.id, type: $0.type) })
        adapter.flushNow()
        return adapter.objects(from: 0, limit: .max).map(\.id)
    }

    @Test("only the provider is released → known types still have controllers, and objects of other types are dropped")
    func gone() throws {
        var owner: Provider? = Provider()
        let adapter = ListAdapter(configuration: .init(), ownedBy: try #require(owner))
        #expect(try Self.update(adapter, [("a", "known")]) == ["a"])
        owner = nil
        #expect(try Self.update(adapter, [("a", "known"), ("b", "other"), ("c", "known")]) == ["a", "c"])
        #expect(adapter.items(inSection: 1).count == 1)
    }

    @Test("only the list references a provider → the list retains it, and both are deallocated together")
    func kept() throws {
        var provider: Provider? = Provider()
        var adapter: ListAdapter? = ListAdapter(configuration: .init(), controllers: try #require(provider))
        weak let released = provider
        provider = nil
        #expect(try Self.update(try #require(adapter), [("a", "one"), ("b", "two")]) == ["a", "b"])
        #expect(released != nil)
        adapter = nil
        #expect(released == nil)
    }
}
