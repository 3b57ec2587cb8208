// SPDX-License-Identifier: Apache-2.0

extension Fields: Sequence {
    /// Walks over the entries in the order of their keys, decoding each when it is reached.
    public struct Iterator: IteratorProtocol, Sendable {
        private var reader: FieldsReader

        init(_ fields: Fields) { reader = FieldsReader(fields) }

        /// The next key and its value.
        public mutating func next() -> (key: String, value: Value)? {
            guard case .dictionaryEntry(var entry) = reader.next(), case .string(let key) = entry.next(),
                case .variant(_, var inside) = entry.next(), let value = inside.nextValue()
            else { return nil }
            return (key.string, value)
        }
    }

    /// Walks over the entries in the order of their keys.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// At most the number of entries.
    public var underestimatedCount: Int { 0 }

    /// A reader at the value of a key; nil when there is none.
    ///
    /// - Complexity: O(size) without decoding.
    func find(_ key: String) -> FieldsReader? {
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

    /// Visits each entry in place in the bytes.
    func forEachEntry(_ body: (_ bytes: Span<UInt8>, _ entry: FieldsEntry) -> Void) {
        storage.withFields { bytes in
            var cursor = FieldsCursor(overEntriesOf: bytes)
            while let entry = cursor.nextEntry(in: bytes) { body(bytes, entry) }
        }
    }

    /// Visits the entries in the order of their keys: each with its key, the type of its value, and a reader at the value; for
    /// a value that is text, the text too.
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

    /// The entries whose keys pass a test, byte for byte.
    func copyingEntries(where isIncluded: (Span<UInt8>) -> Bool) -> Fields {
        var copied: [UInt8] = []
        forEachEntry { bytes, entry in
            guard isIncluded(bytes.extracting(entry.key)) else { return }
            for position in entry.bytes { copied.append(bytes[position]) }
        }
        return Fields(storage: ObjectStorage.make(fields: copied.span), fault: fault)
    }

    /// Key and whole bytes of each entry.
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
    /// The type of the value; the value follows up to the end of the entry.
    let type: Range<Int>

    /// The text of a value that is one.
    func text(in bytes: Span<UInt8>) -> Range<Int>? {
        guard type.count == 1, bytes[type.lowerBound] == TypeCode.string.rawValue else { return nil }
        var start = type.upperBound
        let end = self.bytes.upperBound
        return CanonicalEncoding.varint(in: bytes, at: &start, end: end).map { start..<min(start + $0, end) }
    }
}

extension FieldsCursor {
    /// Makes a reader before the first entry of some fields.
    init(overEntriesOf bytes: Span<UInt8>) { self.init(nextType: 0, typesEnd: 0, position: 0, end: bytes.count) }

    /// The location of the next entry; moves past it.
    mutating func nextEntry(in bytes: Span<UInt8>) -> FieldsEntry? {
        let start = position
        guard position < end, let key = counted(in: bytes) else { return nil }
        let type = skipVariant(in: bytes)
        return FieldsEntry(bytes: start..<position, key: key, type: type)
    }
}

extension FieldsReader {
    /// Makes a reader at the value of an entry.
    init(storage: ObjectStorage, value entry: FieldsEntry) {
        self.init(
            storage: storage, types: entry.type, isRepeating: false, position: entry.type.upperBound,
            end: entry.bytes.upperBound)
    }
}
