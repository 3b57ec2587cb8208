// SPDX-License-Identifier: Apache-2.0

internal import CSimdjson
internal import ListKit

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
