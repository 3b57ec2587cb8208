// SPDX-License-Identifier: Apache-2.0

/// Writes canonical bytes from a stream of values, in the manner of libdbus's append iterators.
///
/// The encoder stands at the top of `a{sv}`: begin a dictionary entry, append the key, begin a variant, append its value,
/// end both. Inside a container every call is checked against the container's type; a mismatch, malformed text or too deep
/// nesting throws `invalidObject`, after which only `reset()` may be called. The buffer is kept, so that one encoder serves
/// many objects.
@_spi(Daemon) public struct FieldsEncoder: Sendable {
    /// The type of the fields themselves, so that the outermost type lies in `bytes` like all others.
    static let prelude: [UInt8] = [0x7B, 0x73, 0x76, 0x7D]

    /// Up to this number, entries are sorted by insertion.
    static let fewEntries = 16

    /// Room for this many open containers is reserved: enough for text in a dictionary in a dictionary. Reserving more
    /// would cost an allocation in each call with objects.
    static let usualDepth = 8

    /// The kinds of frames.
    enum Kind { case fields, array, dictionary, entry, structure, variant }

    /// One open container.
    struct Frame {
        let kind: Kind
        /// Where its type (of an element, of the members, of the value) lies in `bytes`.
        let types: Range<Int>
        /// The type expected next; an array stays at the start.
        fileprivate(set) var nextType: Int
        /// Where its content starts, its byte count included.
        let start: Int
        /// Its first element of `entries`.
        let firstEntry: Int
        /// Whether the keys so far came in strictly ascending.
        fileprivate(set) var isSorted = true
    }

    /// One entry of an open dictionary.
    struct Entry {
        let start: Int
        fileprivate(set) var key: Range<Int>
        fileprivate(set) var end: Int
    }

    private(set) var bytes = FieldsEncoder.prelude
    private(set) var frames: [Frame] = []
    private(set) var entries: [Entry] = []
    /// Entries on their way into their order; only its memory is kept.
    private(set) var sorted: [UInt8] = []

    /// Makes an encoder that stands at the top of empty fields.
    public init() {
        frames.reserveCapacity(FieldsEncoder.usualDepth)
        reset()
    }

    /// Discards the written bytes, keeping the memory.
    public mutating func reset() {
        if isEmpty { return }
        bytes.removeSubrange(FieldsEncoder.prelude.count...)
        entries.removeAll(keepingCapacity: true)
        frames.removeAll(keepingCapacity: true)
        frames.append(Frame(kind: .fields, types: 0..<4, nextType: 0, start: 4, firstEntry: 0))
    }

    /// Whether nothing was written since the last reset.
    private var isEmpty: Bool { bytes.count == FieldsEncoder.prelude.count && frames.count == 1 && entries.isEmpty }

    /// Returns the written fields and resets the encoder.
    ///
    /// - Throws: `invalidObject` when a container is open, `payloadTooLarge` beyond 2 GiB.
    public mutating func finish() throws(ListError) -> Fields {
        try close()
        defer { reset() }
        return Fields(storage: ObjectStorage.make(fields: bytes.span.extracting(droppingFirst: 4)))
    }

    /// Returns an object with the written fields, which are copied once, and resets the encoder.
    ///
    /// - Throws: the errors of `finish` and `ListObject.init`.
    public mutating func finishObject(id: Span<UInt8>, type: ObjectType) throws(ListError) -> ListObject {
        try close()
        defer { reset() }
        try ListObject.validate(id: id)
        return ListObject(
            storage: ObjectStorage.make(id: id, type: type, fields: bytes.span.extracting(droppingFirst: 4)))
    }

    private mutating func close() throws(ListError) {
        guard frames.count == 1 else { throw ListError(.invalidObject, "fields: a container was left open") }
        sortEntries(of: frames[0])
        guard bytes.count <= CanonicalEncoding.maximumByteCount else {
            throw ListError(.payloadTooLarge, "fields: \(bytes.count) bytes")
        }
    }
}

extension FieldsEncoder {
    /// The type that must come next, nil when the container is full.
    public var expectedType: TypeCode? {
        guard let frame = frames.last, frame.nextType < frame.types.upperBound else { return nil }
        return TypeCode(rawValue: bytes[frame.nextType])
    }

    /// Consumes the next type if it is a given basic one.
    mutating func expect(_ code: TypeCode) throws(ListError) {
        let top = frames.count - 1
        guard expectedType == code else { throw mismatch(code) }
        if frames[top].kind != .array { frames[top].nextType += 1 }
    }

