// SPDX-License-Identifier: Apache-2.0

/// A copy of a list, updated by the daemon's `Updated` signals. It makes no calls, so that all rules can be tested
/// without a bus.
///
/// Updates contain positions only. Inserted content is *missing* until `fill` supplies it. After each input, the
/// owner of the mirror reads `missing` and requests that range from the daemon.
public struct Mirror: Sendable {
    /// The step that the owner must take after an input.
    public enum FollowUp: Sendable, Equatable {
        /// Nothing: the input was already known or was applied.
        case none
        /// Call `GetChanges` from this revision on, because a signal was lost.
        case catchUp(since: UInt64)
        /// Read everything again, because the copy cannot be updated.
        case readAll
    }

    /// A section of the copy.
    struct MirroredSection: Sendable {
        /// The identity of the entry, which it keeps through all moves. Keys are never reused.
        var key: UInt64
        var object: MirroredObject?
        var isMissing: Bool
    }

    /// The epoch of this copy; empty before the first `reset`.
    public private(set) var epoch = ""
    /// The revision of this copy; 0 before the first `reset`.
    public private(set) var revision: UInt64 = 0
    private(set) var entries: [MirroredSection] = []
    /// The entries in the order that was reported last; nil while the order has not changed since.
    private var reported: [MirroredSection]?
    /// The keys of entries whose new content was not reported yet.
    private var changed: Set<UInt64> = []
    /// The range of sections that contains all missing and changed sections.
    private var touched = 0..<0
    private var missingCount = 0
    private var nextKey: UInt64 = 0
    private var isFresh = true

    /// Creates an empty mirror. Call `reset` to set its size.
    public init() {}

    /// The number of sections.
    public var count: Int { entries.count }

    /// Whether no content is missing.
    public var isComplete: Bool { missingCount == 0 }

    /// Returns the object of a section; nil past the end and while its content is missing.
    public func object(at section: Int) -> MirroredObject? {
        entries.indices.contains(section) ? entries[section].object : nil
    }

    /// All objects in order; nil for missing content.
    public var objects: [MirroredObject?] { entries.map(\.object) }

    /// The first run of sections whose content is missing; nil if none is.
    public var missing: IndexRun? {
        guard missingCount > 0, let first = entries[touched].firstIndex(where: \.isMissing) else { return nil }
        var end = first
        while end < entries.count, entries[end].isMissing { end += 1 }
        return IndexRun(first: first, count: end - first)
    }

    /// Restarts with a list of `total` sections at a revision of an epoch. All content is missing.
    public mutating func reset(epoch: String, revision: UInt64, total: Int) {
        self.epoch = epoch
        self.revision = revision
        entries = (0..<total).map { _ in makeEntry() }
        missingCount = total
        discardChanges()
        touched = entries.indices
        isFresh = true
    }

    /// Applies an `Updated` signal or a batch of `GetChanges`, according to the contract's rules for clients.
    public mutating func apply(_ update: Update) -> FollowUp {
        // Another list has come to the same path, whatever its revisions are.
        if let other = update.epoch, other != epoch { return .readAll }
        if update.kind == .announce { return update.revision > revision ? .catchUp(since: revision) : .none }
        if update.revision <= revision { return .none }
        if update.baseRevision != revision { return .catchUp(since: revision) }
        if update.kind == .reload { return .readAll }
        do throws(BatchMismatch) {
            try advance(by: update)
            return .none
        } catch {
            return .readAll
        }
    }

    /// Applies the answer of `GetObjects` for a range.
    ///
    /// An answer of another epoch or revision than the mirror's is not applied. If it is newer, the mirror must catch up.
    public mutating func fill(
        from offset: Int, objects: [MirroredObject], epoch other: String, revision answered: UInt64
    ) -> FollowUp {
        guard other == epoch else { return .readAll }
        guard answered == revision else { return answered > revision ? .catchUp(since: revision) : .none }
        for (section, object) in zip(offset..., objects) where entries.indices.contains(section) {
            if entries[section].isMissing {
                entries[section].isMissing = false
                missingCount -= 1
            }
            entries[section].object = object
        }
        return .none
    }

