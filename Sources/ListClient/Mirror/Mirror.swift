/// A copy of a list that follows the daemon's `Updated` signals: pure, so that every rule is tested without a bus.
///
/// Updates carry positions only; what they bring in is *missing* until `fill` supplies it. The owner of a mirror reads
/// `missing` after each input and asks the daemon for that range.
public struct Mirror: Sendable {
    /// What an input asks of the owner.
    public enum Step: Sendable, Equatable {
        /// Nothing: already known, or applied.
        case none
        /// A signal was lost: ask `GetChanges` since this revision.
        case catchUp(since: UInt64)
        /// Nothing of this copy is good any more: read everything anew.
        case readAll
    }

    struct Entry: Sendable {
        /// Names the entry in changes that wait for its content; never used twice.
        var key: UInt64
        var object: MirroredObject?
        var isMissing: Bool
    }

    /// The revision this copy is at; 0 before the first `reset`.
    public private(set) var revision: UInt64 = 0
    private(set) var entries: [Entry] = []
    private var pending: [PendingChange] = []
    private var missingCount = 0
    private var nextKey: UInt64 = 0
    private var isFresh = true

    /// Makes an empty mirror that has yet to be `reset`.
    public init() {}

    /// How many sections the list has.
    public var count: Int { entries.count }

    /// Whether all content is here.
    public var isComplete: Bool { missingCount == 0 }

    /// The object at a section; nil past the end and while its content is missing.
    public func object(at section: Int) -> MirroredObject? {
        entries.indices.contains(section) ? entries[section].object : nil
    }

    /// All objects in order; nil stands for content that is not here yet.
    public var objects: [MirroredObject?] { entries.map(\.object) }

    /// The first neighbouring sections whose content is to be read.
    public var missing: IndexRun? {
        guard missingCount > 0, let first = entries.firstIndex(where: \.isMissing) else { return nil }
        var end = first
        while end < entries.count, entries[end].isMissing { end += 1 }
        return IndexRun(first: first, count: end - first)
    }

    /// Begins anew with a list of `total` sections at a revision; all content is missing.
    public mutating func reset(revision: UInt64, total: Int) {
        self.revision = revision
        entries = (0..<total).map { _ in makeEntry() }
        missingCount = total
        pending = []
        isFresh = true
    }

    /// Takes in an `Updated` signal or a batch of `GetChanges`, by the contract's client rule.
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

    /// Puts in what `GetObjects` answered for a range.
    ///
    /// An answer of another revision than the mirror's does not fit and asks to catch up.
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

    /// What happened since the last call, once all content is here; nil while some is missing.
    ///
    /// After a `reset` the one event is `.replaced`.
    public mutating func takeChanges() -> [MirrorChange]? {
        guard isComplete else { return nil }
        defer {
            pending = []
            isFresh = false
        }
        if isFresh { return [.replaced(count: entries.count)] }
        guard !pending.isEmpty else { return [] }
        var objects: [UInt64: MirroredObject] = [:]
        for entry in entries { objects[entry.key] = entry.object }
        return pending.compactMap { $0.resolved(objects) }
    }

    private mutating func advance(by update: Update) throws(BatchMismatch) {
        for run in update.sections.deletes + update.sections.reloads where run.range.upperBound > entries.count {
            throw BatchMismatch(message: "section \(run.range.upperBound - 1) of \(entries.count) is not there")
        }
        let old = entries
        let arrival = Entry(key: 0, object: nil, isMissing: true)
        var new = try old.applying(update.sections, placeholder: arrival)
        var changes: [PendingChange] = []
        for section in update.sections.deletes.flatMap(\.range) {
            changes.append(.deleted(section: section, object: old[section].object, key: old[section].key))
        }
        var key = nextKey
        for section in update.sections.inserts.flatMap(\.range) {
            key += 1
            new[section].key = key
            changes.append(.inserted(section: section, key: key))
        }
        for move in update.sections.moves {
            changes.append(.moved(from: move.from, to: move.to, key: new[move.to].key))
        }
        let refreshed = Self.refreshed(by: update, old: old, new: new)
        if !refreshed.isEmpty {
            for section in new.indices where refreshed.contains(new[section].key) {
                new[section].isMissing = true
                changes.append(.updated(section: section, key: new[section].key))
            }
        }
        if let expected = update.sectionCount, expected != new.count {
            throw BatchMismatch(message: "\(new.count) sections instead of \(expected)")
        }
        nextKey = key
        entries = new
        missingCount = new.reduce(into: 0) { $0 += $1.isMissing ? 1 : 0 }
        pending += changes
        revision = update.revision
    }

    /// The entries with new content: reloaded sections, and sections that stay and have item changes.
    private static func refreshed(by update: Update, old: [Entry], new: [Entry]) -> Set<UInt64> {
        var keys = Set(update.sections.reloads.flatMap(\.range).map { old[$0].key })
        let before = update.items.deletes + update.items.reloads + update.items.moves.map(\.from)
        for path in before where old.indices.contains(path.section) { keys.insert(old[path.section].key) }
        let after = update.items.inserts + update.items.moves.map(\.to)
        for path in after where new.indices.contains(path.section) { keys.insert(new[path.section].key) }
        return keys
    }

    private mutating func makeEntry() -> Entry {
        nextKey += 1
        return Entry(key: nextKey, object: nil, isMissing: true)
    }
}
