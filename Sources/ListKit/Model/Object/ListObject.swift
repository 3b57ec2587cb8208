// SPDX-License-Identifier: Apache-2.0

/// One element of a list: an identifier, a type and fields.
///
/// The struct takes 8 bytes, and copies share one immutable allocation. Two values with the same identifier are
/// versions of the same object. The object has changed if type or fields differ (IGListKit's `ListDiffable`).
@frozen public struct ListObject: Sendable {
    @usableFromInline let storage: ObjectStorage

    init(storage: ObjectStorage) { self.storage = storage }

    /// Makes an object.
    ///
    /// - Parameters:
    ///   - id: the identifier, unique in its list; not empty, without NUL, at most 65,535 bytes of UTF-8.
    ///   - type: the name that selects the section controller; may be empty.
    ///   - fields: the content.
    /// - Throws: `invalidObject` for a malformed identifier or type and for fields with a fault, `payloadTooLarge` for an
    ///   identifier that is too long.
    public init(id: String, type: String = "", fields: Fields = [:]) throws(ListError) {
        guard type.withUTF8Bytes({ TextRules.isString($0) }) else {
            throw ListError(.invalidObject, "the type \(type.quoted) has a NUL")
        }
        let type = ObjectType.named(type)
        storage = try id.withUTF8Bytes { (id) throws(ListError) in
            try ListObject.makeStorage(id: id, type: type, fields: fields)
        }
    }

    /// Makes an object from the UTF-8 bytes of an identifier and a type that was looked up before.
    ///
    /// - Throws: the errors of `init(id:type:fields:)`, and `invalidObject` for an identifier that is not UTF-8.
    @_spi(Daemon) public init(id: Span<UInt8>, type: ObjectType, fields: Fields) throws(ListError) {
        storage = try ListObject.makeStorage(id: id, type: type, fields: fields)
    }

    private static func makeStorage(
        id: Span<UInt8>, type: ObjectType, fields: Fields
    ) throws(ListError) -> ObjectStorage {
        if let fault = fields.fault { throw fault }
        try validate(id: id)
        return fields.storage.withFields { ObjectStorage.make(id: id, type: type, fields: $0) }
    }

    /// Makes an object from untrusted bytes, such as those of a store. The bytes are checked, and copied once.
    ///
    /// - Throws: the errors of `init(id:type:fields:)`, and `invalidObject` for fields that are not canonical bytes.
    @_spi(Daemon) public init(
        id: Span<UInt8>, type: ObjectType, validating fields: Span<UInt8>
    ) throws(ListError) {
        try ListObject.validate(id: id)
        try Fields.validate(fields)
        storage = ObjectStorage.make(id: id, type: type, fields: fields)
    }

    /// Throws unless the bytes are a valid identifier.
    static func validate(id: Span<UInt8>) throws(ListError) {
        guard id.count > 0 else { throw ListError(.invalidObject, "the identifier of an object is empty") }
        guard id.count <= ObjectIdentity.maximumLength else {
            throw ListError(
                .payloadTooLarge, "an identifier has \(id.count) bytes, more than \(ObjectIdentity.maximumLength)")
        }
        guard TextRules.isString(id) else {
            throw ListError(.invalidObject, "the identifier \(String(copying: id).quoted) has a NUL or is not UTF-8")
        }
    }

    /// The identifier, unique in its list.
    public var id: String { storage.withID { String(copying: $0) } }

    /// The name that selects the section controller.
    public var type: String { storage.type?.name ?? "" }

    /// The fields. They share the memory of the object.
    public var fields: Fields { Fields(storage: storage) }

    /// The number of bytes of identifier and fields together, as limits and statistics count them.
    public var byteCount: Int { storage.identity.length + storage.fieldCount }

    /// The type, whose name is shared by all objects of the type.
    @_spi(Daemon) public var objectType: ObjectType { storage.type ?? ObjectType.unnamed }

    /// Returns whether the object has the given type. Faster than comparing `objectType`, as it retains nothing.
    @_spi(Daemon) public func hasType(_ type: ObjectType?) -> Bool {
        // The object keeps the header in memory during the comparison.
        unsafe storage.buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee.type === type }
    }

    /// Calls `body` with the UTF-8 bytes of the identifier, without a NUL at the end.
    @_spi(Daemon) public func withIDBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withID(body)
    }

    /// Returns the same object with other fields.
    ///
    /// - Throws: the fault of the fields.
    public func with(fields: Fields) throws(ListError) -> ListObject {
        if let fault = fields.fault { throw fault }
        return ListObject(
            storage: storage.withID { id in
                fields.storage.withFields { ObjectStorage.make(id: id, type: objectType, fields: $0) }
            })
    }
}

extension ListObject: Hashable {
    /// Returns whether identifier, type and fields are equal, byte for byte.
    public static func == (lhs: ListObject, rhs: ListObject) -> Bool {
        lhs.isSame(as: rhs) && lhs.hasSameContent(as: rhs)
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.identity) }

    /// Returns whether both have the same identifier, so that they are versions of the same object.
    public func isSame(as other: ListObject) -> Bool { storage.hasSameID(as: other.storage) }

    /// Returns whether type and fields are equal (IGListKit's `isEqual(toDiffableObject:)`).
    public func hasSameContent(as other: ListObject) -> Bool {
        storage.isIdentical(to: other.storage)
            || storage.type === other.storage.type && storage.hasSameFields(as: other.storage)
    }
}

extension ListObject: CustomStringConvertible {
    /// The identifier, the type and the number of fields in one line.
    public var description: String { "\(id.quoted) (\(type.quoted), \(fields.count) fields)" }
}

/// The hash and the length of an identifier in one word, so that one comparison distinguishes nearly all identifiers.
///
/// The upper 48 bits are a hash of the bytes, the lower 16 bits the length. The hash has a random seed per process,
/// so that clients cannot choose identifiers that collide in a hash table.
struct ObjectIdentity: Sendable, Hashable {
    /// The maximum length of an identifier, in bytes.
    static let maximumLength = 0xFFFF

    /// The identity of fields that belong to no object.
    static let none = ObjectIdentity(word: 0)

    /// The hash in the upper 48 bits, the length in the lower 16.
    let word: UInt64

    private init(word: UInt64) { self.word = word }

    /// Makes the identity of an identifier from its UTF-8 bytes.
    init(of id: Span<UInt8>) {
        word = SeededHash.hash(id) << 16 | UInt64(id.count & ObjectIdentity.maximumLength)
    }

    /// The length of the identifier in bytes.
    var length: Int { Int(word & 0xFFFF) }

    /// The hash for a hash table. Only the lower 48 bits are used; the upper 16 are zero.
    var hash: UInt64 { word >> 16 }
}
