// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/symbols.h"

struct symbol {
	uint64_t start, end;
	int rank;
	bool is_open; /* its end is the next one's start, if that is earlier */
	size_t name;  /* in text */
	size_t outer; /* one more than the index of the one around its start; 0: there is none */
};

struct segment {
	uint64_t offset, size, address;
};

struct symbols {
	struct symbol *symbol;
	size_t n, room;
	struct segment *segment;
	size_t nsegments;
	char *text; /* all names */
	size_t used, size;
};

struct symbols *symbols_new(void)
{
	return need(calloc(1, sizeof(struct symbols)));
}

void symbols_add_segment(struct symbols *symbols, uint64_t offset, uint64_t size, uint64_t address)
{
	symbols->segment = need(
		reallocarray(symbols->segment, symbols->nsegments + 1, sizeof(*symbols->segment)));
	symbols->segment[symbols->nsegments++] = (struct segment){ offset, size, address };
}

static size_t add_text(struct symbols *symbols, const char *name, size_t length)
{
	size_t at = symbols->used;

	if (symbols->size - at <= length) {
		symbols->size = symbols->size * 2 + length + 4096;
		symbols->text = need(realloc(symbols->text, symbols->size));
	}
	memcpy(symbols->text + at, name, length);
	symbols->text[at + length] = '\0';
	symbols->used += length + 1;
	return at;
}

void symbols_add(struct symbols *symbols, uint64_t start, uint64_t end, int rank, const char *name,
		 size_t length)
{
	if (symbols->n == symbols->room) {
		symbols->room = symbols->room * 2 + 256;
		symbols->symbol = need(
			reallocarray(symbols->symbol, symbols->room, sizeof(*symbols->symbol)));
	}
	symbols->symbol[symbols->n++] = (struct symbol){
		.start = start,
		.end = end,
		.rank = rank,
		.name = add_text(symbols, name, length),
	};
}

void symbols_add_open(struct symbols *symbols, uint64_t start, uint64_t limit, int rank,
		      const char *name, size_t length)
{
	symbols_add(symbols, start, limit, rank, name, length);
	symbols->symbol[symbols->n - 1].is_open = true;
}

static int compare(const void *a, const void *b, void *text)
{
	const struct symbol *one = a, *two = b;

	if (one->start != two->start)
		return one->start < two->start ? -1 : 1;
	if (one->rank != two->rank)
		return one->rank - two->rank;
	return strcmp((const char *)text + two->name, (const char *)text + one->name);
}

/* Ends the open ones at the next start. */
static void close_open(struct symbols *symbols)
{
	uint64_t next = UINT64_MAX;
	size_t i;

	for (i = symbols->n; i-- > 0;) {
		struct symbol *symbol = &symbols->symbol[i];

		if (i + 1 < symbols->n && symbol->start < symbol[1].start)
			next = symbol[1].start;
		if (symbol->is_open && next < symbol->end)
			symbol->end = next;
	}
}

void symbols_end(struct symbols *symbols)
{
	size_t i, outer = 0;

	if (symbols->n)
		qsort_r(symbols->symbol, symbols->n, sizeof(*symbols->symbol), compare,
			symbols->text);
	close_open(symbols);
	for (i = 0; i < symbols->n; i++) {
		while (outer && symbols->symbol[outer - 1].end <= symbols->symbol[i].start)
			outer = symbols->symbol[outer - 1].outer;
		symbols->symbol[i].outer = outer;
		outer = i + 1;
	}
}

size_t symbols_number(const struct symbols *symbols)
{
	return symbols->n;
}

/* 0 if the file's contents there are nowhere in memory. */
static int address_of(const struct symbols *symbols, uint64_t offset, uint64_t *address)
{
	size_t i;

	*address = offset;
	for (i = 0; i < symbols->nsegments; i++) {
		const struct segment *segment = &symbols->segment[i];

		if (offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		*address = offset - segment->offset + segment->address;
		return 1;
	}
	return !symbols->nsegments;
}

const char *symbols_find(const struct symbols *symbols, uint64_t offset, uint64_t *into)
{
	const struct symbol *found;
	size_t low = 0, high = symbols->n, middle;
	uint64_t address;

	if (!address_of(symbols, offset, &address))
		return NULL;
	/* The last one that begins there or before. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (symbols->symbol[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* After the end of one that is inside of another, the other one goes on. */
	while (low && symbols->symbol[low - 1].end <= address)
		low = symbols->symbol[low - 1].outer;
	if (low == 0)
		return NULL;
	found = &symbols->symbol[low - 1];
	*into = address - found->start;
	return symbols->text + found->name;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->symbol);
	free(symbols->segment);
	free(symbols->text);
	free(symbols);
}
