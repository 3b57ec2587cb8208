// SPDX-License-Identifier: Apache-2.0

internal import CSimdjson

/// A simdjson parser, which validates one JSON document and converts it to a tape.
///
/// The parser keeps its memory from one document to the next, so one parser serves many lines.
@safe package struct JSONParser: ~Copyable {
    private let handle: OpaquePointer
    /// A padded copy of a document that has too few bytes after it.
    private var padded: [UInt8] = []

    /// Creates a parser; nil when there is no memory.
    package init?() {
        guard let handle = unsafe listd_json_parser_create() else { return nil }
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe listd_json_parser_destroy(handle) }

    /// Parses a range of bytes as exactly one document and passes its tape to `body`.
    ///
    /// Nothing is copied if enough bytes follow the range (simdjson reads up to 64 bytes beyond the end).
    ///
    /// - Parameter fault: makes the error, with simdjson's reason, for a document that is not JSON (RFC 8259), that has
    ///   a lone surrogate, a number beyond 64 bits or beyond doubles, or more than 1024 nested brackets.
    /// - Throws: the error that `fault` makes; errors of `body`.
    @inlinable
    package mutating func parse<Result, Failure: Error>(
        _ range: Range<Int>, of bytes: Span<UInt8>, orThrow fault: (_ reason: String) -> Failure,
        _ body: (JSONTape) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (tape, code) = document(in: range, of: bytes)
        guard code == 0 else { throw fault(Self.message(code)) }
        return try body(tape)
    }

    /// Returns the tape, which is valid until the next document is parsed, and simdjson's error code.
    @usableFromInline
    mutating func document(in range: Range<Int>, of bytes: Span<UInt8>) -> (tape: JSONTape, code: Int32) {
        let document = bytes.extracting(range)
        if range.upperBound + listd_json_padding <= bytes.count { return self.document(readable: document) }
        padded.removeAll(keepingCapacity: true)
        for position in document.indices { padded.append(document[position]) }
        padded.append(contentsOf: repeatElement(0, count: listd_json_padding))
        return self.document(readable: padded.span.extracting(first: document.count))
    }

    private func document(readable document: Span<UInt8>) -> (tape: JSONTape, code: Int32) {
        var result = unsafe listd_json_document()
        // The bytes are only read during the call. The tape is in the parser's memory.
        let code = unsafe document.withUnsafeBufferPointer { buffer in
            unsafe listd_json_parse(handle, buffer.baseAddress, buffer.count, &result)
        }
        return (unsafe JSONTape(result), code)
    }

    @usableFromInline
    static func message(_ code: Int32) -> String { unsafe String(cString: listd_json_message(code)) }
}

/// A parsed JSON document in the form of simdjson's tape: one word for each value, bracket and key.
///
/// A position is the index of a word; the value of the document is at ``root``. A tape is valid only while its parser
/// passes it to a closure. A position outside of the tape reads as `null`, so that no access can trap.
@safe package struct JSONTape {
    /// A value in the document.
    package enum Node {
        /// An object. Its entries lie between its position and `end`: key, value, key, value …
        case object(end: Int)
        /// An array. Its elements lie between its position and `end`.
        case array(end: Int)
        case string
        case integer(Int64)
        /// An integer beyond the signed 64-bit range.
        case largeInteger(UInt64)
        case double(Double)
        case boolean(Bool)
        case null
    }

    /// The position of the value of the document.
    @inlinable
    package static var root: Int { 1 }

    // The parser owns the memory, and keeps it while it passes the tape to a closure.
    @usableFromInline let words: UnsafePointer<UInt64>?
    @usableFromInline let wordCount: Int
    @usableFromInline let texts: UnsafePointer<UInt8>?
    @usableFromInline let textCapacity: Int

    init(_ document: listd_json_document) {
        unsafe words = document.words
        unsafe wordCount = document.word_count
        unsafe texts = document.texts
        unsafe textCapacity = document.text_capacity
    }

    @inlinable
    subscript(_ position: Int) -> UInt64 {
        guard position >= 0, position < wordCount, let words = unsafe words else {
            return UInt64(UInt8(ascii: "n")) << 56
        }
        // The tape has `wordCount` words.
        return unsafe words[position]
    }

    /// Returns the value at a position.
    @inlinable
    package func node(at position: Int) -> Node {
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

    /// Returns the position after the value at a position.
    @inlinable
    package func position(after position: Int) -> Int {
        switch node(at: position) {
        case .object(let end), .array(let end): max(end, position) + 1
        case .integer, .largeInteger, .double: position + 2
        case .string, .boolean, .null: position + 1
        }
    }

    /// Returns whether the value at a position is null.
    @inlinable
    package func isNull(at position: Int) -> Bool {
        if case .null = node(at: position) { true } else { false }
    }

    /// Passes the UTF-8 bytes of a string or key to a closure; an empty span for any other value.
    @inlinable
    package func withText<Result, Failure: Error>(
        at position: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let offset = Int(self[position] & 0x00FF_FFFF_FFFF_FFFF)
        guard UInt8(self[position] >> 56) == UInt8(ascii: "\""), offset + 4 <= textCapacity, let texts = unsafe texts
        else { return try body([UInt8]().span) }
        // A string is a four-byte count and as many bytes, which all lie inside of the string buffer.
        let start = unsafe UnsafeRawPointer(texts + offset)
        let count = unsafe Int(start.loadUnaligned(as: UInt32.self))
        guard offset + 4 + count <= textCapacity else { return try body([UInt8]().span) }
        let bytes = unsafe UnsafeBufferPointer(start: texts + offset + 4, count: count)
        return try unsafe body(bytes.span)
    }

    /// Returns the UTF-8 bytes of a string or key. Unlike `String`s, they are equal only if all bytes are equal.
    package func bytes(at position: Int) -> [UInt8] {
        withText(at: position) { text in text.indices.map { text[$0] } }
    }

    /// Returns a string or key as a `String`.
    package func text(at position: Int) -> String {
        withText(at: position) { text in
            // The bytes are only read during the call.
            unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Returns the position of the closing bracket. The low 32 bits of an opening bracket's word are the position after
    /// the closing bracket.
    @inlinable
    func lastWord(of word: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: word)) - 1 }
}
