// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A growing byte buffer in this machine's byte order, with the alignment that D-Bus requires.
@safe
struct MarshalledBytes: ~Copyable {
    /// The buffer, owned by this object: allocated with `realloc`, aligned to 16 bytes, freed in `deinit`.
    private var start: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    init() { unsafe start = nil }

    deinit { unsafe free(start) }

    /// Pads the buffer to `alignment` with zeroes and adds `size` bytes for the caller to fill. Returns a pointer to
    /// these bytes, or nil when there is no memory.
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

    /// Enlarges the buffer; leaves everything unchanged when there is no memory.
    @inline(never)
    private mutating func grow(to wanted: Int) {
        let larger = max(1024, wanted, capacity * 2)
        guard let moved = unsafe realloc(start, larger) else { return }
        unsafe start = moved
        capacity = larger
    }

    /// Overwrites a number that was already appended.
    mutating func store(_ number: UInt32, at offset: Int) {
        guard offset >= 0, offset + 4 <= count else { return }
        unsafe start?.storeBytes(of: number, toByteOffset: offset, as: UInt32.self)
    }

    /// Appends a text with its length before it and a NUL after it. The length takes 1 byte for a signature and 4
    /// bytes otherwise. Returns `false` when there is no memory.
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

    /// Appends the bytes of another buffer without alignment. Returns `false` when there is no memory.
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
