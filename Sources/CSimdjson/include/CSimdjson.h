// SPDX-License-Identifier: Apache-2.0

#ifndef LISTD_CSIMDJSON_H
#define LISTD_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

// simdjson is a C++ library, and this project does not mix C++ with Swift. These functions parse one document and
// return simdjson's tape (https://github.com/simdjson/simdjson/blob/v3.0.1/doc/tape.md), a flat array that Swift code
// scans.

#ifdef __cplusplus
extern "C" {
#endif

/// A parser, which owns the memory of its last document.
typedef struct listd_json_parser listd_json_parser;

/// A parsed document, valid until the parser parses another document.
typedef struct {
    /// One word for each value, bracket and key: the type as ASCII in the highest byte, the payload in the others.
    const uint64_t *words;
    size_t word_count;
    /// The strings: a 32-bit length in host byte order, UTF-8 bytes, and a NUL. The payload of a '"' word is an
    /// offset into this buffer.
    const uint8_t *texts;
    size_t text_capacity;
} listd_json_document;

/// The number of bytes after a document that must be readable. Their values do not matter.
extern const size_t listd_json_padding;

/// Creates a parser; NULL when there is no memory.
listd_json_parser *listd_json_parser_create(void);

/// Frees a parser and its document.
void listd_json_parser_destroy(listd_json_parser *parser);

/// Parses exactly one document of count bytes. Returns 0, or an error code for listd_json_message.
int listd_json_parse(listd_json_parser *parser, const uint8_t *bytes, size_t count, listd_json_document *document);

/// The English text for an error code; valid forever.
const char *listd_json_message(int code);

#ifdef __cplusplus
}
#endif

#endif
