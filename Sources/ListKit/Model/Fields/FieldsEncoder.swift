// SPDX-License-Identifier: Apache-2.0

/// An encoder that writes canonical bytes value by value, in the manner of libdbus's append iterators.
///
/// The encoder begins at the top level of `a{sv}`: begin a dictionary entry, append the key, begin a variant, append
/// its value, end both. Each call is checked against the type of the open container. A value of another type, malformed
/// text or too deep nesting throws `invalidObject`; after an error only `reset()` may be called. The buffer is kept, so
/// that one encoder serves many objects.
@_spi(Daemon) public struct FieldsEncoder: Sendable {
    /// `{sv}`, the type of the fields' entries. It is stored before the fields, so that `bytes` contains the
    /// outermost type like the types of all inner containers.
    static let prelude: [UInt8] = [0x7B, 0x73, 0x76, 0x7D]

    /// The maximum number of entries that are sorted by insertion.
    static let insertionSortLimit = 16

    /// The number of open containers for which memory is reserved: enough for text in a dictionary in a dictionary.
    /// Reserving more would cost an allocation in each call with objects.
    static let reservedDepth = 8

    /// The kind of an open container.
    enum Kind { case fields, array, dictionary, entry, structure, variant }

    /// One open container.
    struct Frame {
        let kind: Kind
        /// The range in `bytes` of the type of an element, of the members, or of the value.
        let types: Range<Int>
        /// The position in `bytes` of the type that is expected next. In an array, this position never changes.
        fileprivate(set) var nextType: Int
        /// The position in `bytes` where the content starts, including its byte count.
        let start: Int
        /// The index in `entries` of the container's first entry.
        let firstEntry: Int
        /// Whether the keys written so far are strictly ascending.
        fileprivate(set) var isSorted = true
    }

    /// The location in `bytes` of one entry of an open dictionary.
    struct WrittenEntry {
        let start: Int
        fileprivate(set) var key: Range<Int>
        fileprivate(set) var end: Int
    }

    private(set) var bytes = FieldsEncoder.prelude
    private(set) var frames: [Frame] = []
    private(set) var entries: [WrittenEntry] = []
    /// A scratch buffer for `sortEntries`. It is kept to reuse its memory.
    private(set) var sorted: [UInt8] = []

    /// Makes an encoder without any entries.
    public init() {
        frames.reserveCapacity(FieldsEncoder.reservedDepth)
        frames.append(Frame(kind: .fields, types: 0..<4, nextType: 0, start: 4, firstEntry: 0))
    }

    /// Discards the written bytes and keeps the memory.
    public mutating func reset() {
        if isEmpty { return }
        bytes.removeLast(bytes.count - FieldsEncoder.prelude.count)
        entries.removeLast(entries.count)
        frames.removeLast(frames.count - 1)
        frames[0].isSorted = true
    }

    /// Whether the encoder is as after `reset()`.
    private var isEmpty: Bool { bytes.count == FieldsEncoder.prelude.count && frames.count == 1 && entries.isEmpty }

    /// Returns the written fields and resets the encoder.
    ///
    /// - Throws: `invalidObject` when a container is still open, `payloadTooLarge` beyond 2 GiB.
    public mutating func finish() throws(ListError) -> Fields {
        try finishEntries()
        defer { reset() }
        return Fields(storage: ObjectStorage.make(fields: bytes.span.extracting(droppingFirst: 4)))
    }

    /// Returns an object with the written fields and resets the encoder. The fields are copied once.
    ///
    /// - Throws: the errors of `finish` and `ListObject.init`.
    public mutating func finishObject(id: Span<UInt8>, type: ObjectType) throws(ListError) -> ListObject {
        try finishEntries()
        defer { reset() }
        try ListObject.validate(id: id)
        return ListObject(
            storage: ObjectStorage.make(id: id, type: type, fields: bytes.span.extracting(droppingFirst: 4)))
    }

