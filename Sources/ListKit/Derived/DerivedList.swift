// SPDX-License-Identifier: Apache-2.0

/// The objects of another list that match a query, in its order, updated with each change of that list.
///
/// It is filled by ``append(_:from:total:)``, page by page, while ``apply(_:)`` follows changes. Each change costs O(log n)
/// comparisons for each object in it. It has one owner, keeps no thread and is not shared.
@_spi(Daemon) public final class DerivedList {
    /// With more changes than these, and than an eighth of the list, the whole list is passed on.
    private static let mostSteps = 4096

    /// Which objects, in which order.
    public private(set) var query: DerivedQuery
    /// Whether all objects of the base list were appended.
    public private(set) var isLoaded = false
    /// The base list and the matching objects, as arrays, until the first change.
    private var flat: (base: [ListObject], matching: [ListObject])? = ([], [])
    /// The base list; a section has an item when its object matches.
    private var base = SectionTree()
    /// The matching objects in their order, with a transaction that is open from one ``takeChange()`` to the next.
    private var shown = SectionTree()
    /// Whether the next change is the whole list.
    private var isWholeTold = false

    /// Makes a list without objects of the base list.
    public init(_ query: DerivedQuery) { self.query = query }

    /// How many objects of the base list were appended.
    public var baseCount: Int { flat?.base.count ?? base.count() }

    // MARK: Loading

    /// Appends a page of the base list.
    ///
    /// - Parameters:
    ///   - objects: those from `offset` on; ones appended before are ignored, and all of them if the page leaves a gap.
    ///   - total: how many the base list has at that time; with the last one the list is loaded.
    /// - Complexity: O(size of the objects).
    public func append(_ objects: [ListObject], from offset: Int, total: Int) {
        guard !isLoaded, offset <= baseCount else { return }
        let new = objects.dropFirst(baseCount - offset)
        if flat == nil {
            insert(new)
        } else {
            flat?.base += new
            flat?.matching += new.filter(query.matches)
        }
        guard baseCount >= total else { return }
        isLoaded = true
        if let matching = flat?.matching { flat?.matching = sorted(matching) }
        isWholeTold = true
    }

    private func insert(_ objects: some Sequence<ListObject>) {
        for object in objects {
            let isMatch = query.matches(object)
            guard base.insert(object, at: base.count(), itemCount: isMatch ? 1 : 0), isMatch else { continue }
            _ = shown.insert(object, at: place(of: object, in: base.count() - 1))
        }
        _ = base.commit()
    }

    /// Builds the trees that changes need, unless they exist; called between two changes, the next one does not have to.
    ///
    /// - Complexity: O(n).
    public func prepare() {
        guard let (objects, matching) = flat else { return }
        flat = nil
        var dropped: [Int] = []
        base =
            (try? SectionTree(objects, itemCount: { self.query.matches($1) ? 1 : 0 }, dropped: &dropped))
            ?? SectionTree()
        show(isLoaded ? matching : sorted(matching))
    }

    private func show(_ objects: [ListObject]) {
        var dropped: [Int] = []
        shown = (try? SectionTree(objects, dropped: &dropped)) ?? SectionTree()
    }

    /// Sorts objects, which are in the order of the base list, by the query.
    private func sorted(_ objects: [ListObject]) -> [ListObject] {
        guard let sort = query.sort else { return objects }
        // The sort is stable, so that equal ones keep their order.
        return objects.map { (key: SortKey($0, by: sort), object: $0) }
            .sorted { $0.key.compare($1.key, isDescending: sort.isDescending) < 0 }
            .map(\.object)
    }
}

// MARK: - Changes of the base list

extension DerivedList {
    /// Follows a change of the base list.
    ///
    /// - Complexity: O(changes · log n) comparisons; O(n) for a whole list.
    public func apply(_ content: PreparedTransaction.Content) {
        switch content {
        case .replace(let objects):
            flat = (objects, [])
            flat?.matching = sorted(objects.filter(query.matches))
            if isLoaded { isWholeTold = true }
        case .changes(let changes):
            prepare()
            apply(changes)
        }
    }

