// SPDX-License-Identifier: Apache-2.0

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
        noteOrderOfLastEntry()
    }

    /// Appends a whole entry of the fields that holds an `s`: the same as its parts one by one, in a fifth of the time, and
    /// most fields are text.
    ///
    /// - Throws: `invalidObject` when a container is open, and for bytes that are no text.
    public mutating func appendField(_ key: Span<UInt8>, text: Span<UInt8>) throws(ListError) {
        guard frames.count == 1 else { throw mismatch(.dictionaryEntry) }
        guard TextRules.isString(key), TextRules.isString(text) else {
            throw ListError(.invalidObject, "fields: malformed text where 's' is expected")
        }
        let start = bytes.count
        CanonicalEncoding.append(varint: key.count, to: &bytes)
        let keyStart = bytes.count
        append(raw: key)
        bytes.append(TypeCode.string.rawValue)
        CanonicalEncoding.append(varint: text.count, to: &bytes)
        append(raw: text)
        entries.append(Entry(start: start, key: keyStart..<keyStart + key.count, end: bytes.count))
        noteOrderOfLastEntry()
    }

    private mutating func noteOrderOfLastEntry() {
        let (top, last) = (frames.count - 1, entries.count - 1)
        guard frames[top].isSorted, last > frames[top].firstEntry else { return }
        let order = CanonicalEncoding.compare(entries[last - 1].key, entries[last].key, in: bytes.span)
        if order >= 0 { frames[top].isSorted = false }
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
        let start = entries[frame.firstEntry].start
        sort(from: frame.firstEntry)
        sorted.removeAll(keepingCapacity: true)
        // Fields begin behind the prelude, and what is in order takes the place of all; a dictionary inside takes its own.
        if frame.kind == .fields { sorted += FieldsEncoder.prelude }
        for position in frame.firstEntry..<entries.count {
            let entry = entries[position]
            let isRepeated =
                position + 1 < entries.count
                && CanonicalEncoding.compare(entry.key, entries[position + 1].key, in: bytes.span) == 0
            if !isRepeated { sorted += bytes[entry.start..<entry.end] }
        }
        if frame.kind == .fields {
            swap(&bytes, &sorted)
        } else {
            bytes.removeSubrange(start...)
            bytes += sorted
        }
    }

    /// The sort is stable, so that of repeated keys the last one stays last.
    private mutating func sort(from first: Int) {
        guard entries.count - first > FieldsEncoder.fewEntries else { return insertEntries(from: first) }
        // Taken out of its place meanwhile, because the order is that of the keys in `bytes`.
        var entries: [Entry] = []
        swap(&entries, &self.entries)
        // In place: a slice of the array would be a copy.
        unsafe entries.withUnsafeMutableBufferPointer { entries in
            unsafe entries[first...].sort { CanonicalEncoding.compare($0.key, $1.key, in: bytes.span) < 0 }
        }
        swap(&entries, &self.entries)
    }

    /// Most objects have a handful of fields: put each in its place among those before it.
    private mutating func insertEntries(from first: Int) {
        for next in first + 1..<entries.count {
            var place = next
            while place > first,
                CanonicalEncoding.compare(entries[place - 1].key, entries[place].key, in: bytes.span) > 0
            {
                entries.swapAt(place - 1, place)
                place -= 1
            }
        }
    }
}
