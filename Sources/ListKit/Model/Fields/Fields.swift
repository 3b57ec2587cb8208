// SPDX-License-Identifier: Apache-2.0

/// The content of an object or of an item: values by key, `a{sv}` on the bus.
///
/// The struct holds one buffer of canonical bytes. Two `Fields` are equal when their bytes are, whatever the order in
/// which the keys were set, and NaN equals NaN. A value is decoded when it is read, without decoding the other values.
@frozen public struct Fields: Sendable {
    @usableFromInline let storage: ObjectStorage
    /// The error of the first value that was assigned by subscript or literal and that no D-Bus message can carry.
    /// The key of that value keeps its previous value.
    ///
    /// `ListObject.init` throws the fault, so that the error is reported.
    public private(set) var fault: ListError?

    init(storage: ObjectStorage, fault: ListError? = nil) {
        self.storage = storage
        self.fault = fault
    }

    /// Makes empty fields.
    public init() { self.init(storage: .empty) }

    /// Makes fields from canonical bytes of an untrusted source: a file, a store, another process.
    ///
    /// - Throws: `invalidObject` for bytes that are not a canonical encoding.
    @_spi(Daemon) public init(validating bytes: Span<UInt8>) throws(ListError) {
        try Fields.validate(bytes)
        self.init(storage: ObjectStorage.make(fields: bytes))
    }

    /// Throws `invalidObject` unless the bytes are a canonical encoding of fields.
    static func validate(_ bytes: Span<UInt8>) throws(ListError) {
        guard FieldsValidator.isCanonical(bytes) else {
            throw ListError(.invalidObject, "fields: the \(bytes.count) bytes are not a canonical encoding")
        }
    }

    /// Makes fields from a dictionary.
    ///
    /// - Throws: `invalidObject`, naming the key, for a value that no D-Bus message can carry.
    public init(_ values: [String: Value]) throws(ListError) {
        let entries = values.map { ($0.key, $0.value) }
        if let storage = Fields.plainStorage(entries.span) {
            self.init(storage: storage)
            return
        }
        var encoder = FieldsEncoder()
        for (key, value) in values { try encoder.append(value, forKey: key) }
        self = try encoder.finish()
    }

    /// The number of keys.
    ///
    /// - Complexity: O(size), without decoding the values.
    public var count: Int {
        var reader = FieldsReader(self)
        var count = 0
        while !reader.isAtEnd {
            reader.skip()
            count += 1
        }
        return count
    }

    /// Whether the fields have no entries.
    public var isEmpty: Bool { byteCount == 0 }

    /// The number of canonical bytes.
    public var byteCount: Int { storage.fieldCount }

    /// Calls `body` with the canonical bytes. `init(validating:)` makes fields from them again.
    @_spi(Daemon) public func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withFields(body)
    }
}

extension Fields: Hashable {
    /// Returns whether both have the same canonical bytes and the same fault.
    public static func == (lhs: Fields, rhs: Fields) -> Bool {
        lhs.storage.hasSameFields(as: rhs.storage) && lhs.fault == rhs.fault
    }

    /// Hashes the canonical bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.withFields { SeededHash.hash($0) })
    }
}

extension Fields: ExpressibleByDictionaryLiteral {
    /// Makes fields from a literal. Of repeated keys the last is kept. A value that no D-Bus message can carry
    /// becomes the `fault`.
    @inlinable
    public init(dictionaryLiteral elements: (String, Value)...) {
        // Inlinable, so that the caller keeps the array of the literal on its stack.
        self.init(entries: elements.span)
    }

    /// Makes fields from entries. Of repeated keys the last is kept. A value that no D-Bus message can carry becomes the
    /// `fault`.
    @usableFromInline
    init(entries: Span<(String, Value)>) {
        if let storage = Fields.plainStorage(entries) {
            self.init(storage: storage)
            return
        }
        self.init()
        for index in entries.indices { self[entries[index].0] = entries[index].1 }
    }
}

