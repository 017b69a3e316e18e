/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * document.h - reads JSON (RFC 8259) from any source: errors are refused with their line. So are
 * more than 64 MiB, values nested more than 16 deep, and the character U+0000.
 */
#ifndef PERFCTR_TOOLS_DOCUMENT_H
#define PERFCTR_TOOLS_DOCUMENT_H

#include <stddef.h>
#include "lib/base/json.h"

struct node {
	enum perfctr_json_type type;
	unsigned int line;
	const char *name;   /* a member's; else NULL */
	const char *string; /* a string's */
	long double number; /* a number, most often exact to 64 bits; a Boolean: 0, 1 */
	struct node *child, *next;
};

struct document {
	struct node *first; /* of the file's values, one after the other: see next */
	struct node *root;  /* the last one */
	char *text;
	char problem[256]; /* "line 3: ..." */
};

/* -1 and a problem if it can't be read. Then, too, it is to be freed. */
int document_parse(struct document *document, const char *text, size_t size);
int document_read(struct document *document, const char *path);

/* Does as document_read() does, and returns the file's text, which the caller frees; NULL: -1. */
char *document_text(struct document *document, const char *path);

void document_free(struct document *document);

/*
 * Returns the first member of this name and type; NULL: there is none, or the node is no object, or
 * NULL.
 */
const struct node *node_member(const struct node *node, const char *name,
			       enum perfctr_json_type type);

/*
 * NULL if a document is of this type, which its member "type" names, or has none, as earlier
 * versions' had none; else that member.
 */
const struct node *node_of_other_type(const struct node *root, const char *type);

#endif /* PERFCTR_TOOLS_DOCUMENT_H */