    /// Returns and removes the recorded changes, in the order in which to apply them; nil while content is missing.
    ///
    /// After a `reset` the only change is `.replaced`.
    ///
    /// - Complexity: O(changes) if only content changed, otherwise O(count + m log m) for the m sections between the
    ///   first and the last that moved.
    public mutating func consumeChanges() -> [MirrorChange]? {
        guard isComplete else { return nil }
        defer {
            discardChanges()
            isFresh = false
        }
        if isFresh { return [.replaced(count: entries.count)] }
        let order = consumeOrderChanges()
        return order + contentChanges()
    }

    private mutating func discardChanges() {
        reported = nil
        changed = []
        touched = 0..<0
    }

    /// Returns the deletions, insertions and moves, and removes the inserted objects from `changed`.
    private mutating func consumeOrderChanges() -> [MirrorChange] {
        guard let reported else { return [] }
        let script = ArrayScript(from: reported.map(\.key), to: entries.map(\.key))
        return script.steps.compactMap { step in
            switch step {
            case .delete(let section): return .deleted(section: section, object: reported[section].object)
            case .insert(let section, let target):
                // A new element has no earlier content, so it is not reported as changed too.
                changed.remove(entries[target].key)
                return entries[target].object.map { .inserted(section: section, object: $0) }
            case .move(let from, let to, let target):
                return entries[target].object.map { .moved(from: from, to: to, object: $0) }
            }
        }
    }

    private func contentChanges() -> [MirrorChange] {
        guard !changed.isEmpty else { return [] }
        return touched.compactMap { section in
            guard changed.contains(entries[section].key) else { return nil }
            return entries[section].object.map { .updated(section: section, object: $0) }
        }
    }

    private mutating func advance(by update: Update) throws(BatchMismatch) {
        for run in update.sections.deletes + update.sections.reloads where run.range.upperBound > entries.count {
            throw BatchMismatch(
                message: "section \(run.range.upperBound - 1) does not exist; the list has \(entries.count) sections")
        }
        if update.sections.keepsOrder {
            try refresh(by: update)
        } else {
            try reorder(by: update)
        }
        revision = update.revision
    }

    /// Marks content as missing where the order stays the same.
    private mutating func refresh(by update: Update) throws(BatchMismatch) {
        try Self.checkSectionCount(expected: update.sectionCount, actual: entries.count)
        var sections = update.sections.reloads.flatMap(\.range)
        sections += update.items.oldSections + update.items.newSections
        for section in sections where entries.indices.contains(section) {
            if !entries[section].isMissing { missingCount += 1 }
            entries[section].isMissing = true
            changed.insert(entries[section].key)
            touched =
                touched.isEmpty
                ? section..<(section + 1)
                : min(section, touched.lowerBound)..<max(section + 1, touched.upperBound)
        }
    }

    private mutating func reorder(by update: Update) throws(BatchMismatch) {
        let old = entries
        let arrival = MirroredSection(key: 0, object: nil, isMissing: true)
        var new = try old.applying(update.sections, placeholder: arrival)
        try Self.checkSectionCount(expected: update.sectionCount, actual: new.count)
        var key = nextKey
        for section in update.sections.inserts.flatMap(\.range) {
            key += 1
            new[section].key = key
        }
        let refreshed = Self.keysOfRefreshedEntries(by: update, old: old, new: new)
        if !refreshed.isEmpty {
            for section in new.indices where refreshed.contains(new[section].key) { new[section].isMissing = true }
        }
        nextKey = key
        if reported == nil { reported = old }
        changed.formUnion(refreshed)
        entries = new
        touched = new.indices
        missingCount = new.reduce(into: 0) { $0 += $1.isMissing ? 1 : 0 }
    }

    private static func checkSectionCount(expected: Int?, actual count: Int) throws(BatchMismatch) {
        guard let expected, expected != count else { return }
        throw BatchMismatch(message: "the list has \(count) sections instead of \(expected)")
    }

