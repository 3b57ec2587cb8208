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

@Suite("SearchProgress: the parts of a list that a search has not visited")
struct SearchProgressTests {
    private func transaction(
        _ revision: UInt64, count: Int, _ kind: Transaction.Kind = .update,
        _ change: (inout Transaction) -> Void = { _ in }
    ) -> Transaction {
        var transaction = Transaction(
            baseRevision: revision - 1, revision: revision, kind: kind, animated: true, sectionCount: count,
            itemCount: count)
        change(&transaction)
        return transaction
    }

    @Test("a search runs forwards from an index → its pages go up to the end of the list")
    func forwards() {
        var progress = SearchProgress(from: 4, isBackwards: false, revision: 1, count: 10)
        #expect(progress.region == 4..<10 && progress.nextRange(limit: 4) == 4..<8)
        progress.recordExamined(4..<8)
        #expect(progress.nextRange(limit: 4) == 8..<10)
        progress.recordExamined(8..<10)
        #expect(progress.nextRange(limit: 4) == nil && progress.match == nil)
    }

    @Test(
        "a search runs backwards → its pages go down to the first object; from past the end → from the last object on")
    func backwards() {
        var progress = SearchProgress(from: 4, isBackwards: true, revision: 1, count: 10)
        #expect(progress.region == 0..<5 && progress.nextRange(limit: 4) == 1..<5)
        progress.recordExamined(1..<5)
        #expect(progress.nextRange(limit: 4) == 0..<1)
        progress.recordExamined(0..<1)
        #expect(progress.nextRange(limit: 4) == nil)
        #expect(SearchProgress(from: 99, isBackwards: true, revision: 1, count: 10).nextRange(limit: 4) == 6..<10)
    }

    @Test("a search runs forwards from past the end, or in an empty list → it has no pages")
    func nothing() {
        #expect(SearchProgress(from: 10, isBackwards: false, revision: 1, count: 10).nextRange(limit: 4) == nil)
        for isBackwards in [false, true] {
            #expect(SearchProgress(from: 0, isBackwards: isBackwards, revision: 1, count: 0).nextRange(limit: 4) == nil)
        }
    }

    @Test("objects are inserted, moved or changed in the searched part → the search visits them after the rest")
    func changed() {
        func next(_ change: (inout Transaction) -> Void) -> Range<Int>? {
            var progress = SearchProgress(from: 0, isBackwards: false, revision: 1, count: 2000)
            progress.recordExamined(0..<2000)
            progress.apply(transaction(2, count: 2000, .update, change))
            #expect(progress.revision == 2)
            return progress.nextRange(limit: 1)
        }
        #expect(next { _ in } == nil)
        #expect(next { $0.sections.inserts = [IndexRun(first: 5, length: 2)] } == 5..<6)
        #expect(next { $0.sections.moves = [IndexMove(old: 1500, new: 7)] } == 7..<8)
        #expect(next { $0.sections.reloads = [IndexRun(first: 3, length: 1)] } == 3..<4)
        #expect(next { $0.items.reloads = [ItemPlace(section: 9, item: 0)] } == 9..<10)
        #expect(next { $0.items.inserts = [ItemPlace(section: 9, item: 0)] } == 9..<10)
        #expect(next { $0.sections.deletes = [IndexRun(first: 0, length: 10)] } == nil)
    }

    @Test(
        "a large part and a single object remain → the search visits the part first, then the object with neighbours"
    )
    func largestFirst() {
        var progress = SearchProgress(from: 10, isBackwards: false, revision: 1, count: 10_000)
        progress.recordExamined(10..<4106)
        progress.apply(transaction(2, count: 10_001) { $0.sections.inserts = [IndexRun(first: 0, length: 1)] })
        #expect(progress.nextRange(limit: 4096) == 4107..<8203)
        progress.recordExamined(4107..<10_001)
        #expect(progress.nextRange(limit: 4096) == 10..<266)
    }

    @Test(
        "a hit is found → the search visits only earlier objects; the hit's object changes → the hit is dropped"
    )
    func found() {
        var progress = SearchProgress(from: 10, isBackwards: false, revision: 1, count: 1000)
        progress.recordExamined(10..<500, match: .init(index: 400, id: "o400"))
        #expect(progress.match?.index == 400 && progress.nextRange(limit: 9) == nil)
        progress.apply(transaction(2, count: 1001) { $0.sections.inserts = [IndexRun(first: 0, length: 1)] })
        #expect(progress.match?.index == 401 && progress.nextRange(limit: 1) == 10..<11)
        progress.recordExamined(10..<20, match: .init(index: 15, id: "o14"))
        #expect(progress.match == .init(index: 15, id: "o14") && progress.nextRange(limit: 1) == nil)
        var gone = progress
        gone.apply(transaction(3, count: 1000) { $0.sections.deletes = [IndexRun(first: 15, length: 1)] })
        #expect(gone.match == nil && gone.nextRange(limit: 1) != nil)
        var changed = progress
        changed.apply(transaction(3, count: 1001) { $0.sections.reloads = [IndexRun(first: 15, length: 1)] })
        #expect(changed.match == nil)
        progress.apply(transaction(3, count: 995) { $0.sections.deletes = [IndexRun(first: 0, length: 6)] })
        #expect(progress.match == nil && progress.region == 10..<995)
    }

