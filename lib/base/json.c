// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/json.h"

static void skip_blanks(struct perfctr_json *json)
{
	for (; *json->p && strchr(" \t\r\n", *json->p); json->p++)
		json->line += *json->p == '\n';
}

/* Whether the next character is this one: then it is taken. */
static int take(struct perfctr_json *json, char c)
{
	skip_blanks(json);
	if (*json->p != c)
		return 0;
	json->p++;
	return 1;
}

/* Four hexadecimal digits -> a character; '\0' if they are none. */
static char read_code(const char *digits)
{
	unsigned int i, code = 0;

	for (i = 0; i < 4; i++) {
		if (!isxdigit((unsigned char)digits[i]))
			return '\0';
		code = code << 4 | (unsigned int)strtoul((char[]){ digits[i], '\0' }, NULL, 16);
	}
	return code < ' ' ? ' ' : code <= '~' ? (char)code : '?';
}

/* What is after a backslash, of which *length characters are taken; '\0' if it is wrong. */
static char read_escape(const char *text, size_t *length)
{
	*length = 1;
	switch (*text) {
	case '"':
	case '\\':
	case '/': return *text;
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't': return ' ';
	case 'u': *length = 5; return read_code(text + 1);
	default: return '\0';
	}
}

/* A string, decoded where it stands. */
static const char *read_string(struct perfctr_json *json, const char **string, size_t *length)
{
	size_t taken;
	char *to;

	if (!take(json, '"'))
		return "a string is needed";
	*string = to = json->p;
	while (*json->p != '"') {
		if ((unsigned char)*json->p < ' ')
			return *json->p ? "a string has a character that controls"
					: "a string has no end";
		if (*json->p == '\\') {
			*to = read_escape(json->p + 1, &taken);
			if (!*to)
				return "a string has a wrong escape";
			json->p += taken;
		} else {
			*to = (unsigned char)*json->p <= '~' ? *json->p : '?';
		}
		to++;
		json->p++;
	}
	*length = (size_t)(to - *string);
	json->p++;
	return NULL;
}

static const char *read_word(struct perfctr_json *json, const char **word, size_t *length)
{
	*word = json->p;
	while (isalnum((unsigned char)*json->p) || (*json->p && strchr("+-.", *json->p)))
		json->p++;
	*length = (size_t)(json->p - *word);
	return *length ? NULL : "a value is needed";
}

static const char *read_value(struct perfctr_json *json, unsigned int depth,
			      struct perfctr_json_member *member);

static const char *read_array(struct perfctr_json *json, unsigned int depth)
{
	struct perfctr_json_member ignored;
	const char *reason;

	if (take(json, ']'))
		return NULL;
	do {
		reason = read_value(json, depth + 1, &ignored);
		if (reason)
			return reason;
	} while (take(json, ','));
	return take(json, ']') ? NULL : "an array needs , or ]";
}

static const char *read_member(struct perfctr_json *json, unsigned int depth,
			       struct perfctr_json_member *member)
{
	const char *reason = read_string(json, &member->key, &member->key_length);

	if (!reason && !take(json, ':'))
		reason = "a member needs a colon";
	return reason ? reason : read_value(json, depth + 1, member);
}

static const char *read_object(struct perfctr_json *json, unsigned int depth)
{
	/* The last place is for those that are too many. */
	struct perfctr_json_member members[PERFCTR_JSON_MEMBERS + 1], *member;
	unsigned int n = 0, line = json->line;
	const char *reason;

	if (!take(json, '}')) {
		do {
			member = &members[n < PERFCTR_JSON_MEMBERS ? n : PERFCTR_JSON_MEMBERS];
			reason = read_member(json, depth, member);
			if (reason)
				return reason;
			n += member->value != NULL;
		} while (take(json, ','));
		if (!take(json, '}'))
			return "an object needs , or }";
	}
	return n > PERFCTR_JSON_MEMBERS ? NULL : json->object(json->arg, members, n, line);
}

/* The member's value is NULL if it is an object or an array. */
static const char *read_value(struct perfctr_json *json, unsigned int depth,
			      struct perfctr_json_member *member)
{
	member->value = NULL;
	if (depth > PERFCTR_JSON_DEPTH)
		return "objects and arrays are more than 8 deep";
	if (take(json, '{'))
		return read_object(json, depth);
	if (take(json, '['))
		return read_array(json, depth);
	return *json->p == '"' ? read_string(json, &member->value, &member->length)
			       : read_word(json, &member->value, &member->length);
}

const char *perfctr_json_read(struct perfctr_json *json, char *text)
{
	struct perfctr_json_member ignored;
	const char *reason;

	json->p = text;
	json->line = 1;
	reason = read_value(json, 0, &ignored);
	if (reason)
		return reason;
	skip_blanks(json);
	return *json->p ? "something stands after the end" : NULL;
}
