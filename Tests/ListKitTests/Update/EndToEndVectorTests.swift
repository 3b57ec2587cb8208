// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("updates_e2e.json: scripts of updates")
struct EndToEndVectorTests {
    /// A section controller whose number of items is the field `count`, until an item update changes the number.
    /// The new number is valid until the field changes, as in the objects of IGListKit's tests.
    final class Counted: ListSectionController {
        private(set) var count = 0
        override func didUpdate(to object: ListObject) {
            let said = object.fields["count"]?.int ?? 0
            let kept = context?.state
            count = kept?["instead of"]?.int == said ? kept?["count"]?.int ?? said : said
        }
        func setCount(_ new: Int) {
            count = new
            let said = context?.object?.fields["count"]?.int ?? 0
            context?.state = ["count": .int64(Int64(new)), "instead of": .int64(Int64(said))]
        }
        override func numberOfItems() -> Int { count }
        override func sizeForItem(at index: Int) -> Size { Size(width: 100, height: 10) }
        override func item(at index: Int) -> ListItem { ListItem(reuseIdentifier: "cell") }
    }

    final class Source: ListAdapterDataSource {
        var objects: [ListObject]
        init(_ objects: [ListObject]) { self.objects = objects }
        func objects(for adapter: ListAdapter) -> [ListObject] { objects }
    }

    /// Runs one script.
    final class ScriptRunner {
        let adapter: ListAdapter
        let vector: JSON
        var source: Source?
        var counts: [String: Int] = [:]
        var completed: Set<String> = []
        var ranBatches: Set<String> = []

        init(_ vector: JSON) {
            self.vector = vector
            var configuration = ListOptions()
            let options = vector["options"]
            configuration.reloadThreshold = 100
            configuration.preferItemReloads = options?["preferItemReloadsForSectionReloads"]?.boolean == true
            configuration.sectionMovesAsDeletesInserts = options?["sectionMovesAsDeletesInserts"]?.boolean == true
            if options?["allowsBackgroundDiffing"]?.boolean == true { configuration.backgroundDiffThreshold = 0 }
            let provider = ScriptedProvider { _ in Counted() }
            provider.missing = ["none"]
            self.provider = provider
            adapter = ListAdapter(configuration: configuration, controllers: provider)
        }
        private let provider: ScriptedProvider

        static func name(_ json: JSON?) -> String { json?.string ?? json?.integer.map(String.init) ?? "" }

        func objects(_ json: JSON?) throws -> [ListObject] {
            try (json?.array ?? []).map { pair in
                let id = Self.name(pair[0])
                if let count = pair[1]?.integer { counts[id] = count }
                return try ListObject(
                    id: id, type: id == "skip" ? "none" : "", fields: ["count": .int64(Int64(counts[id] ?? 0))])
            }
        }

