// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/document.h"

#define MAX_SIZE  (64u << 20)
#define MAX_DEPTH 16

struct parser {
	struct document *document;
	char *at, *end; /* at *end is a NUL */
	unsigned int line, depth;
};

static struct node *fail(struct parser *parser, const char *what)
{
	if (!*parser->document->problem)
		snprintf(parser->document->problem, sizeof(parser->document->problem),
			 "line %u: %s", parser->line, what);
	return NULL;
}

static void skip_blanks(struct parser *parser)
{
	for (; *parser->at && strchr(" \t\r\n", *parser->at); parser->at++)
		parser->line += *parser->at == '\n';
}

static struct node *new_node(const struct parser *parser, enum node_type type)
{
	struct node *node = need(calloc(1, sizeof(*node)));

	node->type = type;
	node->line = parser->line;
	return node;
}

static void free_node(struct node *node)
{
	struct node *next;

	for (; node; node = next) {
		next = node->next;
		free_node(node->child);
		free(node);
	}
}

/* ---- strings: decoded where they stand, which never makes them longer ---- */

static int hex_digit(char c)
{
	const char digits[] = "0123456789abcdef", capitals[] = "0123456789ABCDEF";
	const char *p = c ? strchr(digits, c) : NULL;

	if (p)
		return (int)(p - digits);
	p = c ? strchr(capitals, c) : NULL;
	return p ? (int)(p - capitals) : -1;
}

/* The four digits after \u; -1: they are none. */
static long hex4(struct parser *parser)
{
	long value = 0;
	int i, digit;

	for (i = 0; i < 4; i++) {
		digit = hex_digit(*parser->at);
		if (digit < 0)
			return -1;
		value = value << 4 | digit;
		parser->at++;
	}
	return value;
}

static char *put_utf8(char *to, long letter)
{
	int n = letter < 0x80 ? 0 : letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
	static const int first[] = { 0, 0xC0, 0xE0, 0xF0 };

	*to++ = (char)(first[n] | letter >> 6 * n);
	while (n--)
		*to++ = (char)(0x80 | (letter >> 6 * n & 0x3F));
	return to;
}

/* The letter that \u stands before, its second half included. -1: it is none. */
static long unicode(struct parser *parser)
{
	long letter = hex4(parser), low;

	if (letter < 0xD800 || letter > 0xDFFF)
		return letter ? letter : -1;
	if (letter > 0xDBFF || parser->at[0] != '\\' || parser->at[1] != 'u')
		return -1;
	parser->at += 2;
	low = hex4(parser);
	if (low < 0xDC00 || low > 0xDFFF)
		return -1;
	return 0x10000 + ((letter - 0xD800) << 10) + (low - 0xDC00);
}

/* What stands after a backslash; NULL: nothing that may. */
static char *put_escaped(struct parser *parser, char *to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *p = *parser->at ? strchr(from, *parser->at) : NULL;
	long letter;

	if (p) {
		parser->at++;
		*to++ = into[p - from];
		return to;
	}
	if (*parser->at != 'u')
		return NULL;
	parser->at++;
	letter = unicode(parser);
	return letter < 0 ? NULL : put_utf8(to, letter);
}

/* The text between quotes, of which the first is at *at. NULL after fail(). */
static const char *parse_string(struct parser *parser)
{
	char *start = ++parser->at, *to = start;

	while (*parser->at != '"') {
		if ((unsigned char)*parser->at < 0x20) {
			fail(parser, "a string does not end on its line");
			return NULL;
		}
		if (*parser->at != '\\') {
			*to++ = *parser->at++;
			continue;
		}
		parser->at++;
		to = put_escaped(parser, to);
		if (!to) {
			fail(parser, "a string has a \\ with nothing after it that JSON knows");
			return NULL;
		}
	}
	parser->at++;
	*to = '\0';
	return start;
}

/* ---- values ---- */

/* The length of a number as JSON writes them; 0: it is none. */
static size_t number_length(const char *text)
{
	const char *p = text + (*text == '-');
	size_t n = strspn(p, "0123456789");

	if (!n || (*p == '0' && n > 1))
		return 0;
	p += n;
	if (*p == '.') {
		n = strspn(p + 1, "0123456789");
		if (!n)
			return 0;
		p += 1 + n;
	}
	if (*p == 'e' || *p == 'E') {
		p += 1 + (p[1] == '+' || p[1] == '-');
		n = strspn(p, "0123456789");
		if (!n)
			return 0;
		p += n;
	}
	return (size_t)(p - text);
}

static struct node *parse_number(struct parser *parser)
{
	size_t n = number_length(parser->at);
	struct node *node;

	if (!n)
		return fail(parser, "this is no value");
	node = new_node(parser, NODE_NUMBER);
	node->number = strtold(parser->at, NULL);
	parser->at += n;
	if (isfinite((double)node->number))
		return node;
	free_node(node);
	return fail(parser, "a number is too big");
}

