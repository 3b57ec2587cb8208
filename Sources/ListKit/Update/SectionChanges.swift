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
}
