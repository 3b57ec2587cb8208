// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Objects in whose callbacks workers died")
struct FatalObjectsTests {
    private var fatal = FatalObjects()
    private let table: SectionTable

    init() throws {
        table = SectionTable(resting: try (0..<10).map { try ListObject(id: "o\($0)", fields: [:]) })
    }

    private var faults: [String: String] {
        Dictionary(fatal.faults.map { ($0.key.text, $0.value) }) { first, _ in first }
    }

    @discardableResult
    private mutating func recordDeath(
        _ kind: PluginCallback, on object: String, isOfCaller: Bool = true, isCertain: Bool = true,
        isSentence: Bool = false
    ) -> SectionFault? {
        let user: UInt32? = isOfCaller ? 1000 : nil
        var death = Death(reason: "", isSentence: isSentence)
        death.callbacks[3] = Breadcrumb(kind: kind, controller: "p/C", object: object, user: user)
        if !isCertain { death.callbacks[4] = Breadcrumb(kind: .timer, controller: "p/C", object: "x") }
        return fatal.record(death.told(to: 3), isOfCaller: isOfCaller)
    }

    private func isRefused(_ command: ViewCommand) -> Bool {
        guard let error = fatal.refusal(of: command) else { return false }
        return error.code == .pluginFailed && error.message.contains("the plugin's worker died in ")
    }

    private func select(_ id: String) -> ViewCommand { .select(id: id, item: 0, true) }

    @Test("no worker has died → no object is at fault, and no call is refused")
    func empty() {
        #expect(faults.isEmpty && fatal.objects.isEmpty && !isRefused(select("o1")))
    }

    @Test(
        "a call that names an object kills a worker → calls that name it are refused, and it is shown", .rule("OR-03"))
    mutating func named() {
        recordDeath(.selection, on: "o1")
        #expect(faults.isEmpty && fatal.objects == ["o1"])
        let item = SelectedItem(objectID: "o1", item: 0)
        for command: ViewCommand in [
            select("o1"), .select(id: "o1", item: 3, false), .setHighlighted(id: "o1", item: 0, true),
            .invoke(id: "o1", item: 0, action: "a", parameters: Fields()),
            .changeSelection(select: [item], deselect: []), .changeSelection(select: [], deselect: [item]),
        ] { #expect(isRefused(command)) }
        let rect = Rect(x: 0, y: 0, width: 100, height: 100)
        for command: ViewCommand in [
            select("o2"), .scrollTo(id: "o1", item: 0, .start), .setViewport(seen: 0, rect), .acknowledge(sequence: 1),
            .resync, .close,
        ] { #expect(!isRefused(command)) }
    }

    @Test("a move kills a worker → moves of that object's items are refused, and moves to it are not")
    mutating func moves() {
        recordDeath(.move, on: "o5")
        func isRefused(from section: Int) -> Bool {
            fatal.refusal(ofMoveFrom: section) { table.index(ofID: $0, .old) } != nil
        }
        #expect(isRefused(from: 5) && !isRefused(from: 4))
    }

    @Test("a call that asks for contents kills a worker → the object is at fault, and reported once", .rule("OR-05"))
    mutating func contents() {
        let first = recordDeath(.item, on: "o1")
        #expect(faults == ["o1": "the plugin's worker died in item of section controller p/C on object “o1”"])
        #expect(first?.objectID == "o1")
        let second = recordDeath(.size, on: "o1")
        #expect(second == nil && isRefused(select("o1")))
    }

    @Test("two objects whose identifiers differ in bytes alone kill workers → both are at fault")
    mutating func exact() {
        recordDeath(.item, on: "\u{e9}")
        recordDeath(.item, on: "e\u{301}")
        #expect(fatal.faults.count == 2)
    }

    @Test("updates kill workers → the object is at fault from its second death on; others are not", .rule("OR-05"))
    mutating func updates() {
        recordDeath(.update, on: "o1", isOfCaller: false)
        recordDeath(.update, on: "o2", isOfCaller: false)
        #expect(faults.isEmpty && fatal.objects.isEmpty)
        recordDeath(.timer, on: "o1", isOfCaller: false)
        #expect(faults.keys.sorted() == ["o1"])
    }

    @Test("several callbacks ran at each death → an object is at fault only if its callback ran at two deaths in a row")
    mutating func uncertain() {
        recordDeath(.update, on: "o1", isOfCaller: false, isCertain: false)
        recordDeath(.update, on: "o2", isOfCaller: false, isCertain: false)
        recordDeath(.update, on: "o1", isOfCaller: false, isCertain: false)
        #expect(faults.isEmpty)
        recordDeath(.update, on: "o1", isOfCaller: false, isCertain: false)
        #expect(faults.keys.sorted() == ["o1"])
    }

    @Test("listd kills workers for what they sent → the callbacks that ran are not to blame")
    mutating func sentences() {
        for _ in 0..<2 { recordDeath(.timer, on: "o1", isOfCaller: false, isSentence: true) }
        #expect(faults.isEmpty && fatal.objects.isEmpty)
    }

    @Test(
        "an object is changed, removed or reloaded, or all are reloaded → it is not fatal any more; another one is → it is"
    )
    mutating func changes() throws {
        let object = try ListObject(id: "o1", fields: ["new": true])
        var changes = Array(repeating: Change(), count: 4)
        changes[0].updated = [(1, nil, object)]
        changes[1].removed = [(1, nil)]
        changes[2].reloads = [IndexRun(first: 1, length: 1)]
        changes[3].scope = .controllers
        for change in changes {
            recordDeath(.item, on: "o1")
            var other = Change()
            other.removed = [(2, nil)]
            other.reloads = [IndexRun(first: 3, length: 2)]
            other.scope = [.items, .layout]
            fatal.listWillChange(by: other, in: table)
            #expect(fatal.objects == ["o1"])
            fatal.listWillChange(by: change, in: table)
            #expect(fatal.objects.isEmpty && faults.isEmpty)
        }
    }

    @Test("there are more objects than the maximum → the one whose last death is the longest ago is forgotten")
    mutating func bounded() {
        for number in 0..<FatalObjects.mostObjects { recordDeath(.item, on: "x\(number)") }
        recordDeath(.item, on: "x0")
        recordDeath(.item, on: "one more")
        #expect(fatal.objects.count == FatalObjects.mostObjects)
        #expect(faults["x0"] != nil && faults["x1"] == nil)
    }
}
