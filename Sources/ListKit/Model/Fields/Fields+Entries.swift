extension Fields: Sequence {
    /// Walks over the entries in the order of their keys, decoding each as it is reached.
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

    /// A number no larger than that of the entries.
    public var underestimatedCount: Int { 0 }

    /// The entry with a key, its value not yet decoded.
    func find(_ key: String) -> (key: FieldsReader.Text, content: FieldsReader.Element)? {
        var reader = FieldsReader(self)
        let wanted = key.utf8Span.span
        while case .dictionaryEntry(var entry) = reader.next() {
            guard case .string(let name) = entry.next() else { return nil }
            if name.withBytes({ $0.isIdenticalBytes(to: wanted) }) { return entry.next().map { (name, $0) } }
        }
        return nil
    }

    /// Visits the key of each entry and the range of the whole entry.
    func forEachEntry(_ body: (_ key: FieldsReader.Text, _ bytes: Range<Int>, _ entry: FieldsReader) -> Void) {
        var reader = FieldsReader(self)
        while true {
            let start = reader.position
            guard case .dictionaryEntry(var entry) = reader.next(), case .string(let key) = entry.next() else { return }
            body(key, start..<reader.position, entry)
        }
    }

    /// The entries that pass a test, byte for byte.
    func copyingEntries(where isIncluded: (FieldsReader.Text) -> Bool) -> Fields {
        var bytes: [UInt8] = []
        storage.withFields { content in
            forEachEntry { key, range, _ in
                guard isIncluded(key) else { return }
                for position in range { bytes.append(content[position]) }
            }
        }
        return Fields(storage: ObjectStorage.make(fields: bytes.span), fault: fault)
    }

    /// Key and whole bytes of each entry.
    func entrySlices() -> [(key: [UInt8], bytes: [UInt8])] {
        var slices: [(key: [UInt8], bytes: [UInt8])] = []
        storage.withFields { content in
            forEachEntry { key, range, _ in
                slices.append((key.range.map { content[$0] }, range.map { content[$0] }))
            }
        }
        return slices
    }
}
