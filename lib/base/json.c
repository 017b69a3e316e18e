// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>
#include "lib/base/json.h"

static enum perfctr_json_type fail(struct perfctr_json *json, const char *what)
{
	json->problem = what;
	return PERFCTR_JSON_WRONG;
}

static void skip_blanks(struct perfctr_json *json)
{
	for (; *json->at == ' ' || *json->at == '\n' || *json->at == '\t' || *json->at == '\r';
	     json->at++)
		json->line += *json->at == '\n';
}

/* Whether the next character is this one: then it is taken. */
static bool take(struct perfctr_json *json, char c)
{
	skip_blanks(json);
	if (*json->at != c)
		return false;
	json->at++;
	return true;
}

/* ---- strings: decoded where they stand, which never makes them longer ---- */

/* The four digits after \u, which are taken; -1: they are none. */
static long read_code(struct perfctr_json *json)
{
	char digits[5] = "";

	if (strspn(json->at, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, json->at, 4);
	json->at += 4;
	return strtol(digits, NULL, 16);
}

/* The letter that \u stands before, its second half included. -1: it is none. */
static long read_letter(struct perfctr_json *json)
{
	long letter = read_code(json), low;

	if (letter < 0xD800 || letter > 0xDFFF)
		return letter ? letter : -1;
	if (letter > 0xDBFF || json->at[0] != '\\' || json->at[1] != 'u')
		return -1;
	json->at += 2;
	low = read_code(json);
	if (low < 0xDC00 || low > 0xDFFF)
		return -1;
	return 0x10000 + ((letter - 0xD800) << 10) + (low - 0xDC00);
}

static char *put_utf8(char *to, long letter)
{
	static const int first[] = { 0, 0xC0, 0xE0, 0xF0 };
	int n = letter < 0x80 ? 0 : letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;

	*to++ = (char)(first[n] | letter >> 6 * n);
	while (n--)
		*to++ = (char)(0x80 | (letter >> 6 * n & 0x3F));
	return to;
}

/* Decodes the rest of an escape; NULL: it is none. */
static char *put_escaped(struct perfctr_json *json, char *to)
{
	static const char from[] = "\"\\/bfnrtu", into[] = "\"\\/\b\f\n\r\t";
	const char *p = *json->at ? strchr(from, *json->at) : NULL;
	long letter;

	if (!p)
		return NULL;
	json->at++;
	if (*p != 'u') {
		*to++ = into[p - from];
		return to;
	}
	letter = read_letter(json);
	return letter < 0 ? NULL : put_utf8(to, letter);
}

/* The text between quotes, of which the first is taken; NULL after fail(). */
static char *read_string(struct perfctr_json *json)
{
	char *start = json->at, *to = start;

	while (*json->at != '"') {
		if ((unsigned char)*json->at < 0x20) {
			fail(json, "a string does not end on its line");
			return NULL;
		}
		if (*json->at != '\\') {
			*to++ = *json->at++;
			continue;
		}
		json->at++;
		to = put_escaped(json, to);
		if (!to) {
			fail(json, "a string has a \\ with nothing after it that JSON knows");
			return NULL;
		}
	}
	json->at++;
	*to = '\0';
	json->length = (size_t)(to - start);
	return start;
}

/* ---- values ---- */

/* Takes digits; false: there are none. */
static bool take_digits(const char **p)
{
	size_t n = strspn(*p, "0123456789");

	*p += n;
	return n > 0;
}

/* The length of a number as JSON writes them; 0: it is none. */
static size_t number_length(const char *text)
{
	const char *p = text + (*text == '-'), *whole = p;

	if (!take_digits(&p) || (*whole == '0' && p - whole > 1))
		return 0;
	if (*p == '.') {
		p++;
		if (!take_digits(&p))
			return 0;
	}
	if (*p == 'e' || *p == 'E') {
		p += 1 + (p[1] == '+' || p[1] == '-');
		if (!take_digits(&p))
			return 0;
	}
	return (size_t)(p - text);
}

static enum perfctr_json_type read_word(struct perfctr_json *json)
{
	static const char words[][8] = { "null", "true", "false" };
	unsigned int i;

	json->text = json->at;
	for (i = 0; i < 3; i++) {
		json->length = strlen(words[i]);
		if (strncmp(json->at, words[i], json->length) != 0)
			continue;
		json->at += json->length;
		return i ? PERFCTR_JSON_BOOL : PERFCTR_JSON_NULL;
	}
	json->length = number_length(json->at);
	json->at += json->length;
	return json->length ? PERFCTR_JSON_NUMBER : fail(json, "this is no value");
}

static enum perfctr_json_type begin(struct perfctr_json *json, char close)
{
	if (json->depth == PERFCTR_JSON_DEPTH)
		return fail(json, "values are in too many others");
	json->close[++json->depth] = close;
	json->more = false;
	return close == ']' ? PERFCTR_JSON_ARRAY : PERFCTR_JSON_OBJECT;
}

static enum perfctr_json_type read_value(struct perfctr_json *json)
{
	skip_blanks(json);
	json->more = true;
	switch (*json->at) {
	case '{': json->at++; return begin(json, '}');
	case '[': json->at++; return begin(json, ']');
	case '"':
		json->at++;
		json->text = read_string(json);
		return json->text ? PERFCTR_JSON_STRING : PERFCTR_JSON_WRONG;
	case '\0': return fail(json, "the file ends in the middle of a value");
	default: return read_word(json);
	}
}

static enum perfctr_json_type read_member(struct perfctr_json *json)
{
	if (take(json, '"') && !(json->name = read_string(json)))
		return PERFCTR_JSON_WRONG;
	if (!json->name || !take(json, ':'))
		return fail(json, "a member of an object is \"name\": value");
	return read_value(json);
}

enum perfctr_json_type perfctr_json_next(struct perfctr_json *json)
{
	char close = json->close[json->depth];

	skip_blanks(json);
	json->name = NULL;
	if (!*json->at && json->at != json->end)
		return fail(json, "a zero byte is no JSON");
	if (!json->depth)
		return json->more && !*json->at ? PERFCTR_JSON_END : read_value(json);
	if (take(json, close)) {
		json->depth--;
		json->more = true;
		return PERFCTR_JSON_CLOSE;
	}
	if (json->more && !take(json, ','))
		return fail(json, "a comma or the closing bracket is missing");
	return close == '}' ? read_member(json) : read_value(json);
}
