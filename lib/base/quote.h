/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * quote.h - writes strings of any origin as UTF-8 (RFC 3629), as strings of JSON (RFC 8259), as
 * fields of CSV (RFC 4180)
 */
#ifndef PERFCTR_LIB_BASE_QUOTE_H
#define PERFCTR_LIB_BASE_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the letter that text begins with; 0: it is no UTF-8. */
unsigned int perfctr_utf8_length(const char *text);

/* Whether the letter is one that terminals obey: of ASCII, or one of C1. */
bool perfctr_utf8_controls(const char *letter);

/* Takes the output, one piece after the other. */
typedef void perfctr_put(void *to, const char *bytes, size_t size);

/*
 * Writes a word in quotes; control characters are escaped, and bytes that are not UTF-8 become
 * U+FFFD.
 */
void perfctr_put_json(perfctr_put *put, void *to, const char *word);

/* Writes a word, in quotes only if it needs them. */
void perfctr_put_csv(perfctr_put *put, void *to, const char *word);

#endif /* PERFCTR_LIB_BASE_QUOTE_H */