    /// Sorts the entries of the fields. Throws if a container is open or the fields are too large.
    private mutating func finishEntries() throws(ListError) {
        guard frames.count == 1 else { throw ListError(.invalidObject, "fields: a container was left open") }
        sortEntries(of: frames[0])
        guard bytes.count <= CanonicalEncoding.maximumByteCount else {
            throw ListError(
                .payloadTooLarge,
                "fields: the fields have \(bytes.count) bytes, more than \(CanonicalEncoding.maximumByteCount)")
        }
    }
}

extension FieldsEncoder {
    /// The type of the value that must be appended next; nil when the container is full.
    public var expectedType: TypeCode? {
        guard let frame = frames.last, frame.nextType < frame.types.upperBound else { return nil }
        return TypeCode(rawValue: bytes[frame.nextType])
    }

    /// Moves past the next expected type. Throws unless this type is `code`, which is a basic type or a variant.
    mutating func consumeType(_ code: TypeCode) throws(ListError) {
        let top = frames.count - 1
        guard expectedType == code else { throw typeMismatch(code) }
        if frames[top].kind != .array { frames[top].nextType += 1 }
    }

    func typeMismatch(_ code: TypeCode) -> ListError {
        let expected = expectedType.map { "'\(Unicode.Scalar($0.rawValue))'" } ?? "nothing more"
        return ListError(
            .invalidObject,
            "fields: a value has the type '\(Unicode.Scalar(code.rawValue))', but \(expected) is expected")
    }

    /// Appends a `y`.
    public mutating func append(_ number: UInt8) throws(ListError) {
        try consumeType(.byte)
        bytes.append(number)
    }

    /// Appends a `b`.
    public mutating func append(_ flag: Bool) throws(ListError) {
        try consumeType(.boolean)
        bytes.append(flag ? 1 : 0)
    }

    /// Appends an `n`.
    public mutating func append(_ number: Int16) throws(ListError) {
        try consumeType(.int16)
        append(bits: UInt64(UInt16(bitPattern: number)), size: 2)
    }

    /// Appends a `q`.
    public mutating func append(_ number: UInt16) throws(ListError) {
        try consumeType(.uint16)
        append(bits: UInt64(number), size: 2)
    }

    /// Appends an `i`.
    public mutating func append(_ number: Int32) throws(ListError) {
        try consumeType(.int32)
        append(bits: UInt64(UInt32(bitPattern: number)), size: 4)
    }

    /// Appends a `u`.
    public mutating func append(_ number: UInt32) throws(ListError) {
        try consumeType(.uint32)
        append(bits: UInt64(number), size: 4)
    }

    /// Appends an `x`.
    public mutating func append(_ number: Int64) throws(ListError) {
        try consumeType(.int64)
        append(bits: UInt64(bitPattern: number), size: 8)
    }

    /// Appends a `t`.
    public mutating func append(_ number: UInt64) throws(ListError) {
        try consumeType(.uint64)
        append(bits: number, size: 8)
    }

    /// Appends a `d`. Every NaN is stored as the canonical NaN.
    public mutating func append(_ number: Double) throws(ListError) {
        try consumeType(.double)
        append(bits: number.canonicalBits, size: 8)
    }

    /// Appends an `s`, `o` or `g`, according to the expected type.
    ///
    /// - Throws: `invalidObject` when the bytes are not valid for the expected type: not UTF-8, with a NUL, not an
    ///   object path, not a signature.
    public mutating func append(text: Span<UInt8>) throws(ListError) {
        guard let code = expectedType, TextRules.isValid(text, as: code) else {
            throw ListError(.invalidObject, "fields: a text is not a valid value of the type \(expectedTypeName)")
        }
        try consumeType(code)
        CanonicalEncoding.append(varint: text.count, to: &bytes)
        append(raw: text)
    }

