// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

/// A base list, its derived list, and a third list built from the derived list's changes. The expected result is a
/// naive filter and sort of the base list.
final class FollowedList {
    private var random: SeededRandom
    private let base = TestHost()
    private let shown: TestHost
    private let derived: DerivedList
    private let ids: [String]
    private var query: DerivedQuery
    /// Contents of the base list's transactions that the derived list has not received yet.
    private var behind: [Change] = []
    private(set) var transactions = 0
    private let isMinimal: Bool

    private static let words = ["Straße", "STRASSE", "ﬁsh", "Fisch", "x", "", "aXb", "Ünder", "ünter", "Σίσυφος"]

    init(seed: UInt64, count: Int) throws {
        random = SeededRandom(seed: seed)
        ids = (0..<count).map { "id\($0)" }
        isMinimal = seed % 2 == 1
        shown = TestHost { [isMinimal] in $0.minimalMoves = isMinimal }
        query = DerivedQuery()
        derived = DerivedList(query)
        try flushBase(.performUpdates(objects: try ids.shuffled(using: &random).map { try randomObject($0) }))
        try load()
    }

    /// Reads the base list page by page, while the base list changes.
    private func load() throws {
        behind = []
        while !derived.isLoaded {
            // A page shows the list at the time of the read, so it already includes all earlier transactions.
            let offset = max(0, derived.baseCount - (random.chance(oneIn: 4) ? 2 : 0))
            if random.chance(oneIn: 2) { try flushBase(try randomOperation()) }
            updateDerived()
            let page = base.adapter.objects(from: offset, limit: Int.random(in: 1...7, using: &random))
            let total = base.adapter.objectCount
            derived.append(page, from: offset, total: total)
        }
        try updateShown()
    }

    /// Changes the base list or the query, passes the changes on one by one or together, and compares all three
    /// lists.
    func step() throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            query = try DerivedQuery(parsing: randomArgument())
            updateDerived()
            derived.setQuery(query)
        case 1: for _ in 0..<5 { try flushBase(try randomOperation()) }
        default: try flushBase(try randomOperation())
        }
        if random.chance(oneIn: 10) { derived.prepare() }
        updateDerived()
        if random.chance(oneIn: 5) { return }
        if random.chance(oneIn: 20) {
            // This drops the changes, as if their receiver had rejected them; the next change is the whole list.
            _ = derived.dequeueChange()
            derived.makeWholeListNext()
        }
        try updateShown()
    }

    private func updateDerived() {
        for change in behind { derived.apply(change) }
        behind = []
    }

    private func updateShown() throws {
        let before = shown.adapter.objects(from: 0, limit: .max)
        _ = shown.takeEvents()
        switch derived.dequeueChange() {
        case .replace(let objects): try shown.perform(.performUpdates(objects: objects))
        case .changes(let removed, let upserts): try shown.perform(.applyChanges(removed: removed, upserts: upserts))
        case nil: break
        }
        let after = shown.adapter.objects(from: 0, limit: .max)
        let expected = expectedObjects()
        try #require(after.map(\.id) == expected.map(\.id))
        try #require(after == expected)
        #expect(derived.visible == expected)
        for case .updated(let transaction) in shown.takeEvents() {
            transactions += 1
            let diff = ListDiff.between(before, after, moves: isMinimal ? .minimal : .positional)
            #expect(transaction.sections.moves.count <= diff.moves.count)
        }
    }

    private func flushBase(_ operation: UpdateRequest.Operation) throws {
        base.enqueue(operation)
        var step = base.adapter.beginFlush(now: base.now)
        while true {
            switch step {
            case .diff(let job): step = base.adapter.finishDiff(job.run())
            case .commit:
                if let change = base.adapter.changeToStore { behind.append(change) }
                base.receive(base.adapter.commitFlush())
                return
            case .finished(let result):
                base.receive(result)
                return
            }
        }
    }
}

// MARK: - Random objects and requests

