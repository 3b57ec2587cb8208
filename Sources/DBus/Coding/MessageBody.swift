// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The arguments of a message: their signature, their bytes, and the descriptors to which the bytes refer.
///
/// A body never changes, so any thread may read it.
@safe
public final class MessageBody: Sendable {
    /// The maximum length of a body in bytes. With its header, the message stays below the specification's 128 MiB.
    static let largest = (1 << 27) - 4096

    /// A body without arguments.
    static let empty = MessageBody(.empty, MarshalledBytes(), from: 0, descriptors: [:])

    /// The types of the arguments.
    public let signature: Signature
    /// The descriptors, by their index in the message.
    let descriptors: [UInt32: FileDescriptor]
    private let block: MarshalledBytes
    /// The offset of the first argument in `block`, a multiple of 8.
    private let start: Int

    /// Takes the arguments out of a block of bytes, which is in this machine's byte order.
    init(
        _ signature: Signature, _ block: consuming MarshalledBytes, from start: Int,
        descriptors: [UInt32: FileDescriptor]
    ) {
        self.signature = signature
        self.descriptors = descriptors
        self.block = block
        self.start = start
    }

    /// Writes a body; `body` appends values that match `signature`.
    ///
    /// - Throws: the writer's failure.
    init(
        _ signature: Signature, limit: Int = largest, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        var text = signature.text
        var bytes = MarshalledBytes()
        var descriptors: [FileDescriptor] = []
        let failure: DBusError? = text.withUTF8 { types in
            var writer = unsafe MessageWriter(types: types, limit: limit)
            do throws(DBusError) {
                try body(&writer)
            } catch {
                return error
            }
            if let failure = writer.failure { return failure.error }
            guard writer.isComplete else {
                return .invalidArgs("values are missing at the end of the signature “\(signature)”")
            }
            descriptors = writer.descriptors
            bytes = writer.finish()
            return nil
        }
        if let failure { throw failure }
        self.signature = signature
        self.descriptors = Dictionary(uniqueKeysWithValues: zip(0..., descriptors))
        block = bytes
        start = 0
    }

    /// The length in bytes.
    public var count: Int { block.count - start }

    /// Passes a reader of the body to a closure.
    public func read<R>(_ body: (inout MessageReader) throws(DBusError) -> R) throws(DBusError) -> R {
        defer { withExtendedLifetime(self) {} }
        var types = signature.text
        let result: Result<R, DBusError> = types.withUTF8 { types in
            unsafe withBytes { bytes in
                var reader = unsafe MessageReader(bytes, types: types, descriptors: self)
                do throws(DBusError) { return .success(try body(&reader)) } catch { return .failure(error) }
            }
        }
        return try result.get()
    }

    /// Calls a closure with the bytes.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        unsafe block.withBytes { bytes in unsafe body(UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    }
}

/// A growing byte buffer in this machine's byte order, with the alignment that D-Bus requires.
@safe
struct MarshalledBytes: ~Copyable, @unchecked Sendable {
    /// The buffer, owned by this value alone: allocated by libdbus, aligned to 16 bytes, freed in `deinit`.
    private var start: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    init() { unsafe start = nil }

    /// Takes ownership of bytes that libdbus allocated.
    init(adopting start: UnsafeMutableRawPointer, count: Int) {
        unsafe self.start = unsafe start
        (self.count, capacity) = (count, count)
    }

    deinit { unsafe dbus_free(start) }

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
        guard let moved = unsafe dbus_realloc(start, larger) else { return }
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

    /// Appends bytes without alignment. Returns `false` when there is no memory.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let place = unsafe extend(by: bytes.count, alignment: 1) else { return false }
        if let first = bytes.baseAddress { unsafe place.copyMemory(from: first, byteCount: bytes.count) }
        return true
    }

    /// Calls a closure with the bytes.
    func withBytes<R, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
    ) throws(Failure) -> R {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
