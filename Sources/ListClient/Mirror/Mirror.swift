// SPDX-License-Identifier: Apache-2.0

/// A copy of a list that follows the daemon's `Updated` signals. It makes no calls, so that every rule is tested
/// without a bus.
///
/// Updates have positions only; inserted content is *missing* until `fill` supplies it. The owner of a mirror reads
/// `missing` after each input and requests that range from the daemon.
public struct Mirror: Sendable {
    /// The owner's next step after an input.
    public enum Step: Sendable, Equatable {
        /// None: already known, or applied.
        case none
        /// A signal was lost: call `GetChanges` since this revision.
        case catchUp(since: UInt64)
        /// The copy is useless: read everything again.
        case readAll
    }

    struct Entry: Sendable {
        /// Identifies the entry through all its moves; never used twice.
        var key: UInt64
        var object: MirroredObject?
        var isMissing: Bool
    }

    /// The revision of this copy; 0 before the first `reset`.
    public private(set) var revision: UInt64 = 0
    private(set) var entries: [Entry] = []
    /// The entries in the last reported order; nil while the order is unchanged.
    private var reported: [Entry]?
    /// The keys of entries with new content that was not reported yet.
    private var changed: Set<UInt64> = []
    /// The range of sections outside of which nothing is missing or changed.
    private var touched = 0..<0
    private var missingCount = 0
    private var nextKey: UInt64 = 0
    private var isFresh = true

    /// Makes an empty mirror; call `reset` to fill it.
    public init() {}

    /// The number of sections.
    public var count: Int { entries.count }

    /// Whether all content has been read.
    public var isComplete: Bool { missingCount == 0 }

    /// The object of a section; nil past the end and while its content is missing.
    public func object(at section: Int) -> MirroredObject? {
        entries.indices.contains(section) ? entries[section].object : nil
    }

    /// All objects in order; nil for content that was not read yet.
    public var objects: [MirroredObject?] { entries.map(\.object) }

    /// The first run of sections whose content must be read.
    public var missing: IndexRun? {
        guard missingCount > 0, let first = entries[touched].firstIndex(where: \.isMissing) else { return nil }
        var end = first
        while end < entries.count, entries[end].isMissing { end += 1 }
        return IndexRun(first: first, count: end - first)
    }

    /// Restarts with a list of `total` sections at a revision; all content is missing.
    public mutating func reset(revision: UInt64, total: Int) {
        self.revision = revision
        entries = (0..<total).map { _ in makeEntry() }
        missingCount = total
        forgetChanges()
        touched = entries.indices
        isFresh = true
    }

    /// Applies an `Updated` signal or a batch of `GetChanges`, by the contract's rule for clients.
    public mutating func apply(_ update: Update) -> Step {
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

    /// Applies an answer of `GetObjects` for a range.
    ///
    /// An answer with another revision than the mirror's does not fit and asks to catch up.
    public mutating func fill(from offset: Int, objects: [MirroredObject], revision answered: UInt64) -> Step {
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

    /// The changes since the last call, to be applied one by one, once all content has been read; nil while some is
    /// missing.
    ///
    /// After a `reset` the only change is `.replaced`.
    /// - Complexity: O(changes) while only content changed, else O(count + m log m) for the m sections between the
    ///   first and the last that moved.
    public mutating func consumeChanges() -> [MirrorChange]? {
        guard isComplete else { return nil }
        defer {
            forgetChanges()
            isFresh = false
        }
        if isFresh { return [.replaced(count: entries.count)] }
        let order = changesOfOrder()
        return order + changesOfContent()
    }

    private mutating func forgetChanges() {
        reported = nil
        changed = []
        touched = 0..<0
    }

    private mutating func changesOfOrder() -> [MirrorChange] {
        guard let reported else { return [] }
        let script = ArrayScript(from: reported.map(\.key), to: entries.map(\.key))
        return script.steps.compactMap { step in
            switch step {
            case .delete(let section): return .deleted(section: section, object: reported[section].object)
            case .insert(let section, let target):
                // A new element has no earlier content to compare with.
                changed.remove(entries[target].key)
                return entries[target].object.map { .inserted(section: section, object: $0) }
            case .move(let from, let to, let target):
                return entries[target].object.map { .moved(from: from, to: to, object: $0) }
            }
        }
    }

    private func changesOfContent() -> [MirrorChange] {
        guard !changed.isEmpty else { return [] }
        return touched.compactMap { section in
            guard changed.contains(entries[section].key) else { return nil }
            return entries[section].object.map { .updated(section: section, object: $0) }
        }
    }

    private mutating func advance(by update: Update) throws(BatchMismatch) {
        for run in update.sections.deletes + update.sections.reloads where run.range.upperBound > entries.count {
            throw BatchMismatch(message: "section \(run.range.upperBound - 1) of \(entries.count) is not there")
        }
        if update.sections.keepsOrder {
            try refresh(by: update)
        } else {
            try reorder(by: update)
        }
        revision = update.revision
    }

    /// Applies new content where the order stays.
    private mutating func refresh(by update: Update) throws(BatchMismatch) {
        try Self.check(update.sectionCount, entries.count)
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
        let arrival = Entry(key: 0, object: nil, isMissing: true)
        var new = try old.applying(update.sections, placeholder: arrival)
        try Self.check(update.sectionCount, new.count)
        var key = nextKey
        for section in update.sections.inserts.flatMap(\.range) {
            key += 1
            new[section].key = key
        }
        let refreshed = Self.refreshed(by: update, old: old, new: new)
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

    private static func check(_ expected: Int?, _ count: Int) throws(BatchMismatch) {
        guard let expected, expected != count else { return }
        throw BatchMismatch(message: "\(count) sections instead of \(expected)")
    }

    /// The entries with new content: reloaded sections, and sections that stay and have item changes.
    private static func refreshed(by update: Update, old: [Entry], new: [Entry]) -> Set<UInt64> {
        var keys = Set(update.sections.reloads.flatMap(\.range).map { old[$0].key })
        for section in update.items.oldSections where old.indices.contains(section) { keys.insert(old[section].key) }
        for section in update.items.newSections where new.indices.contains(section) { keys.insert(new[section].key) }
        return keys
    }

    private mutating func makeEntry() -> Entry {
        nextKey += 1
        return Entry(key: nextKey, object: nil, isMissing: true)
    }
}
