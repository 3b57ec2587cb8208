/// What a transaction does to the objects of a list, in simultaneous form: `old` positions are those before, `new` those
/// after.
struct SectionChanges {
    /// Positions before of objects that go, ascending.
    var deletes: [Int] = []
    /// Objects that come, ascending in their positions after.
    var inserts: [(new: Int, object: ListObject)] = []
    /// Objects that change places, ascending in their positions after.
    var moves: [(old: Int, new: Int)] = []
    /// Objects whose type or fields changed, ascending in their positions before.
    var updates: [(old: Int, object: ListObject)] = []
    /// All objects after, when the change came as a full list.
    var list: [ListObject]?

    var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    var count: Int { deletes.count + inserts.count + moves.count + updates.count }

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
