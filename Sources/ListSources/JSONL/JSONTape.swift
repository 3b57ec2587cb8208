// SPDX-License-Identifier: Apache-2.0

internal import CSimdjson
internal import ListSupport

/// A parsed JSON document as simdjson lays it out: one word for each value, bracket and key.
///
/// A position is that of a word; the document's value is at ``root``. It is valid only while its parser lends it. A
/// position that is not on the tape answers `null`, so that nothing here can trap.
@safe package struct JSONTape {
    /// The node at a position.
    enum Node {
        /// The entries lie between this position and `end`: key, value, key, value …
        case object(end: Int)
        /// The elements lie between this position and `end`.
        case array(end: Int)
        case string
        case integer(Int64)
        /// An integer beyond the signed 64 bits.
        case largeInteger(UInt64)
        case double(Double)
        case boolean(Bool)
        case null
    }

    /// The position of the document's value.
    static let root = 1
    private static let payload: UInt64 = 0x00FF_FFFF_FFFF_FFFF

    private let document: listd_json_document

    init(_ document: listd_json_document) { unsafe self.document = unsafe document }

    private subscript(_ position: Int) -> UInt64 {
        guard position >= 0, unsafe position < document.word_count else { return UInt64(UInt8(ascii: "n")) << 56 }
        // The tape has as many words.
        return unsafe document.words[position]
    }

    /// The kind of node at a position.
    func node(at position: Int) -> Node {
        let word = self[position]
        switch UInt8(word >> 56) {
        case UInt8(ascii: "{"): return .object(end: lastWord(of: word))
        case UInt8(ascii: "["): return .array(end: lastWord(of: word))
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "l"): return .integer(Int64(bitPattern: self[position + 1]))
        case UInt8(ascii: "u"): return .largeInteger(self[position + 1])
        case UInt8(ascii: "d"): return .double(Double(bitPattern: self[position + 1]))
        case UInt8(ascii: "t"): return .boolean(true)
        case UInt8(ascii: "f"): return .boolean(false)
        default: return .null
        }
    }

    /// The position after the value at a position.
    func position(after position: Int) -> Int {
        switch node(at: position) {
        case .object(let end), .array(let end): max(end, position) + 1
        case .integer, .largeInteger, .double: position + 2
        case .string, .boolean, .null: position + 1
        }
    }

    /// Whether the value at a position is null.
    func isNull(at position: Int) -> Bool {
        if case .null = node(at: position) { true } else { false }
    }

    /// Lends the UTF-8 of a string or key; another value is an empty text.
    func withText<Result, Failure: Error>(
        at position: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let offset = Int(self[position] & Self.payload)
        guard UInt8(self[position] >> 56) == UInt8(ascii: "\""), unsafe offset + 4 <= document.text_capacity else {
            return try body([UInt8]().span)
        }
        // A text is four bytes of count and as many bytes, all inside the buffer of the texts.
        let start = unsafe UnsafeRawPointer(document.texts + offset)
        let count = unsafe Int(start.loadUnaligned(as: UInt32.self))
        guard unsafe offset + 4 + count <= document.text_capacity else { return try body([UInt8]().span) }
        let bytes = unsafe UnsafeBufferPointer(start: document.texts + offset + 4, count: count)
        return try unsafe body(bytes.span)
    }

    /// The UTF-8 of a string or key; other than `String`s, these are equal only if every byte is.
    func bytes(at position: Int) -> [UInt8] {
        withText(at: position) { text in text.indices.map { text[$0] } }
    }

    /// A string or key as Swift text.
    func text(at position: Int) -> String {
        withText(at: position) { String(copying: $0) }
    }

    /// The position of the closing bracket; an opening one carries the position behind it, and a count above 32 bits.
    private func lastWord(of word: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: word)) - 1 }
}
