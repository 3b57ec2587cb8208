// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The sorted entries of a directory as objects of a list. It computes the changes to send to the list.
///
/// An object keeps its identifier when its entry is renamed. The identifier is the first name of the entry, with a
/// number appended if another entry has this identifier already. When a file is moved over another one, as editors
/// do to save it, the object of the replaced file stays and is updated. The class makes no system calls: the state
/// of the file system is passed in.
///
/// The entries below a directory come directly after the directory, and move with it.
///
/// Complexity: a change costs O(log n) comparisons for each affected entry, and moves O(n) pointers.
final class DirectoryListing {
    /// An entry with its identifier, sort key and heading.
    final class Place {
        let id: String
        /// The identifier, compared byte by byte as the file system compares names.
        var key: ExactText { ExactText(id) }
        private(set) var entry: FileEntry { didSet { order = EntryOrder(entry) } }
        private(set) var order: EntryOrder
        private(set) var heading: String?

        init(id: String, entry: FileEntry) {
            self.id = id
            self.entry = entry
            order = EntryOrder(entry)
        }

        func replaceEntry(with entry: FileEntry) { self.entry = entry }

        func move(from old: EntryPath, to new: EntryPath) { entry.move(from: old, to: new) }

        func setHeading(_ heading: String?) { self.heading = heading }
    }

    /// The changes to send to a list.
    struct Changes {
        var removed: [String] = []
        var upserts: [UpdateRequest.Upsert] = []

        var isEmpty: Bool { removed.isEmpty && upserts.isEmpty }
    }

    private var places: [Place] = []
    private var byPath: [EntryPath: Place] = [:]
    private var ids: Set<ExactText> = []
    private var headed: [Place] = []
    private let isRecursive: Bool

    /// A listing without entries, of one directory or of a tree.
    init(isRecursive: Bool = false) { self.isRecursive = isRecursive }

    /// The number of entries.
    var count: Int { places.count }

    /// The entries in the order of the list.
    var entries: [FileEntry] { places.map(\.entry) }

    /// Returns a renewal that replaces all entries. Pass it to ``apply(_:)`` when it is complete.
    ///
    /// An entry keeps the identifier of its path. An entry under a new path keeps the identifier of its inode, if
    /// the old path of that inode is gone.
    func renewal(with entries: [FileEntry]) -> ListingRenewal { ListingRenewal(entries, replacing: byPath) }

    /// Replaces all entries by those of a complete renewal. The listing must not have changed since
    /// ``renewal(with:)`` created it.
    func apply(_ renewal: ListingRenewal) {
        byPath = renewal.byPath
        ids = renewal.ids
        places = renewal.places
        _ = updateHeadings()
    }

    /// Appends objects that `objects` lacks, at least one, until the time `end`. Returns `true` when `objects` has
    /// the objects of all entries.
    func appendObjects(to objects: inout [ListObject], until end: ContinuousClock.Instant) throws(ListError) -> Bool {
        objects.reserveCapacity(places.count)
        while objects.count < places.count {
            objects.append(try object(of: places[objects.count]))
            if ContinuousClock.now >= end { break }
        }
        return objects.count == places.count
    }

    private func object(of place: Place) throws(ListError) -> ListObject {
        try place.entry.object(id: place.id, heading: place.heading, isRecursive: isRecursive)
    }

    /// Applies renames and new attributes of entries, and returns the changes to send to the list.
    ///
    /// - Parameters:
    ///   - renames: The renames in the order in which they happened.
    ///   - statuses: The present attributes of the touched paths, including both paths of each rename; `nil` if the
    ///     path has no entry any more. A new directory comes with all entries below it.
    func apply(renames: [PendingChanges.Rename], statuses: [EntryPath: FileEntry?]) throws(ListError) -> Changes {
        var draft = Draft()
        for rename in renames { apply(rename, to: &draft) }
        // Shorter paths first: a directory before its entries.
        for (path, status) in statuses.sorted(by: { $0.key.bytes.count < $1.key.bytes.count }) {
            apply(status, at: path, to: &draft)
        }
        for place in updateHeadings() { draft.changed[place.key] = place }
        return try changes(of: draft)
    }

    // MARK: Applying changes

