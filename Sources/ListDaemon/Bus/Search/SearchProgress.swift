// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// The progress of a search in a list that changes during the search.
///
/// It tracks the sections that were not examined since they were inserted or changed, and maps them through each
/// transaction. So the match is the first one at its revision, and an update costs the search only what it changed.
/// The largest unexamined range is examined first, because a list that changes all the time has small ones all the
/// time.
struct SearchProgress {
    /// Unexamined ranges that are at most this many sections apart are examined together: examining a section twice
    /// is cheaper than one more query.
    private static let gap = 256

    /// The first known object that contains the text.
    struct Match: Equatable {
        var index: Int
        let id: String
    }

    private let from: Int
    private let isBackwards: Bool
    /// The revision that the progress refers to.
    private(set) var revision: UInt64
    private var count: Int
    /// The ranges of sections that were not examined, ascending and disjoint, anywhere in the list.
    private var unexamined: [Range<Int>]
    /// The match so far. It is the first in the list if no section before it is unexamined.
    private(set) var match: Match?

    /// Makes the progress of a search that begins.
    ///
    /// - Parameters:
    ///   - from: the section where the search begins, included. A backward search from past the end begins at the last
    ///     section.
    ///   - count: the number of objects in the list.
    init(from: Int, isBackwards: Bool, revision: UInt64, count: Int) {
        self.from = max(0, from)
        self.isBackwards = isBackwards
        self.revision = revision
        self.count = count
        unexamined = [0..<count]
    }

    /// The sections to search: up to the match, if there is one.
    var region: Range<Int> {
        if isBackwards { return (match.map { $0.index + 1 } ?? 0)..<min(from + 1, count) }
        return min(from, count)..<(match?.index ?? count)
    }

    /// Returns the next range of sections to examine, at most `limit` long; nil if all were examined and ``match`` is
    /// the result.
    ///
    /// - Complexity: O(unexamined ranges).
    func nextRange(limit: Int) -> Range<Int>? {
        let region = region
        let pieces = unexamined.lazy.map { $0.clamped(to: region) }.filter { !$0.isEmpty }
        guard let largest = pieces.max(by: { $0.count < $1.count }) else { return nil }
        // The range is extended, because more sections around it may have changed by the time it is read.
        let length = min(limit, max(largest.count, Self.gap))
        if isBackwards {
            return max(region.lowerBound, largest.upperBound - length)..<largest.upperBound
        }
        return largest.lowerBound..<min(region.upperBound, largest.lowerBound + length)
    }

    /// Records that the sections of a range were examined, and that `found` is the first of them that contains the
    /// text.
    mutating func recordExamined(_ range: Range<Int>, match found: Match) {
        recordExamined(isBackwards ? found.index + 1..<range.upperBound : range.lowerBound..<found.index)
        guard region.contains(found.index) else { return }
        match = found
    }

    /// Records that the sections of a range were examined and do not contain the text.
    mutating func recordExamined(_ range: Range<Int>) {
        unexamined = unexamined.flatMap { part in
            guard part.overlaps(range) else { return [part] }
            return [
                part.lowerBound..<max(part.lowerBound, range.lowerBound),
                min(part.upperBound, range.upperBound)..<part.upperBound,
            ].filter { !$0.isEmpty }
        }
    }

    /// Starts again, with every section unexamined.
    mutating func restart(revision: UInt64, count: Int) {
        (self.revision, self.count, unexamined, match) = (revision, count, [0..<count], nil)
    }

    /// Maps the progress through a change of the list.
    ///
    /// - Complexity: O(n log n) for the n ranges in the transaction and the unexamined ranges.
    mutating func apply(_ transaction: Transaction) {
        guard transaction.kind == .update else {
            return restart(revision: transaction.revision, count: transaction.sectionCount)
        }
        let survivors = PositionMap(keptBy: transaction.sections)
        var changed =
            transaction.sections.inserts.map(\.range) + transaction.sections.moves.map { Int($0.new)..<Int($0.new) + 1 }
        changed += transaction.sections.reloads.compactMap { survivors.image(of: $0.range) }
        // A section with changed items may have a new version of its object.
        let items = transaction.items
        let before = (items.deletes + items.reloads + items.moves.map(\.old)).map(\.range)
        changed += before.compactMap { survivors.image(of: $0) }
        changed += (items.inserts + items.moves.map(\.new)).map(\.range)
        match = match.flatMap { found in
            guard let index = survivors.image(of: found.index..<found.index + 1)?.lowerBound,
                isBackwards ? index <= from : index >= from, !changed.contains(where: { $0.contains(index) })
            else { return nil }
            return Match(index: index, id: found.id)
        }
        (revision, count) = (transaction.revision, transaction.sectionCount)
        unexamined = Self.mergingNearby(unexamined.compactMap { survivors.image(of: $0) } + changed)
    }

    private static func mergingNearby(_ pieces: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for piece in pieces.sorted(by: { $0.lowerBound < $1.lowerBound }) where !piece.isEmpty {
            if let last = joined.last, piece.lowerBound - last.upperBound <= gap {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, piece.upperBound)
            } else {
                joined.append(piece)
            }
        }
        return joined
    }
}

extension PositionMap {
    /// Makes the map of the sections that a transaction neither deletes nor inserts nor moves.
    fileprivate init(keptBy batch: SectionBatch) {
        self.init(
            removed: batch.deletes.map(\.range) + batch.moves.map { Int($0.old)..<Int($0.old) + 1 },
            inserted: batch.inserts.map(\.range) + batch.moves.map { Int($0.new)..<Int($0.new) + 1 })
    }

    /// Returns the smallest range of new positions that contains all survivors of a range of old ones; nil if there are
    /// none. The survivors must have kept their order.
    fileprivate func image(of range: Range<Int>) -> Range<Int>? {
        guard let first = survivor(from: range.lowerBound), first.old < range.upperBound,
            let last = survivor(upTo: range.upperBound - 1)
        else { return nil }
        return first.new..<last.new + 1
    }
}

extension ItemPlace {
    /// The range of the section alone.
    fileprivate var range: Range<Int> { Int(section)..<Int(section) + 1 }
}
