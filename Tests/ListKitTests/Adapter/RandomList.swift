// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport

/// Generates random objects and requests with few identifiers, so that requests often concern the same object.
struct RandomList {
    var random: TestSupport.SeededRandom
    let ids: [String]
    /// Whether objects have places for the layout `absolute`.
    var placesItems = false

    init(seed: UInt64, ids count: Int = 14) {
        random = TestSupport.SeededRandom(seed: seed)
        ids = (0..<count).map { "id\($0)" }
    }

    mutating func id() -> String { random.pick(ids) ?? "" }

    mutating func object(_ id: String? = nil) throws -> ListObject {
        let id = id ?? self.id()
        var fields: Fields = [:]
        let isBinding =
            random.chance(oneIn: 30) ? Bool.random(using: &random) : id.utf8.last.map { $0 % 2 == 0 } == true
        fields["n"] = .int64(Int64.random(in: 0..<3, using: &random))
        if isBinding {
            addItems(&fields)
        } else {
            fields["height"] = .double(Double(Int.random(in: 0...3, using: &random)) * 20)
        }
        if placesItems {
            fields["x"] = .double(Double(Int.random(in: -4...40, using: &random)) * 10)
            fields["y"] = .double(Double(Int.random(in: -4...40, using: &random)) * 10)
            fields["width"] = .double(Double(Int.random(in: 0...5, using: &random)) * 20)
        }
        if random.chance(oneIn: 8) { fields["reuse"] = .string(random.pick(["x", "y", ""]) ?? "") }
        return try ListObject(id: id, type: isBinding ? "binding" : "", fields: fields)
    }

    private mutating func addItems(_ fields: inout Fields) {
        let order = (0..<6).shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random))
        let items = order.map { number -> Value in
            var item: [String: Value] = ["id": .string("i\(number)")]
            item["v"] = .int64(Int64.random(in: 0..<2, using: &random))
            item["height"] = .double(10 + 10 * Double(number % 3))
            if random.chance(oneIn: 5) { item["width"] = 40.0 }
            return Value(item)
        }
        fields["items"] = .array(element: "a{sv}", items)
        if random.chance(oneIn: 3) {
            fields["header"] = Value(["height": .double(12), "t": .int64(Int64.random(in: 0..<2, using: &random))])
        }
        if random.chance(oneIn: 3) { fields["footer"] = Value(["height": .double(8)]) }
        if random.chance(oneIn: 4) { fields["inset"] = Value(["top": .double(5), "bottom": .double(3)]) }
    }

    mutating func position() -> UpdateRequest.Position {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .first
        case 1: .last
        case 2: .before(id())
        case 3: .after(id())
        default: .keep
        }
    }

    mutating func operation() throws -> UpdateRequest.Operation {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            let count = Int.random(in: 0...ids.count, using: &random)
            let order = ids.shuffled(using: &random).prefix(count)
            var list = try order.map { try object($0) }
            if random.chance(oneIn: 4), let first = list.first { list.append(try object(first.id)) }
            return .performUpdates(objects: list, duplicates: random.chance(oneIn: 3) ? .fail : .keepFirst)
        case 2, 3, 4, 5:
            let removed = (0..<Int.random(in: 0...2, using: &random)).map { _ in id() }
            let upserts = try (0..<Int.random(in: 0...3, using: &random)).map { _ in
                UpdateRequest.Upsert(try object(), position: position())
            }
            return .applyChanges(removed: removed, upserts: upserts)
        case 6: return .moveObject(id: id(), position: position())
        case 7:
            return .patchObject(id: id(), set: ["n": .int64(Int64.random(in: 0..<3, using: &random))], unset: ["reuse"])
        case 8: return .reloadObjects([id(), id()])
        default: return random.chance(oneIn: 3) ? .reloadData : .moveObject(id: id(), position: position())
        }
    }
}
