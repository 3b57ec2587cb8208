// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// How far a search in a list has come, while the list goes on changing.
///
/// It knows the sections that were not looked at since they came or changed, and carries them through each transaction: so what
/// was found is the first at its revision, and an update costs the search what it changed. The largest piece comes first: a list
/// that changes all the time has small ones all the time.
struct SearchProgress {
    /// Places so near each other are looked at in one go: what is looked at twice costs less than another question.
    private static let gap = 256

    /// The first object that contains the text, as far as is known.
    struct Match: Equatable {
        var index: Int
        let id: String
    }

    private let from: Int
    private let isBackwards: Bool
    /// The revision that it is about.
    private(set) var revision: UInt64
    private var count: Int
    /// Ascending, apart from each other, anywhere in the list.
    private var unexamined: [Range<Int>]
    /// What was found; it is the first when nothing before it is unexamined.
    private(set) var match: Match?

    /// A search that begins.
    ///
    /// - Parameters:
    ///   - from: where it begins, itself included; from past the end it goes backwards from the last.
    ///   - count: how many objects the list has.
    init(from: Int, isBackwards: Bool, revision: UInt64, count: Int) {
        self.from = max(0, from)
        self.isBackwards = isBackwards
        self.revision = revision
        self.count = count
        unexamined = [0..<count]
    }

    /// The sections that are searched: up to what was found, if something was.
    var region: Range<Int> {
        if isBackwards { return (match.map { $0.index + 1 } ?? 0)..<min(from + 1, count) }
        return min(from, count)..<(match?.index ?? count)
    }

    /// The next sections to look at, at most `limit`; nil = all were, and ``match`` is the answer.
    ///
    /// - Complexity: O(pieces that are unexamined).
    func next(_ limit: Int) -> Range<Int>? {
        let region = region
        let pieces = unexamined.lazy.map { $0.clamped(to: region) }.filter { !$0.isEmpty }
        guard let largest = pieces.max(by: { $0.count < $1.count }) else { return nil }
        // With some around it: by the time it is read, there may be more.
        let length = min(limit, max(largest.count, Self.gap))
        if isBackwards {
            return max(region.lowerBound, largest.upperBound - length)..<largest.upperBound
        }
        return largest.lowerBound..<min(region.upperBound, largest.lowerBound + length)
    }

    /// The sections of a range were looked at, and this is the first in them that contains the text.
    mutating func examine(_ range: Range<Int>, finding found: Match) {
        examine(isBackwards ? found.index + 1..<range.upperBound : range.lowerBound..<found.index)
        guard region.contains(found.index) else { return }
        match = found
    }

    /// The sections of a range were looked at, and do not contain the text.
    mutating func examine(_ range: Range<Int>) {
        unexamined = unexamined.flatMap { part in
            guard part.overlaps(range) else { return [part] }
            return [
                part.lowerBound..<max(part.lowerBound, range.lowerBound),
                min(part.upperBound, range.upperBound)..<part.upperBound,
            ].filter { !$0.isEmpty }
        }
    }

    /// Nothing is known of the list any more.
    mutating func restart(revision: UInt64, count: Int) {
        (self.revision, self.count, unexamined, match) = (revision, count, [0..<count], nil)
    }

    /// The list has changed.
    ///
    /// - Complexity: O(n log n) for what the transaction names and the pieces that are unexamined.
    mutating func follow(_ transaction: Transaction) {
        guard transaction.kind == .update else {
            return restart(revision: transaction.revision, count: transaction.sectionCount)
        }
        let survivors = SectionSurvivors(transaction.sections)
        var changed =
            transaction.sections.inserts.map(\.range) + transaction.sections.moves.map { Int($0.new)..<Int($0.new) + 1 }
        changed += transaction.sections.reloads.compactMap { survivors.image(of: $0.range) }
        // A section whose items are announced may have another object.
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
        unexamined = Self.joined(unexamined.compactMap { survivors.image(of: $0) } + changed)
    }

    private static func joined(_ pieces: [Range<Int>]) -> [Range<Int>] {
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

/// Where sections go that a transaction neither deletes, inserts nor moves.
private struct SectionSurvivors {
    /// A run of positions, and how many of its kind come before it.
    private struct Run {
        let first: Int
        let length: Int
        var before = 0
    }

    private let removed: [Run]
    private let added: [Run]

    init(_ batch: SectionBatch) {
        removed = Self.runs(batch.deletes, batch.moves.map(\.old))
        added = Self.runs(batch.inserts, batch.moves.map(\.new))
    }

    private static func runs(_ runs: [IndexRun], _ single: [UInt32]) -> [Run] {
        var all =
            runs.map { Run(first: Int($0.first), length: Int($0.length)) }
            + single.map { Run(first: Int($0), length: 1) }
        all.sort { $0.first < $1.first }
        var total = 0
        for index in all.indices {
            all[index].before = total
            total += all[index].length
        }
        return all
    }

    /// The smallest range after the transaction that has the survivors of a range before it; nil = none survives.
    func image(of range: Range<Int>) -> Range<Int>? {
        let (first, end) = (rank(of: range.lowerBound), rank(of: range.upperBound))
        return first < end ? position(ofRank: first)..<position(ofRank: end - 1) + 1 : nil
    }

    /// How many survivors come before a position.
    private func rank(of position: Int) -> Int {
        let count = removed.partitionPoint { $0.first < position }
        guard count > 0 else { return position }
        let last = removed[count - 1]
        return position - last.before - min(last.length, position - last.first)
    }

    /// Where a survivor is, of which so many others come before.
    private func position(ofRank rank: Int) -> Int {
        let count = added.partitionPoint { $0.first - $0.before <= rank }
        guard count > 0 else { return rank }
        return rank + added[count - 1].before + added[count - 1].length
    }
}

extension IndexRun {
    fileprivate var range: Range<Int> { Int(first)..<Int(first) + Int(length) }
}

extension ItemPlace {
    /// The section alone.
    fileprivate var range: Range<Int> { Int(section)..<Int(section) + 1 }
}

extension Array {
    /// How many elements at the beginning fulfil a condition that those behind them do not.
    fileprivate func partitionPoint(_ belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if belongs(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
