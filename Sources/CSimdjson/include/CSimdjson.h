// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CSIMDJSON_H
#define LISTD_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

// simdjson is C++, which this project does not mix with Swift. The shim parses one document and shows simdjson's tape
// (https://github.com/simdjson/simdjson/blob/v3.0.1/doc/tape.md), a flat array that Swift walks by itself.

#ifdef __cplusplus
extern "C" {
#endif

/// A parser and the memory of its last document.
typedef struct listd_json_parser listd_json_parser;

/// A parsed document; valid until the parser's next document.
typedef struct {
    /// One word for each value, bracket and key: the type as ASCII in the highest byte, the payload in the others.
    const uint64_t *words;
    size_t word_count;
    /// Texts: a 32-bit count in host order, UTF-8, NUL. The payload of a '"' word is an offset into this.
    const uint8_t *texts;
    size_t text_capacity;
} listd_json_document;

/// Bytes after a document that must be readable; their value does not matter.
extern const size_t listd_json_padding;

/// Makes a parser; NULL without memory.
listd_json_parser *listd_json_parser_create(void);

/// Frees a parser and its document.
void listd_json_parser_destroy(listd_json_parser *parser);

/// Parses exactly one document of count bytes; 0, or a code for listd_json_message.
int listd_json_parse(listd_json_parser *parser, const uint8_t *bytes, size_t count, listd_json_document *document);

/// The English text for a code; valid for ever.
const char *listd_json_message(int code);

#ifdef __cplusplus
}
#endif

#endif
