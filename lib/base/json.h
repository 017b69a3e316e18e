/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json.h - the objects of a JSON text (RFC 8259), one by one */
#ifndef PERFCTR_LIB_BASE_JSON_H
#define PERFCTR_LIB_BASE_JSON_H

#include <stddef.h>

/*
 * A member whose value is a string, which is decoded, or a word: a number, true, false, null. In a
 * decoded string a character that is not ASCII is '?', and one that controls is a blank.
 */
struct perfctr_json_member {
	const char *key, *value;
	size_t key_length, length;
};

enum { PERFCTR_JSON_MEMBERS = 64, PERFCTR_JSON_DEPTH = 8 };

struct perfctr_json {
	/*
	 * Called at an object's end, inner objects first, with the line it began in; not of one
	 * with more than PERFCTR_JSON_MEMBERS strings and words, which is a dictionary. NULL, or
	 * why the text is refused.
	 */
	const char *(*object)(void *arg, const struct perfctr_json_member *members, unsigned int n,
			      unsigned int line);
	void *arg;
	unsigned int line; /* where the reader is; after an error, where that is */
	char *p;
};

/*
 * Read a text, which ends with a NUL and is changed on the way. NULL; or the reason why it is
 * refused: it is not JSON, deeper than PERFCTR_JSON_DEPTH, or what object() said.
 */
const char *perfctr_json_read(struct perfctr_json *json, char *text);

#endif /* PERFCTR_LIB_BASE_JSON_H */
