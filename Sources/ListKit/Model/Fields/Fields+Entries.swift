// SPDX-License-Identifier: Apache-2.0

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
