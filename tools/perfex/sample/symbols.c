// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/symbols.h"

struct symbol {
	uint64_t start, end;
	int rank;
	bool is_open;  /* its end is the next one's start, if that is earlier */
	bool is_label; /* below all others */
	size_t name;   /* in text */
};

/* From its start to that of the next one there is one function, or none. */
struct piece {
	uint64_t start;
	size_t symbol; /* its index; NONE */
	bool is_layer; /* above another function */
};

#define NONE SIZE_MAX

struct segment {
	uint64_t offset, size, address;
	uint64_t reach; /* the highest end of this one and those before it */
};

struct symbols {
	struct symbol *symbol;
	size_t n, room;
	struct piece *piece;
	size_t npieces;
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
	symbols->segment[symbols->nsegments++] = (struct segment){ offset, size, address, 0 };
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

void symbols_add_label(struct symbols *symbols, uint64_t start, uint64_t limit, int rank,
		       const char *name, size_t length)
{
	symbols_add_open(symbols, start, limit, rank, name, length);
	symbols->symbol[symbols->n - 1].is_label = true;
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

/* Ends the open ones at the next function's start, and labels also at the next label. */
static void close_open(struct symbols *symbols)
{
	uint64_t function = UINT64_MAX, any = UINT64_MAX, next;
	size_t i, last = symbols->n;

	while (last > 0) {
		/* Those with the same start are no next one for each other. */
		for (i = last;
		     i-- > 0 && symbols->symbol[i].start == symbols->symbol[last - 1].start;) {
			struct symbol *symbol = &symbols->symbol[i];

			next = symbol->is_label ? any : function;
			if (symbol->is_open && next < symbol->end)
				symbol->end = next;
		}
		any = symbols->symbol[last - 1].start;
		for (i++; last > i; last--)
			if (!symbols->symbol[last - 1].is_label)
				function = any;
	}
}

/* ---- which is on top ---- */

/* Functions that began before an address: a heap with the one on top first. */
struct heap {
	const struct symbol *symbol;
	enum symbols_order order;
	size_t *index; /* of symbols, which are sorted by their starts */
	size_t n;
};

static bool is_above(const struct heap *heap, size_t a, size_t b)
{
	const struct symbol *one = &heap->symbol[a], *two = &heap->symbol[b];

	if (one->is_label != two->is_label)
		return two->is_label;
	if (heap->order == SYMBOLS_LAYERED && one->rank != two->rank)
		return one->rank > two->rank;
	return a > b;
}

static void push(struct heap *heap, size_t index)
{
	size_t i = heap->n++;

	for (; i && is_above(heap, index, heap->index[(i - 1) / 2]); i = (i - 1) / 2)
		heap->index[i] = heap->index[(i - 1) / 2];
	heap->index[i] = index;
}

static void pop(struct heap *heap)
{
	size_t index = heap->index[--heap->n], i = 0, child;

	while ((child = 2 * i + 1) < heap->n) {
		if (child + 1 < heap->n &&
		    is_above(heap, heap->index[child + 1], heap->index[child]))
			child++;
		if (!is_above(heap, heap->index[child], index))
			break;
		heap->index[i] = heap->index[child];
		i = child;
	}
	heap->index[i] = index;
}

static int compare_ends(const void *a, const void *b)
{
	const uint64_t *one = a, *two = b;

	return *one < *two ? -1 : *one > *two;
}

/* Returns the ends of all, sorted, to be freed. */
static uint64_t *sort_ends(const struct symbols *symbols)
{
	uint64_t *ends = need(calloc(symbols->n + 1, sizeof(*ends)));
	size_t i;

	for (i = 0; i < symbols->n; i++)
		ends[i] = symbols->symbol[i].end > symbols->symbol[i].start
				  ? symbols->symbol[i].end
				  : symbols->symbol[i].start;
	qsort(ends, symbols->n, sizeof(*ends), compare_ends);
	return ends;
}

static void add_piece(struct symbols *symbols, uint64_t start, size_t symbol, bool is_layer)
{
	struct piece *last = symbols->piece + symbols->npieces - 1;

	if (symbols->npieces && last->symbol == symbol && last->is_layer == is_layer)
		return;
	symbols->piece[symbols->npieces++] = (struct piece){ start, symbol, is_layer };
}

/* Goes from each start or end to the next one. */
static void make_pieces(struct symbols *symbols, struct heap *heap, const uint64_t *ends)
{
	const struct symbol *symbol = symbols->symbol;
	size_t begun = 0, ended = 0;
	uint64_t at;

	while (ended < symbols->n) {
		at = begun < symbols->n && symbol[begun].start <= ends[ended] ? symbol[begun].start
									      : ends[ended];
		while (begun < symbols->n && symbol[begun].start == at)
			push(heap, begun++);
		while (ended < symbols->n && ends[ended] == at)
			ended++;
		while (heap->n && symbol[heap->index[0]].end <= at)
			pop(heap);
		add_piece(symbols, at, heap->n ? heap->index[0] : NONE, begun - ended > 1);
	}
}

static int compare_segments(const void *a, const void *b)
{
	const struct segment *one = a, *two = b;

	return one->offset < two->offset ? -1 : one->offset > two->offset;
}

static uint64_t end_of(const struct segment *segment)
{
	return segment->size > UINT64_MAX - segment->offset ? UINT64_MAX
							    : segment->offset + segment->size;
}

static void sort_segments(struct symbols *symbols)
{
	uint64_t reach = 0;
	size_t i;

	if (symbols->nsegments)
		qsort(symbols->segment, symbols->nsegments, sizeof(*symbols->segment),
		      compare_segments);
	for (i = 0; i < symbols->nsegments; i++) {
		if (end_of(&symbols->segment[i]) > reach)
			reach = end_of(&symbols->segment[i]);
		symbols->segment[i].reach = reach;
	}
}

void symbols_end(struct symbols *symbols, enum symbols_order order)
{
	struct heap heap = { .order = order };
	uint64_t *ends;

	sort_segments(symbols);
	if (!symbols->n)
		return;
	qsort_r(symbols->symbol, symbols->n, sizeof(*symbols->symbol), compare, symbols->text);
	close_open(symbols);
	ends = sort_ends(symbols);
	symbols->piece = need(calloc(symbols->n, 2 * sizeof(*symbols->piece)));
	heap.symbol = symbols->symbol;
	heap.index = need(calloc(symbols->n, sizeof(*heap.index)));
	make_pieces(symbols, &heap, ends);
	free(heap.index);
	free(ends);
}

size_t symbols_number(const struct symbols *symbols)
{
	return symbols->n;
}

int symbols_address(const struct symbols *symbols, uint64_t offset, uint64_t *address)
{
	size_t low = 0, high = symbols->nsegments, middle;

	*address = offset;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (symbols->segment[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- && symbols->segment[low].reach > offset) {
		if (end_of(&symbols->segment[low]) <= offset)
			continue;
		*address = offset - symbols->segment[low].offset + symbols->segment[low].address;
		return 1;
	}
	return !symbols->nsegments;
}

/* Returns the piece that an offset is in; NULL: none. */
static const struct piece *find_piece(const struct symbols *symbols, uint64_t offset,
				      uint64_t *address)
{
	size_t low = 0, high = symbols->npieces, middle;

	if (!symbols_address(symbols, offset, address))
		return NULL;
	/* The last one that begins there or before. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (symbols->piece[middle].start <= *address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && symbols->piece[low - 1].symbol != NONE ? &symbols->piece[low - 1] : NULL;
}

const char *symbols_find(const struct symbols *symbols, uint64_t offset, uint64_t *into)
{
	uint64_t address;
	const struct piece *piece = find_piece(symbols, offset, &address);

	if (!piece)
		return NULL;
	*into = address - symbols->symbol[piece->symbol].start;
	return symbols->text + symbols->symbol[piece->symbol].name;
}

int symbols_layer(const struct symbols *symbols, uint64_t offset)
{
	uint64_t address;
	const struct piece *piece = find_piece(symbols, offset, &address);

	return piece && piece->is_layer ? symbols->symbol[piece->symbol].rank : -1;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->symbol);
	free(symbols->piece);
	free(symbols->segment);
	free(symbols->text);
	free(symbols);
}
