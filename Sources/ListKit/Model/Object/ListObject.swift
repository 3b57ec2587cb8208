// SPDX-License-Identifier: Apache-2.0

/// One element of a list: an identifier, a type and fields.
///
/// A value of 8 bytes; copies share one immutable allocation. Values with the same identifier are versions of the same object,
/// which has changed when type or fields differ (IGListKit's `ListDiffable`).
@frozen public struct ListObject: Sendable {
    @usableFromInline let storage: ObjectStorage

    init(storage: ObjectStorage) { self.storage = storage }

    /// Makes an object.
    ///
    /// - Parameters:
    ///   - id: unique in its list; not empty, without NUL, at most 65,535 bytes of UTF-8.
    ///   - type: selects the section controller; may be empty.
    ///   - fields: the content.
    /// - Throws: `invalidObject` for a malformed identifier or type and for fields with a fault, `payloadTooLarge` for an
    ///   identifier that is too long.
    public init(id: String, type: String = "", fields: Fields = [:]) throws(ListError) {
        guard TextRules.isString(type.utf8Span.span) else {
            throw ListError(.invalidObject, "type \(type.quoted): NUL in a string")
        }
        try self.init(id: id.utf8Span.span, type: ObjectType.named(type), fields: fields)
    }

    /// Makes an object from the bytes of an identifier and a type that was looked up before.
    ///
    /// - Throws: as `init(id:type:fields:)`, also for an identifier that is not UTF-8.
    @_spi(Daemon) public init(id: Span<UInt8>, type: ObjectType, fields: Fields) throws(ListError) {
        if let fault = fields.fault { throw fault }
        try ListObject.validate(id: id)
        storage = fields.storage.withFields { ObjectStorage.make(id: id, type: type, fields: $0) }
    }

    /// Makes an object from untrusted bytes, as of a store: they are checked, and copied once.
    ///
    /// - Throws: as `init(id:type:fields:)`, and `invalidObject` for fields that are not canonical bytes.
    @_spi(Daemon) public init(
        id: Span<UInt8>, type: ObjectType, validating fields: Span<UInt8>
    ) throws(ListError) {
        try ListObject.validate(id: id)
        try Fields.validate(fields)
        storage = ObjectStorage.make(id: id, type: type, fields: fields)
    }

    /// Checks the bytes of an identifier.
    static func validate(id: Span<UInt8>) throws(ListError) {
        guard id.count > 0 else { throw ListError(.invalidObject, "an object has an empty identifier") }
        guard id.count <= ObjectIdentity.maximumLength else {
            throw ListError(.payloadTooLarge, "an identifier of \(id.count) bytes")
        }
        guard TextRules.isString(id) else {
            throw ListError(.invalidObject, "identifier \(String(copying: id).quoted): has a NUL or is not UTF-8")
        }
    }

    /// The identifier, unique in its list.
    public var id: String { storage.withID { String(copying: $0) } }

    /// The name that selects the section controller.
    public var type: String { storage.type?.name ?? "" }

    /// The content; shares the memory of the object.
    public var fields: Fields { Fields(storage: storage) }

    /// Bytes of identifier and fields together, as limits and statistics count them.
    public var byteCount: Int { storage.identity.length + storage.fieldCount }

    /// The shared name of the type.
    @_spi(Daemon) public var objectType: ObjectType { storage.type ?? ObjectType.unnamed }

    /// Whether the object has a type; no reference is counted.
    @_spi(Daemon) public func hasType(_ type: ObjectType?) -> Bool {
        // The object keeps its header alive during the comparison.
        unsafe storage.buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee.type === type }
    }

    /// Calls `body` with the UTF-8 bytes of the identifier, without NUL at the end.
    @_spi(Daemon) public func withIDBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withID(body)
    }

    /// The same object with other fields.
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
    /// Two objects are equal if identifier, type and fields are, byte for byte.
    public static func == (lhs: ListObject, rhs: ListObject) -> Bool {
        lhs.isSame(as: rhs) && lhs.hasSameContent(as: rhs)
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.identity) }

    /// Whether both are the same object: equal identifiers.
    public func isSame(as other: ListObject) -> Bool { storage.hasSameID(as: other.storage) }

    /// Whether type and fields are equal (IGListKit's `isEqual(toDiffableObject:)`).
    public func hasSameContent(as other: ListObject) -> Bool {
        storage.isIdentical(to: other.storage)
            || storage.type === other.storage.type && storage.hasSameFields(as: other.storage)
    }
}

extension ListObject: CustomStringConvertible {
    /// Identifier, type and number of fields in one line.
    public var description: String { "\(id.quoted) (\(type.quoted), \(fields.count) fields)" }
}
