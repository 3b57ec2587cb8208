// SPDX-License-Identifier: Apache-2.0

/// A source of elements of any type, which calls closures of the module that called the diff.
///
/// Consecutive elements are compared in one call: the comparisons are compiled into the caller's module, and a call
/// from here costs as much as a comparison.
@usableFromInline
struct ElementDiffSource: DiffSource {
    @usableFromInline let oldCount: Int
    @usableFromInline let newCount: Int
    /// Returns the hash of an old element's identifier, computed at each call.
    @usableFromInline let hashOld: (Int) -> Int
    /// Returns the hash of a new element's identifier, computed at each call.
    @usableFromInline let hashNew: (Int) -> Int
    /// Returns the number of consecutive unchanged pairs of elements, starting with the given indexes.
    @usableFromInline let countUnchanged: (_ old: Int, _ new: Int, _ limit: Int) -> Int
    /// Returns the number of consecutive unchanged pairs of elements that end before the given indexes.
    @usableFromInline let countUnchangedBefore: (_ old: Int, _ new: Int, _ limit: Int) -> Int
    /// Compares an old and a new element.
    @usableFromInline let compare: (_ old: Int, _ new: Int) -> DiffRelation
    /// Returns whether an old and a new element have equal identifiers.
    @usableFromInline let matches: (_ old: Int, _ new: Int) -> Bool
    /// Returns whether the identifier of an old element occurs in a range of the old list.
    @usableFromInline let isOldIn: (Int, Range<Int>) -> Bool
    /// Returns whether the identifier of a new element occurs in a range of the new list.
    @usableFromInline let isNewIn: (Int, Range<Int>) -> Bool
    /// Returns whether the identifier of a new element occurs in a range of the old list.
    @usableFromInline let isNewInOld: (Int, Range<Int>) -> Bool

    @usableFromInline
    init(
        oldCount: Int, newCount: Int, hashOld: @escaping (Int) -> Int, hashNew: @escaping (Int) -> Int,
        countUnchanged: @escaping (_ old: Int, _ new: Int, _ limit: Int) -> Int,
        countUnchangedBefore: @escaping (_ old: Int, _ new: Int, _ limit: Int) -> Int,
        compare: @escaping (_ old: Int, _ new: Int) -> DiffRelation,
        matches: @escaping (_ old: Int, _ new: Int) -> Bool, isOldIn: @escaping (Int, Range<Int>) -> Bool,
        isNewIn: @escaping (Int, Range<Int>) -> Bool, isNewInOld: @escaping (Int, Range<Int>) -> Bool
    ) {
        self.oldCount = oldCount
        self.newCount = newCount
        self.hashOld = hashOld
        self.hashNew = hashNew
        self.countUnchanged = countUnchanged
        self.countUnchangedBefore = countUnchangedBefore
        self.compare = compare
        self.matches = matches
        self.isOldIn = isOldIn
        self.isNewIn = isNewIn
        self.isNewInOld = isNewInOld
    }

    /// Makes the closures in the caller's module, so that the compiler specialises them for `Element`. The source must
    /// not outlive the buffers.
    @inlinable
    init<Element: ListDiffable>(
        _ old: UnsafeBufferPointer<Element>, _ new: UnsafeBufferPointer<Element>, _ option: ListDiffOption
    ) {
        @inline(__always)
        func relation(_ before: Int, _ after: Int) -> DiffRelation {
            guard unsafe old[before].diffIdentifier == new[after].diffIdentifier else { return .different }
            if unsafe new[after].isIdentical(toDiffable: old[before]) { return .unchanged }
            if option == .pointerPersonality { return .changed }
            return unsafe new[after].isEqual(toDiffable: old[before]) ? .unchanged : .changed
        }
        @inline(__always)
        func contains(
            _ list: UnsafeBufferPointer<Element>, _ range: Range<Int>, _ identifier: Element.DiffIdentifier
        ) -> Bool {
            for index in range where unsafe list[index].diffIdentifier == identifier { return true }
            return false
        }
        self.init(
            oldCount: old.count, newCount: new.count, hashOld: { unsafe old[$0].diffIdentifier.hashValue },
            hashNew: { unsafe new[$0].diffIdentifier.hashValue },
            countUnchanged: { before, after, limit in
                var count = 0
                while count < limit, relation(before + count, after + count) == .unchanged { count += 1 }
                return count
            },
            countUnchangedBefore: { before, after, limit in
                var count = 0
                while count < limit, relation(before - 1 - count, after - 1 - count) == .unchanged { count += 1 }
                return count
            },
            compare: { relation($0, $1) },
            matches: { unsafe old[$0].diffIdentifier == new[$1].diffIdentifier },
            isOldIn: { unsafe contains(old, $1, old[$0].diffIdentifier) },
            isNewIn: { unsafe contains(new, $1, new[$0].diffIdentifier) },
            isNewInOld: { unsafe contains(old, $1, new[$0].diffIdentifier) })
    }

    static var hasHashes: Bool { false }

    func oldHash(_ old: Int) -> UInt32 { UInt32(truncatingIfNeeded: hashOld(old)) }

    func newHash(_ new: Int) -> UInt32 { UInt32(truncatingIfNeeded: hashNew(new)) }

    func relation(old: Int, new: Int) -> DiffRelation { compare(old, new) }

    func isSame(old: Int, asOld other: Int) -> Bool { isOldIn(old, other..<other + 1) }

    func isSame(new: Int, asNew other: Int) -> Bool { isNewIn(new, other..<other + 1) }

    func isLikelySame(old: Int, new: Int) -> Bool { matches(old, new) }

    func unchangedCount(fromOld old: Int, new: Int, limit: Int) -> Int { countUnchanged(old, new, limit) }

    func unchangedCount(beforeOld old: Int, new: Int, limit: Int) -> Int { countUnchangedBefore(old, new, limit) }

    func occurs(old: Int, inOld range: Range<Int>) -> Bool { isOldIn(old, range) }

    func occurs(new: Int, inOld range: Range<Int>) -> Bool { isNewInOld(new, range) }
}