    private struct Draft {
        var removed: Set<ExactText> = []
        var changed: [ExactText: Place] = [:]
        /// The identifiers of entries that are new or have moved.
        var placed: Set<ExactText> = []
    }

    private func apply(_ rename: PendingChanges.Rename, to draft: inout Draft) {
        guard rename.from != rename.to, let place = byPath[rename.from] else { return }
        if let other = byPath[rename.to] {
            // When a file is moved over another one, the object of the replaced file stays and is updated. Only an
            // empty directory can be replaced by another directory.
            let replaced = place.entry.kind == .directory ? other : place
            remove(range(of: replaced), into: &draft)
            if replaced === place { return }
        }
        move(place, from: rename.from, to: rename.to, into: &draft)
    }

    private func apply(_ status: FileEntry?, at path: EntryPath, to draft: inout Draft) {
        switch (byPath[path], status) {
        case (nil, nil):
            break
        case (let place?, nil):
            remove(range(of: place), into: &draft)
        case (let place?, let entry?):
            let isSame = entry.kind == .directory && entry.identity == place.entry.identity
            if place.entry.kind == .directory, !isSame { remove(range(of: place).dropFirst(), into: &draft) }
            if place.entry != entry { replaceEntry(of: place, with: entry, in: &draft) }
        case (nil, let entry?):
            let place = Place(id: Self.newID(for: path, among: &ids), entry: entry)
            byPath[path] = place
            places.insert(place, at: index(of: place.order))
            draft.removed.remove(place.key)
            draft.changed[place.key] = place
            draft.placed.insert(place.key)
        }
    }

    private func remove(_ range: Range<Int>, into draft: inout Draft) {
        for place in places[range] {
            byPath[place.entry.path] = nil
            ids.remove(place.key)
            draft.changed[place.key] = nil
            draft.placed.remove(place.key)
            draft.removed.insert(place.key)
        }
        places.removeSubrange(range)
    }

    /// Moves an entry, and all entries below it, to another path.
    private func move(_ place: Place, from old: EntryPath, to new: EntryPath, into draft: inout Draft) {
        let range = range(of: place)
        let moved = Array(places[range])
        places.removeSubrange(range)
        for place in moved {
            byPath[place.entry.path] = nil
            place.move(from: old, to: new)
            byPath[place.entry.path] = place
            draft.changed[place.key] = place
            draft.placed.insert(place.key)
        }
        places.insert(contentsOf: moved, at: index(of: place.order))
    }

    /// Replaces the attributes of an entry whose path stays the same.
    private func replaceEntry(of place: Place, with entry: FileEntry, in draft: inout Draft) {
        let old = place.order
        let index = index(of: old)
        place.replaceEntry(with: entry)
        if old != place.order {
            places.remove(at: index)
            places.insert(place, at: self.index(of: place.order))
            draft.placed.insert(place.key)
        }
        draft.changed[place.key] = place
    }

    /// Returns the indexes of an entry and of all entries below it.
    private func range(of place: Place) -> Range<Int> {
        let start = index(of: place.order)
        guard place.entry.kind == .directory, isRecursive else { return start..<start + 1 }
        let below = places[(start + 1)...].prefix { $0.entry.path.isBelow(place.entry.path) }
        return start..<below.endIndex
    }

    /// Returns the index of the entry with this sort key, or the index at which to insert it.
    private func index(of order: EntryOrder) -> Int { partitionIndex { $0.order < order } }

