// SPDX-License-Identifier: Apache-2.0

/// A list of the objects in another list, the base list, that match a query. The query also sorts these objects. The
/// derived list follows each change of the base list.
///
/// ``append(_:from:total:)`` loads the base list page by page; ``apply(_:)`` may apply changes of the base list in
/// the meantime. Each changed object costs O(log n) comparisons. A derived list has one owner and is not thread-safe.
@_spi(Daemon) public final class DerivedList {
    /// The number of steps up to which a change is always passed on as steps. A change with more steps than this
    /// number, and with more steps than an eighth of the objects, is passed on as the whole list.
    private static let maximumSteps = 4096

    /// The query, which selects and sorts the objects.
    public private(set) var query: DerivedQuery
    /// Whether all objects of the base list were appended.
    public private(set) var isLoaded = false
    /// The base list and the matching objects as arrays. Nil while the trees replace them; see ``prepare()``.
    private var flat: (base: [ListObject], matching: [ListObject])? = ([], [])
    /// The base list as a tree. A section has one item if its object matches the query, otherwise none.
    private var base = SectionTree()
    /// The matching objects as a tree, in the order of the query. Its open transaction collects the changes between
    /// two calls of ``dequeueChange()``.
    private var shown = SectionTree()
    /// Whether ``dequeueChange()`` returns the whole list next.
    private var isWholeListNext = false

    /// Makes a derived list of an empty base list.
    public init(_ query: DerivedQuery) { self.query = query }

    /// The number of objects of the base list that were appended.
    public var baseCount: Int { flat?.base.count ?? base.count() }

    // MARK: Loading

    /// Appends a page of objects of the base list.
    ///
    /// - Parameters:
    ///   - objects: the objects from `offset` on. Objects that were appended before are ignored. If there is a gap
    ///     between the appended objects and the page, the whole page is ignored.
    ///   - total: the number of objects in the base list when the page was read. The list is loaded once this many
    ///     objects were appended.
    /// - Complexity: O(size of the objects).
    public func append(_ objects: [ListObject], from offset: Int, total: Int) {
        guard !isLoaded, offset <= baseCount else { return }
        let new = objects.dropFirst(baseCount - offset)
        if flat == nil {
            appendToTrees(new)
        } else {
            flat?.base += new
            flat?.matching += new.filter(query.matches)
        }
        guard baseCount >= total else { return }
        isLoaded = true
        if let matching = flat?.matching { flat?.matching = sorted(matching) }
        isWholeListNext = true
    }

    private func appendToTrees(_ objects: some Sequence<ListObject>) {
        for object in objects {
            let isMatch = query.matches(object)
            guard base.insert(object, at: base.count(), itemCount: isMatch ? 1 : 0), isMatch else { continue }
            _ = shown.insert(object, at: position(of: object, baseIndex: base.count() - 1))
        }
        _ = base.commit()
    }

    /// Builds the trees that changes need, unless they exist. If called between two changes, the next change does not
    /// have to build them.
    ///
    /// - Complexity: O(n).
    public func prepare() {
        guard let (objects, matching) = flat else { return }
        flat = nil
        var dropped: [Int] = []
        base =
            (try? SectionTree(objects, itemCount: { self.query.matches($1) ? 1 : 0 }, dropped: &dropped))
            ?? SectionTree()
        rebuildShown(with: isLoaded ? matching : sorted(matching))
    }

    private func rebuildShown(with objects: [ListObject]) {
        var dropped: [Int] = []
        shown = (try? SectionTree(objects, dropped: &dropped)) ?? SectionTree()
    }

    /// Sorts objects, which must be in the order of the base list, by the query.
    private func sorted(_ objects: [ListObject]) -> [ListObject] {
        guard let sort = query.sort else { return objects }
        // The sort is stable, so that objects with equal keys keep their order.
        return objects.map { (key: SortKey($0, by: sort), object: $0) }
            .sorted { $0.key.compare($1.key, isDescending: sort.isDescending) < 0 }
            .map(\.object)
    }
}

// MARK: - Changes of the base list

