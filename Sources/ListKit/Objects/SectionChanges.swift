// SPDX-License-Identifier: Apache-2.0

/// The changes of a list's objects in one transaction.
///
/// `old` positions are positions before all changes, `new` positions are positions after all changes.
@_spi(Daemon) @frozen public struct SectionChanges: Sendable {
    /// The old positions of the removed objects, ascending.
    public var deletes: [Int] = []
    /// The inserted objects, ascending by their new positions.
    public var inserts: [(new: Int, object: ListObject)] = []
    /// The moved objects, ascending by their new positions.
    public var moves: [(old: Int, new: Int)] = []
    /// The objects whose type or fields changed, ascending by their old positions.
    public var updates: [(old: Int, object: ListObject)] = []
    /// All objects after the changes; `nil` unless a request replaced the full list.
    public var list: [ListObject]?

    /// Creates an empty set of changes.
    public init() {}

    /// Creates the changes that a diff found between the current list and a new full list.
    init(_ result: ListIndexSetResult, leadingTo list: [ListObject]) {
        deletes = Array(result.deletes)
        inserts = result.inserts.map { ($0, list[$0]) }
        moves = result.moves.map { ($0.from, $0.to) }
        let forward = forwarding()
        updates = result.updates.compactMap { old in forward(old).map { (old, list[$0]) } }
        self.list = list
    }

    /// Returns the map from the old positions of `count` objects to their new positions.
    public func positions(of count: Int) -> PositionMap {
        PositionMap(oldCount: count, deletes: deletes, inserts: inserts.map(\.new), moves: moves)
    }

    /// Whether there are no changes.
    public var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    /// The number of deletes, inserts, moves and updates. An object that is moved and updated counts twice.
    public var count: Int { deletes.count + inserts.count + moves.count + updates.count }

    /// Returns whether there are so many changes that a rebuild of the tree costs less than single edits.
    ///
    /// - Parameter count: the number of objects before the changes.
    func favorsRebuild(ofCount count: Int) -> Bool {
        self.count > max(64, (count + inserts.count - deletes.count) / 8)
    }

    /// Returns all objects after the changes.
    ///
    /// - Parameter objects: all objects before the changes.
    /// - Complexity: O(n); O(1) if a request replaced the full list.
    func applied(to objects: [ListObject]) -> [ListObject] {
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

    /// Returns the map from single old positions to new positions.
    func forwarding() -> IndexForwarding {
        IndexForwarding(deletes: deletes, inserts: inserts.map(\.new), moves: moves)
    }

    /// Returns the map from all old positions to new positions, for lookups in ascending order.
    func orderedForwarding(oldCount: Int) -> OrderedForwarding { OrderedForwarding(self, count: oldCount) }
}

/// A map from the old positions of a list to the new ones. All positions are looked up once, in ascending order.
///
/// - Complexity: O(n) for all lookups together.
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

    /// Returns the new position of an object; `nil` if the object is removed.
    mutating func newPosition(of old: Int) -> Int? {
        if isGone.contains(old) { return nil }
        if let target = targets[old] { return target }
        while next < isTaken.count, isTaken[next] { next += 1 }
        defer { next += 1 }
        return next < isTaken.count ? next : nil
    }
}