static struct node *parse_word(struct parser *parser)
{
	static const struct {
		const char *text;
		enum node_type type;
		int number;
	} words[] = { { "null", NODE_NULL, 0 },
		      { "true", NODE_BOOL, 1 },
		      { "false", NODE_BOOL, 0 } };
	struct node *node;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (strncmp(parser->at, words[i].text, strlen(words[i].text)) != 0)
			continue;
		parser->at += strlen(words[i].text);
		node = new_node(parser, words[i].type);
		node->number = words[i].number;
		return node;
	}
	return parse_number(parser);
}

static struct node *parse_value(struct parser *parser);

/* A member's name and its colon; true: an array has none. */
static bool parse_name(struct parser *parser, enum node_type type, const char **name)
{
	*name = NULL;
	if (type == NODE_ARRAY)
		return true;
	if (*parser->at == '"')
		*name = parse_string(parser);
	skip_blanks(parser);
	if (*name && *parser->at == ':') {
		parser->at++;
		return true;
	}
	fail(parser, "a member of an object is \"name\": value");
	return false;
}

static struct node *parse_element(struct parser *parser, enum node_type type)
{
	struct node *node;
	const char *name;

	skip_blanks(parser);
	if (!parse_name(parser, type, &name))
		return NULL;
	node = parse_value(parser);
	if (node)
		node->name = name;
	return node;
}

/* Whether there is one more; true also if that is a mistake, which is told. */
static bool more(struct parser *parser, char close, bool first, bool *good)
{
	skip_blanks(parser);
	if (*parser->at == close) {
		parser->at++;
		return false;
	}
	if (first)
		return true;
	*good = *parser->at == ',';
	if (*good)
		parser->at++;
	else
		fail(parser, "a comma or the closing bracket is missing");
	return true;
}

static struct node *parse_list(struct parser *parser, enum node_type type, char close)
{
	struct node *list = new_node(parser, type), **last = &list->child;
	bool good = ++parser->depth <= MAX_DEPTH;

	if (!good)
		fail(parser, "values are in too many others");
	parser->at++;
	while (good && more(parser, close, !list->child, &good)) {
		if (good)
			*last = parse_element(parser, type);
		good = good && *last;
		if (good)
			last = &(*last)->next;
	}
	parser->depth--;
	if (good)
		return list;
	free_node(list);
	return NULL;
}

static struct node *parse_value(struct parser *parser)
{
	struct node *node;
	unsigned int line;

	skip_blanks(parser);
	line = parser->line;
	switch (*parser->at) {
	case '{': return parse_list(parser, NODE_OBJECT, '}');
	case '[': return parse_list(parser, NODE_ARRAY, ']');
	case '"':
		node = new_node(parser, NODE_STRING);
		node->string = parse_string(parser);
		node->line = line;
		if (node->string)
			return node;
		free_node(node);
		return NULL;
	case '\0': return fail(parser, "the file ends in the middle of a value");
	default: return parse_word(parser);
	}
}

static int parse_all(struct parser *parser)
{
	struct document *document = parser->document;
	struct node **last = &document->first;

	do {
		*last = parse_value(parser);
		if (!*last)
			return -1;
		document->root = *last;
		last = &(*last)->next;
		skip_blanks(parser);
	} while (*parser->at);
	if (parser->at == parser->end)
		return 0;
	fail(parser, "a zero byte is no JSON");
	return -1;
}

int document_parse(struct document *document, const char *text, size_t size)
{
	struct parser parser = { .document = document, .line = 1 };

	*document = (struct document){ .first = NULL };
	document->text = need(malloc(size + 1));
	memcpy(document->text, text, size);
	document->text[size] = '\0';
	parser.at = document->text;
	parser.end = document->text + size;
	return parse_all(&parser);
}

int document_read(struct document *document, const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0, n = 1;
	int result = -1;

	*document = (struct document){ .first = NULL };
	while (file && n && size <= MAX_SIZE) {
		text = need(realloc(text, size + (1 << 16)));
		n = fread(text + size, 1, 1 << 16, file);
		size += n;
	}
	if (!file || ferror(file))
		snprintf(document->problem, sizeof(document->problem), "%s", strerror(errno));
	else if (size > MAX_SIZE)
		snprintf(document->problem, sizeof(document->problem), "it is larger than 64 MiB");
	else
		result = document_parse(document, text, size);
	if (file)
		fclose(file);
	free(text);
	return result;
}

void document_free(struct document *document)
{
	free_node(document->first);
	free(document->text);
}

const struct node *node_member(const struct node *node, const char *name, enum node_type type)
{
	const struct node *member = node && node->type == NODE_OBJECT ? node->child : NULL;

	for (; member; member = member->next)
		if (member->type == type && !strcmp(member->name, name))
			return member;
	return NULL;
}
