// SPDX-License-Identifier: Apache-2.0

#include "CSimdjson.h"

#include <algorithm>
#include <new>
#include <simdjson.h>

struct listd_json_parser {
    simdjson::dom::parser parser;
};

extern const size_t listd_json_padding = simdjson::SIMDJSON_PADDING;

listd_json_parser *listd_json_parser_create(void) {
    return new (std::nothrow) listd_json_parser;
}

void listd_json_parser_destroy(listd_json_parser *parser) {
    delete parser;
}

// Reserves memory for a document. By itself, the parser allocates exactly what a document needs, so it would allocate
// anew for each line that is longer than the one before.
static simdjson::error_code make_room(simdjson::dom::parser &parser, size_t count) {
    if (count <= parser.capacity() && count <= parser.doc.capacity()) return simdjson::SUCCESS;
    size_t capacity = std::max(count, std::min(2 * parser.doc.capacity(), parser.max_capacity()));
    if (simdjson::error_code error = parser.allocate(capacity)) return error;
    return parser.doc.allocate(capacity);
}

int listd_json_parse(listd_json_parser *parser, const uint8_t *bytes, size_t count, listd_json_document *document) {
    simdjson::dom::parser &dom = parser->parser;
    if (simdjson::error_code error = make_room(dom, count)) return error;
    simdjson::dom::element root;
    // The caller provides the padding, so the parser need not copy the document.
    if (simdjson::error_code error = dom.parse(bytes, count, false).get(root)) return error;
    document->words = dom.doc.tape.get();
    document->word_count = dom.doc.tape[0] & 0x00FFFFFFFFFFFFFF;
    document->texts = dom.doc.string_buf.get();
    // The minimum size that document::allocate() allocates.
    document->text_capacity = 5 * dom.doc.capacity() / 3 + simdjson::SIMDJSON_PADDING;
    return 0;
}

const char *listd_json_message(int code) {
    switch (code) {
    case simdjson::TAPE_ERROR: return "a comma, bracket, key or value is missing, or there is one too many";
    case simdjson::UNCLOSED_STRING: return "a string does not end";
    default: return simdjson::error_message(static_cast<simdjson::error_code>(code));
    }
}