extension FollowedList {
    private func randomObject(_ id: String) throws -> ListObject {
        var fields: Fields = [:]
        fields["title"] = .string(random.pick(Self.words) ?? "")
        if random.chance(oneIn: 2) { fields["note"] = .string(random.pick(Self.words) ?? "") }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: break
        case 1: fields["rank"] = .string(random.pick(Self.words) ?? "")
        case 2: fields["rank"] = .double(Double.random(in: 0...4, using: &random))
        case 3: fields["rank"] = true
        default: fields["rank"] = .int64(Int64.random(in: 0..<6, using: &random))
        }
        return try ListObject(id: id, type: random.pick(["", "", "a", "b"]) ?? "", fields: fields)
    }

    private func randomArgument() -> String {
        var pairs: [String] = []
        if random.chance(oneIn: 2) {
            pairs.append(
                "contains=" + PercentEncoding.encode(random.pick(["s", "ss", "FI", "x", "ün", "", "ς"]) ?? ""))
        }
        if random.chance(oneIn: 4) { pairs.append("in=" + (random.pick(["title", "note", "note,title"]) ?? "")) }
        if random.chance(oneIn: 4) { pairs.append("type=" + (random.pick(["", "a"]) ?? "")) }
        if random.chance(oneIn: 2) { pairs.append("sort=" + (random.pick(["rank", "-rank", "title"]) ?? "")) }
        if random.chance(oneIn: 2) { pairs.append("limit=\(Int.random(in: 0..<20, using: &random))") }
        return pairs.joined(separator: "&")
    }

    private func randomID() -> String { random.pick(ids) ?? "" }

    private func randomPosition() -> UpdateRequest.Position {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .first
        case 1: .last
        case 2: .before(randomID())
        case 3: .after(randomID())
        default: .keep
        }
    }

    private func randomOperation() throws -> UpdateRequest.Operation {
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            let count = Int.random(in: 0...ids.count, using: &random)
            return .performUpdates(objects: try ids.shuffled(using: &random).prefix(count).map { try randomObject($0) })
        case 1:
            var list = base.adapter.objects(from: 0, limit: .max)
            if !list.isEmpty { list.remove(at: Int.random(in: 0..<list.count, using: &random)) }
            if !list.isEmpty { list.append(list.remove(at: 0)) }
            return .performUpdates(objects: list)
        case 2, 3, 4, 5:
            let removed = (0..<Int.random(in: 0...2, using: &random)).map { _ in randomID() }
            let upserts = try (0..<Int.random(in: 0...3, using: &random)).map { _ in
                UpdateRequest.Upsert(try randomObject(randomID()), position: randomPosition())
            }
            return .applyChanges(removed: removed, upserts: upserts)
        case 6, 7: return .moveObject(id: randomID(), position: randomPosition())
        case 8, 9:
            let rank = Value.int64(Int64.random(in: 0..<6, using: &random))
            return .patchObject(id: randomID(), set: ["rank": rank], unset: ["note"])
        case 10: return .reloadObjects([randomID(), randomID()])
        default: return .reloadData
        }
    }
}

// MARK: - Naive filter and sort

extension FollowedList {
    private func expectedObjects() -> [ListObject] {
        var objects = base.adapter.objects(from: 0, limit: .max).filter(matches)
        if let sort = query.sort {
            let ranks = objects.enumerated().map { ($0, rank($1.fields[sort.field.text], sort.isDescending)) }
            let order = ranks.sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1.lexicographicallyPrecedes($1.1) }
            objects = order.map { objects[$0.0] }
        }
        return query.limit > 0 ? Array(objects.prefix(query.limit)) : objects
    }

    private func matches(_ object: ListObject) -> Bool {
        if let type = query.type, object.type != type { return false }
        let wanted = query.search.text.text
        if wanted.isEmpty { return true }
        return object.fields.contains { key, value in
            guard case .string(let text) = value else { return false }
            let fields = query.search.fields
            guard fields.isEmpty || fields.contains(ExactText(key)) else { return false }
            let (folded, part) = (Array(FoldedText(text).text.utf8), Array(wanted.utf8))
            return folded.indices.contains { folded[$0...].starts(with: part) }
        }
    }

    /// Returns numbers whose lexicographic order is the sort order of the values.
    private func rank(_ value: Value?, _ isDescending: Bool) -> [Double] {
        let sign: Double = isDescending ? -1 : 1
        switch value {
        case .int64(let number): return [0, 0, sign * Double(number)]
        case .double(let number): return [0, 0, sign * number]
        // The last number is a terminator, which is less than any byte, or greater in descending order.
        case .string(let text): return [0, sign] + text.utf8.map { sign * (Double($0) + 1) } + [0]
        default: return [1]
        }
    }
}
