/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json.h - reads JSON (RFC 8259) from any source, one value after the other */
#ifndef PERFCTR_LIB_BASE_JSON_H
#define PERFCTR_LIB_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum perfctr_json_type {
	PERFCTR_JSON_NULL,
	PERFCTR_JSON_BOOL,
	PERFCTR_JSON_NUMBER,
	PERFCTR_JSON_STRING,
	PERFCTR_JSON_ARRAY,  /* its elements follow, and then PERFCTR_JSON_CLOSE */
	PERFCTR_JSON_OBJECT, /* likewise its members */
	PERFCTR_JSON_CLOSE,
	PERFCTR_JSON_END, /* of the text, which has at least one value */
	PERFCTR_JSON_WRONG,
};

enum { PERFCTR_JSON_DEPTH = 16 };

struct perfctr_json {
	char *at;	   /* the text, which is changed on the way */
	const char *end;   /* its end, a NUL; another one is wrong */
	unsigned int line; /* of the value, or of the error; begins with 1 */

	char *name;    /* a member's; else NULL */
	char *text;    /* a string's bytes, which a NUL ends; another value as it is written */
	size_t length; /* of that text */
	const char *problem; /* the error, if there is one */

	unsigned int depth;
	char close[PERFCTR_JSON_DEPTH + 1]; /* the bracket that ends each array and object */
	bool more;			    /* the array, the object or the text has had a value */
};

/*
 * Read the next value. Strings are decoded to UTF-8 where they stand; no byte is refused in them
 * but those that control and U+0000. A text may have several values, one after the other; values
 * in more than PERFCTR_JSON_DEPTH others are wrong.
 */
enum perfctr_json_type perfctr_json_next(struct perfctr_json *json);

#endif /* PERFCTR_LIB_BASE_JSON_H */
