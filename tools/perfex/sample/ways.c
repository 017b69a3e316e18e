// SPDX-License-Identifier: LGPL-2.1-or-later
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/sample/demangle.h"
#include "tools/perfex/sample/ways.h"

struct label {
	enum way_kind kind;
	const char *name;
	uint32_t number;
};

struct ways {
	const struct stacks *stacks;
	char **process; /* names as they are printed, of processes, and below of their threads */
	char **thread;
	size_t nprocesses;
	void *tree; /* of labels, each once */
	struct label **label;
	size_t nlabels, labels_room;
	char **text; /* the labels', in order, each once */
	size_t ntexts;
	size_t *first;	/* of each frame in list */
	uint32_t *list; /* of labels, and from ways_end() on of texts */
	size_t *last;	/* of each frame, and one more */
	size_t n, room;
};

/* A chain of calls, which several stacks may have. */
struct way {
	const struct ways *ways;
	const struct stack *stack;
	bool threads;
};

/* ---- labels ---- */

/* A name in a line, in which a semicolon has its meaning. */
static void put_name(FILE *file, const char *name)
{
	size_t length;

	for (; *name; name += length) {
		length = text_letter(name);
		if (length && *name != ';')
			fwrite(name, 1, length, file);
		else
			fputc(*name == ';' ? ':' : '?', file);
		length += !length;
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Returns what is printed of a label, whose name is decoded. */
static char *make_text(enum way_kind kind, const char *name)
{
	static const char *const marks[] = { "", "", "_[k]", "_[i]" };
	bool bare = kind == WAY_FILE && *name != '[';
	size_t size;
	char *text;
	FILE *file = need(open_memstream(&text, &size));

	if (bare)
		fputc('[', file);
	put_name(file, kind == WAY_FILE ? base_name(name) : name);
	fputs(bare ? "]" : marks[kind], file);
	if (fclose(file) != 0)
		need(NULL);
	return text;
}

static int compare_labels(const void *a, const void *b)
{
	const struct label *one = a, *two = b;

	return one->kind != two->kind ? (one->kind < two->kind ? -1 : 1)
				      : strcmp(one->name, two->name);
}

static void *grow(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room * 2 + 256;
	return need(reallocarray(array, *room, size));
}

static uint32_t number_of(struct ways *ways, enum way_kind kind, const char *name)
{
	const struct label wanted = { kind, name, 0 };
	struct label **found = tfind(&wanted, &ways->tree, compare_labels), *label;

	if (found)
		return (*found)->number;
	label = need(malloc(sizeof(*label)));
	*label = (struct label){ kind, need(strdup(name)), (uint32_t)ways->nlabels };
	need(tsearch(label, &ways->tree, compare_labels));
	ways->label = grow(ways->label, ways->nlabels, &ways->labels_room, sizeof(*ways->label));
	ways->label[ways->nlabels++] = label;
	return label->number;
}

void ways_name(struct ways *ways, uint32_t frame, enum way_kind kind, const char *name)
{
	ways->list = grow(ways->list, ways->n, &ways->room, sizeof(*ways->list));
	ways->list[ways->n] = number_of(ways, kind, name);
	if (ways->first[frame] == ways->last[frame])
		ways->first[frame] = ways->n;
	ways->last[frame] = ++ways->n;
}

/* Decodes all names, and returns the labels' texts. */
static char **make_texts(const struct ways *ways)
{
	const char **names = need(calloc(ways->nlabels + 1, sizeof(*names)));
	char **texts = need(calloc(ways->nlabels + 1, sizeof(*texts))), *decoded;
	size_t i;

	for (i = 0; i < ways->nlabels; i++)
		names[i] = ways->label[i]->kind == WAY_FILE ? "" : ways->label[i]->name;
	demangle_all(names, texts, ways->nlabels);
	for (i = 0; i < ways->nlabels; i++) {
		const struct label *label = ways->label[i];

		decoded = texts[i];
		texts[i] = make_text(label->kind, label->kind == WAY_FILE ? label->name : decoded);
		free(decoded);
	}
	free(names);
	return texts;
}

/* A text with the number of its label. */
struct numbered {
	char *text;
	uint32_t number;
};

static int compare_texts(const void *a, const void *b)
{
	const struct numbered *one = a, *two = b;

	return strcmp(one->text, two->text);
}

/* Sorts texts, keeps each once, and gives labels their places. */
static void sort_texts(struct ways *ways, char **texts, uint32_t *place)
{
	struct numbered *all = need(calloc(ways->nlabels + 1, sizeof(*all)));
	size_t i, n = 0;

	for (i = 0; i < ways->nlabels; i++)
		all[i] = (struct numbered){ texts[i], (uint32_t)i };
	qsort(all, ways->nlabels, sizeof(*all), compare_texts);
	for (i = 0; i < ways->nlabels; i++) {
		if (n && !strcmp(texts[n - 1], all[i].text))
			free(all[i].text);
		else
			texts[n++] = all[i].text;
		place[all[i].number] = (uint32_t)n - 1;
	}
	ways->ntexts = n;
	free(all);
}

void ways_end(struct ways *ways)
{
	uint32_t *place = need(calloc(ways->nlabels + 1, sizeof(*place)));
	size_t i;

	ways->text = make_texts(ways);
	sort_texts(ways, ways->text, place);
	for (i = 0; i < ways->n; i++)
		ways->list[i] = place[ways->list[i]];
	free(place);
}

/* ---- ways ---- */

/* Where a chain is read, from its outermost call on. */
struct cursor {
	const struct ways *ways;
	const uint32_t *call;
	size_t calls; /* left */
	size_t at, last;
};

static struct cursor begin(const struct way *way)
{
	return (struct cursor){ way->ways, way->ways->stacks->call + way->stack->first,
				way->stack->n, 0, 0 };
}

/* Returns the number of the next text; -1: that was the last. */
static int64_t next(struct cursor *cursor)
{
	uint32_t frame;

	while (cursor->at == cursor->last) {
		if (!cursor->calls)
			return -1;
		frame = cursor->call[--cursor->calls];
		cursor->at = cursor->ways->first[frame];
		cursor->last = cursor->ways->last[frame];
	}
	return cursor->ways->list[cursor->at++];
}

static int compare_ways(const void *a, const void *b)
{
	const struct way *one = a, *two = b;
	const struct ways *ways = one->ways;
	struct cursor left = begin(one), right = begin(two);
	int result = strcmp(ways->process[one->stack->name], ways->process[two->stack->name]);
	int64_t l, r;

	if (!result && one->threads)
		result = strcmp(ways->thread[one->stack->name], ways->thread[two->stack->name]);
	if (result)
		return result;
	do {
		l = next(&left);
		r = next(&right);
	} while (l == r && l >= 0);
	return l < r ? -1 : l > r;
}

static void print_way(FILE *file, const struct way *way)
{
	const struct ways *ways = way->ways;
	struct cursor cursor = begin(way);
	int64_t text;

	fputs(ways->process[way->stack->name], file);
	if (way->threads)
		fprintf(file, ";%s", ways->thread[way->stack->name]);
	while ((text = next(&cursor)) >= 0) {
		fputc(';', file);
		fputs(ways->text[text], file);
	}
}

static void pass_on(const struct way *way, uint64_t samples, uint64_t events, ways_way *each,
		    void *arg)
{
	size_t size;
	char *text;
	FILE *file = need(open_memstream(&text, &size));

	print_way(file, way);
	if (fclose(file) != 0)
		need(NULL);
	each(arg, text, samples, events);
	free(text);
}

void ways_each(const struct ways *ways, bool threads, ways_way *each, void *arg)
{
	const struct stacks *stacks = ways->stacks;
	struct way *all = need(calloc(stacks->used + 1, sizeof(*all)));
	uint64_t samples = 0, events = 0;
	size_t i, n = 0;

	for (i = 0; i < stacks->size; i++)
		if (stacks->stack[i].count)
			all[n++] = (struct way){ ways, &stacks->stack[i], threads };
	qsort(all, n, sizeof(*all), compare_ways);
	for (i = 0; i < n; i++) {
		samples += all[i].stack->count;
		events += all[i].stack->events;
		if (i + 1 < n && compare_ways(&all[i], &all[i + 1]) == 0)
			continue;
		pass_on(&all[i], samples, events, each, arg);
		samples = events = 0;
	}
	free(all);
}

/* ---- the beginning and the end ---- */

/* Sets a process's name and the thread's, which is the same unless it follows. */
static void split_names(struct ways *ways, size_t i, const char *names)
{
	const char *between = strchr(names, WAYS_BETWEEN);
	char *process = need(strdup(names));

	process[strcspn(process, (char[]){ WAYS_BETWEEN, '\0' })] = '\0';
	ways->process[i] = make_text(WAY_FUNCTION, process);
	ways->thread[i] = make_text(WAY_FUNCTION, between ? between + 1 : process);
	free(process);
}

struct ways *ways_new(const struct stacks *stacks, char **names, size_t n)
{
	struct ways *ways = need(calloc(1, sizeof(*ways)));
	size_t i;

	ways->stacks = stacks;
	ways->nprocesses = n;
	ways->process = need(calloc(n + 1, sizeof(*ways->process)));
	ways->thread = need(calloc(n + 1, sizeof(*ways->thread)));
	for (i = 0; i < n; i++)
		split_names(ways, i, names[i]);
	ways->first = need(calloc(stacks->nframes + 1, sizeof(*ways->first)));
	ways->last = need(calloc(stacks->nframes + 1, sizeof(*ways->last)));
	return ways;
}

static void free_label(void *arg)
{
	struct label *label = arg;

	free((char *)(uintptr_t)label->name);
	free(label);
}

static void free_texts(char **texts, size_t n)
{
	while (texts && n--)
		free(texts[n]);
	free(texts);
}

void ways_free(struct ways *ways)
{
	if (!ways)
		return;
	free_texts(ways->text, ways->ntexts);
	free_texts(ways->process, ways->nprocesses);
	free_texts(ways->thread, ways->nprocesses);
	tdestroy(ways->tree, free_label);
	free(ways->label);
	free(ways->first);
	free(ways->last);
	free(ways->list);
	free(ways);
}
