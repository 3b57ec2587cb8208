internal import PluginAPI

/// The entries of a directory as objects in order, and what changes in them.
///
/// An object keeps its identifier through renames: at first it is the entry's name, with a number where that is taken by
/// another entry that once had the name. A file that is written anew and moved over the old one, as editors do, counts as
/// a change of the old one. Pure: it is told what the file system says, and answers values.
///
/// Complexity: a change costs O(log n) comparisons and moves O(n) pointers.
final class DirectoryListing {
    /// An entry in its place.
    private final class Place {
        let id: String
        var entry: FileEntry { didSet { order = EntryOrder(entry) } }
        private(set) var order: EntryOrder
        var heading: String?

        init(id: String, entry: FileEntry) {
            self.id = id
            self.entry = entry
            order = EntryOrder(entry)
        }
    }

    /// What a list has to be told.
    struct Changes {
        var removed: [String] = []
        var upserts: [UpdateRequest.Upsert] = []

        var isEmpty: Bool { removed.isEmpty && upserts.isEmpty }
    }

    private var places: [Place] = []
    private var byName: [FileName: Place] = [:]
    private var ids: Set<String> = []
    private var headed: [Place] = []

    /// The entries in the order of the list.
    var entries: [FileEntry] { places.map(\.entry) }

    /// Takes the whole directory anew and answers the whole list.
    ///
    /// Entries known by name keep their identifiers, and so do those that come under another name with the same inode,
    /// as long as their old name is gone.
    func replace(with entries: [FileEntry]) throws(ListError) -> [ListObject] {
        let old = byName
        var left = old
        for entry in entries { left[entry.name] = nil }
        let moved = Dictionary(left.values.map { ($0.entry.identity, $0.id) }, uniquingKeysWith: { first, _ in first })
        ids = []
        byName = [:]
        var unnamed: [FileEntry] = []
        for entry in entries {
            guard let id = old[entry.name]?.id ?? moved[entry.identity], ids.insert(id).inserted else {
                unnamed.append(entry)
                continue
            }
            byName[entry.name] = Place(id: id, entry: entry)
        }
        for entry in unnamed { byName[entry.name] = Place(id: newID(for: entry.name), entry: entry) }
        places = byName.values.sorted { $0.order < $1.order }
        _ = updateHeadings()
        return try objects()
    }

    /// The whole list as objects.
    func objects() throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        objects.reserveCapacity(places.count)
        for place in places { objects.append(try place.entry.object(id: place.id, heading: place.heading)) }
        return objects
    }

    /// Takes what changed.
    ///
    /// - Parameters:
    ///   - renames: in the order in which they happened.
    ///   - statuses: the touched names, among them both of each rename, as they are now; `nil` = no such entry.
    func apply(renames: [PendingChanges.Rename], statuses: [FileName: FileEntry?]) throws(ListError) -> Changes {
        var draft = Draft()
        for rename in renames { take(rename, into: &draft) }
        for (name, status) in statuses { take(status, named: name, into: &draft) }
        for place in updateHeadings() { draft.changed[place.id] = place }
        return try changes(of: draft)
    }

    // MARK: Taking changes

    private struct Draft {
        var removed: Set<String> = []
        var changed: [String: Place] = [:]
        /// The identifiers of those that are new or stand elsewhere.
        var placed: Set<String> = []
    }

    private func take(_ rename: PendingChanges.Rename, into draft: inout Draft) {
        guard rename.from != rename.to, let place = byName[rename.from] else { return }
        guard byName[rename.to] == nil else {
            // Moved over another: that one stays and is looked at again.
            remove(place, into: &draft)
            return
        }
        var entry = place.entry
        entry.name = rename.to
        put(place, entry, into: &draft)
    }

    private func take(_ status: FileEntry?, named name: FileName, into draft: inout Draft) {
        switch (byName[name], status) {
        case (nil, nil):
            break
        case (let place?, nil):
            remove(place, into: &draft)
        case (let place?, let entry?):
            if place.entry != entry { put(place, entry, into: &draft) }
        case (nil, let entry?):
            let place = Place(id: newID(for: name), entry: entry)
            byName[name] = place
            places.insert(place, at: index(of: place.order))
            draft.removed.remove(place.id)
            draft.changed[place.id] = place
            draft.placed.insert(place.id)
        }
    }

    private func remove(_ place: Place, into draft: inout Draft) {
        byName[place.entry.name] = nil
        places.remove(at: index(of: place.order))
        ids.remove(place.id)
        draft.changed[place.id] = nil
        draft.placed.remove(place.id)
        draft.removed.insert(place.id)
    }

    private func put(_ place: Place, _ entry: FileEntry, into draft: inout Draft) {
        let old = (name: place.entry.name, order: place.order)
        let index = index(of: old.order)
        place.entry = entry
        if old.name != entry.name {
            byName[old.name] = nil
            byName[entry.name] = place
        }
        if old.order != place.order {
            places.remove(at: index)
            places.insert(place, at: self.index(of: place.order))
            draft.placed.insert(place.id)
        }
        draft.changed[place.id] = place
    }

    /// Where an entry stands, or would stand.
    private func index(of order: EntryOrder) -> Int { partitionIndex { $0.order < order } }

    /// How many places come first for which `isBefore` holds.
    private func partitionIndex(where isBefore: (Place) -> Bool) -> Int {
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(places[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func newID(for name: FileName) -> String {
        if ids.insert(name.text).inserted { return name.text }
        var number = 2
        while !ids.insert("\(name.text)#\(number)").inserted { number += 1 }
        return "\(name.text)#\(number)"
    }

    // MARK: Headings

    /// Puts the headings where they belong and answers the places that gained or lost one.
    private func updateHeadings() -> [Place] {
        let wanted = wantedHeadings()
        var changed = headed.filter { place in !wanted.contains { $0.place === place } }
        for place in changed { place.heading = nil }
        for (place, heading) in wanted where place.heading != heading {
            place.heading = heading
            changed.append(place)
        }
        headed = wanted.map(\.place)
        return changed.filter { byName[$0.entry.name] === $0 }
    }

    /// One over the first directory, and then one over the first other entry.
    private func wantedHeadings() -> [(place: Place, heading: String)] {
        guard let first = places.first, first.entry.kind == .directory else { return [] }
        let other = partitionIndex { $0.entry.kind == .directory }
        guard other < places.count else { return [(first, "Directories")] }
        return [(first, "Directories"), (places[other], "Files")]
    }

    // MARK: Answering

    private func changes(of draft: Draft) throws(ListError) -> Changes {
        var changes = Changes()
        changes.removed = draft.removed.sorted()
        for place in draft.changed.values.sorted(by: { $0.order < $1.order }) where byName[place.entry.name] === place {
            let object = try place.entry.object(id: place.id, heading: place.heading)
            changes.upserts.append(UpdateRequest.Upsert(object, position: position(of: place, in: draft)))
        }
        return changes
    }

    private func position(of place: Place, in draft: Draft) -> UpdateRequest.Position {
        guard draft.placed.contains(place.id) else { return .keep }
        let index = index(of: place.order)
        return index == 0 ? .first : .after(places[index - 1].id)
    }
}