    private func apply(_ changes: PreparedTransaction.Changes) {
        var arrivals: [ListObject] = []
        for id in changes.removed where base.remove(id) != nil { shown.remove(id) }
        for object in changes.updated { if update(object) { arrivals.append(object) } }
        for placement in changes.placed { if place(placement) { arrivals.append(placement.object) } }
        put(arrivals)
        _ = base.commit()
        if shown.steps.count > max(Self.mostSteps, shown.count() / 8) { tellWhole() }
    }

    /// Handles an object that stays in its place in the base list; returns true when it has to be placed among the matching ones.
    private func update(_ object: ListObject) -> Bool {
        guard let before = base.section(of: object) else { return false }
        let isMatch = query.matches(object)
        _ = base.replace(object, itemCount: isMatch ? 1 : 0)
        guard before.itemCount > 0 else { return isMatch }
        if isMatch, hasSameKey(before.object, object) {
            _ = shown.replace(object)
            return false
        }
        shown.remove(object.id)
        return isMatch
    }

    /// Handles a new or moved object of the base list; returns true when it has to be placed among the matching ones.
    private func place(_ placement: PreparedTransaction.Placement) -> Bool {
        let (object, id) = (placement.object, placement.object.id)
        if base.remove(id) != nil { shown.remove(id) }
        var index = 0
        if let predecessor = placement.predecessor {
            if let position = base.index(of: predecessor) {
                index = position + 1
            } else if isLoaded {
                index = base.count()
            } else {
                // Behind the appended objects: it comes with a page.
                return false
            }
        }
        let isMatch = query.matches(object)
        return base.insert(object, at: index, itemCount: isMatch ? 1 : 0) && isMatch
    }

    /// Places objects among the matching ones, the first ones first, because later places depend on them.
    private func put(_ arrivals: [ListObject]) {
        guard !arrivals.isEmpty else { return }
        // An object may occur twice: the last one counts.
        let placed = arrivals.compactMap { base.index(of: $0) }.sorted()
        var previous: Int?
        for index in placed where index != previous {
            previous = index
            guard let section = base.section(at: index), section.itemCount > 0 else { continue }
            _ = shown.insert(section.object, at: place(of: section.object, in: index))
        }
    }

    private func hasSameKey(_ one: ListObject, _ other: ListObject) -> Bool {
        guard let sort = query.sort else { return true }
        return SortKey(one, by: sort).compare(SortKey(other, by: sort), isDescending: false) == 0
    }

    /// The position of an object among the matching ones.
    ///
    /// - Parameter index: its position in the base list.
    private func place(of object: ListObject, in index: Int) -> Int {
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
    /// Where every object that matches the new query matches the old one, as with text that is being typed, only the matching
    /// objects are read.
    /// - Complexity: O(n).
    public func setQuery(_ new: DerivedQuery) {
        guard new != query else { return }
        let isNarrower = isLoaded && new.isNarrower(than: query)
        query = new
        isWholeTold = isLoaded
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
        show(sorted(matching))
    }
}

// MARK: - Changes for the list that shows it

extension DerivedList {
    /// Makes the whole list the next change, because the last one was refused.
    public func tellWhole() {
        _ = shown.commit()
        isWholeTold = isLoaded
    }

    /// Returns the changes since the last call; `nil` = none, or the list is not loaded.
    ///
    /// - Complexity: O(changes · log n); O(n) for the whole list.
    public func takeChange() -> DerivedChange? {
        guard isLoaded else { return nil }
        if isWholeTold {
            isWholeTold = false
            if flat == nil { _ = shown.commit() }
            return .replace(visible)
        }
        guard flat == nil, shown.hasOpenTransaction else { return nil }
        let window = DerivedWindow(shown, limit: query.limit)
        let change = window.change(of: shown)
        _ = shown.commit()
        return change
    }

    /// All matching objects up to the limit.
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
