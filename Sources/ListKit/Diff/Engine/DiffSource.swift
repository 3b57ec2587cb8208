// SPDX-License-Identifier: Apache-2.0

/// The relation between an old and a new element.
@usableFromInline @frozen
enum DiffRelation {
    /// The identifiers differ.
    case different
    /// The identifiers are equal, and the element counts as changed.
    case changed
    /// The identifiers are equal, and the element counts as unchanged.
    case unchanged
}

/// The old and the new list of a diff, queried by index.
///
/// The engine is specialised for each conforming type, so queries need no dynamic dispatch.
protocol DiffSource {
    /// Whether all hashes were computed before the diff. If not, each query computes a hash.
    static var hasHashes: Bool { get }

    /// The number of elements of the old list.
    var oldCount: Int { get }

    /// The number of elements of the new list.
    var newCount: Int { get }

    /// Returns the hash of an old element's identifier. Equal identifiers have equal hashes.
    func oldHash(_ old: Int) -> UInt32

    /// Returns the hash of a new element's identifier.
    func newHash(_ new: Int) -> UInt32

    /// Compares an old and a new element.
    func relation(old: Int, new: Int) -> DiffRelation

    /// Returns whether two old elements have equal identifiers.
    func isSame(old: Int, asOld other: Int) -> Bool

    /// Returns whether two new elements have equal identifiers.
    func isSame(new: Int, asNew other: Int) -> Bool

    /// Returns whether an old and a new element may have equal identifiers. This is a quick check, with false
    /// positives but no false negatives.
    func isLikelySame(old: Int, new: Int) -> Bool

    /// Returns the number of consecutive unchanged pairs of old and new elements, starting with the given indexes.
    ///
    /// The engine calls this and the following functions only if `hasHashes` is false.
    func unchangedCount(fromOld old: Int, new: Int, limit: Int) -> Int

    /// Returns the number of consecutive unchanged pairs of old and new elements that end before the given indexes.
    func unchangedCount(beforeOld old: Int, new: Int, limit: Int) -> Int

    /// Returns whether the identifier of an old element occurs in a range of the old list.
    func occurs(old: Int, inOld range: Range<Int>) -> Bool

    /// Returns whether the identifier of a new element occurs in a range of the old list.
    func occurs(new: Int, inOld range: Range<Int>) -> Bool
}

extension DiffSource {
    @inline(__always)
    func unchangedCount(fromOld old: Int, new: Int, limit: Int) -> Int {
        (0..<limit).first { relation(old: old + $0, new: new + $0) != .unchanged } ?? limit
    }

    @inline(__always)
    func unchangedCount(beforeOld old: Int, new: Int, limit: Int) -> Int {
        (0..<limit).first { relation(old: old - 1 - $0, new: new - 1 - $0) != .unchanged } ?? limit
    }

    @inline(__always)
    func occurs(old: Int, inOld range: Range<Int>) -> Bool {
        range.contains { isSame(old: old, asOld: $0) }
    }

    @inline(__always)
    func occurs(new: Int, inOld range: Range<Int>) -> Bool {
        range.contains { relation(old: $0, new: new) != .different }
    }
}