    @Test("the list is reloaded → the search visits everything again")
    func reload() {
        var progress = SearchProgress(from: 1, isBackwards: false, revision: 1, count: 4)
        progress.recordExamined(1..<4)
        progress.apply(transaction(2, count: 3, .reload))
        #expect(progress.nextRange(limit: 9) == 1..<3)
    }

    @Test(
        "the list changes at random between pages → the search finds the first matching object of the final list",
        arguments: 1...60)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let list = try RandomTexts(&random)
        for _ in 0..<20 {
            let (from, isBackwards) = (Int.random(in: 0...list.count + 1, using: &random), Bool.random(using: &random))
            var progress = SearchProgress(
                from: from, isBackwards: isBackwards, revision: list.adapter.revision, count: list.count)
            var pages = 0
            while let page = progress.nextRange(limit: Int.random(in: 1...5, using: &random)) {
                pages += 1
                // The page has a later revision than the last known update.
                if pages < 50 {
                    for change in try list.change(&random) { progress.apply(change) }
                    guard progress.nextRange(limit: 1) != nil, page.upperBound <= list.count else { continue }
                }
                #expect(progress.revision == list.adapter.revision)
                if let match = list.match(in: page, isBackwards: isBackwards) {
                    progress.recordExamined(
                        page, match: .init(index: match, id: list.adapter.object(at: match)?.id ?? ""))
                } else {
                    progress.recordExamined(page)
                }
            }
            let region = isBackwards ? 0..<min(from + 1, list.count) : min(from, list.count)..<list.count
            let expected = list.match(in: region, isBackwards: isBackwards)
            #expect(progress.match?.index == expected, "after \(pages) pages")
            #expect(progress.match?.id == expected.flatMap { list.adapter.object(at: $0)?.id })
        }
    }
}

/// A list that changes at random. Some of its objects contain the text.
private final class RandomTexts {
    let adapter: ListAdapter
    private var names = 0
    private var requests: RequestID = 0

    init(_ random: inout SeededRandom) throws {
        var configuration = ListOptions(name: "texts")
        configuration.sectionMovesAsDeletesInserts = Bool.random(using: &random)
        configuration.preferItemReloads = Bool.random(using: &random)
        configuration.reloadThreshold = Bool.random(using: &random) ? 8 : 0
        adapter = ListAdapter(
            configuration: configuration,
            controllers: BuiltInSectionControllerProvider(names: ["items": "listd/binding"]))
        _ = try perform(.performUpdates(objects: try (0..<20).map { _ in try object(&random) }))
    }

    var count: Int { adapter.objectCount }

    func match(in range: Range<Int>, isBackwards: Bool) -> Int? {
        let matches = range.filter { adapter.object(at: $0)?.fields["t"]?.string == "x" }
        return isBackwards ? matches.last : matches.first
    }

    private func object(_ random: inout SeededRandom, id: String? = nil) throws -> ListObject {
        names += 1
        let items = (0..<Int.random(in: 0..<3, using: &random)).map { number in
            Value.dictionary(key: "s", value: "v", ["id": .variant(.string("\(number)"))])
        }
        return try ListObject(
            id: id ?? "o\(names)", type: random.chance(oneIn: 2) ? "items" : "",
            fields: [
                "t": .string(random.chance(oneIn: 12) ? "x" : "y"), "items": .array(element: "a{sv}", items),
            ])
    }

    private func perform(_ operation: UpdateRequest.Operation) throws -> [Transaction] {
        requests += 1
        adapter.enqueue(UpdateRequest(id: requests, operation: operation), now: 0)
        return adapter.flushNow().compactMap(\.transaction)
    }

    /// Makes some random changes.
    func change(_ random: inout SeededRandom) throws -> [Transaction] {
        var changes: [Transaction] = []
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
            let present = adapter.objects(from: 0, limit: .max)
            let any = present.randomElement(using: &random)?.id
            switch (Int.random(in: 0..<6, using: &random), any) {
            case (0, let id?): changes += try perform(.applyChanges(removed: [id], upserts: []))
            case (1, let id?): changes += try perform(.moveObject(id: id, position: .first))
            case (2, let id?):
                changes += try perform(.applyChanges(removed: [], upserts: [.init(try object(&random, id: id))]))
            case (3, let id?):
                let text = random.chance(oneIn: 4) ? "x" : "y"
                changes += try perform(.patchObject(id: id, set: ["t": .string(text)], unset: []))
            case (4, _):
                let new = try (0..<Int.random(in: 1..<4, using: &random)).map { _ in try object(&random) }
                changes += try perform(
                    .performUpdates(objects: (present.shuffled(using: &random) + new).prefix(30) + []))
            default:
                changes += try perform(
                    .applyChanges(removed: [], upserts: [.init(try object(&random), position: .first)]))
            }
        }
        return changes
    }
}