extension Fields {
    /// The value of a key; nil when the fields lack the key. Assigning nil removes the key.
    ///
    /// A value that no D-Bus message can carry is not stored: it becomes the `fault`.
    /// - Complexity: O(size), without decoding other values. Assigning copies all bytes.
    public subscript(key: String) -> Value? {
        get {
            guard var value = reader(forKey: key) else { return nil }
            return value.nextValue()
        }
        set {
            guard let newValue else {
                self = copyingEntries { !$0.isIdenticalBytes(to: key.utf8Span.span) }
                return
            }
            do throws(ListError) {
                self = merging(try Fields([key: newValue]))
            } catch {
                if fault == nil { fault = error }
            }
        }
    }

    /// The keys in canonical order: ascending by their UTF-8 bytes.
    public var keys: [String] {
        var keys: [String] = []
        forEachEntry { bytes, entry in keys.append(String(copying: bytes.extracting(entry.key))) }
        return keys
    }

    /// Returns the fields with only those entries whose key is in `keys`.
    ///
    /// - Complexity: O(size + keys).
    public func filtered(to keys: some Sequence<String>) -> Fields { filtered(to: Set(keys.map { ExactText($0) })) }

    /// Returns the fields with only those entries whose key is in `keys`.
    ///
    /// - Complexity: O(size).
    @_spi(Daemon) public func filtered(to keys: Set<ExactText>) -> Fields {
        copyingEntries { keys.contains(ExactText(String(copying: $0))) }
    }

    /// Returns the patched fields: the keys to unset are removed first, then the entries to set are stored.
    ///
    /// - Complexity: O(size of both + keys).
    public func patched(set entries: Fields, unset keys: some Sequence<String>) -> Fields {
        let keys = Set(keys.map { ExactText($0) })
        return copyingEntries { !keys.contains(ExactText(String(copying: $0))) }.merging(entries)
    }

    /// Returns the fields with the entries of `others` added. A key that both have gets the value of `others`.
    ///
    /// - Complexity: O(size of both).
    public func merging(_ others: Fields) -> Fields {
        let mine = entrySlices()
        var theirs = others.entrySlices()[...]
        if theirs.isEmpty { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + others.byteCount)
        for entry in mine {
            while let next = theirs.first, next.key.lexicographicallyPrecedes(entry.key) {
                bytes.append(contentsOf: next.bytes)
                theirs.removeFirst()
            }
            if let next = theirs.first, next.key == entry.key { continue }
            bytes.append(contentsOf: entry.bytes)
        }
        for entry in theirs { bytes.append(contentsOf: entry.bytes) }
        return Fields(storage: ObjectStorage.make(fields: bytes.span), fault: fault ?? others.fault)
    }
}

extension Fields: Sequence {
    /// An iterator over the entries in the order of their keys. Each entry is decoded when it is reached.
    public struct Iterator: IteratorProtocol, Sendable {
        private var reader: FieldsReader

        init(_ fields: Fields) { reader = FieldsReader(fields) }

        /// Returns the next key and its value; nil at the end.
        public mutating func next() -> (key: String, value: Value)? {
            guard case .dictionaryEntry(var entry) = reader.next(), case .string(let key) = entry.next(),
                case .variant(_, var inside) = entry.next(), let value = inside.nextValue()
            else { return nil }
            return (key.string, value)
        }
    }

    /// Returns an iterator over the entries in the order of their keys.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Always 0: the number of entries is known only after reading all of them.
    public var underestimatedCount: Int { 0 }

    /// Returns a reader positioned at the value of `key`, or nil when the fields lack the key.
    ///
    /// - Complexity: O(size) without decoding.
    func reader(forKey key: String) -> FieldsReader? {
        let wanted = key.utf8Span.span
        return storage.withFields { bytes in
            var cursor = FieldsCursor(overEntriesOf: bytes)
            while let entry = cursor.nextEntry(in: bytes) {
                if bytes.extracting(entry.key).isIdenticalBytes(to: wanted) {
                    return FieldsReader(storage: storage, value: entry)
                }
            }
            return nil
        }
    }

