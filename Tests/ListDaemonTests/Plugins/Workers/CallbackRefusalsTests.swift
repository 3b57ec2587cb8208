// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Refusing calls that previously killed a worker")
struct CallbackRefusalsTests {
    private var refusals = CallbackRefusals()
    /// The objects of the list, one for each section.
    private let list = (0..<10).map { "o\($0)" }

    private func isRefused(_ command: PresenterOrder) -> Bool {
        let error = refusals.refusal(
            of: command, position: list.firstIndex(of:), isShown: { view, id in view == 1 || id == "o1" })
        guard let error else { return false }
        return error.code == .pluginFailed && error.message.contains("in the callback")
    }

    private mutating func recordDeath(by command: PresenterOrder, on object: String, viewport: Rect? = nil) {
        refusals.add(command, dyingOn: object, in: "the callback", viewport: viewport)
    }

    private func select(_ id: String, _ item: Int = 0, _ flag: Bool = true) -> PresenterOrder {
        .view(9, 1, .select(id: id, item: item, flag))
    }

    private func items(_ first: Int, _ count: Int) -> PresenterOrder {
        .query(9, .items(firstSection: first, sectionCount: count, byteLimit: 1))
    }

    private func move(_ from: Int, _ to: Int) -> PresenterOrder {
        let (source, target) = (IndexPath(section: from, item: 0), IndexPath(section: to, item: 0))
        return .moveItem(ItemMoveRequest(id: 9, from: source, to: target))
    }

    private func range(_ first: Int, _ last: Int) -> PresenterOrder {
        .view(
            9, 1,
            .setVisibleRange(
                seen: 0, first: IndexPath(section: first, item: 0), last: IndexPath(section: last, item: 0)))
    }

    private func viewport(_ y: Double, width: Double = 100, height: Double = 100) -> PresenterOrder {
        .view(9, 1, .setViewport(seen: 0, Rect(x: 0, y: y, width: width, height: height)))
    }

    @Test("no worker has died → every call is allowed")
    func empty() {
        #expect(refusals.isEmpty)
        #expect(!isRefused(select("o1")))
    }

    @Test(
        "ChangeSelection has an object that killed a worker → it is refused in the same cases as Select and Deselect"
    )
    mutating func manySelected() {
        func change(_ select: [String], _ deselect: [String] = []) -> PresenterOrder {
            .view(
                9, 1,
                .changeSelection(
                    select: select.map { SelectedItem(objectID: $0, item: 0) },
                    deselect: deselect.map { SelectedItem(objectID: $0, item: 0) }))
        }
        recordDeath(by: change(["o1", "o2"], ["o3"]), on: "o2")
        #expect(isRefused(select("o2")) && isRefused(change(["o5", "o2"])))
        #expect(!isRefused(select("o2", 0, false)) && !isRefused(change(["o1"], ["o2", "o3"])))
        recordDeath(by: change(["o1"], ["o3"]), on: "o3")
        #expect(isRefused(select("o3", 0, false)) && isRefused(change([], ["o3"])) && !isRefused(select("o3")))
        // A call is not refused for an object that the call did not name.
        recordDeath(by: change(["o6"]), on: "o7")
        #expect(!isRefused(change(["o6"])) && !isRefused(change(["o7"])))
    }

    @Test(
        "Select, Deselect, SetHighlighted or Invoke killed a worker → only the same call on that object is refused"
    )
    mutating func named() {
        recordDeath(by: select("o1"), on: "o1")
        #expect(isRefused(select("o1", 3)))
        #expect(!isRefused(select("o1", 0, false)) && !isRefused(select("o2")))
        let highlight = PresenterOrder.view(9, 2, .setHighlighted(id: "o1", item: 0, true))
        #expect(!isRefused(highlight))
        recordDeath(by: highlight, on: "o1")
        #expect(isRefused(highlight))
        func invoke(_ id: String, _ action: String) -> PresenterOrder {
            .view(9, 2, .invoke(id: id, item: 0, action: action, parameters: Fields()))
        }
        #expect(!isRefused(invoke("o1", "a")))
        recordDeath(by: invoke("o1", "a"), on: "o1")
        #expect(isRefused(invoke("o1", "b")) && !isRefused(invoke("o2", "a")))
    }

