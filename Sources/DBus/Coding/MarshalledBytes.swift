// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Bytes in this machine's order that grow at their end, with the alignment that D-Bus requires.
@safe
struct MarshalledBytes: ~Copyable {
    /// Owned: allocated with `realloc`, freed in `deinit`; aligned to 16.
    private var start: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    init() { unsafe start = nil }

    deinit { unsafe free(start) }

    /// Appends zeroes up to the alignment, then room for so many bytes, which the caller fills; nil when there is no
    /// memory.
    ///
    /// - Complexity: O(`size`), amortised
    @inline(__always)
    mutating func extend(by size: Int, alignment: Int) -> UnsafeMutableRawPointer? {
        let first = (count + alignment - 1) & -alignment
        if first + size > capacity || capacity == 0 { grow(to: first + size) }
        guard first + size <= capacity, let start = unsafe start else { return nil }
        while count < first {
            unsafe start.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
            count += 1
        }
        count = first + size
        return unsafe start + first
    }

    /// Leaves everything unchanged when there is no memory.
    @inline(never)
    private mutating func grow(to wanted: Int) {
        let larger = max(1024, wanted, capacity * 2)
        guard let moved = unsafe realloc(start, larger) else { return }
        unsafe start = moved
        capacity = larger
    }

    /// Overwrites a number that was appended before.
    mutating func store(_ number: UInt32, at offset: Int) {
        guard offset >= 0, offset + 4 <= count else { return }
        unsafe start?.storeBytes(of: number, toByteOffset: offset, as: UInt32.self)
    }

    /// Appends a text after its length, of 1 byte for a signature and 4 otherwise, and before a NUL; false when there
    /// is no memory.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>, lengthSize: Int) -> Bool {
        guard let place = unsafe extend(by: lengthSize + text.count + 1, alignment: lengthSize) else { return false }
        if lengthSize == 1 {
            unsafe place.storeBytes(of: UInt8(truncatingIfNeeded: text.count), as: UInt8.self)
        } else {
            unsafe place.storeBytes(of: UInt32(truncatingIfNeeded: text.count), as: UInt32.self)
        }
        if let first = text.baseAddress { unsafe (place + lengthSize).copyMemory(from: first, byteCount: text.count) }
        unsafe place.storeBytes(of: 0, toByteOffset: lengthSize + text.count, as: UInt8.self)
        return true
    }

    /// Appends other bytes, unaligned; false when there is no memory.
    mutating func append(_ other: borrowing MarshalledBytes) -> Bool {
        guard let place = unsafe extend(by: other.count, alignment: 1) else { return false }
        if let first = unsafe other.start { unsafe place.copyMemory(from: first, byteCount: other.count) }
        return true
    }

    /// Calls a closure with the bytes.
    func withBytes<R, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
    ) throws(Failure) -> R {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
