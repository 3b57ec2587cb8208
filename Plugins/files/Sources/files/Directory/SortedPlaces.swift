// SPDX-License-Identifier: Apache-2.0

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
