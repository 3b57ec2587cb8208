// SPDX-License-Identifier: Apache-2.0

/// A scheduler for members that take turns measured in bytes (deficit round robin, Shreedhar and Varghese 1995).
///
/// At the beginning of its turn, a member receives a quantum of bytes as credit. The turn lasts as long as the next
/// piece fits into the credit; the remaining credit is kept for the next turn. So all members get the same number of
/// bytes, whatever the sizes of their pieces.
struct DeficitTurns<Key: Hashable & Sendable>: Sendable {
    private struct Member: Sendable {
        var previous: Key
        var next: Key
        var credit = 0
    }

    private let quantum: Int
    private var members: [Key: Member] = [:]
    /// The credits of the suspended members.
    private var suspended: [Key: Int] = [:]
    /// The member whose turn it is.
    private(set) var current: Key?

    /// - Parameter quantum: the bytes of a turn, at least 1.
    init(quantum: Int) { self.quantum = max(1, quantum) }

    /// Adds a member, or resumes a suspended one; its turn comes when all others have had theirs.
    ///
    /// - Complexity: O(1)
    mutating func add(_ key: Key) {
        guard members[key] == nil else { return }
        let credit = suspended.removeValue(forKey: key) ?? 0
        guard let current, let previous = members[current]?.previous else {
            members[key] = Member(previous: key, next: key, credit: credit + quantum)
            self.current = key
            return
        }
        members[key] = Member(previous: previous, next: current, credit: credit)
        members[previous]?.next = key
        members[current]?.previous = key
    }

    /// Removes a member that has no work left, and its credit. If it had the turn, the turn passes to the next
    /// member.
    ///
    /// - Complexity: O(1)
    mutating func remove(_ key: Key) {
        suspended[key] = nil
        guard let member = members[key] else { return }
        if current == key { passTurn() }
        members[key] = nil
        members[member.previous]?.next = member.next
        members[member.next]?.previous = member.previous
        if current == key { current = nil }  // nobody else was there
    }

    /// Suspends a member: it gets no turns until ``add(_:)``, and keeps its credit.
    ///
    /// - Complexity: O(1)
    mutating func suspend(_ key: Key) {
        guard let credit = members[key]?.credit else { return }
        remove(key)
        suspended[key] = credit
    }

    /// Returns whether the next piece of the present member fits into its credit; if not, the turn passes to the next
    /// member.
    mutating func fitsOrPassesTurn(_ size: Int) -> Bool {
        if let current, let credit = members[current]?.credit, size <= credit { return true }
        passTurn()
        return false
    }

    /// Subtracts bytes from a member's credit; a negative size adds to it.
    mutating func charge(_ size: Int, to key: Key) {
        members[key]?.credit -= size
        if let credit = suspended[key] { suspended[key] = credit - size }
    }

    private mutating func passTurn() {
        guard let current, let next = members[current]?.next else { return }
        self.current = next
        charge(-quantum, to: next)
    }
}
