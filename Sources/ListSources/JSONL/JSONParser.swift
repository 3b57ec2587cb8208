// SPDX-License-Identifier: Apache-2.0

internal import CSimdjson
internal import ListKit

/// simdjson, which checks one JSON document and lays it out as a tape.
///
/// It keeps its memory from one document to the next, so one parser serves many lines.
@safe struct JSONParser: ~Copyable {
    private let handle: OpaquePointer
    /// A copy of a document that has no room after it.
    private var padded: [UInt8] = []

    /// Makes a parser.
    ///
    /// - Throws: `limitsExceeded` without memory.
    init() throws(ListError) {
        guard let handle = unsafe listd_json_parser_create() else {
            throw ListError(.limitsExceeded, "not enough memory to read JSON")
        }
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe listd_json_parser_destroy(handle) }

    /// Parses the bytes of a range as exactly one document, and lends its tape.
    ///
    /// Nothing is copied if more bytes follow the range (simdjson reads up to 64 beyond the end).
    ///
    /// - Throws: `invalidObject` for what is not JSON (RFC 8259), for a lone surrogate, for numbers beyond 64 bits or
    ///   beyond doubles and for more than 1024 brackets inside each other; what `body` throws.
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
        // The tape lies in the parser's memory, which stays as it is until the next document.
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