extension DerivedList {
    /// Applies a change of the base list.
    ///
    /// - Complexity: O(changes · log n) comparisons; O(n) for a whole list.
    public func apply(_ change: Change) {
        if let objects = change.whole {
            flat = (objects, [])
            flat?.matching = sorted(objects.filter(query.matches))
            if isLoaded { isWholeListNext = true }
            return
        }
        prepare()
        var arrivals: [ListObject] = []
        for case (_, let object?) in change.removed where base.remove(object.id) != nil { shown.remove(object.id) }
        for object in change.updatedInPlace { if applyUpdate(object) { arrivals.append(object) } }
        for (object, after) in change.placed { if place(object, after: after) { arrivals.append(object) } }
        insertIntoShown(arrivals)
        _ = base.commit()
        if shown.steps.count > max(Self.maximumSteps, shown.count() / 8) { makeWholeListNext() }
    }

    /// Replaces an object that keeps its place in the base list. Returns true when the object has to be inserted into
    /// the matching objects.
    private func applyUpdate(_ object: ListObject) -> Bool {
        guard let before = base.section(of: object) else { return false }
        let isMatch = query.matches(object)
        _ = base.replace(object, itemCount: isMatch ? 1 : 0)
        guard before.itemCount > 0 else { return isMatch }
        if isMatch, haveSameSortKey(before.object, object) {
            _ = shown.replace(object)
            return false
        }
        shown.remove(object.id)
        return isMatch
    }

    /// Inserts a new or moved object into the base list. Returns true when the object has to be inserted into the
    /// matching objects.
    private func place(_ object: ListObject, after predecessor: ListObject?) -> Bool {
        if base.remove(object.id) != nil { shown.remove(object.id) }
        var index = 0
        if let predecessor {
            if let position = base.index(of: predecessor) {
                index = position + 1
            } else if isLoaded {
                index = base.count()
            } else {
                // The object comes after the appended objects, so a later page contains it.
                return false
            }
        }
        let isMatch = query.matches(object)
        return base.insert(object, at: index, itemCount: isMatch ? 1 : 0) && isMatch
    }

    /// Inserts objects into the matching objects, in the order of the base list, because later positions depend on
    /// earlier ones.
    private func insertIntoShown(_ arrivals: [ListObject]) {
        guard !arrivals.isEmpty else { return }
        // An object may occur twice in `arrivals`. Its state in the base list is that of the last occurrence.
        let placed = arrivals.compactMap { base.index(of: $0) }.sorted()
        var previous: Int?
        for index in placed where index != previous {
            previous = index
            guard let section = base.section(at: index), section.itemCount > 0 else { continue }
            _ = shown.insert(section.object, at: position(of: section.object, baseIndex: index))
        }
    }

    private func haveSameSortKey(_ one: ListObject, _ other: ListObject) -> Bool {
        guard let sort = query.sort else { return true }
        return SortKey(one, by: sort).compare(SortKey(other, by: sort), isDescending: false) == 0
    }