    /// Appends many `y` at once. Allowed only inside an `ay`.
    public mutating func append(bytes content: Span<UInt8>) throws(ListError) {
        guard frames.last?.kind == .array, expectedType == .byte else { throw typeMismatch(.byte) }
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
    /// Opens an array, or a dictionary if `a{…}` is expected.
    public mutating func beginArray() throws(ListError) {
        let element = try consumeContainerType(.array)
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

    /// Opens an entry of the fields or of a dictionary. A key and then a value have to be appended.
    public mutating func beginDictionaryEntry() throws(ListError) {
        guard let frame = frames.last, frame.kind == .fields || frame.kind == .dictionary else {
            throw typeMismatch(.dictionaryEntry)
        }
        let types = frame.types
        try push(.entry, types: types.lowerBound + 1..<types.upperBound - 1)
        entries.append(WrittenEntry(start: bytes.count, key: 0..<0, end: 0))
    }

    /// Closes an entry of the fields or of a dictionary.
    public mutating func endDictionaryEntry() throws(ListError) {
        let frame = try pop([.entry])
        let last = entries.count - 1
        entries[last].end = bytes.count
        entries[last].key = keyRange(startingAt: frame.start, type: bytes[frame.types.lowerBound])
        recordOrderOfLastEntry()
    }

    /// Appends a whole entry of the fields with a value of type `s`. The result is the same as if the parts of the
    /// entry were appended one by one, but it takes a fifth of the time. Most fields are text.
    ///
    /// - Throws: `invalidObject` when a container is open, and for bytes that are not UTF-8 without NUL.
    public mutating func appendField(_ key: Span<UInt8>, text: Span<UInt8>) throws(ListError) {
        try appendEntry(key, valueSize: CanonicalEncoding.size(ofCounted: text.count)) { writer in
            writer.append(.string)
            writer.append(text: text)
        }
    }

    /// Appends a whole entry of the fields with a boolean or a number. The result is the same as if the parts of the
    /// entry were appended one by one, but it takes less time.
    ///
    /// - Parameters:
    ///   - bits: the bits of the number, of which only as many as the type has are used. A boolean is true unless all
    ///     bits are 0. Every NaN is stored as the canonical NaN.
    ///   - type: a type whose values all have the same size.
    /// - Throws: `invalidObject` when a container is open, for a type without a fixed size, and for a key that is not
    ///   UTF-8 without NUL.
    public mutating func appendField(_ key: Span<UInt8>, bits: UInt64, type: TypeCode) throws(ListError) {
        guard let size = type.fixedSize else {
            throw ListError(.invalidObject, "fields: the type is not a boolean or a number")
        }
        let bits =
            switch type {
            case .boolean: bits == 0 ? 0 : 1 as UInt64
            case .double: Double(bitPattern: bits).canonicalBits
            default: bits
            }
        try appendEntry(key, valueSize: size) { writer in writer.append(type, bits: bits, size: size) }
    }

    /// Appends a whole entry of the fields.
    ///
    /// - Parameters:
    ///   - valueSize: the number of bytes of the value, without the letter of its type.
    ///   - write: a function that writes the letter of the type, and the value.
    private mutating func appendEntry(
        _ key: Span<UInt8>, valueSize: Int, _ write: (inout PlainWriter) -> Void
    ) throws(ListError) {
        guard frames.count == 1 else { throw typeMismatch(.dictionaryEntry) }
        let size = CanonicalEncoding.size(ofCounted: key.count) + 1 + valueSize
        let start = bytes.count
        bytes.append(addingCapacity: size) { room in
            // The writer has the memory to itself, and writes all bytes that are counted.
            unsafe room.withUnsafeMutableBufferPointer { memory, count in
                guard let start = memory.baseAddress else { return }
                var writer = unsafe PlainWriter(start, capacity: size)
                writer.append(text: key)
                write(&writer)
                count = writer.isValid ? writer.count : 0
            }
        }
        guard bytes.count > start else {
            throw ListError(.invalidObject, "fields: a key or a text is not UTF-8, or has a NUL")
        }
        let keyEnd = start + CanonicalEncoding.size(ofCounted: key.count)
        entries.append(WrittenEntry(start: start, key: keyEnd - key.count..<keyEnd, end: bytes.count))
        recordOrderOfLastEntry()
    }

    private mutating func recordOrderOfLastEntry() {
        let (top, last) = (frames.count - 1, entries.count - 1)
        guard frames[top].isSorted, last > frames[top].firstEntry else { return }
        let order = CanonicalEncoding.compare(entries[last - 1].key, entries[last].key, in: bytes.span)
        if order >= 0 { frames[top].isSorted = false }
    }

    /// Opens a structure.
    public mutating func beginStructure() throws(ListError) {
        let inside = try consumeContainerType(.structure)
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
        try consumeType(.variant)
        let start = bytes.count
        append(raw: signature)
        try push(.variant, types: start..<bytes.count)
    }

    /// Closes a variant.
    public mutating func endVariant() throws(ListError) { _ = try pop([.variant]) }

    /// Moves past the next expected type. Throws unless this type is `code`, which is an array or a structure.
    /// Returns the range of the types inside the container, for a structure including the closing parenthesis.
    private mutating func consumeContainerType(_ code: TypeCode) throws(ListError) -> Range<Int> {
        guard expectedType == code else { throw typeMismatch(code) }
        let top = frames.count - 1
        let start = frames[top].nextType
        let end = TypeSignature.endOfWellFormedType(at: start, before: frames[top].types.upperBound) { bytes[$0] }
        if frames[top].kind != .array { frames[top].nextType = end }
        return start + 1..<end
    }

    private mutating func push(_ kind: Kind, types: Range<Int>) throws(ListError) {
        // The frames of the fields, of their entry and of its variant do not count.
        guard frames.count - 2 <= CanonicalEncoding.maximumDepth else {
            throw ListError(
                .invalidObject, "fields: containers are nested more than \(CanonicalEncoding.maximumDepth) deep")
        }
        frames.append(
            Frame(
                kind: kind, types: types, nextType: types.lowerBound, start: bytes.count, firstEntry: entries.count))
    }

    private mutating func pop(_ kinds: [Kind]) throws(ListError) -> Frame {
        guard let frame = frames.last, kinds.contains(frame.kind) else {
            throw ListError(.invalidObject, "fields: a container was closed that is not open")
        }
        let isFull = frame.nextType == frame.types.upperBound
        guard isFull || frame.kind == .array || frame.kind == .dictionary else {
            throw ListError(.invalidObject, "fields: a container was closed that lacks a value")
        }
        frames.removeLast()
        return frame
    }

    /// Returns the range of the bytes by which a key is ordered. The length of a text does not belong to these bytes.
    private func keyRange(startingAt start: Int, type: UInt8) -> Range<Int> {
        if let size = TypeCode(rawValue: type)?.fixedSize { return start..<start + size }
        var position = start
        let count = CanonicalEncoding.readVarint(in: bytes.span, at: &position, end: bytes.count) ?? 0
        return position..<position + count
    }

    /// Sorts the entries of a dictionary by their keys, and keeps only the last of repeated keys.
    mutating func sortEntries(of frame: Frame) {
        guard !frame.isSorted else { return }
        let start = entries[frame.firstEntry].start
        sort(from: frame.firstEntry)
        sorted.removeAll(keepingCapacity: true)
        // The entries of the fields replace the whole buffer, so the prelude goes first. A dictionary inside replaces
        // only its own bytes.
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

    /// Sorts the entries from index `first` on. The sort is stable, so that the last of repeated keys stays the last.
    private mutating func sort(from first: Int) {
        guard entries.count - first > FieldsEncoder.insertionSortLimit else { return insertEntries(from: first) }
        // The array is moved out, so that `self.bytes` can be read during the sort.
        var entries: [WrittenEntry] = []
        swap(&entries, &self.entries)
        // Sorting the buffer avoids the copy that a slice of the array would make.
        unsafe entries.withUnsafeMutableBufferPointer { entries in
            unsafe entries[first...].sort { CanonicalEncoding.compare($0.key, $1.key, in: bytes.span) < 0 }
        }
        swap(&entries, &self.entries)
    }

    /// Sorts by insertion, which is the fastest for the few fields of most objects.
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

extension FieldsEncoder {
    /// Appends one entry of the fields: the key, and a variant with the value.
    ///
    /// - Throws: `invalidObject`, naming the key, for a value that no D-Bus message can carry.
    mutating func append(_ value: Value, forKey key: String) throws(ListError) {
        do throws(ListError) {
            try beginDictionaryEntry()
            try append(text: key.utf8Span.span)
            try appendVariant(of: value)
            try endDictionaryEntry()
        } catch {
            throw ListError(error.code, "field \(key.quoted): \(error.message)", cause: error.cause)
        }
    }

    /// Appends a value. Throws unless the value has the type that is expected next.
    mutating func append(_ value: Value) throws(ListError) {
        switch value {
        case .byte(let number): try append(number)
        case .boolean(let flag): try append(flag)
        case .int16(let number): try append(number)
        case .uint16(let number): try append(number)
        case .int32(let number): try append(number)
        case .uint32(let number): try append(number)
        case .int64(let number): try append(number)
        case .uint64(let number): try append(number)
        case .double(let number): try append(number)
        case .string(let text): try append(text, as: .string)
        case .objectPath(let text): try append(text, as: .objectPath)
        case .signature(let text): try append(text, as: .signature)
        case .variant(let inner): try appendVariant(of: inner)
        case .array(let element, let elements):
            try requireNextType("a\(element)")
            try beginArray()
            for item in elements { try append(item) }
            try endArray()
        case .dictionary(let key, let value, let entries):
            try requireNextType("a{\(key)\(value)}")
            try beginArray()
            for (name, content) in entries {
                try beginDictionaryEntry()
                try append(name)
                try append(content)
                try endDictionaryEntry()
            }
            try endArray()
        case .structure(let members):
            try beginStructure()
            for member in members { try append(member) }
            try endStructure()
        }
    }

    private mutating func append(_ text: String, as code: TypeCode) throws(ListError) {
        guard expectedType == code else { throw typeMismatch(code) }
        try append(text: text.utf8Span.span)
    }

    private mutating func appendVariant(of value: Value) throws(ListError) {
        var signature: [UInt8] = []
        try FieldsEncoder.write(signatureOf: value, to: &signature, depth: 0)
        try beginVariant(signature: signature.span)
        try append(value)
        try endVariant()
    }

    /// Throws unless the next expected type is `declared`, the type of an array or a dictionary. An empty array is
    /// checked only here, as it has no elements to check.
    private func requireNextType(_ declared: String) throws(ListError) {
        let frame = frames[frames.count - 1]
        let end = TypeSignature.endOfWellFormedType(at: frame.nextType, before: frame.types.upperBound) { bytes[$0] }
        guard bytes[frame.nextType..<end].elementsEqual(declared.utf8) else {
            throw ListError(.invalidObject, "fields: an array has the unexpected type '\(declared)'")
        }
    }

    /// Appends the signature of a value, like `Value.signature`, but throws for a value that is nested too deeply.
    private static func write(signatureOf value: Value, to bytes: inout [UInt8], depth: Int) throws(ListError) {
        guard depth <= CanonicalEncoding.maximumDepth, bytes.count <= TypeSignature.maximumLength else {
            throw ListError(.invalidObject, "fields: the type of a value is nested too deeply or too long")
        }
        guard case .structure(let members) = value else {
            bytes.append(contentsOf: value.signature.utf8)
            return
        }
        bytes.append(TypeCode.structure.rawValue)
        for member in members { try write(signatureOf: member, to: &bytes, depth: depth + 1) }
        bytes.append(TypeCode.structureEnd.rawValue)
    }
}
