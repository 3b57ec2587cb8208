// SPDX-License-Identifier: Apache-2.0

/// Puts the places of a listing in order in small pieces: short runs are sorted as they fill, then merged place by place.
struct SortedPlaces {
    typealias Place = DirectoryListing.Place

    /// Two sorted runs that become one.
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

    private var run: [Place] = []
    private var runs: [[Place]] = []
    private var merge: Merge?

    /// All places in order, once everything is merged.
    var places: [Place] { runs.first ?? [] }

    /// Adds a place; one of ``runLength`` sorts a run.
    mutating func add(_ place: Place) {
        run.append(place)
        if run.count == Self.runLength { finish() }
    }

    /// Sorts the last run: no place is added any more.
    mutating func finish() {
        runs.append(run.sorted { $0.order < $1.order })
        run = []
    }

    /// Merges one place; false when all are in order. The oldest runs come first, so that all grow evenly.
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