    @Test(
        "ReportScroll killed a worker → the same scroll phase is refused in views that show the object"
    )
    mutating func phases() {
        func report(_ phase: ScrollPhase, in view: ViewID) -> PresenterOrder { .view(9, view, .reportScroll(phase)) }
        recordDeath(by: report(.began, in: 1), on: "o5")
        #expect(isRefused(report(.began, in: 1)))
        #expect(!isRefused(report(.ended, in: 1)) && !isRefused(report(.began, in: 2)))
        recordDeath(by: .view(9, 1, .setOnScreen(true)), on: "o5")
        #expect(!isRefused(.view(9, 1, .setOnScreen(true))))
    }

    @Test(
        "GetItems, SetVisibleRange or MoveItem killed a worker → calls whose range has the fatal object are refused"
    )
    mutating func ranges() {
        recordDeath(by: items(0, 10), on: "o5")
        #expect(isRefused(items(5, 1)) && isRefused(items(0, 6)) && isRefused(items(3, .max / 2)))
        #expect(!isRefused(items(0, 5)) && !isRefused(items(6, 4)) && !isRefused(items(5, 0)))
        #expect(!isRefused(range(5, 5)))
        recordDeath(by: range(0, 9), on: "o5")
        #expect(isRefused(range(5, 5)) && isRefused(range(4, 7)))
        #expect(!isRefused(range(0, 4)) && !isRefused(range(6, 9)) && !isRefused(range(7, 3)))
        // A view that opens at an object has a range with only a size. A range of the same size is refused.
        recordDeath(by: range(0, 1), on: "o7")
        #expect(isRefused(range(0, 1)) && isRefused(range(7, 7)) && !isRefused(range(0, 2)))
        recordDeath(by: move(5, 5), on: "o5")
        #expect(isRefused(move(5, 5)) && isRefused(move(1, 5)) && !isRefused(move(1, 2)))
    }

    @Test(
        "SetViewport killed a worker → viewports of its width that add the same part are refused until the list changes"
    )
    mutating func viewports() {
        let before = Rect(x: 0, y: 300, width: 100, height: 100)
        recordDeath(by: viewport(320), on: "o5", viewport: before)
        #expect(isRefused(viewport(320)) && isRefused(viewport(325)) && isRefused(viewport(300, height: 200)))
        #expect(!isRefused(viewport(300)) && !isRefused(viewport(310)) && !isRefused(viewport(420)))
        #expect(!isRefused(viewport(320, width: 50, height: 90)))
        refusals.removeObsolete(changed: [])
        #expect(!isRefused(viewport(320)))
        recordDeath(by: viewport(500), on: "o5", viewport: before)
        #expect(isRefused(viewport(500)) && !isRefused(viewport(510)))
    }

    @Test(
        "the fatal object changes → the call is allowed again; another object changes → the call is still refused"
    )
    mutating func changes() {
        recordDeath(by: select("o1"), on: "o2")
        recordDeath(by: select("o3"), on: "o3")
        #expect(refusals.objects == ["o1", "o2", "o3"])
        refusals.removeObsolete(changed: ["o4"])
        #expect(isRefused(select("o1")) && isRefused(select("o3")))
        refusals.removeObsolete(changed: ["o2"])
        #expect(!isRefused(select("o1")) && isRefused(select("o3")))
        refusals.removeAll()
        #expect(refusals.isEmpty)
    }

    @Test("Ack, Resync or Close killed a worker → these calls are never refused")
    mutating func allowed() {
        for command in [ViewCommand.acknowledge(sequence: 1), .resync, .close] {
            recordDeath(by: .view(9, 1, command), on: "o1")
            #expect(!isRefused(.view(9, 1, command)))
        }
        #expect(refusals.isEmpty)
    }

    @Test(
        "there are more refusals than the maximum → the oldest is evicted; a refusal is repeated → it is recorded once")
    mutating func bounded() {
        for _ in 0..<3 { recordDeath(by: select("o1"), on: "o1") }
        for number in 0..<CallbackRefusals.mostEntries - 1 { recordDeath(by: select("x\(number)"), on: "o2") }
        #expect(isRefused(select("o1")))
        recordDeath(by: select("one more"), on: "o2")
        #expect(!isRefused(select("o1")) && isRefused(select("x0")))
    }
}
