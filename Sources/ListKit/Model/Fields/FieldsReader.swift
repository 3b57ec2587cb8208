// SPDX-License-Identifier: Apache-2.0

/// A reader of canonical bytes, one value after the other, in the manner of libdbus's message iterators.
///
/// A reader of fields returns their dictionary entries; a reader of an entry returns the key and a variant; and so on
/// inwards. A reader retains the bytes, so it may be stored and sent to other threads. It cannot trap, as the bytes
/// of `Fields` were encoded or validated before.
@_spi(Daemon) public struct FieldsReader: Sendable {
    /// A run of bytes inside the fields: the text of a string, path or signature, or the signature of a value's type.
    public struct Text: Sendable {
        let storage: ObjectStorage
        let range: Range<Int>

        /// The length of the text in bytes.
        public var count: Int { range.count }

        /// The text as a string.
        public var string: String { withBytes { String(copying: $0) } }

        /// Calls `body` with the bytes, without a NUL at the end.
        public func withBytes<Result, Failure: Error>(
            _ body: (Span<UInt8>) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try storage.withFields { bytes throws(Failure) in try body(bytes.extracting(range)) }
        }
    }

    /// One value. A container is returned as a reader of its content.
    @frozen public enum Element: Sendable {
        /// `y`
        case byte(UInt8)
        /// `b`
        case boolean(Bool)
        /// `n`
        case int16(Int16)
        /// `q`
        case uint16(UInt16)
        /// `i`
        case int32(Int32)
        /// `u`
        case uint32(UInt32)
        /// `x`
        case int64(Int64)
        /// `t`
        case uint64(UInt64)
        /// `d`
        case double(Double)
        /// `s`
        case string(Text)
        /// `o`
        case objectPath(Text)
        /// `g`
        case signature(Text)
        /// `v`: the type of the value inside, and a reader of that one value.
        case variant(type: Text, FieldsReader)
        /// `a…`: the type of an element (`{…}` for a dictionary), and a reader of the elements or entries.
        case array(element: Text, FieldsReader)
        /// An entry of the fields or of a dictionary: a reader of the key and the value.
        case dictionaryEntry(FieldsReader)
        /// `(…)`: a reader of the members.
        case structure(FieldsReader)
    }

    let storage: ObjectStorage
    /// The range of the types of the remaining values. Negative positions refer to letters in
    /// `FieldsEncoder.prelude`.
    let types: Range<Int>
    var nextType: Int
    /// Whether all values have the same type, as the elements of an array do.
    let isRepeating: Bool
    var position: Int
    let end: Int

    /// Makes a reader of the entries of fields, in the order of their keys.
    public init(_ fields: Fields) {
        self.init(
            storage: fields.storage, types: -FieldsEncoder.prelude.count..<0, isRepeating: true, position: 0,
            end: fields.storage.fieldCount)
    }

    init(storage: ObjectStorage, types: Range<Int>, isRepeating: Bool, position: Int, end: Int) {
        self.storage = storage
        self.types = types
        self.nextType = types.lowerBound
        self.isRepeating = isRepeating
        self.position = position
        self.end = end
    }

    /// Whether all values were read.
    public var isAtEnd: Bool { isRepeating ? position >= end : nextType >= types.upperBound }

    /// Returns the next value and moves past it; nil at the end.
    ///
    /// - Complexity: O(1) for basic values and arrays, O(size) for structures, variants and entries.
    public mutating func next() -> Element? {
        guard !isAtEnd else { return nil }
        var cursor = FieldsCursor(nextType: nextType, typesEnd: types.upperBound, position: position, end: end)
        let element = storage.withFields { cursor.next(in: $0, of: storage) }
        position = cursor.position
        if !isRepeating { nextType = cursor.nextType }
        return element
    }

    /// Moves past the next value without decoding it.
    mutating func skip() {
        guard !isAtEnd else { return }
        var cursor = FieldsCursor(nextType: nextType, typesEnd: types.upperBound, position: position, end: end)
        storage.withFields { cursor.skip(in: $0) }
        position = cursor.position
        if !isRepeating { nextType = cursor.nextType }
    }
}
