// SPDX-License-Identifier: Apache-2.0

/// The header of an `ObjectStorage`.
@usableFromInline
struct ObjectHeader {
    /// Hash and length of the identifier.
    let identity: ObjectIdentity
    /// The type of the object; nil for fields that belong to no object.
    let type: ObjectType?
    /// How many bytes of fields follow those of the identifier.
    let fieldCount: UInt32
}

/// The heap object of an `ObjectStorage`.
@usableFromInline
final class ObjectBuffer: ManagedBuffer<ObjectHeader, UInt8> {}

/// The one allocation behind an object or behind fields: header, identifier and fields, one after the other.
///
/// An object with a 16-byte identifier and 100 bytes of fields takes 152 bytes.
@usableFromInline @frozen
struct ObjectStorage: @unchecked Sendable {
    // Sendable: `make` writes the bytes before it shares the buffer, and they are never written later.
    @usableFromInline let buffer: ObjectBuffer

    private init(_ buffer: ObjectBuffer) { self.buffer = buffer }

    /// The storage of empty fields.
    static let empty = make(fields: [UInt8]().span)

    /// Copies fields that belong to no object.
    static func make(fields: Span<UInt8>) -> ObjectStorage {
        make(identity: .none, type: nil, id: [UInt8]().span, fields: fields)
    }

    /// Has fields that belong to no object written where they stay.
    ///
    /// - Parameters:
    ///   - count: how many bytes they have.
    ///   - write: writes all of them.
    static func make(fieldCount count: Int, _ write: (inout PlainWriter) -> Void) -> ObjectStorage {
        let header = ObjectHeader(identity: .none, type: nil, fieldCount: UInt32(truncatingIfNeeded: count))
        let created = ObjectBuffer.create(minimumCapacity: count) { _ in header }
        // `create` is a class method: it returns an instance of that class.
        let buffer = unsafe unsafeDowncast(created, to: ObjectBuffer.self)
        // The buffer has room for the bytes, and nobody else knows it yet.
        unsafe buffer.withUnsafeMutablePointerToElements { target in
            var writer = unsafe PlainWriter(target, capacity: count)
            write(&writer)
            // trap: `write` writes as many bytes as its caller has measured, of the same values.
            precondition(writer.count == count)
        }
        return ObjectStorage(buffer)
    }

    /// Copies an identifier of at most `ObjectIdentity.maximumLength` bytes, and fields.
    static func make(id: Span<UInt8>, type: ObjectType, fields: Span<UInt8>) -> ObjectStorage {
        make(identity: ObjectIdentity(of: id), type: type, id: id, fields: fields)
    }

    private static func make(
        identity: ObjectIdentity, type: ObjectType?, id: Span<UInt8>, fields: Span<UInt8>
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

    // The header is read in place: a copy would count a reference to the type and check for exclusive access.

    /// Hash and length of the identifier.
    @inline(__always)
    var identity: ObjectIdentity { unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee.identity } }

    /// The type of the object; nil for fields that belong to no object.
    @inline(__always)
    var type: ObjectType? { unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee.type } }

    /// Whether both are one allocation.
    func isIdentical(to other: ObjectStorage) -> Bool { buffer === other.buffer }

    /// How many bytes of fields there are.
    var fieldCount: Int { unsafe buffer.withUnsafeMutablePointerToHeader { unsafe Int($0.pointee.fieldCount) } }

    /// Calls `body` with the bytes of the identifier.
    @inline(__always)
    func withID<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The buffer outlives the call, and the bytes are as many as the header says.
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
        // As in `withID`.
        try unsafe buffer.withUnsafeMutablePointers { (header, elements) throws(Failure) -> Result in
            let start = unsafe elements + header.pointee.identity.length
            let count = unsafe Int(header.pointee.fieldCount)
            return try unsafe body(Span(_unsafeStart: UnsafePointer(start), count: count))
        }
    }

    /// Whether both hold the same bytes of fields.
    func hasSameFields(as other: ObjectStorage) -> Bool {
        if isIdentical(to: other) { return true }
        return withFields { mine in other.withFields { mine.isIdenticalBytes(to: $0) } }
    }

    /// Whether both have the same bytes of identifier.
    func hasSameID(as other: ObjectStorage) -> Bool {
        guard identity == other.identity else { return false }
        return withID { mine in other.withID { mine.isIdenticalBytes(to: $0) } }
    }
}
