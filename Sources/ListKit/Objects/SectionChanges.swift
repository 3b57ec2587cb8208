// SPDX-License-Identifier: Apache-2.0

/// The changes of a list's objects in one transaction: `old` positions are those before all of them, `new` those after.
@_spi(Daemon) @frozen public struct SectionChanges: Sendable {
    /// Positions before of objects that are removed, ascending.
    public var deletes: [Int] = []
    /// Inserted objects, ascending by their positions after.
    public var inserts: [(new: Int, object: ListObject)] = []
    /// Moved objects, ascending by their positions after.
    public var moves: [(old: Int, new: Int)] = []
    /// Objects whose type or fields changed, ascending by their positions before.
    public var updates: [(old: Int, object: ListObject)] = []
    /// All objects after, when the change came as a full list.
    public var list: [ListObject]?

    /// Makes an empty change.
    public init() {}

    /// Makes the changes that a diff found between a list and a full new one.
    init(_ result: ListIndexSetResult, leadingTo list: [ListObject]) {
        deletes = Array(result.deletes)
        inserts = result.inserts.map { ($0, list[$0]) }
        moves = result.moves.map { ($0.from, $0.to) }
        let forward = forwarding()
        updates = result.updates.compactMap { old in forward(old).map { (old, list[$0]) } }
        self.list = list
    }

    /// Maps the positions before of `count` objects to those after.
    public func positions(of count: Int) -> PositionMap {
        PositionMap(oldCount: count, deletes: deletes, inserts: inserts.map(\.new), moves: moves)
    }

    /// Whether nothing changes.
    public var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    /// How many objects are deleted, inserted, moved and updated; one that moves and is updated counts twice.
    public var count: Int { deletes.count + inserts.count + moves.count + updates.count }

    /// Whether so much changes that rebuilding the tree costs less than changing sections one by one.
    ///
    /// - Parameter count: how many objects there were.
    func isMost(of count: Int) -> Bool {
        self.count > max(64, (count + inserts.count - deletes.count) / 8)
    }

    /// All objects after.
    ///
    /// - Complexity: O(n), O(1) when the change came as a full list.
    func objects(after objects: [ListObject]) -> [ListObject] {
        if let list { return list }
        var objects = objects
        for update in updates { objects[update.old] = update.object }
        var placed = inserts + moves.map { ($0.new, objects[$0.old]) }
        placed.sort { $0.new < $1.new }
        let isGone = Set(deletes + moves.map(\.old))
        var rest = objects.enumerated().lazy.filter { !isGone.contains($0.offset) }.map(\.element).makeIterator()
        var result: [ListObject] = []
        result.reserveCapacity(objects.count + inserts.count - deletes.count)
        for place in placed {
            while result.count < place.new, let object = rest.next() { result.append(object) }
            result.append(place.object)
        }
        while let object = rest.next() { result.append(object) }
        return result
    }

    /// Finds where positions went.
    func forwarding() -> IndexForwarding {
        IndexForwarding(deletes: deletes, inserts: inserts.map(\.new), moves: moves)
    }

    /// Finds where all positions went, asked in their order.
    func forwardingInOrder(count: Int) -> OrderedForwarding { OrderedForwarding(self, count: count) }
}

/// Finds where all positions of a list went, asked one after the other.
///
/// - Complexity: O(n) for all.
struct OrderedForwarding {
    private let isGone: Set<Int>
    private let targets: [Int: Int]
    private var isTaken: [Bool]
    private var next = 0

    init(_ changes: SectionChanges, count: Int) {
        isGone = Set(changes.deletes)
        targets = Dictionary(changes.moves.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
        isTaken = [Bool](repeating: false, count: count)
        for insert in changes.inserts { isTaken[insert.new] = true }
        for move in changes.moves { isTaken[move.new] = true }
    }

    /// The position afterwards; `nil` when it is gone.
    mutating func next(_ old: Int) -> Int? {
        if isGone.contains(old) { return nil }
        if let target = targets[old] { return target }
        while next < isTaken.count, isTaken[next] { next += 1 }
        defer { next += 1 }
        return next < isTaken.count ? next : nil
    }
}