    /// Returns the number of leading places that fulfil `isBefore`, by binary search.
    private func partitionIndex(where isBefore: (Place) -> Bool) -> Int {
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(places[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns an identifier that no other entry has, and inserts it into `ids`.
    static func newID(for path: EntryPath, among ids: inout Set<ExactText>) -> String {
        // One string for both, so that the set and the place share its storage.
        let text = path.text
        if ids.insert(ExactText(text)).inserted { return text }
        var number = 2
        while !ids.insert(ExactText("\(text)#\(number)")).inserted { number += 1 }
        return "\(text)#\(number)"
    }

    // MARK: Headings

    /// Updates the headings and returns the places whose heading changed.
    private func updateHeadings() -> [Place] {
        let wanted = wantedHeadings()
        var changed = headed.filter { place in !wanted.contains { $0.place === place } }
        for place in changed { place.setHeading(nil) }
        for (place, heading) in wanted where place.heading != heading {
            place.setHeading(heading)
            changed.append(place)
        }
        headed = wanted.map(\.place)
        return changed.filter { byPath[$0.entry.path] === $0 }
    }

    /// Returns the headings and their places: the first directory and the first other entry, if there are
    /// directories.
    private func wantedHeadings() -> [(place: Place, heading: String)] {
        guard !isRecursive, let first = places.first, first.entry.kind == .directory else { return [] }
        let other = partitionIndex { $0.entry.kind == .directory }
        guard other < places.count else { return [(first, "Directories")] }
        return [(first, "Directories"), (places[other], "Files")]
    }

    // MARK: Resulting changes

    private func changes(of draft: Draft) throws(ListError) -> Changes {
        var changes = Changes()
        changes.removed = draft.removed.map(\.text).sorted()
        for place in draft.changed.values.sorted(by: { $0.order < $1.order }) where byPath[place.entry.path] === place {
            let object = try object(of: place)
            changes.upserts.append(UpdateRequest.Upsert(object, position: position(of: place, in: draft)))
        }
        return changes
    }

    private func position(of place: Place, in draft: Draft) -> UpdateRequest.Position {
        guard draft.placed.contains(place.key) else { return .keep }
        let index = index(of: place.order)
        return index == 0 ? .first : .after(places[index - 1].id)
    }
}

/// Creates the objects of a whole listing piece by piece. The listing must not change meanwhile.
final class ListingDescription {
    private(set) var objects: [ListObject] = []
    private let listing: DirectoryListing

    /// Starts without objects.
    init(of listing: DirectoryListing) { self.listing = listing }

    /// Creates objects until `end`, at least one. Returns `true` when all are created.
    func proceed(until end: ContinuousClock.Instant) throws(ListError) -> Bool {
        try listing.appendObjects(to: &objects, until: end)
    }
}

/// Builds the new content of a ``DirectoryListing`` from a reading of the whole directory, piece by piece. The
/// listing stays unchanged until the renewal is complete and applied.
///
/// Complexity: O(n log n) comparisons in all. A piece is one entry, or the sorting of one short run.
final class ListingRenewal {
    typealias Place = DirectoryListing.Place

    /// The passes over the new entries or the old places, in their order.
    private enum Stage {
        /// Collects the paths of the new entries.
        case seeing
        /// Finds the old places whose path is gone. Their identifiers go to entries with the same inode.
        case missing
        /// Adds the entries that keep an identifier.
        case keeping
        /// Adds the other entries, with new identifiers.
        case naming
        case merging
    }

    private(set) var byPath: [EntryPath: Place] = [:]
    private(set) var ids: Set<ExactText> = []
    /// All places in order, once the renewal is complete.
    var places: [Place] { sorted.places }
    private let entries: [FileEntry]
    private let old: [EntryPath: Place]
    private let oldPlaces: [Place]
    private var present: Set<EntryPath> = []
    private var moved: [FileEntry.Identity: String] = [:]
    private var unnamed: [FileEntry] = []
    private var stage: Stage
    private var next = 0
    private var sorted = SortedPlaces()

    /// Prepares a renewal; ``proceed(until:)`` does the work.
    ///
    /// - Parameter old: The places of the listing, which must not change until the renewal is complete.
    init(_ entries: [FileEntry], replacing old: [EntryPath: Place]) {
        self.entries = entries
        self.old = old
        oldPlaces = Array(old.values)
        stage = old.isEmpty ? .keeping : .seeing
    }

    /// Works until `end`, for at least one piece. Returns `true` when the renewal is complete.
    func proceed(until end: ContinuousClock.Instant) -> Bool {
        repeat {
            if !step() { return true }
        } while ContinuousClock.now < end
        return false
    }

    /// Does one piece of work. Returns `false` if none is left.
    private func step() -> Bool {
        switch stage {
        case .seeing:
            guard let entry = nextElement(of: entries) else { return enter(.missing) }
            present.insert(entry.path)
        case .missing:
            guard let place = nextElement(of: oldPlaces) else { return enter(.keeping) }
            let identity = place.entry.identity
            if !present.contains(place.entry.path), moved[identity] == nil { moved[identity] = place.id }
        case .keeping:
            guard let entry = nextElement(of: entries) else { return enter(.naming) }
            if let id = old[entry.path]?.id ?? moved[entry.identity], ids.insert(ExactText(id)).inserted {
                add(Place(id: id, entry: entry))
            } else {
                unnamed.append(entry)
            }
        case .naming:
            guard let entry = nextElement(of: unnamed) else {
                sorted.finish()
                return enter(.merging)
            }
            add(Place(id: DirectoryListing.newID(for: entry.path, among: &ids), entry: entry))
        case .merging:
            return sorted.mergeNext()
        }
        return true
    }

    /// Begins a stage. Returns `true`, because there is work left.
    private func enter(_ stage: Stage) -> Bool {
        self.stage = stage
        next = 0
        return true
    }

    private func nextElement<Element>(of all: [Element]) -> Element? {
        guard next < all.count else { return nil }
        defer { next += 1 }
        return all[next]
    }

    private func add(_ place: Place) {
        // An entry that was read twice is listed once.
        guard byPath[place.entry.path] == nil else { return }
        byPath[place.entry.path] = place
        sorted.add(place)
    }
}

/// Sorts the places of a listing in small pieces: short runs are sorted as they fill up, and then merged place by
/// place.
struct SortedPlaces {
    typealias Place = DirectoryListing.Place

    /// The merge of two sorted runs into one.
    private struct Merge {
        let first: [Place]
        let second: [Place]
        private(set) var result: [Place] = []
        private var (firstIndex, secondIndex) = (0, 0)

        init(_ first: [Place], _ second: [Place]) {
            self.first = first
            self.second = second
            result.reserveCapacity(first.count + second.count)
        }

        /// Appends the next place of either run to the result. Returns `false` if both runs are used up.
        mutating func appendNext() -> Bool {
            if secondIndex < second.count,
                firstIndex == first.count || second[secondIndex].order < first[firstIndex].order
            {
                result.append(second[secondIndex])
                secondIndex += 1
            } else if firstIndex < first.count {
                result.append(first[firstIndex])
                firstIndex += 1
            } else {
                return false
            }
            return true
        }
    }

    private static let runLength = 1024

    private var run: [Place] = []
    private var runs: [[Place]] = []
    private var merge: Merge?

    /// All places in order, once all runs are merged.
    var places: [Place] { runs.first ?? [] }

    /// Adds a place. Every ``runLength`` places are sorted as a run.
    mutating func add(_ place: Place) {
        run.append(place)
        if run.count == Self.runLength { finish() }
    }

    /// Sorts the last, incomplete run after all places were added.
    mutating func finish() {
        runs.append(run.sorted { $0.order < $1.order })
        run = []
    }

    /// Merges one place. Returns `false` when all places are in order. The oldest runs are merged first, so that
    /// the runs grow evenly.
    mutating func mergeNext() -> Bool {
        if merge == nil {
            guard runs.count > 1 else { return false }
            merge = Merge(runs.removeFirst(), runs.removeFirst())
        }
        if merge?.appendNext() == false {
            runs.append(merge?.result ?? [])
            merge = nil
        }
        return true
    }
}

/// The sort key of an entry. A directory comes before the entries below it. In each directory, subdirectories come
/// first, then names are compared without regard to case.
struct EntryOrder: Comparable, Hashable, Sendable {
    /// For each name of the path: 1 for a directory or 2 for another entry, the lowercased name and the name
    /// itself, each of the two ended by NUL, which no name contains.
    private let key: [UInt8]

    init(_ entry: FileEntry) {
        var key: [UInt8] = []
        let names = entry.path.components
        // Every entry keeps such a key. An array that grows by appending could take twice the memory that it needs.
        key.reserveCapacity(2 * entry.path.bytes.count + 2 + names.count)
        for (index, name) in names.enumerated() {
            key.append(index + 1 < names.count || entry.kind == .directory ? 1 : 2)
            key += String(decoding: name, as: UTF8.self).lowercased().utf8
            key.append(0)
            key += name
            key.append(0)
        }
        self.key = key
    }

    static func < (lhs: EntryOrder, rhs: EntryOrder) -> Bool { lhs.key.lexicographicallyPrecedes(rhs.key) }
}
