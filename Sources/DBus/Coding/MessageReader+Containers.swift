// SPDX-License-Identifier: Apache-2.0

// A reader moves past a container even when `body` throws, so that a caller that catches the error can read the next
// value.

extension MessageReader {
    /// Reads an array. `body` reads the elements until `atEnd`; elements that `body` does not read are skipped.
    @inlinable
    public mutating func array<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard isNext(.array) else { throw mismatchError(expected: .array) }
        let types = unsafe nextTypes
        let range = try unsafe consumeElements(types)
        advanceType(length: types.count)
        let element = unsafe UnsafeBufferPointer(rebasing: types.dropFirst())
        var inside = unsafe MessageReader(inside: self, range, of: element, isArray: true)
        return try body(&inside)
    }

    /// Reads a struct, whose members `body` reads.
    @inlinable
    public mutating func structure<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try readBracketed(.structure, body)
    }

    /// Reads a dict entry inside of `array`. `body` reads the key and the value.
    @inlinable
    public mutating func dictionaryEntry<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try readBracketed(.dictionaryEntry, body)
    }

    /// Reads an entry of an `a{sv}` whose value is a string; `body` gets key and value in place. Returns nil, without
    /// moving, when the next value is not such an entry.
    ///
    /// Reading the entry, key, variant and string one by one has the same result, but takes several times as long.
    public mutating func textEntry<R>(
        _ body: (_ key: Span<UInt8>, _ text: Span<UInt8>) throws(DBusError) -> R
    ) throws(DBusError) -> R? {
        guard isArray, !atEnd, unsafe types.count == 4 && types[1] == TypeCode.string.rawValue,
            isNext(.dictionaryEntry), unsafe types[2] == TypeCode.variant.rawValue
        else { return nil }
        let entry = offset
        _ = try advance(by: 0, alignment: TypeCode.dictionaryEntry.alignment)
        let key = try unsafe consumeText(.string)
        let type = try advance(by: 3, alignment: 1)
        guard unsafe self.body[type] == 1 && self.body[type + 1] == TypeCode.string.rawValue else {
            offset = entry
            return nil
        }
        let text = try unsafe consumeText(.string)
        return try unsafe body(key.bindMemory(to: UInt8.self).span, text.bindMemory(to: UInt8.self).span)
    }

    /// Reads an entry of an `a{sv}` whose value is a boolean or a number; `body` gets the value's bits as they are in
    /// the message. Returns nil, without moving, when the next value is not such an entry.
    public mutating func numberEntry<R>(
        _ body: (_ key: Span<UInt8>, _ type: TypeCode, _ bits: UInt64) throws(DBusError) -> R
    ) throws(DBusError) -> R? {
        guard isArray, !atEnd, unsafe types.count == 4 && types[1] == TypeCode.string.rawValue,
            isNext(.dictionaryEntry), unsafe types[2] == TypeCode.variant.rawValue
        else { return nil }
        let entry = offset
        _ = try advance(by: 0, alignment: TypeCode.dictionaryEntry.alignment)
        let key = try unsafe consumeText(.string)
        let start = try advance(by: 3, alignment: 1)
        guard unsafe self.body[start] == 1, let type = unsafe TypeCode(signatureByte: self.body[start + 1]),
            let bits = try consumeBits(of: type)
        else {
            offset = entry
            return nil
        }
        return try unsafe body(key.bindMemory(to: UInt8.self).span, type, bits)
    }

    /// Reads the bits of a number or boolean. Returns nil, without moving, for any other type.
    private mutating func consumeBits(of type: TypeCode) throws(DBusError) -> UInt64? {
        switch type {
        case .byte: UInt64(try consumeNumber(UInt8.self))
        case .int16, .uint16: UInt64(try consumeNumber(UInt16.self))
        case .int32, .uint32, .boolean: UInt64(try consumeNumber(UInt32.self))
        case .int64, .uint64, .double: try consumeNumber(UInt64.self)
        default: nil
        }
    }

    /// Reads a variant. `body` reads its value, whose kind is `next`.
    @inlinable
    public mutating func variant<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard isNext(.variant) else { throw mismatchError(expected: .variant) }
        let types = try unsafe consumeText(.signature).bindMemory(to: UInt8.self)
        advanceType()
        return try unsafe readLevel(of: types, body)
    }

    /// Reads an array of numbers in place as one block.
    @inlinable
    public mutating func fixedArray<T: FixedElement, R>(
        of type: T.Type, _ body: (Span<T>) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard nextElement == T.typeCode else { throw mismatchError(expected: .array) }
        let range = try unsafe consumeElements(nextTypes)
        advanceType(length: 2)
        // The body is aligned to 8, and elements are aligned to their size.
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: self.body[range])
        return try unsafe body(bytes.bindMemory(to: T.self).span)
    }

    /// Reads the header of an array and moves past the array. Returns the range of the elements' bytes.
    @inlinable
    mutating func consumeElements(_ types: UnsafeBufferPointer<UInt8>) throws(DBusError) -> Range<Int> {
        guard types.count > 1, let element = unsafe TypeCode(signatureByte: types[1]) else {
            throw MessageReader.truncated
        }
        let count = Int(try consumeNumber(UInt32.self))
        let start = try advance(by: count, alignment: element.alignment)
        return start..<start + count
    }

    /// Reads a struct or a dict entry, whose type is in brackets. `body` reads the members.
    @inlinable
    mutating func readBracketed<R>(
        _ code: TypeCode, _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard isNext(code) else { throw mismatchError(expected: code) }
        let types = unsafe nextTypes
        _ = try advance(by: 0, alignment: code.alignment)
        advanceType(length: types.count)
        return try unsafe readLevel(of: UnsafeBufferPointer(rebasing: types.dropFirst().dropLast()), body)
    }

    /// Passes a reader for values of the given types to `body`, and moves past all of them.
    @inlinable
    mutating func readLevel<R>(
        of types: UnsafeBufferPointer<UInt8>, _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        var inside = unsafe MessageReader(inside: self, offset..<end, of: types, isArray: false)
        do throws(DBusError) {
            let result = try body(&inside)
            offset = inside.skipToEnd()
            return result
        } catch {
            offset = inside.skipToEnd()
            throw error
        }
    }

    /// Skips the remaining values, and returns the offset behind them.
    @inlinable
    mutating func skipToEnd() -> Int {
        while !atEnd { skip() }
        return offset
    }
}
