// SPDX-License-Identifier: Apache-2.0

/// The relation of an element after to one before.
@usableFromInline @frozen
enum DiffRelation {
    /// Their identifiers differ.
    case different
    /// They have one identifier, and the element counts as changed.
    case changed
    /// They have one identifier, and nothing changed.
    case unchanged
}

/// What the diff asks about two lists, by index.
///
/// The engine is specialised for each conforming type, so a query costs no dynamic call.
protocol DiffSource {
    /// Whether hashes are there before the diff starts; else each is computed when it is asked for.
    static var hasHashes: Bool { get }

    /// The number of elements before.
    var oldCount: Int { get }

    /// The number of elements after.
    var newCount: Int { get }

    /// Well mixed bits of an identifier before; equal identifiers have equal hashes.
    func oldHash(_ old: Int) -> UInt32

    /// Well mixed bits of an identifier after.
    func newHash(_ new: Int) -> UInt32

    /// Compares an element before and one after.
    func relation(_ old: Int, _ new: Int) -> DiffRelation

    /// Whether two elements before have equal identifiers.
    func isSameOld(_ old: Int, _ other: Int) -> Bool

    /// Whether two elements after have equal identifiers.
    func isSameNew(_ new: Int, _ other: Int) -> Bool

    /// Whether an element before and one after may have equal identifiers: a quick check with false positives only.
    func isLikelySame(_ old: Int, _ new: Int) -> Bool

    /// How many elements from two indexes on are unchanged, side by side.
    ///
    /// Asked of a source without hashes, as are the following.
    func unchangedCount(from old: Int, _ new: Int, limit: Int) -> Int

    /// How many elements in front of two indexes are unchanged, side by side.
    func unchangedCount(before old: Int, _ new: Int, limit: Int) -> Int

    /// Whether an element before has the identifier of one in a range before.
    func isOld(_ old: Int, in range: Range<Int>) -> Bool

    /// Whether an element after has the identifier of one in a range before.
    func isNew(_ new: Int, inOld range: Range<Int>) -> Bool
}

extension DiffSource {
    @inline(__always)
    func unchangedCount(from old: Int, _ new: Int, limit: Int) -> Int {
        (0..<limit).first { relation(old + $0, new + $0) != .unchanged } ?? limit
    }

    @inline(__always)
    func unchangedCount(before old: Int, _ new: Int, limit: Int) -> Int {
        (0..<limit).first { relation(old - 1 - $0, new - 1 - $0) != .unchanged } ?? limit
    }

    @inline(__always)
    func isOld(_ old: Int, in range: Range<Int>) -> Bool { range.contains { isSameOld(old, $0) } }

    @inline(__always)
    func isNew(_ new: Int, inOld range: Range<Int>) -> Bool { range.contains { relation($0, new) != .different } }
}
