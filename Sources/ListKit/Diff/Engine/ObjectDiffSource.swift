// SPDX-License-Identifier: Apache-2.0

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
