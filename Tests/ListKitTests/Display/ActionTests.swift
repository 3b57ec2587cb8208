// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

@Suite("Actions on items")
struct ActionTests {
    /// Handles `open`, selects its item for `mark`, and does not handle other actions.
    private final class Handler: ListSectionController {
        let log: EventList

        init(log: EventList) {
            self.log = log
            super.init()
        }

        override func numberOfItems() -> Int { 2 }
        override func item(at index: Int) -> ListItem { ListItem(reuseIdentifier: "item") }

        override func handleAction(_ action: String, parameters: Fields, at index: Int) -> Bool {
            log.record("\(action) \(index) \(parameters["n"]?.int ?? 0)")
            if action == "mark" { context?.selectItem(at: index) }
            return action == "open" || action == "mark"
        }
    }

    private let log = EventList()

    private func list(_ provider: ScriptedProvider? = nil) throws -> TestHost {
        TestHost(
            try ["a", "b"].map { try ListObject(id: $0) },
            provider: provider ?? ScriptedProvider { [log] _ in Handler(log: log) })
    }

    @Test(
        "a section controller supports an action → it gets item and parameters; it does not → the action is not handled"
    )
    func handled() throws {
        let list = try list()
        #expect(try list.adapter.invoke("open", parameters: ["n": .int64(7)], item: 1, ofObject: "b").handled)
        #expect(try !list.adapter.invoke("close", item: 0, ofObject: "a").handled)
        #expect(log.drain() == ["open 1 7", "close 0 0"])
    }

    @Test("a controller changes items while handling an action → the changes are applied before the reply")
    func events() throws {
        let list = try list()
        let answer = try list.adapter.invoke("mark", item: 0, ofObject: "b")
        #expect(answer.handled)
        let selected = answer.events.compactMap { event in
            if case .selection(let change) = event { change.selected } else { nil }
        }
        #expect(selected == [[SelectedItem(objectID: "b", item: 0)]])
    }

    @Test("an action has an unknown object or item → the call fails, and no controller is called")
    func unknown() throws {
        let list = try list()
        let object = #expect(throws: ListError.self) { try list.adapter.invoke("open", item: 0, ofObject: "c") }
        #expect(object?.code == .noSuchObject)
        let item = #expect(throws: ListError.self) { try list.adapter.invoke("open", item: 2, ofObject: "a") }
        #expect(item?.code == .noSuchItem)
        #expect(log.drain() == [])
    }

    @Test("a controller has no actions, or is built in → the action is not handled")
    func builtIn() throws {
        let plain = try list(ScriptedProvider { _ in ListSectionController() })
        #expect(try !plain.adapter.invoke("open", item: 0, ofObject: "a").handled)
        #expect(try !TestHost(try objects("a")).adapter.invoke("open", item: 0, ofObject: "a").handled)
    }

    @Test("a controller handles an action → the performance delegate is notified")
    func traced() throws {
        let list = try list()
        let delegate = CallbackList()
        list.adapter.performanceDelegate = delegate
        _ = try list.adapter.invoke("open", item: 0, ofObject: "a")
        #expect(delegate.callbacks.contains(.action))
    }
}

/// Records the calls of section controllers, in order.
private final class CallbackList: ListPerformanceDelegate {
    private(set) var callbacks: [ListControllerCall.Callback] = []

    func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall) { callbacks.append(call.callback) }
    func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall) {}
}
