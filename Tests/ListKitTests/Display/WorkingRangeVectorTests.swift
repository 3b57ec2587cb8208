// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("working_range.json: sections that enter and exit the range", .rule("WR-01...WR-16"))
struct WorkingRangeVectorTests {
    static func cases() throws -> [JSON] { try Vectors.load("working_range")["cases"]?.array ?? [] }

    /// The sections that entered and exited the range since the last call, in order.
    struct Movement: Equatable {
        var enter: [String] = []
        var exit: [String] = []
    }

    @Test(
        "items are displayed as a script says → the objects of the test vector enter and exit the range",
        arguments: try cases())
    func vector(vector: JSON) throws {
        let isDisabled = vector["disabledUpstream"] != nil
        var names =
            vector["objects"]?.array?.compactMap(\.string)
            ?? (0..<(vector["objectCount"]?.integer ?? 0)).map(String.init)
        let log = EventList()
        let list = try TestHost.letters(
            log: log,
            configure: {
                $0.workingRange = vector["workingRangeSize"]?.integer ?? 0
                $0.layout = isDisabled ? .flow : .none
            })
        func update() throws { try list.update(names.map { try letters("\($0):x") }) }
        try update()
        var options = ListViewOptions()
        options.buffer = 0
        try list.adapter.openView(1, options: options)
        var displayed: Set<Int> = []
        var hasInserted = false
        func show() throws {
            guard let first = displayed.min(), let last = displayed.max() else {
                _ = try list.adapter.closeView(1)
                return
            }
            if isDisabled { return try scroll(height: Double(last + 1 + (hasInserted ? 1 : 0)) * 10) }
            _ = try list.adapter.setVisibleRange(
                view: 1, first: IndexPath(section: first, item: 0), last: IndexPath(section: last, item: 0))
        }
        func scroll(height: Double) throws {
            _ = try list.adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: height))
        }
        var movement = Movement()
        for step in vector["steps"]?.array ?? [] {
            switch step["op"]?.string {
            case "willDisplay":
                displayed.insert(step["section"]?.integer ?? 0)
                try show()
            case "didEndDisplaying" where !isDisabled:
                displayed.remove(step["section"]?.integer ?? 0)
                try show()
            case "removeObjectAtIndex":
                names.remove(at: step["index"]?.integer ?? 0)
                try update()
            case "insertObject":
                names.insert(step["object"]?.string ?? "", at: step["index"]?.integer ?? 0)
                // IGListKit's script still displays the item that is pushed down, so the viewport must be larger.
                hasInserted = true
                try scroll(height: 100)
                try update()
            default: break
            }
            for line in log.drain() {
                if line.hasPrefix("enter ") { movement.enter.append(String(line.dropFirst(6))) }
                if line.hasPrefix("exit ") { movement.exit.append(String(line.dropFirst(5))) }
            }
            guard step["op"]?.string != "removeObjectAtIndex", step["op"]?.string != "insertObject" else { continue }
            check(step, movement, disabled: isDisabled)
            movement = Movement()
        }
    }

    private func check(_ step: JSON, _ movement: Movement, disabled: Bool) {
        if !disabled, let derived = step["derivedFromSource"] {
            #expect(Set(movement.enter) == Set((derived["enter"]?.array ?? []).compactMap(\.integer).map(String.init)))
            #expect(Set(movement.exit) == Set((derived["exit"]?.array ?? []).compactMap(\.integer).map(String.init)))
        }
        guard let expected = step["expectedObjects"] else { return }
        for name in (expected["enter"]?.array ?? []).compactMap(\.string) { #expect(movement.enter.contains(name)) }
        for name in (expected["exit"]?.array ?? []).compactMap(\.string) { #expect(movement.exit.contains(name)) }
        for name in (expected["mustNotEnter"]?.array ?? []).compactMap(\.string) {
            #expect(!movement.enter.contains(name))
        }
        for name in (expected["mustNotExit"]?.array ?? []).compactMap(\.string) {
            #expect(!movement.exit.contains(name))
        }
    }

    @Test(
        "lead and trail differ → the range has lead sections after and trail sections before the visible ones",
        .rule("WR-17")
    )
    func leadAndTrail() throws {
        let list = TestHost(try (0..<20).map { try ListObject(id: "o\($0)", fields: ["height": 50]) })
        _ = try list.open(y: 500) {
            $0.lead = 3
            $0.trail = 1
        }
        #expect(try list.adapter.viewDescription(1).workingRange == 9..<15)
    }
}