    func mismatch(_ code: TypeCode) -> ListError {
        let expected = expectedType.map { "'\(Unicode.Scalar($0.rawValue))'" } ?? "nothing more"
        return ListError(.invalidObject, "fields: '\(Unicode.Scalar(code.rawValue))' where \(expected) is expected")
    }

    /// Appends a `y`.
    public mutating func append(_ number: UInt8) throws(ListError) {
        try expect(.byte)
        bytes.append(number)
    }

    /// Appends a `b`.
    public mutating func append(_ flag: Bool) throws(ListError) {
        try expect(.boolean)
        bytes.append(flag ? 1 : 0)
    }

    /// Appends an `n`.
    public mutating func append(_ number: Int16) throws(ListError) {
        try expect(.int16)
        append(bits: UInt64(UInt16(bitPattern: number)), size: 2)
    }

    /// Appends a `q`.
    public mutating func append(_ number: UInt16) throws(ListError) {
        try expect(.uint16)
        append(bits: UInt64(number), size: 2)
    }

    /// Appends an `i`.
    public mutating func append(_ number: Int32) throws(ListError) {
        try expect(.int32)
        append(bits: UInt64(UInt32(bitPattern: number)), size: 4)
    }

    /// Appends a `u`.
    public mutating func append(_ number: UInt32) throws(ListError) {
        try expect(.uint32)
        append(bits: UInt64(number), size: 4)
    }

    /// Appends an `x`.
    public mutating func append(_ number: Int64) throws(ListError) {
        try expect(.int64)
        append(bits: UInt64(bitPattern: number), size: 8)
    }

    /// Appends a `t`.
    public mutating func append(_ number: UInt64) throws(ListError) {
        try expect(.uint64)
        append(bits: number, size: 8)
    }

    /// Appends a `d`; every NaN becomes the same one.
    public mutating func append(_ number: Double) throws(ListError) {
        try expect(.double)
        append(bits: number.canonicalBits, size: 8)
    }

    /// Appends an `s`, `o` or `g`, whichever is expected.
    ///
    /// - Throws: `invalidObject` when the bytes are not valid as such (no UTF-8, a NUL, no path, no signature).
    public mutating func append(text: Span<UInt8>) throws(ListError) {
        guard let code = expectedType, TextRules.isValid(text, as: code) else {
            throw ListError(.invalidObject, "fields: malformed text where \(expectedTypeName) is expected")
        }
        try expect(code)
        CanonicalEncoding.append(varint: text.count, to: &bytes)
        append(raw: text)
    }

    /// Appends many `y` at once; only inside `ay`.
    public mutating func append(bytes content: Span<UInt8>) throws(ListError) {
        guard frames.last?.kind == .array, expectedType == .byte else { throw mismatch(.byte) }
        append(raw: content)
    }

    private var expectedTypeName: String {
        expectedType.map { "'\(Unicode.Scalar($0.rawValue))'" } ?? "nothing more"
    }

    private mutating func append(bits: UInt64, size: Int) {
        var rest = bits
        for _ in 0..<size {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    mutating func append(raw content: Span<UInt8>) {
        // The buffer is only read during the call.
        unsafe content.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

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

    /// Appends a whole entry of the fields that holds a flag or a number: the same as its parts one by one, in a part of the
    /// time.
    ///
    /// - Parameters:
    ///   - bits: the number's, as many as its type has; a flag that is not 0 is set, and every NaN becomes the same one.
    ///   - type: a type of one size.
    /// - Throws: `invalidObject` when a container is open, for a type that has no size, and for bytes that are no text.
    public mutating func appendField(_ key: Span<UInt8>, bits: UInt64, type: TypeCode) throws(ListError) {
        guard frames.count == 1 else { throw mismatch(.dictionaryEntry) }
        guard TextRules.isString(key), let size = type.fixedSize else {
            throw ListError(.invalidObject, "fields: a malformed key, or no number")
        }
        let start = bytes.count
        CanonicalEncoding.append(varint: key.count, to: &bytes)
        let keyStart = bytes.count
        append(raw: key)
        bytes.append(type.rawValue)
        switch type {
        case .boolean: append(bits: bits == 0 ? 0 : 1, size: size)
        case .double: append(bits: Double(bitPattern: bits).canonicalBits, size: size)
        default: append(bits: bits, size: size)
        }
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

    /// Consumes the next type if it is a given container; returns the range of the types inside, with the end of a structure.
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
        // Moved out during the sort, which compares the keys in `bytes`.
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
