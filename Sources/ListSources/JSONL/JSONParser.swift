// SPDX-License-Identifier: Apache-2.0

internal import CSimdjson
internal import ListKit
internal import ListSupport

/// A simdjson parser, which validates one JSON document and converts it to a tape.
///
/// The parser keeps its memory from one document to the next, so one parser serves many lines.
@safe struct JSONParser: ~Copyable {
    private let handle: OpaquePointer
    /// A padded copy of a document that has too few bytes after it.
    private var padded: [UInt8] = []

    /// Creates a parser.
    ///
    /// - Throws: `limitsExceeded` when there is no memory.
    init() throws(ListError) {
        guard let handle = unsafe listd_json_parser_create() else {
            throw ListError(.limitsExceeded, "there is not enough memory to parse JSON")
        }
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe listd_json_parser_destroy(handle) }

    /// Parses a range of bytes as exactly one document and passes its tape to `body`.
    ///
    /// Nothing is copied if enough bytes follow the range (simdjson reads up to 64 bytes beyond the end).
    ///
    /// - Throws: `invalidObject` for a document that is not JSON (RFC 8259), that has a lone surrogate, a number
    ///   beyond 64 bits or beyond doubles, or more than 1024 nested brackets; errors of `body`.
    mutating func parse<Result>(
        _ range: Range<Int>, of bytes: Span<UInt8>, body: (JSONTape) throws(ListError) -> Result
    ) throws(ListError) -> Result {
        let document = bytes.extracting(range)
        if range.upperBound + listd_json_padding <= bytes.count { return try parse(readable: document, body) }
        padded.removeAll(keepingCapacity: true)
        for position in document.indices { padded.append(document[position]) }
        padded.append(contentsOf: repeatElement(0, count: listd_json_padding))
        return try parse(readable: padded.span.extracting(first: document.count), body)
    }

    private func parse<Result>(
        readable document: Span<UInt8>, _ body: (JSONTape) throws(ListError) -> Result
    ) throws(ListError) -> Result {
        // The tape is in the parser's memory, which is unchanged until the next document is parsed.
        try unsafe document.withUnsafeBufferPointer { buffer throws(ListError) in
            var result = unsafe listd_json_document()
            let code = unsafe listd_json_parse(handle, buffer.baseAddress, buffer.count, &result)
            guard code == 0 else {
                throw unsafe ListError(
                    .invalidObject, "malformed JSON", cause: String(cString: listd_json_message(code)))
            }
            return try unsafe body(JSONTape(result))
        }
    }
}

/// A parsed JSON document in the form of simdjson's tape: one word for each value, bracket and key.
///
/// A position is the index of a word; the value of the document is at ``root``. A tape is valid only while its parser
/// passes it to a closure. A position outside of the tape reads as `null`, so that no access can trap.
@safe package struct JSONTape {
    /// A value in the document.
    enum Node {
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
    static let root = 1
    private static let payload: UInt64 = 0x00FF_FFFF_FFFF_FFFF

    private let document: listd_json_document

    init(_ document: listd_json_document) { unsafe self.document = unsafe document }

    private subscript(_ position: Int) -> UInt64 {
        guard position >= 0, unsafe position < document.word_count else { return UInt64(UInt8(ascii: "n")) << 56 }
        // The tape has `word_count` words.
        return unsafe document.words[position]
    }

    /// Returns the value at a position.
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

    /// Returns the position after the value at a position.
    func position(after position: Int) -> Int {
        switch node(at: position) {
        case .object(let end), .array(let end): max(end, position) + 1
        case .integer, .largeInteger, .double: position + 2
        case .string, .boolean, .null: position + 1
        }
    }

    /// Returns whether the value at a position is null.
    func isNull(at position: Int) -> Bool {
        if case .null = node(at: position) { true } else { false }
    }

    /// Passes the UTF-8 bytes of a string or key to a closure; an empty span for any other value.
    func withText<Result, Failure: Error>(
        at position: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let offset = Int(self[position] & Self.payload)
        guard UInt8(self[position] >> 56) == UInt8(ascii: "\""), unsafe offset + 4 <= document.text_capacity else {
            return try body([UInt8]().span)
        }
        // A string is a four-byte count and as many bytes, which all lie inside of the string buffer.
        let start = unsafe UnsafeRawPointer(document.texts + offset)
        let count = unsafe Int(start.loadUnaligned(as: UInt32.self))
        guard unsafe offset + 4 + count <= document.text_capacity else { return try body([UInt8]().span) }
        let bytes = unsafe UnsafeBufferPointer(start: document.texts + offset + 4, count: count)
        return try unsafe body(bytes.span)
    }

    /// Returns the UTF-8 bytes of a string or key. Unlike `String`s, they are equal only if all bytes are equal.
    func bytes(at position: Int) -> [UInt8] {
        withText(at: position) { text in text.indices.map { text[$0] } }
    }

    /// Returns a string or key as a `String`.
    func text(at position: Int) -> String {
        withText(at: position) { String(copying: $0) }
    }

    /// Returns the position of the closing bracket. The low 32 bits of an opening bracket's word are the position after
    /// the closing bracket.
    private func lastWord(of word: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: word)) - 1 }
}