    /// Calls `body` with the canonical bytes and the location of each entry in them, in the order of the keys.
    func forEachEntry(_ body: (_ bytes: Span<UInt8>, _ entry: FieldsEntry) -> Void) {
        storage.withFields { bytes in
            var cursor = FieldsCursor(overEntriesOf: bytes)
            while let entry = cursor.nextEntry(in: bytes) { body(bytes, entry) }
        }
    }

    /// Calls `body` for each entry, in the order of the keys: with the bytes of the key, the letters of the value's
    /// type, and a reader positioned at the value. The last argument is the text of a value of type `s`, and nil for
    /// other types.
    @_spi(Daemon) public func visitEntries(
        _ body: (_ key: Span<UInt8>, _ type: Span<UInt8>, _ value: FieldsReader, _ text: Span<UInt8>?) -> Void
    ) {
        forEachEntry { bytes, entry in
            let (key, type) = (bytes.extracting(entry.key), bytes.extracting(entry.type))
            let value = FieldsReader(storage: storage, value: entry)
            if let text = entry.text(in: bytes) {
                body(key, type, value, bytes.extracting(text))
            } else {
                body(key, type, value, nil)
            }
        }
    }

    /// Returns the fields with only those entries whose keys pass a test. The bytes of the entries are copied
    /// unchanged.
    func copyingEntries(where isIncluded: (Span<UInt8>) -> Bool) -> Fields {
        var copied: [UInt8] = []
        forEachEntry { bytes, entry in
            guard isIncluded(bytes.extracting(entry.key)) else { return }
            for position in entry.bytes { copied.append(bytes[position]) }
        }
        return Fields(storage: ObjectStorage.make(fields: copied.span), fault: fault)
    }

    /// Copies of each entry's key and of the whole entry's bytes, in the order of the keys.
    func entrySlices() -> [(key: [UInt8], bytes: [UInt8])] {
        var slices: [(key: [UInt8], bytes: [UInt8])] = []
        forEachEntry { bytes, entry in
            slices.append((entry.key.map { bytes[$0] }, entry.bytes.map { bytes[$0] }))
        }
        return slices
    }
}

/// The location of an entry in the bytes of its fields.
struct FieldsEntry {
    /// The whole entry.
    let bytes: Range<Int>
    /// The text of the key.
    let key: Range<Int>
    /// The type of the value. The value itself follows, up to the end of the entry.
    let type: Range<Int>

    /// Returns the location of the value's text; nil when the value is not of type `s`.
    func text(in bytes: Span<UInt8>) -> Range<Int>? {
        guard type.count == 1, bytes[type.lowerBound] == TypeCode.string.rawValue else { return nil }
        var start = type.upperBound
        let end = self.bytes.upperBound
        return CanonicalEncoding.readVarint(in: bytes, at: &start, end: end).map { start..<min(start + $0, end) }
    }
}

extension FieldsCursor {
    /// Makes a cursor at the first entry of fields.
    init(overEntriesOf bytes: Span<UInt8>) { self.init(nextType: 0, typesEnd: 0, position: 0, end: bytes.count) }

    /// Returns the location of the next entry and moves past the entry; nil at the end.
    mutating func nextEntry(in bytes: Span<UInt8>) -> FieldsEntry? {
        let start = position
        guard position < end, let key = readCountedRange(in: bytes) else { return nil }
        let type = skipVariant(in: bytes)
        return FieldsEntry(bytes: start..<position, key: key, type: type)
    }
}

extension FieldsReader {
    /// Makes a reader positioned at the value of an entry.
    init(storage: ObjectStorage, value entry: FieldsEntry) {
        self.init(
            storage: storage, types: entry.type, isRepeating: false, position: entry.type.upperBound,
            end: entry.bytes.upperBound)
    }
}
