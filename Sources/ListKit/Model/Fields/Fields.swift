// SPDX-License-Identifier: Apache-2.0

/// The content of an object or of an item: values by key, `a{sv}` on the bus.
///
/// A value that holds one buffer of canonical bytes; two contents are equal when their bytes are, whatever the order in
/// which the keys came, and NaN equals NaN. A value is decoded when it is asked for, the others are not touched.
@frozen public struct Fields: Sendable {
    @usableFromInline let storage: ObjectStorage
    @usableFromInline var box: FaultBox?

    init(storage: ObjectStorage, fault: ListError? = nil) {
        self.storage = storage
        self.box = fault.map { FaultBox($0) }
    }

    /// Makes empty fields.
    public init() { self.init(storage: .empty) }

    /// Takes canonical bytes from a source that is not trusted: a file, a store, another process.
    ///
    /// - Throws: `invalidObject` for bytes that are not the canonical encoding of some fields.
    @_spi(Daemon) public init(validating bytes: Span<UInt8>) throws(ListError) {
        try Fields.validate(bytes)
        self.init(storage: ObjectStorage.make(fields: bytes))
    }

    /// Checks bytes from such a source.
    static func validate(_ bytes: Span<UInt8>) throws(ListError) {
        guard FieldsValidator.isCanonical(bytes) else {
            throw ListError(.invalidObject, "fields: \(bytes.count) bytes that are not a canonical encoding")
        }
    }

    /// Makes fields from a dictionary.
    ///
    /// - Throws: `invalidObject`, naming the key, for a value that no D-Bus message can carry.
    public init(_ values: [String: Value]) throws(ListError) {
        var encoder = FieldsEncoder()
        for (key, value) in values { try encoder.append(value, forKey: key) }
        self = try encoder.finish()
    }

    /// The first value assigned by subscript or literal that no D-Bus message can carry; its key keeps what it had.
    ///
    /// An object refuses fields with a fault, so that the mistake is reported and nothing is lost in silence.
    public var fault: ListError? { box?.error }

    /// How many keys there are.
    ///
    /// - Complexity: O(size), without decoding.
    public var count: Int {
        var reader = FieldsReader(self)
        var count = 0
        while !reader.isAtEnd {
            reader.skip()
            count += 1
        }
        return count
    }

    /// Whether there are no keys.
    public var isEmpty: Bool { byteCount == 0 }

    /// The size of the canonical bytes.
    public var byteCount: Int { storage.fieldCount }

    /// Lends the canonical bytes, to be kept or sent; `init(validating:)` takes them back.
    @_spi(Daemon) public func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withFields(body)
    }
}

/// What `Fields` refers to when something was assigned that it could not take.
@usableFromInline
final class FaultBox: Sendable {
    let error: ListError

    init(_ error: ListError) { self.error = error }
}

extension Fields: Hashable {
    /// Equal means: the same canonical bytes.
    public static func == (lhs: Fields, rhs: Fields) -> Bool {
        lhs.storage.hasSameFields(as: rhs.storage) && lhs.fault == rhs.fault
    }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.withFields { SeededHash.hash($0) })
    }
}

extension Fields: ExpressibleByDictionaryLiteral {
    /// Makes fields from a literal; the last of repeated keys wins, and a value that cannot be carried becomes the `fault`.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}
