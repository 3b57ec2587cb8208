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

/// A source of two arrays of objects, which are read in place. Nothing is retained or copied while the diff runs.
@safe
struct ObjectDiffSource: DiffSource {
    private typealias Reference = Unmanaged<ObjectBuffer>

    // Both point to the elements of arrays that `withSource` keeps alive while the source exists.
    private let old: UnsafeBufferPointer<Reference>
    private let new: UnsafeBufferPointer<Reference>
    private let option: ListDiffOption

    /// Calls `body` with a source of two arrays. The source must not outlive the call.
    static func withSource<Result>(
        _ old: [ListObject], _ new: [ListObject], option: ListDiffOption, _ body: (ObjectDiffSource) -> Result
    ) -> Result {
        unsafe old.withUnsafeBufferPointer { old in
            unsafe new.withUnsafeBufferPointer { new in
                // A `ListObject` is laid out as one strong reference, like the type that it is read as.
                unsafe old.withMemoryRebound(to: Reference.self) { old in
                    unsafe new.withMemoryRebound(to: Reference.self) { new in
                        unsafe body(ObjectDiffSource(old: old, new: new, option: option))
                    }
                }
            }
        }
    }

    private init(
        old: UnsafeBufferPointer<Reference>, new: UnsafeBufferPointer<Reference>, option: ListDiffOption
    ) {
        unsafe self.old = old
        unsafe self.new = new
        self.option = option
    }

    static var hasHashes: Bool { true }

    var oldCount: Int { unsafe old.count }

    var newCount: Int { unsafe new.count }

    @inline(__always)
    func oldHash(_ old: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: unsafe ObjectDiffSource.identity(self.old[old]).hash)
    }

    @inline(__always)
    func newHash(_ new: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: unsafe ObjectDiffSource.identity(self.new[new]).hash)
    }

    @inline(__always)
    func isLikelySame(old: Int, new: Int) -> Bool {
        unsafe ObjectDiffSource.identity(self.old[old]) == ObjectDiffSource.identity(self.new[new])
    }

    @inline(__always)
    func relation(old: Int, new: Int) -> DiffRelation {
        let (before, after) = unsafe (self.old[old], self.new[new])
        if unsafe before.toOpaque() == after.toOpaque() { return .unchanged }
        return unsafe ObjectDiffSource.relation(before, after, option)
    }

    @inline(__always)
    func isSame(old: Int, asOld other: Int) -> Bool {
        unsafe ObjectDiffSource.isSame(self.old[old], self.old[other])
    }

    @inline(__always)
    func isSame(new: Int, asNew other: Int) -> Bool {
        unsafe ObjectDiffSource.isSame(self.new[new], self.new[other])
    }

    @inline(__always)
    private static func identity(_ reference: Reference) -> ObjectIdentity {
        unsafe reference._withUnsafeGuaranteedRef { buffer in
            unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee.identity }
        }
    }

    @inline(__always)
    private static func isSame(_ first: Reference, _ second: Reference) -> Bool {
        if unsafe first.toOpaque() == second.toOpaque() { return true }
        return unsafe first._withUnsafeGuaranteedRef { first in
            unsafe second._withUnsafeGuaranteedRef { second in
                unsafe first.withUnsafeMutablePointers { header, bytes in
                    unsafe second.withUnsafeMutablePointers { otherHeader, otherBytes in
                        let identity = unsafe header.pointee.identity
                        guard unsafe identity == otherHeader.pointee.identity else { return false }
                        return unsafe isEqual(bytes, otherBytes, count: identity.length)
                    }
                }
            }
        }
    }

    /// Compares two objects that do not share an allocation.
    @inline(__always)
    private static func relation(_ first: Reference, _ second: Reference, _ option: ListDiffOption) -> DiffRelation {
        unsafe first._withUnsafeGuaranteedRef { first in
            unsafe second._withUnsafeGuaranteedRef { second in
                unsafe first.withUnsafeMutablePointers { header, bytes in
                    unsafe second.withUnsafeMutablePointers { otherHeader, otherBytes in
                        let identity = unsafe header.pointee.identity
                        guard unsafe identity == otherHeader.pointee.identity else { return .different }
                        let count = unsafe header.pointee.fieldCount
                        // Identifier and fields are adjacent in memory, so one comparison nearly always decides.
                        if option == .equality, unsafe count == otherHeader.pointee.fieldCount,
                            unsafe header.pointee.type === otherHeader.pointee.type,
                            unsafe isEqual(bytes, otherBytes, count: identity.length + Int(count))
                        {
                            return .unchanged
                        }
                        return unsafe isEqual(bytes, otherBytes, count: identity.length) ? .changed : .different
                    }
                }
            }
        }
    }

    /// Compares eight bytes at a time. The last step may compare some bytes twice.
    @inline(__always)
    private static func isEqual(
        _ first: UnsafeMutablePointer<UInt8>, _ second: UnsafeMutablePointer<UInt8>, count: Int
    ) -> Bool {
        let (a, b) = (UnsafeRawPointer(first), UnsafeRawPointer(second))
        var position = 0
        while position &+ 32 <= count {
            var difference = unsafe word(a, position) ^ word(b, position)
            difference |= unsafe word(a, position &+ 8) ^ word(b, position &+ 8)
            difference |= unsafe word(a, position &+ 16) ^ word(b, position &+ 16)
            difference |= unsafe word(a, position &+ 24) ^ word(b, position &+ 24)
            if difference != 0 { return false }
            position &+= 32
        }
        while position &+ 8 <= count {
            if unsafe word(a, position) != word(b, position) { return false }
            position &+= 8
        }
        if count >= 8 { return unsafe word(a, count &- 8) == word(b, count &- 8) }
        while position < count {
            if unsafe first[position] != second[position] { return false }
            position += 1
        }
        return true
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
