// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The whole of a directory on its way into a listing, piece by piece; the listing is what it was until all is in order.
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

    /// Two runs that become one.
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

        /// Appends the next place of the two; false = there is none.
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

    private(set) var byPath: [EntryPath: Place] = [:]
    private(set) var ids: Set<ExactText> = []
    /// All places in order, when everything is done.
    var places: [Place] { runs.first ?? [] }
    private let entries: [FileEntry]
    private let old: [EntryPath: Place]
    private let oldPlaces: [Place]
    private var present: Set<EntryPath> = []
    private var moved: [FileEntry.Identity: String] = [:]
    private var unnamed: [FileEntry] = []
    private var stage: Stage
    private var next = 0
    private var run: [Place] = []
    private var runs: [[Place]] = []
    private var merge: Merge?

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
                sortRun()
                return enter(.merging)
            }
            add(Place(id: DirectoryListing.newID(for: entry.path, among: &ids), entry: entry))
        case .merging:
            return mergeOne()
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
        run.append(place)
        if run.count == Self.runLength { sortRun() }
    }

    private func sortRun() {
        runs.append(run.sorted { $0.order < $1.order })
        run = []
    }

    /// The oldest runs first, so that all grow evenly.
    private func mergeOne() -> Bool {
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