    /// Returns the keys of entries with new content: reloaded sections, and sections that stay and have item changes.
    private static func keysOfRefreshedEntries(by update: Update, old: [MirroredSection], new: [MirroredSection])
        -> Set<UInt64>
    {
        var keys = Set(update.sections.reloads.flatMap(\.range).map { old[$0].key })
        for section in update.items.oldSections where old.indices.contains(section) { keys.insert(old[section].key) }
        for section in update.items.newSections where new.indices.contains(section) { keys.insert(new[section].key) }
        return keys
    }

    private mutating func makeEntry() -> MirroredSection {
        nextKey += 1
        return MirroredSection(key: nextKey, object: nil, isMissing: true)
    }
}

/// A change of one section in a mirrored list.
///
/// Positions refer to an array that is changed step by step: each position is valid after the changes before it, not
/// before or after a transaction of the daemon. A program that applies the changes in order to its own array gets the
/// mirror's content. One sequence of changes may combine several transactions; objects that were added and removed in
/// between are not reported.
public enum MirrorChange: Sendable, Equatable {
    /// The whole list was read again and has this number of sections. Earlier changes no longer matter.
    case replaced(count: Int)
    /// The object is inserted at `section`. The elements from there on move up by one.
    case inserted(section: Int, object: MirroredObject)
    /// The element at `section` is removed. The object is its last known content.
    case deleted(section: Int, object: MirroredObject?)
    /// The element at `from` is removed and then inserted at `to`, a position in the array without it.
    case moved(from: Int, to: Int, object: MirroredObject)
    /// The object at `section` has new content.
    case updated(section: Int, object: MirroredObject)
}

/// An error for a batch that does not match its list, because a signal was lost or the sender has a defect.
public struct BatchMismatch: Error, Sendable, Equatable {
    /// The reason, for the log.
    public let message: String
}

extension Array {
    /// Returns the array after a batch of section changes.
    ///
    /// Deleted elements and origins of moves are removed. Then inserts and targets of moves are inserted in ascending
    /// order of their new positions (contract, "Announcing"). Reloads do not change the order.
    ///
    /// - Throws: `BatchMismatch` when a position is out of range or used twice.
    /// - Complexity: O(count + changes · log changes).
    func applying(_ batch: Update.Sections, placeholder: Element) throws(BatchMismatch) -> [Element] {
        let leaving = batch.deletes.flatMap { Array<Int>($0.range) } + batch.moves.map(\.from)
        let rest = try removing(leaving)
        var arrivals: [(position: Int, element: Element)] = []
        for run in batch.inserts { arrivals += run.range.map { ($0, placeholder) } }
        for move in batch.moves { arrivals.append((move.to, self[move.from])) }
        return try rest.inserting(arrivals)
    }

    private func removing(_ positions: [Int]) throws(BatchMismatch) -> [Element] {
        guard !positions.isEmpty else { return self }
        var result: [Element] = []
        result.reserveCapacity(Swift.max(0, count - positions.count))
        var next = 0
        for position in positions.sorted() {
            guard position >= next, position < count else {
                throw BatchMismatch(
                    message: "position \(position) of \(count) is deleted or moved twice, or does not exist")
            }
            result += self[next..<position]
            next = position + 1
        }
        result += self[next...]
        return result
    }

    private func inserting(_ arrivals: [(position: Int, element: Element)]) throws(BatchMismatch) -> [Element] {
        guard !arrivals.isEmpty else { return self }
        var result: [Element] = []
        result.reserveCapacity(count + arrivals.count)
        var taken = 0
        for (position, element) in arrivals.sorted(by: { $0.position < $1.position }) {
            let missing = position - result.count
            guard missing >= 0, missing <= count - taken else {
                throw BatchMismatch(message: "position \(position) is inserted twice or lies past the end")
            }
            result += self[taken..<(taken + missing)]
            taken += missing
            result.append(element)
        }
        result += self[taken...]
        return result
    }
}
