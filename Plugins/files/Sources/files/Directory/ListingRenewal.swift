// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// A new reading of a directory that is put into a listing piece by piece; the listing is unchanged until the reading
/// is complete.
///
/// Complexity: O(n log n) comparisons in all; one piece is as little as one entry, or a run of them that is sorted.
final class ListingRenewal {
    typealias Place = DirectoryListing.Place

    /// What is done with one entry or place after another, in this order.
    private enum Stage {
        /// Which paths there are.
        case seeing
        /// Which of the places known before are gone, so that their identifiers go where their inodes are.
        case missing
        /// Entries that keep an identifier.
        case keeping
        /// Entries that get a new one.
        case naming
        case merging
    }

    private(set) var byPath: [EntryPath: Place] = [:]
    private(set) var ids: Set<ExactText> = []
    /// All places in order, when everything is done.
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

    /// Nothing is done yet.
    ///
    /// - Parameter old: the places of the listing, which does not change until this is done.
    init(_ entries: [FileEntry], replacing old: [EntryPath: Place]) {
        self.entries = entries
        self.old = old
        oldPlaces = Array(old.values)
        stage = old.isEmpty ? .keeping : .seeing
    }

    /// Goes on until a time, a piece at least; true = everything is done.
    func proceed(until end: ContinuousClock.Instant) -> Bool {
        repeat {
            if !step() { return true }
        } while ContinuousClock.now < end
        return false
    }

    /// Does one piece; false = there is none.
    private func step() -> Bool {
        switch stage {
        case .seeing:
            guard let entry = next(from: entries) else { return enter(.missing) }
            present.insert(entry.path)
        case .missing:
            guard let place = next(from: oldPlaces) else { return enter(.keeping) }
            let identity = place.entry.identity
            if !present.contains(place.entry.path), moved[identity] == nil { moved[identity] = place.id }
        case .keeping:
            guard let entry = next(from: entries) else { return enter(.naming) }
            if let id = old[entry.path]?.id ?? moved[entry.identity], ids.insert(ExactText(id)).inserted {
                add(Place(id: id, entry: entry))
            } else {
                unnamed.append(entry)
            }
        case .naming:
            guard let entry = next(from: unnamed) else {
                sorted.finish()
                return enter(.merging)
            }
            add(Place(id: DirectoryListing.newID(for: entry.path, among: &ids), entry: entry))
        case .merging:
            return sorted.mergeNext()
        }
        return true
    }

    private func enter(_ stage: Stage) -> Bool {
        self.stage = stage
        next = 0
        return true
    }

    private func next<Element>(from all: [Element]) -> Element? {
        guard next < all.count else { return nil }
        defer { next += 1 }
        return all[next]
    }

    private func add(_ place: Place) {
        // Nothing is listed twice.
        guard byPath[place.entry.path] == nil else { return }
        byPath[place.entry.path] = place
        sorted.add(place)
    }
}
