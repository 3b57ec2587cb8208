// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Item updates, alone or together with a list update in one flush")
struct ItemScriptTests {
    /// The changes that one section reports, and the list update in the same flush.
    struct Script: CustomTestStringConvertible {
        var testDescription: String
        /// The list before the update, as `id:letters`.
        let before: String
        /// The letters of the first section's controller after the block, and the block's operations: `i` inserts,
        /// `d` deletes, `r` reloads, `m` moves, `s` reloads the section.
        let letters: String
        let steps: String
        /// The list after an update in the same flush; `nil` = no such update.
        var after: String?
        let expected: String

        init(
            _ rules: String, _ before: String, _ letters: String, _ steps: String, after: String? = nil,
            _ expected: String
        ) {
            testDescription = rules
            (self.before, self.letters, self.steps) = (before, letters, steps)
            (self.after, self.expected) = (after, expected)
        }
    }

    static let scripts = [
        Script("one inserted", "a:xy b:q", "xny", "i1", "a:xny b:q"),
        Script("one deleted", "a:xy b:q", "x", "d1", "a:x b:q"),
        Script("one reloaded", "a:xy b:q", "xz", "r1", "a:xz b:q"),
        Script("a section with another count reloaded", "a:xy b:q", "xyz", "s", "a:xyz b:q"),
        Script("one moved", "a:xy b:q", "yx", "m0>1", "a:yx b:q"),
        Script("two inserts at one index", "a:xy", "nmxy", "i0 i0", "a:nmxy"),
        Script("the same deleted twice", "a:wxyz", "xyz", "d0 d0", "a:xyz"),
        Script("the same reloaded twice", "a:wxyz", "Wxyz", "r0 r0", "a:Wxyz"),
        Script("reloads of deleted ones", "a:vwxyz", "vNMYZ", "d1 d2 i1 i2 r1 r2 r3 r4", "a:vNMYZ"),
        Script("reloads, a section in front", "a:xy b:q", "XY", "r0 r1", after: "n:n a:xy b:q", "n:n a:XY b:q"),
        Script("a move, its section moves", "a:xy b:q", "yx", "m0>1", after: "b:q a:xy", "b:q a:yx"),
        Script("a move, its object changes", "a:xy b:q", "yx", "m0>1", after: "a:xyz b:q", "a:yx b:q"),
        Script("a move, its object goes", "a:xy b:q", "yx", "m0>1", after: "b:q", "b:q"),
        Script("a move, an object before it", "a:xy b:q", "yx", "m0>1", after: "n:n a:xy b:q", "n:n a:yx b:q"),
        Script("all kinds at once", "a:vwxyz", "ABwxyZ", "d0 i0 i1 r4", "a:ABwxyZ"),
        Script(
            "moves among deletes and inserts", "a:a b:b c:c d:d e:e f:f g:g h:h i:i", "a", "r0",
            after: "b:b a:a d:d n:n e:e m:m f:f o:o i:i h:h", "b:b a:a d:d n:n e:e m:m f:f o:o i:i h:h"),
    ]

    private func objects(_ list: String) throws -> [ListObject] {
        try list.split(separator: " ").map { try letters(String($0)) }
    }

    private func addOperations(_ steps: String, _ batch: inout ListBatchContext) {
        for step in steps.split(separator: " ") {
            let numbers = step.dropFirst().split(separator: ">").compactMap { Int($0) }
            switch step.first {
            case "i": batch.insertItems(at: numbers)
            case "d": batch.deleteItems(at: numbers)
            case "r": batch.reloadItems(at: numbers)
            case "m": batch.moveItem(from: numbers[0], to: numbers[1])
            default: batch.reloadSection()
            }
        }
    }

