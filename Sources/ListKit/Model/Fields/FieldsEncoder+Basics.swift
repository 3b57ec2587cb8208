// SPDX-License-Identifier: Apache-2.0

extension FieldsEncoder {
    /// The type that must come next, nil when the container is full.
    public var expectedType: TypeCode? {
        guard let frame = frames.last, frame.nextType < frame.types.upperBound else { return nil }
        return TypeCode(rawValue: bytes[frame.nextType])
    }

    /// Takes the next type if it is a given basic one.
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
