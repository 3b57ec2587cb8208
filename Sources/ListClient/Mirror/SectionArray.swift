// SPDX-License-Identifier: Apache-2.0

/// An error for a batch that does not match its list, because a signal was lost or the sender has a defect.
public struct BatchMismatch: Error, Sendable, Equatable {
    /// The reason, for the log.
    public let message: String
}

extension Array {
    /// Returns the array after a batch of section changes.
    ///
    /// Deleted elements and origins of moves are removed. Then inserts and targets of moves are inserted in ascending
    /// order of their new positions (contract, "Announcing"). Reloads do not change the order.
    ///
    /// - Throws: `BatchMismatch` when a position is out of range or used twice.
    /// - Complexity: O(count + changes · log changes).
    func applying(_ batch: Update.Sections, placeholder: Element) throws(BatchMismatch) -> [Element] {
        let leaving = batch.deletes.flatMap { Array<Int>($0.range) } + batch.moves.map(\.from)
        let rest = try removing(leaving)
        var arrivals: [(position: Int, element: Element)] = []
        for run in batch.inserts { arrivals += run.range.map { ($0, placeholder) } }
        for move in batch.moves { arrivals.append((move.to, self[move.from])) }
        return try rest.inserting(arrivals)
    }

    private func removing(_ positions: [Int]) throws(BatchMismatch) -> [Element] {
        guard !positions.isEmpty else { return self }
        var result: [Element] = []
        result.reserveCapacity(Swift.max(0, count - positions.count))
        var next = 0
        for position in positions.sorted() {
            guard position >= next, position < count else {
                throw BatchMismatch(
                    message: "position \(position) of \(count) is deleted or moved twice, or does not exist")
            }
            result += self[next..<position]
            next = position + 1
        }
        result += self[next...]
        return result
    }

    private func inserting(_ arrivals: [(position: Int, element: Element)]) throws(BatchMismatch) -> [Element] {
        guard !arrivals.isEmpty else { return self }
        var result: [Element] = []
        result.reserveCapacity(count + arrivals.count)
        var taken = 0
        for (position, element) in arrivals.sorted(by: { $0.position < $1.position }) {
            let missing = position - result.count
            guard missing >= 0, missing <= count - taken else {
                throw BatchMismatch(message: "position \(position) is inserted twice or lies past the end")
            }
            result += self[taken..<(taken + missing)]
            taken += missing
            result.append(element)
        }
        result += self[taken...]
        return result
    }
}
