// SPDX-License-Identifier: Apache-2.0

/// The header of an `ObjectStorage`.
@usableFromInline
struct ObjectHeader {
    /// The hash and the length of the identifier.
    let identity: ObjectIdentity
    /// The type of the object; nil for fields that belong to no object.
    let type: ObjectType?
    /// The number of bytes of the fields, which follow the identifier.
    let fieldCount: UInt32
}

/// The heap allocation of an `ObjectStorage`.
@usableFromInline
final class ObjectBuffer: ManagedBuffer<ObjectHeader, UInt8> {}

/// The storage of an object or of fields in one allocation: header, identifier and fields, one after the other.
///
/// An object with a 16-byte identifier and 100 bytes of fields takes 152 bytes.
@usableFromInline @frozen
struct ObjectStorage: @unchecked Sendable {
    // Sendable: `make` writes the bytes before it shares the buffer, and they are never written later.
    @usableFromInline let buffer: ObjectBuffer

    private init(_ buffer: ObjectBuffer) { self.buffer = buffer }

    /// The storage of empty fields.
    static let empty = make(fields: [UInt8]().span)

    /// Makes the storage of fields that belong to no object, with a copy of their bytes.
    static func make(fields: Span<UInt8>) -> ObjectStorage {
        make(identity: .none, type: nil, id: [UInt8]().span, fields: fields)
    }

    /// Makes the storage of fields that belong to no object, and lets `write` write their bytes directly into it.
    ///
    /// - Parameters:
    ///   - count: the number of bytes of the fields.
    ///   - write: a function that writes exactly `count` bytes.
    static func make(fieldCount count: Int, _ write: (inout PlainWriter) -> Void) -> ObjectStorage {
        let header = ObjectHeader(identity: .none, type: nil, fieldCount: UInt32(truncatingIfNeeded: count))
        let created = ObjectBuffer.create(minimumCapacity: count) { _ in header }
        // `create` is a class method, which returns an instance of that class.
        let buffer = unsafe unsafeDowncast(created, to: ObjectBuffer.self)
        // The buffer has room for the bytes, and is not shared yet.
        unsafe buffer.withUnsafeMutablePointerToElements { target in
            var writer = unsafe PlainWriter(target, capacity: count)
            write(&writer)
            // trap: `write` writes as many bytes as its caller has computed for the same values.
            precondition(writer.count == count)
        }
        return ObjectStorage(buffer)
    }

    /// Makes the storage of an object, with copies of its identifier (at most `ObjectIdentity.maximumLength` bytes)
    /// and fields.
    static func make(id: Span<UInt8>, type: consuming ObjectType, fields: Span<UInt8>) -> ObjectStorage {
        make(identity: ObjectIdentity(of: id), type: type, id: id, fields: fields)
    }

    private static func make(
        identity: ObjectIdentity, type: consuming ObjectType?, id: Span<UInt8>, fields: Span<UInt8>
    ) -> ObjectStorage {
        let count = id.count + fields.count
        let header = ObjectHeader(identity: identity, type: type, fieldCount: UInt32(truncatingIfNeeded: fields.count))
        let created = ObjectBuffer.create(minimumCapacity: count) { _ in header }
        // `create` is a class method, which returns an instance of that class.
        let buffer = unsafe unsafeDowncast(created, to: ObjectBuffer.self)
        // The buffer has room for both runs of bytes, and is not shared yet.
        unsafe buffer.withUnsafeMutablePointerToElements { target in
            unsafe id.withUnsafeBufferPointer { source in
                if let start = source.baseAddress { unsafe target.initialize(from: start, count: source.count) }
            }
            unsafe fields.withUnsafeBufferPointer { source in
                if let start = source.baseAddress {
                    unsafe (target + id.count).initialize(from: start, count: source.count)
                }
            }
        }
        return ObjectStorage(buffer)
    }

    // The properties below read the header in place. A copy of the header would retain the type and check for
    // exclusive access.

    /// The hash and the length of the identifier.
    @inline(__always)
    var identity: ObjectIdentity { unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee.identity } }

    /// The type of the object; nil for fields that belong to no object.
    @inline(__always)
    var type: ObjectType? { unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee.type } }

    /// Returns whether both are the same allocation.
    func isIdentical(to other: ObjectStorage) -> Bool { buffer === other.buffer }

    /// The number of bytes of the fields.
    var fieldCount: Int { unsafe buffer.withUnsafeMutablePointerToHeader { unsafe Int($0.pointee.fieldCount) } }

    /// Calls `body` with the bytes of the identifier.
    @inline(__always)
    func withID<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The buffer outlives the call, and holds as many bytes as the header says.
        try unsafe buffer.withUnsafeMutablePointers { (header, elements) throws(Failure) -> Result in
            let count = unsafe header.pointee.identity.length
            return try unsafe body(Span(_unsafeStart: UnsafePointer(elements), count: count))
        }
    }

    /// Calls `body` with the bytes of the fields.
    @inline(__always)
    func withFields<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Safe for the same reasons as in `withID`.
        try unsafe buffer.withUnsafeMutablePointers { (header, elements) throws(Failure) -> Result in
            let start = unsafe elements + header.pointee.identity.length
            let count = unsafe Int(header.pointee.fieldCount)
            return try unsafe body(Span(_unsafeStart: UnsafePointer(start), count: count))
        }
    }

    /// Returns whether both have the same bytes of fields.
    func hasSameFields(as other: ObjectStorage) -> Bool {
        if isIdentical(to: other) { return true }
        return withFields { mine in other.withFields { mine.isIdenticalBytes(to: $0) } }
    }

    /// Returns whether both have the same identifier, byte for byte.
    func hasSameID(as other: ObjectStorage) -> Bool {
        guard identity == other.identity else { return false }
        return withID { mine in other.withID { mine.isIdenticalBytes(to: $0) } }
    }
}

extension Span where Element == UInt8 {
    /// Returns whether both spans have the same bytes.
    @inline(__always)
    func isIdenticalBytes(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // Every load is within the bounds, by the comparison with the count, which is the same for both.
        let (mine, theirs) = unsafe (bytes, other.bytes)
        var position = 0
        while position + 8 <= count {
            let a = unsafe mine.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            let b = unsafe theirs.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            if a != b { return false }
            position += 8
        }
        while position < count {
            if self[position] != other[position] { return false }
            position += 1
        }
        return true
    }
}

extension String {
    /// Calls `body` with the UTF-8 bytes. Faster than `utf8Span`, which is not inlined.
    @inline(__always)
    func withUTF8Bytes<Answer, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        // The buffer is only read during the call.
        let result = unsafe utf8.withContiguousStorageIfAvailable { buffer in
            Result { () throws(Failure) in try unsafe body(Span(_unsafeElements: buffer)) }
        }
        if let result { return try result.get() }
        return try body(utf8Span.span)
    }

    /// Makes a string from UTF-8 bytes. Malformed UTF-8 becomes replacement characters.
    init(copying bytes: Span<UInt8>) {
        // The buffer is only read during the call.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