    @Test(
        "an item update has several operations → they are announced item by item, with the same controllers",
        .rule(
            "EE-02", "EE-09...EE-12", "EE-14...EE-18", "EE-25", "EE-27...EE-31", "EE-34", "EE-36", "UP-23", "UP-47",
            "UP-48"),
        arguments: scripts, [true, false])
    func script(script: Script, isShown: Bool) throws {
        let list = TestHost(
            try objects(script.before), provider: ScriptedProvider { _ in LetterController(log: EventList()) })
        var screen = isShown ? try list.open() : nil
        var mirror = Mirror(list.adapter)
        _ = list.takeEvents()
        let before = list.ids.map { ($0, list.controller($0)) }
        let controller = try #require(list.controller("a"))
        var finished: [Bool] = []
        controller.context?.performBatch(
            updates: { batch in
                controller.letters = script.letters.map { String($0) }
                addOperations(script.steps, &batch)
            }, completion: { finished.append($0) })
        if let after = script.after { list.enqueue(.performUpdates(objects: try objects(after))) }
        list.flush()
        let events = list.takeEvents()
        for case .updated(let transaction) in events {
            #expect(transaction.kind == .update)
            try mirror.apply(transaction, from: list.adapter)
        }
        mirror.expectEqual(to: list.adapter)
        let shown = list.ids.enumerated().map { section, id in
            id + ":" + list.adapter.items(inSection: section).compactMap { $0.content["letter"]?.string }.joined()
        }
        #expect(shown.joined(separator: " ") == script.expected)
        #expect(finished == [list.ids.contains("a")])
        for (id, controller) in before where list.ids.contains(id) { #expect(list.controller(id) === controller) }
        screen?.receive(events)
        try screen?.expectEqualToResync(of: list.adapter)
    }

    @Test(
        "an item update changes nothing → no transaction is announced; it changes something → one is announced",
        .rule("AD-14", "AD-134...AD-136", "IC-01...IC-03"),
        arguments: ["", "i2", "d1", "r1", "m0>1", "s"])
    func collector(steps: String) throws {
        let list = try TestHost.letters("a:xy")
        let controller = try #require(list.controller("a"))
        let stranger = LetterController(log: EventList())
        var finished: [Bool] = []
        controller.context?.performBatch(
            updates: { batch in
                batch.insertItems(at: [])
                batch.deleteItems(at: [])
                batch.reloadItems(at: [])
                batch.reloadSection(stranger)
                if steps == "i2" { controller.letters.append("z") }
                if steps == "d1" { controller.letters.removeLast() }
                addOperations(steps, &batch)
            }, completion: { finished.append($0) })
        let transaction = list.flush().transaction
        #expect((transaction == nil) == steps.isEmpty && finished == [true])
    }

    @Test("one of two objects is reloaded → only the items of this object are requested again", .rule("EE-04"))
    func reloadOne() throws {
        let list = try TestHost.letters("a:x", "b:y")
        var screen = try list.open()
        _ = list.takeEvents()
        for id in ["a", "b"] { list.controller(id)?.onUpdate = { $0.letters = ["new"] } }
        try list.perform(.reloadObjects(["b", "unknown"]))
        screen.receive(list.takeEvents())
        #expect(screen.items.map { $0.content["letter"]?.string } == ["x", "new"])
    }

    @Test("objects are replaced by equal new instances → list and controllers have the new instances", .rule("EE-39"))
    func upsert() throws {
        let list = try TestHost.letters("a:x", "b:y")
        let controller = try #require(list.controller("b"))
        let new = try letters("b:yz")
        try list.perform(.applyChanges(removed: [], upserts: [UpdateRequest.Upsert(new)]))
        #expect(list.controller("b") === controller && controller.object == new)
        #expect(list.adapter.object(at: 1) == new && list.itemCounts == [1, 2])
    }

    @Test(
        "a list update is requested inside of an item update → it is performed in a later flush", .rule("EE-58")
    )
    func listUpdateInside() throws {
        let list = try TestHost.letters("a:x", "b:y")
        let controller = try #require(list.controller("a"))
        let next = try objects("a:x b:y c:z")
        var seen: [[Int]] = []
        controller.context?.performBatch(
            updates: { batch in
                controller.letters.append("n")
                batch.insertItems(at: [1])
                list.adapter.performUpdates(next) { _ in seen.append(list.itemCounts) }
            }, completion: { _ in seen.append(list.itemCounts) })
        list.adapter.flushNow()
        #expect(seen == [[2, 1], [2, 1, 1]])
    }
}