        func play() throws {
            if let initial = vector["initial"]?.array {
                let source = Source(try objects(.array(initial)))
                self.source = source
                adapter.setDataSource(source)
                try openView()
            }
            for operation in vector["ops"]?.array ?? [] { try run(operation) }
            try expect(nil)
            adapter.flushNow()
            for expectation in vector["expect"]?.array ?? [] {
                if let name = expectation["inCompletion"]?.string { #expect(completed.contains(name)) }
            }
        }

        private func openView() throws {
            try adapter.openView(1)
            _ = try adapter.setViewport(view: 1, seen: 0, rect: Rect(x: 0, y: 0, width: 100, height: 100))
        }

        private func run(_ operation: JSON) throws {
            let completion: (Bool) -> Void = { [unowned self] in
                try? complete(operation["completion"]?.string ?? "", finished: $0)
            }
            if let now = operation["expectNow"] { check(now, finished: nil) }
            switch operation["op"]?.string {
            case "setData":
                if let range = operation["objectsRange"] {
                    let ids = (range["ids"]?[0]?.integer ?? 0)...(range["ids"]?[1]?.integer ?? 0)
                    source?.objects = try ids.map { try ListObject(id: "\($0)", fields: ["count": 4]) }
                } else {
                    source?.objects = try objects(operation["objects"])
                }
            case "performUpdates":
                adapter.performUpdates(animated: operation["animated"]?.boolean == true, completion: completion)
            case "reloadData": adapter.reloadData(completion: completion)
            case "batch": batch(operation, completion)
            case "setDataSource":
                let same = operation["objects"]?.string != nil
                let source = Source(same ? self.source?.objects ?? [] : try objects(operation["objects"]))
                self.source = source
                adapter.setDataSource(source)
            case "setView": try openView()
            case "flush": _ = adapter.beginFlush(now: 0)
            default: break
            }
        }

        private func controller(_ name: JSON?) -> Counted? {
            adapter.sectionController(forID: Self.name(name)) as? Counted
        }

        private func batch(_ operation: JSON, _ completion: @escaping (Bool) -> Void) {
            let own = controller(operation["on"])
            own?.context?.performBatch(
                animated: operation["animated"]?.boolean == true,
                updates: { [unowned self] batch in
                    ranBatches.insert(operation["completion"]?.string ?? "")
                    for step in operation["do"]?.array ?? [] { change(step, &batch, own) }
                }, completion: completion)
        }

        private func change(_ step: JSON, _ batch: inout ListBatchContext, _ own: Counted?) {
            let other = step["on"].map { controller($0) } ?? own
            let indexes = { (key: String) in (step[key]?.array ?? []).compactMap(\.integer) }
            if let pair = step["setCount"] {
                controller(pair[0])?.setCount(pair[1]?.integer ?? 0)
                counts[Self.name(pair[0])] = pair[1]?.integer
            }
            if step["insert"] != nil { batch.insertItems(at: indexes("insert"), in: other) }
            if step["delete"] != nil { batch.deleteItems(at: indexes("delete"), in: other) }
            if step["reload"] != nil { batch.reloadItems(at: indexes("reload"), in: other) }
            if let pair = step["move"] {
                batch.moveItem(from: pair[0]?.integer ?? 0, to: pair[1]?.integer ?? 0, in: other)
            }
            if step["reloadSection"]?.boolean == true { batch.reloadSection(other) }
            for name in step["reloadObjects"]?.array ?? [] { batch.reloadSection(controller(name)) }
        }

        private func complete(_ name: String, finished: Bool) throws {
            #expect(completed.insert(name).inserted)
            try expect(name, finished: finished)
        }

        private func expect(_ name: String?, finished: Bool? = nil) throws {
            for expectation in vector["expect"]?.array ?? [] {
                if expectation["inCompletion"]?.string == name { check(expectation, finished: finished) }
            }
        }

        private func check(_ expected: JSON, finished: Bool?) {
            let counts = (0..<adapter.objectCount).map { adapter.itemCount(inSection: $0) ?? -1 }
            if let all = expected["itemCounts"]?.array { #expect(counts == all.compactMap(\.integer)) }
            if let some = expected["itemCountsPrefix"]?.array {
                #expect(Array(counts.prefix(some.count)) == some.compactMap(\.integer))
            }
            if let pair = expected["itemCountAt"] {
                #expect(adapter.itemCount(inSection: pair[0]?.integer ?? -1) == pair[1]?.integer)
            }
            if let count = expected["sectionCount"]?.integer { #expect(adapter.objectCount == count) }
            if let count = expected["adapterObjects"]?.integer { #expect(adapter.objectCount == count) }
            if let isFinished = expected["finished"]?.boolean { #expect(finished == isFinished) }
            if expected["ranBatch"]?.boolean == true { #expect(!ranBatches.isEmpty) }
        }
    }

    static func cases() throws -> [JSON] { try Vectors.load("updates_e2e")["cases"]?.array ?? [] }

    @Test(
        "updates are made as a script says → in each completion, the state is the one that IGListKit's tests expect",
        .rule(
            "EE-01", "EE-05", "EE-13", "EE-15", "EE-19...EE-24", "EE-26", "EE-27", "EE-29", "EE-32", "EE-33", "EE-35",
            "EE-42", "EE-59", "EE-61", "EE-79", "EE-85", "EE-87...EE-89", "UP-30"),
        arguments: try cases())
    func vector(vector: JSON) throws { try ScriptRunner(vector).play() }

    final class Listener: ListUpdateListener {
        var hits: [(kind: ListUpdateKind, animated: Bool)] = []
        func adapter(_ adapter: ListAdapter, didFinish update: ListUpdateKind, animated: Bool) {
            hits.append((update, animated))
        }
    }

    static func listeners() throws -> [JSON] { try Vectors.load("updates_e2e")["updateListeners"]?.array ?? [] }

    @Test(
        "a list has update listeners → they are notified once before the completion, and are not retained",
        .rule("EE-66...EE-73"),
        arguments: try listeners())
    func listener(vector: JSON) throws {
        let adapter = ListAdapter(
            configuration: ListOptions(), controllers: BuiltInSectionControllerProvider(),
            objects: try objects("a"))
        let listeners = [Listener(), Listener()]
        for listener in listeners { adapter.addUpdateListener(listener) }
        let removed = Listener()
        adapter.addUpdateListener(removed)
        adapter.removeUpdateListener(removed)
        weak var short: Listener?
        do {
            let listener = Listener()
            adapter.addUpdateListener(listener)
            short = listener
        }
        #expect(short == nil)
        var hitsInCompletion = -1
        let completion: (Bool) -> Void = { _ in hitsInCompletion = listeners[0].hits.count }
        if vector["trigger"]?.string == "reloadData" {
            adapter.reloadData(completion: completion)
        } else {
            adapter.performUpdates(
                try objects("b"), animated: vector["animated"]?.boolean != false, completion: completion)
        }
        adapter.flushNow()
        #expect(hitsInCompletion == 1)
        #expect(removed.hits.isEmpty)
        for listener in listeners {
            #expect(listener.hits.count == 1)
            guard let expected = vector["expectedEach"] else { continue }
            #expect("\(listener.hits.first.map { "\($0.kind)" } ?? "")" == expected["type"]?.string)
            #expect(listener.hits.first?.animated == expected["animated"]?.boolean)
        }
    }
}
