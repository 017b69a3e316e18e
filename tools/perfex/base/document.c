// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/document.h"

#define MAX_SIZE (64u << 20)

static struct node *new_node(const struct perfctr_json *json, enum perfctr_json_type type)
{
	struct node *node = need(calloc(1, sizeof(*node)));

	node->type = type;
	node->line = json->line;
	node->name = json->name;
	if (type == PERFCTR_JSON_STRING)
		node->string = json->text;
	else if (type == PERFCTR_JSON_NUMBER)
		node->number = strtold(json->text, NULL);
	else if (type == PERFCTR_JSON_BOOL)
		node->number = *json->text == 't';
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

/* Reads values up to the end of their array or object; -1: one is wrong. */
static int read_values(struct perfctr_json *json, struct node **last)
{
	enum perfctr_json_type type;

	while ((type = perfctr_json_next(json)) < PERFCTR_JSON_CLOSE) {
		*last = new_node(json, type);
		if (!isfinite((double)(*last)->number)) {
			json->problem = "a number is too big";
			return -1;
		}
		if (type >= PERFCTR_JSON_ARRAY && read_values(json, &(*last)->child) < 0)
			return -1;
		last = &(*last)->next;
	}
	return type == PERFCTR_JSON_WRONG ? -1 : 0;
}

int document_parse(struct document *document, const char *text, size_t size)
{
	struct perfctr_json json = { .line = 1 };
	int result;

	*document = (struct document){ .first = NULL };
	document->text = need(malloc(size + 1));
	memcpy(document->text, text, size);
	document->text[size] = '\0';
	json.at = document->text;
	json.end = document->text + size;
	result = read_values(&json, &document->first);
	if (result < 0)
		snprintf(document->problem, sizeof(document->problem), "line %u: %s", json.line,
			 json.problem);
	for (document->root = document->first; document->root && document->root->next;)
		document->root = document->root->next;
	return result;
}

static char *read_text(const char *path, struct document *document, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t n = 1;

	*document = (struct document){ .first = NULL };
	for (*size = 0; file && n && *size <= MAX_SIZE; *size += n) {
		text = need(realloc(text, *size + (1 << 16) + 1));
		n = fread(text + *size, 1, 1 << 16, file);
	}
	if (!file || ferror(file))
		snprintf(document->problem, sizeof(document->problem), "%s", strerror(errno));
	else if (*size > MAX_SIZE)
		snprintf(document->problem, sizeof(document->problem), "it is larger than 64 MiB");
	if (file)
		fclose(file);
	if (!*document->problem)
		return text;
	free(text);
	return NULL;
}

int document_read(struct document *document, const char *path)
{
	size_t size;
	char *text = read_text(path, document, &size);
	int result = text ? document_parse(document, text, size) : -1;

	free(text);
	return result;
}

char *document_text(struct document *document, const char *path)
{
	size_t size;
	char *text = read_text(path, document, &size);

	if (!text)
		return NULL;
	text[size] = '\0';
	if (document_parse(document, text, size) == 0)
		return text;
	free(text);
	return NULL;
}

void document_free(struct document *document)
{
	free_node(document->first);
	free(document->text);
}

const struct node *node_member(const struct node *node, const char *name,
			       enum perfctr_json_type type)
{
	const struct node *member = node && node->type == PERFCTR_JSON_OBJECT ? node->child : NULL;

	for (; member; member = member->next)
		if (member->type == type && !strcmp(member->name, name))
			return member;
	return NULL;
}

const struct node *node_of_other_type(const struct node *root, const char *type)
{
	const struct node *member = root->type == PERFCTR_JSON_OBJECT ? root->child : NULL;

	while (member && strcmp(member->name, "type") != 0)
		member = member->next;
	if (!member || (member->type == PERFCTR_JSON_STRING && !strcmp(member->string, type)))
		return NULL;
	return member;
}