    /// Returns the position at which an object belongs among the matching objects.
    ///
    /// - Parameter index: the position of the object in the base list.
    private func position(of object: ListObject, baseIndex index: Int) -> Int {
        guard let sort = query.sort else { return base.itemOffset(ofSection: index) }
        let key = SortKey(object, by: sort)
        var (low, high) = (0, shown.count())
        while low < high {
            let middle = (low + high) / 2
            guard let other = shown.object(at: middle) else { return low }
            var order = SortKey(other, by: sort).compare(key, isDescending: sort.isDescending)
            if order == 0 { order = (base.index(of: other) ?? 0) - index }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// MARK: - Another query

extension DerivedList {
    /// Replaces the query.
    ///
    /// If the new query is narrower than the old one, as while text is being typed, only the objects that match the
    /// old one are read.
    /// - Complexity: O(n).
    public func setQuery(_ new: DerivedQuery) {
        guard new != query else { return }
        let isNarrower = isLoaded && new.isNarrower(than: query)
        query = new
        isWholeListNext = isLoaded
        if let objects = flat?.base {
            let matching = objects.filter(new.matches)
            flat?.matching = isLoaded ? sorted(matching) : matching
            return
        }
        base.recount { items, object in
            (items > 0 || !isNarrower) && new.matches(object) ? 1 : 0
        }
        var matching: [ListObject] = []
        matching.reserveCapacity(base.itemCount())
        base.forEachSection(in: 0..<base.count()) { _, section in
            if section.itemCount > 0 { matching.append(section.object) }
        }
        rebuildShown(with: sorted(matching))
    }
}

// MARK: - Changes for the list that shows it

extension DerivedList {
    /// Makes the whole list the next change. Call this when the last change was rejected.
    public func makeWholeListNext() {
        _ = shown.commit()
        isWholeListNext = isLoaded
    }

    /// Returns the changes since the last call; `nil` if nothing changed or the list is not loaded.
    ///
    /// - Complexity: O(changes · log n); O(n) for the whole list.
    public func dequeueChange() -> DerivedChange? {
        guard isLoaded else { return nil }
        if isWholeListNext {
            isWholeListNext = false
            if flat == nil { _ = shown.commit() }
            return .replace(visible)
        }
        guard flat == nil, shown.hasOpenTransaction else { return nil }
        let window = DerivedWindow(shown, limit: query.limit)
        let change = window.change(of: shown)
        _ = shown.commit()
        return change
    }

    /// All matching objects, up to the query's limit.
    ///
    /// - Complexity: O(n).
    public var visible: [ListObject] {
        if let matching = flat?.matching { return query.limit > 0 ? Array(matching.prefix(query.limit)) : matching }
        var result: [ListObject] = []
        let count = query.limit > 0 ? min(query.limit, shown.count()) : shown.count()
        result.reserveCapacity(count)
        shown.forEachSection(in: 0..<count) { _, section in result.append(section.object) }
        return result
    }
}

/// A change of a ``DerivedList``, to be applied to the list that presents its objects to clients.
@_spi(Daemon) @frozen public enum DerivedChange: Sendable {
    /// All objects of the derived list, to be diffed with the present objects.
    case replace([ListObject])
    /// The identifiers of removed objects, and the upserts of changed, moved and new objects, in the order in which
    /// to apply them.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
}

/// The changes of an open transaction that concern the first sections of a list, up to a limit.
struct DerivedWindow {
    /// The old positions of sections that leave the window.
    private var deletes: [Int]
    /// The new positions of sections that are inserted into the window or moved.
    private var placed: [Int]
    /// The new positions of sections with new content that are not moved.
    private var updates: [Int] = []

    /// Computes the changes from a tree with an open transaction.
    ///
    /// - Parameter limit: the maximum number of sections in the window; 0 for no limit.
    /// - Complexity: O(changes · log n).
    init(_ tree: borrowing SectionTree, limit: Int) {
        let changes = tree.changes()
        let end = limit > 0 ? limit : Int.max
        let moves = Self.minimizedMoves(in: changes, of: tree)
        let origins = Set(moves.map(\.from))
        let targets = Set(moves.map(\.to))
        deletes = changes.deletes.filter { $0 < end }
        placed = changes.inserts.filter { $0 < end }
        for move in moves {
            if move.to < end { placed.append(move.to) } else if move.from < end { deletes.append(move.from) }
        }
        if limit > 0 {
            // Sections that were not moved keep their order. So the sections that cross the limit only because other
            // sections changed are adjacent to the limit.
            let isNew = targets.union(changes.inserts)
            let isOld = origins.union(changes.deletes)
            deletes += Self.positionsCrossingLimit(tree, from: limit, of: .new, to: .old, besides: isNew)
            placed += Self.positionsCrossingLimit(tree, from: limit, of: .old, to: .new, besides: isOld)
        }
        placed.sort()
        let isPlaced = Set(placed)
        for old in changes.updates where !origins.contains(old) {
            guard let object = tree.object(at: old, in: .old), let new = tree.index(of: object), new < end else {
                continue
            }
            if !isPlaced.contains(new) { updates.append(new) }
        }
    }

    /// Returns the positions on `otherSide` of the sections that are at or after the limit on `side`, but before the
    /// limit on `otherSide`. Sections whose positions on `side` are in `touched` are ignored.
    private static func positionsCrossingLimit(
        _ tree: borrowing SectionTree, from limit: Int, of side: ListSide, to otherSide: ListSide,
        besides touched: Set<Int>
    ) -> [Int] {
        var result: [Int] = []
        var index = limit
        while let object = tree.object(at: index, in: side) {
            if !touched.contains(index) {
                guard let other = tree.index(of: object, in: otherSide), other < limit else { break }
                result.append(other)
            }
            index += 1
        }
        return result
    }

    /// The number of moves beyond which the moves are not minimised.
    private static let minimizationLimit = 256

    /// Returns moves that bring the sections into their new order. If two sections would be moved past the same
    /// unmoved section, the unmoved section is moved instead of both.
    ///
    /// To keep a moved section in place, all unmoved sections that it crosses must be moved instead. This can save
    /// moves only if it crosses fewer unmoved sections than there are moves. Of these moved sections and the unmoved
    /// sections that they cross, a longest subsequence that keeps its order stays in place; all others are moved.
    /// - Complexity: O(moves² · log n), for at most 256 moves.
    private static func minimizedMoves(
        in changes: ListIndexSetResult, of tree: borrowing SectionTree
    ) -> [ListMoveIndex] {
        let moves = changes.moves
        guard moves.count > 1, moves.count <= minimizationLimit else { return moves }
        let gone = (changes.deletes + moves.map(\.from)).sorted()
        let come = (changes.inserts + moves.map(\.to)).sorted()
        let isGone = Set(gone)
        var candidates: [ListMoveIndex] = []
        var fixed: [ListMoveIndex] = []
        var crossed: Set<Int> = []
        for move in moves {
            // The numbers of unmoved sections before the moved one, in the old and in the new list.
            let (before, after) = (
                move.from - gone.partitionPoint { $0 < move.from },
                move.to - come.partitionPoint { $0 < move.to }
            )
            guard abs(after - before) < moves.count else {
                fixed.append(move)
                continue
            }
            candidates.append(move)
            var (left, old) = (abs(after - before), move.from)
            while left > 0, (0..<tree.count(.old)).contains(old) {
                old += after > before ? 1 : -1
                guard !isGone.contains(old) else { continue }
                crossed.insert(old)
                left -= 1
            }
        }
        guard candidates.count > 1 else { return moves }
        var movable = candidates
        for old in crossed {
            guard let object = tree.object(at: old, in: .old), let new = tree.index(of: object) else { return moves }
            movable.append(ListMoveIndex(from: old, to: new))
        }
        movable.sort { $0.from < $1.from }
        let stays = LongestIncreasingRun.memberCounts(
            of: movable.map { UInt32(truncatingIfNeeded: $0.to)..<UInt32(truncatingIfNeeded: $0.to) + 1 })
        let moved = zip(movable, stays).compactMap { $1 > 0 ? nil : $0 }
        return moved.count < candidates.count ? fixed + moved : moves
    }

    /// Returns the change of the window; `nil` if nothing changed.
    ///
    /// - Complexity: O(changes · log n).
    func change(of tree: borrowing SectionTree) -> DerivedChange? {
        if deletes.isEmpty, placed.isEmpty, updates.isEmpty { return nil }
        var removed: [String] = []
        for old in deletes { if let object = tree.object(at: old, in: .old) { removed.append(object.id) } }
        var upserts: [UpdateRequest.Upsert] = []
        for index in updates { if let object = tree.object(at: index) { upserts.append(UpdateRequest.Upsert(object)) } }
        for index in placed {
            guard let object = tree.object(at: index) else { continue }
            let before = index > 0 ? tree.object(at: index - 1) : nil
            upserts.append(UpdateRequest.Upsert(object, position: before.map { .after($0.id) } ?? .first))
        }
        return .changes(removed: removed, upserts: upserts)
    }
}
