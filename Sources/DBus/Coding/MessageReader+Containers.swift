// SPDX-License-Identifier: Apache-2.0

// The reader moves after a container even when `body` throws, so that a caller that catches the error can read the next
// value.

extension MessageReader {
    /// Reads an array: `body` reads the elements, until `atEnd`; elements that it does not read are skipped.
    @inlinable
    public mutating func array<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard isNext(.array) else { throw mismatch(.array) }
        let types = unsafe nextTypes
        let range = try unsafe consumeElements(types)
        passType(length: types.count)
        let element = unsafe UnsafeBufferPointer(rebasing: types.dropFirst())
        var inside = unsafe MessageReader(inside: self, range, of: element, isArray: true)
        return try body(&inside)
    }

    /// Reads a struct: `body` reads the members.
    @inlinable
    public mutating func structure<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try bracketed(.structure, body)
    }

    /// Reads an entry of a dictionary, inside `array`: `body` reads the key and the value.
    @inlinable
    public mutating func dictionaryEntry<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        try bracketed(.dictionaryEntry, body)
    }

    /// Reads an entry of an `a{sv}` whose value is a string, with both texts in place; nil, without moving, when
    /// another entry comes next. The same as reading its parts one by one, in a fraction of the time.
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

    /// An entry of an `a{sv}` whose value is a flag or a number, with the bits that it has in the message; nil, and nothing is
    /// taken, when another entry comes next.
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

    /// The bits of the next number of a type; nil, and nothing is taken, for what is no flag and no number.
    private mutating func consumeBits(of type: TypeCode) throws(DBusError) -> UInt64? {
        switch type {
        case .byte: UInt64(try consumeNumber(UInt8.self))
        case .int16, .uint16: UInt64(try consumeNumber(UInt16.self))
        case .int32, .uint32, .boolean: UInt64(try consumeNumber(UInt32.self))
        case .int64, .uint64, .double: try consumeNumber(UInt64.self)
        default: nil
        }
    }

    /// A variant: `body` reads the one value in it, whose kind it asks with `next`.
    @inlinable
    public mutating func variant<R>(
        _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard isNext(.variant) else { throw mismatch(.variant) }
        let types = try unsafe consumeText(.signature).bindMemory(to: UInt8.self)
        passType()
        return try unsafe level(of: types, body)
    }

    /// Reads an array of numbers in place, in one piece.
    @inlinable
    public mutating func fixedArray<T: FixedElement, R>(
        of type: T.Type, _ body: (Span<T>) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard nextElement == T.typeCode else { throw mismatch(.array) }
        let range = try unsafe consumeElements(nextTypes)
        passType(length: 2)
        // The body is aligned to 8, and elements to their size.
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: self.body[range])
        return try unsafe body(bytes.bindMemory(to: T.self).span)
    }

    /// Reads the header of an array; returns the range of its elements.
    @inlinable
    mutating func consumeElements(_ types: UnsafeBufferPointer<UInt8>) throws(DBusError) -> Range<Int> {
        guard types.count > 1, let element = unsafe TypeCode(signatureByte: types[1]) else {
            throw MessageReader.truncated
        }
        let count = Int(try consumeNumber(UInt32.self))
        let start = try advance(by: count, alignment: element.alignment)
        return start..<start + count
    }

    @inlinable
    mutating func bracketed<R>(
        _ code: TypeCode, _ body: (inout MessageReader) throws(DBusError) -> R
    ) throws(DBusError) -> R {
        guard isNext(code) else { throw mismatch(code) }
        let types = unsafe nextTypes
        _ = try advance(by: 0, alignment: code.alignment)
        passType(length: types.count)
        return try unsafe level(of: UnsafeBufferPointer(rebasing: types.dropFirst().dropLast()), body)
    }

    /// Lets `body` read values of the given types, and moves after them.
    @inlinable
    mutating func level<R>(
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

    @inlinable
    mutating func skipToEnd() -> Int {
        while !atEnd { skip() }
        return offset
    }
}
