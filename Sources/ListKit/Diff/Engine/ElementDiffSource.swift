// SPDX-License-Identifier: Apache-2.0

/// Elements of any type, by index, as the module that called the diff asks about them.
///
/// Stretches are compared in one call each: what is asked of the elements is compiled into the caller's module, and a call from
/// here costs as much as a comparison.
@usableFromInline
struct ElementDiffSource: DiffSource {
    @usableFromInline let oldCount: Int
    @usableFromInline let newCount: Int
    /// The hashes of the identifiers, computed anew for each question.
    @usableFromInline let hashOld: (Int) -> Int
    @usableFromInline let hashNew: (Int) -> Int
    /// How many elements from two indexes on are unchanged, side by side.
    @usableFromInline let countUnchanged: (_ old: Int, _ new: Int, _ limit: Int) -> Int
    /// How many elements in front of two indexes are unchanged, side by side.
    @usableFromInline let countUnchangedBefore: (_ old: Int, _ new: Int, _ limit: Int) -> Int
    /// Compares an element before and one after.
    @usableFromInline let compare: (_ old: Int, _ new: Int) -> DiffRelation
    /// Whether an element before and one after have equal identifiers.
    @usableFromInline let matches: (_ old: Int, _ new: Int) -> Bool
    /// Whether an element before has the identifier of one in a range before.
    @usableFromInline let isOldIn: (Int, Range<Int>) -> Bool
    /// Whether an element after has the identifier of one in a range after.
    @usableFromInline let isNewIn: (Int, Range<Int>) -> Bool
    /// Whether an element after has the identifier of one in a range before.
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

    /// Compiles the questions about two lists into the caller's module; the source must not outlive the buffers.
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

    func relation(_ old: Int, _ new: Int) -> DiffRelation { compare(old, new) }

    func isSameOld(_ old: Int, _ other: Int) -> Bool { isOldIn(old, other..<other + 1) }

    func isSameNew(_ new: Int, _ other: Int) -> Bool { isNewIn(new, other..<other + 1) }

    func isLikelySame(_ old: Int, _ new: Int) -> Bool { matches(old, new) }

    func unchangedCount(from old: Int, _ new: Int, limit: Int) -> Int { countUnchanged(old, new, limit) }

    func unchangedCount(before old: Int, _ new: Int, limit: Int) -> Int { countUnchangedBefore(old, new, limit) }

    func isOld(_ old: Int, in range: Range<Int>) -> Bool { isOldIn(old, range) }

    func isNew(_ new: Int, inOld range: Range<Int>) -> Bool { isNewInOld(new, range) }
}
