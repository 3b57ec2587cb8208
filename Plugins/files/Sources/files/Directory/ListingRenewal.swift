// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

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
