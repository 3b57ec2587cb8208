extension FieldsEncoder {
    /// Opens an array, or a dictionary where `a{…}` is expected.
    public mutating func beginArray() throws(ListError) {
        let element = try enter(.array)
        let isDictionary = bytes[element.lowerBound] == TypeCode.dictionaryEntry.rawValue
        try push(isDictionary ? .dictionary : .array, types: element)
        bytes.append(0)
    }

    /// Closes an array or a dictionary.
    public mutating func endArray() throws(ListError) {
        let frame = try pop([.array, .dictionary])
        if frame.kind == .dictionary { sortEntries(of: frame) }
        entries.removeSubrange(frame.firstEntry...)
        let count = bytes.count - frame.start - 1
        if count < 0x80 {
            bytes[frame.start] = UInt8(truncatingIfNeeded: count)
        } else {
            var prefix: [UInt8] = []
            CanonicalEncoding.append(varint: count, to: &prefix)
            bytes.replaceSubrange(frame.start...frame.start, with: prefix)
        }
    }

    /// Opens an entry of the fields or of a dictionary: a key, then a value.
    public mutating func beginDictionaryEntry() throws(ListError) {
        guard let frame = frames.last, frame.kind == .fields || frame.kind == .dictionary else {
            throw mismatch(.dictionaryEntry)
        }
        let types = frame.types
        try push(.entry, types: types.lowerBound + 1..<types.upperBound - 1)
        entries.append(Entry(start: bytes.count, key: 0..<0, end: 0))
    }

    /// Closes an entry.
    public mutating func endDictionaryEntry() throws(ListError) {
        let frame = try pop([.entry])
        let last = entries.count - 1
        entries[last].end = bytes.count
        entries[last].key = keyRange(from: frame.start, type: bytes[frame.types.lowerBound])
        let top = frames.count - 1
        if last > frames[top].firstEntry {
            let order = CanonicalEncoding.compare(entries[last - 1].key, entries[last].key, in: bytes.span)
            if order >= 0 { frames[top].isSorted = false }
        }
    }

    /// Opens a structure.
    public mutating func beginStructure() throws(ListError) {
        let inside = try enter(.structure)
        try push(.structure, types: inside.lowerBound..<inside.upperBound - 1)
    }

    /// Closes a structure.
    public mutating func endStructure() throws(ListError) { _ = try pop([.structure]) }

    /// Opens a variant whose value has the given type.
    ///
    /// - Throws: `invalidObject` when the signature is not one complete type without `h`.
    public mutating func beginVariant(signature: Span<UInt8>) throws(ListError) {
        guard TypeSignature.isComplete(signature) else {
            throw ListError(.invalidObject, "fields: a variant needs the signature of one complete type without 'h'")
        }
        try expect(.variant)
        let start = bytes.count
        append(raw: signature)
        try push(.variant, types: start..<bytes.count)
    }

    /// Closes a variant.
    public mutating func endVariant() throws(ListError) { _ = try pop([.variant]) }

    /// Takes the next type if it is a given container; answers what is inside of it, a structure's bracket included.
    private mutating func enter(_ code: TypeCode) throws(ListError) -> Range<Int> {
        guard expectedType == code else { throw mismatch(code) }
        let top = frames.count - 1
        let start = frames[top].nextType
        let end = TypeSignature.knownEnd(of: start, before: frames[top].types.upperBound) { bytes[$0] }
        if frames[top].kind != .array { frames[top].nextType = end }
        return start + 1..<end
    }

    private mutating func push(_ kind: Kind, types: Range<Int>) throws(ListError) {
        // The fields, their entry and its variant are not counted.
        guard frames.count - 2 <= CanonicalEncoding.maximumDepth else {
            throw ListError(.invalidObject, "fields: more than \(CanonicalEncoding.maximumDepth) nested containers")
        }
        frames.append(
            Frame(
                kind: kind, types: types, nextType: types.lowerBound, start: bytes.count, firstEntry: entries.count))
    }

    private mutating func pop(_ kinds: [Kind]) throws(ListError) -> Frame {
        guard let frame = frames.last, kinds.contains(frame.kind) else {
            throw ListError(.invalidObject, "fields: the end of a container that is not open")
        }
        let isFull = frame.nextType == frame.types.upperBound
        guard isFull || frame.kind == .array || frame.kind == .dictionary else {
            throw ListError(.invalidObject, "fields: the end of a container that lacks a value")
        }
        frames.removeLast()
        return frame
    }

    /// The bytes by which a key is ordered: without the count of a text.
    private func keyRange(from start: Int, type: UInt8) -> Range<Int> {
        if let size = TypeCode(rawValue: type)?.fixedSize { return start..<start + size }
        var position = start
        let count = CanonicalEncoding.varint(in: bytes.span, at: &position, end: bytes.count) ?? 0
        return position..<position + count
    }

    /// Puts the entries of a dictionary in order and keeps the last of repeated keys.
    mutating func sortEntries(of frame: Frame) {
        guard !frame.isSorted else { return }
        let unordered = entries[frame.firstEntry...]
        let start = unordered.first?.start ?? bytes.count
        bytes.replaceSubrange(start..., with: FieldsEncoder.sorted(unordered, in: bytes.span))
    }

    private static func sorted(_ entries: ArraySlice<Entry>, in bytes: Span<UInt8>) -> [UInt8] {
        // The sort is stable, so that of repeated keys the last one stays last.
        let order = entries.sorted { CanonicalEncoding.compare($0.key, $1.key, in: bytes) < 0 }
        var result: [UInt8] = []
        for (position, entry) in order.enumerated() {
            let isRepeated =
                position + 1 < order.count
                && CanonicalEncoding.compare(entry.key, order[position + 1].key, in: bytes) == 0
            if isRepeated { continue }
            for offset in entry.start..<entry.end { result.append(bytes[offset]) }
        }
        return result
    }
}
