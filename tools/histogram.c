// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "die.h"
#include "histogram.h"
#include "symbols.h"
#include "text.h"

#define ROWS	40 /* that are shown one by one */
#define BUCKETS 1024

struct process {
	struct process *next;
	uint32_t pid;
	struct map *map; /* later ones hide earlier ones */
	size_t n, room;
};

struct file {
	char *name;
	bool whole;		 /* has no instructions of its own that could be told apart */
	struct symbols *symbols; /* NULL: not read */
};

struct place {
	uint64_t count; /* 0: free */
	uint64_t offset;
	size_t file;
};

struct histogram {
	struct process *process[BUCKETS];
	struct file *file;
	size_t nfiles;
	struct place *place; /* a hash table of a size that is a power of two */
	size_t nplaces, places;
	uint64_t samples;
};

enum { FILE_UNKNOWN, FILE_KERNEL, FILE_ANONYMOUS };

/* ---- what there is ---- */

struct histogram *histogram_new(void)
{
	struct histogram *histogram = need(calloc(1, sizeof(*histogram)));

	histogram_file(histogram, "[unknown]");
	histogram_file(histogram, "[kernel]");
	histogram_file(histogram, "[anon]");
	return histogram;
}

size_t histogram_file(struct histogram *histogram, const char *name)
{
	size_t i;

	if (!strncmp(name, "//anon", 6))
		return FILE_ANONYMOUS;
	for (i = 0; i < histogram->nfiles; i++)
		if (!strcmp(histogram->file[i].name, name))
			return i;
	histogram->file = need(reallocarray(histogram->file, i + 1, sizeof(*histogram->file)));
	histogram->file[i] = (struct file){ .name = need(strdup(name)), .whole = name[0] != '/' };
	histogram->nfiles++;
	return i;
}

static struct process *find_process(struct histogram *histogram, uint32_t pid)
{
	struct process **list = &histogram->process[pid % BUCKETS], *process;

	for (process = *list; process; process = process->next)
		if (process->pid == pid)
			return process;
	process = need(calloc(1, sizeof(*process)));
	process->pid = pid;
	process->next = *list;
	*list = process;
	return process;
}

void histogram_map(struct histogram *histogram, uint32_t pid, const struct map *map)
{
	struct process *process = find_process(histogram, pid);
	size_t i, kept = 0;

	/* What is hidden altogether is forgotten, lest programs that map on and on fill memory. */
	for (i = 0; i < process->n; i++) {
		const struct map *old = &process->map[i];

		if (old->start < map->start || old->start - map->start > map->length ||
		    old->length > map->length - (old->start - map->start))
			process->map[kept++] = *old;
	}
	process->n = kept;
	if (process->n == process->room) {
		process->room = process->room * 2 + 16;
		process->map =
			need(reallocarray(process->map, process->room, sizeof(*process->map)));
	}
	process->map[process->n++] = *map;
}

void histogram_fork(struct histogram *histogram, uint32_t pid, uint32_t parent)
{
	struct process *from = find_process(histogram, parent), *to = find_process(histogram, pid);

	if (pid == parent)
		return; /* a thread */
	to->map = need(reallocarray(to->map, from->n + 1, sizeof(*to->map)));
	to->room = from->n + 1;
	to->n = from->n;
	memcpy(to->map, from->map, from->n * sizeof(*to->map));
}

void histogram_exec(struct histogram *histogram, uint32_t pid)
{
	find_process(histogram, pid)->n = 0;
}

/* ---- counting ---- */

static struct place *find_place(struct place *places, size_t size, size_t file, uint64_t offset)
{
	size_t i = (size_t)((offset * UINT64_C(0x9E3779B97F4A7C15) >> 20) + file * 31) & (size - 1);

	while (places[i].count && (places[i].file != file || places[i].offset != offset))
		i = (i + 1) & (size - 1);
	return &places[i];
}

static void grow(struct histogram *histogram)
{
	size_t size = histogram->places ? histogram->places * 2 : 1024, i;
	struct place *larger = need(calloc(size, sizeof(*larger)));

	for (i = 0; i < histogram->places; i++) {
		const struct place *place = &histogram->place[i];

		if (place->count)
			*find_place(larger, size, place->file, place->offset) = *place;
	}
	free(histogram->place);
	histogram->place = larger;
	histogram->places = size;
}

static void count_place(struct histogram *histogram, size_t file, uint64_t offset)
{
	struct place *place;

	if (histogram->nplaces * 2 >= histogram->places)
		grow(histogram);
	place = find_place(histogram->place, histogram->places, file, offset);
	histogram->nplaces += place->count == 0;
	place->file = file;
	place->offset = offset;
	place->count++;
	histogram->samples++;
}

void histogram_count(struct histogram *histogram, uint32_t pid, uint64_t address)
{
	const struct process *process = find_process(histogram, pid);
	size_t i = process->n;

	while (i--) {
		const struct map *map = &process->map[i];

		if (address < map->start || address - map->start >= map->length)
			continue;
		count_place(histogram, map->file,
			    histogram->file[map->file].whole ? 0
							     : address - map->start + map->offset);
		return;
	}
	count_place(histogram, FILE_UNKNOWN, 0);
}

void histogram_count_kernel(struct histogram *histogram)
{
	count_place(histogram, FILE_KERNEL, 0);
}

uint64_t histogram_samples(const struct histogram *histogram)
{
	return histogram->samples;
}

/* ---- rows ---- */

struct row {
	uint64_t count;
	uint64_t offset; /* if there is no symbol */
	const char *symbol;
	const struct file *file;
};

static int compare_names(const void *a, const void *b)
{
	const struct row *one = a, *two = b;
	int result;

	if (one->file != two->file)
		return one->file < two->file ? -1 : 1;
	if (!one->symbol != !two->symbol)
		return one->symbol ? -1 : 1;
	result = one->symbol ? strcmp(one->symbol, two->symbol) : 0;
	return result ? result : one->offset < two->offset ? -1 : one->offset > two->offset;
}

static int compare_counts(const void *a, const void *b)
{
	const struct row *one = a, *two = b;

	if (one->count != two->count)
		return one->count < two->count ? 1 : -1;
	return compare_names(a, b);
}

/* A row for a place; its file's names are read when the first of its places is shown. */
static struct row make_row(struct histogram *histogram, const struct place *place)
{
	struct file *file = &histogram->file[place->file];
	struct row row = { .count = place->count, .file = file };

	if (!file->symbols && !file->whole)
		file->symbols = symbols_read(file->name);
	row.symbol = file->symbols ? symbols_find(file->symbols, place->offset) : NULL;
	row.offset = row.symbol ? 0 : place->offset;
	return row;
}

static size_t make_rows(struct histogram *histogram, struct row *rows)
{
	size_t i, n = 0, merged = 0;

	for (i = 0; i < histogram->places; i++)
		if (histogram->place[i].count)
			rows[n++] = make_row(histogram, &histogram->place[i]);
	qsort(rows, n, sizeof(*rows), compare_names);
	for (i = 0; i < n; i++) {
		if (i && compare_names(&rows[merged - 1], &rows[i]) == 0)
			rows[merged - 1].count += rows[i].count;
		else
			rows[merged++] = rows[i];
	}
	qsort(rows, merged, sizeof(*rows), compare_counts);
	return merged;
}

static double percent(const struct histogram *histogram, uint64_t count)
{
	return 100 * (double)count / (double)histogram->samples;
}

static void print_row(FILE *file, const struct histogram *histogram, const struct row *row)
{
	char offset[32];

	snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)row->offset);
	fprintf(file, " %12llu %6.2f%%  ", (unsigned long long)row->count,
		percent(histogram, row->count));
	text_terminal(file, row->symbol ? row->symbol : row->file->whole ? "-" : offset, 36);
	fputs("  ", file);
	text_terminal(file, row->file->name, 0);
	fputc('\n', file);
}

void histogram_print(struct histogram *histogram, FILE *file)
{
	struct row *rows = need(calloc(histogram->nplaces + 1, sizeof(*rows)));
	size_t i, n = make_rows(histogram, rows);
	uint64_t rest = 0;

	if (n)
		fprintf(file, " %12s %7s  %-36s  %s\n", "samples", "percent", "symbol", "file");
	for (i = 0; i < n && i < ROWS; i++)
		print_row(file, histogram, &rows[i]);
	for (; i < n; i++)
		rest += rows[i].count;
	if (rest)
		fprintf(file, " %12llu %6.2f%%  in %zu other places\n", (unsigned long long)rest,
			percent(histogram, rest), n - ROWS);
	free(rows);
}

static void free_process(struct process *process)
{
	struct process *next;

	for (; process; process = next) {
		next = process->next;
		free(process->map);
		free(process);
	}
}

void histogram_free(struct histogram *histogram)
{
	size_t i;

	for (i = 0; i < BUCKETS; i++)
		free_process(histogram->process[i]);
	for (i = 0; i < histogram->nfiles; i++) {
		symbols_free(histogram->file[i].symbols);
		free(histogram->file[i].name);
	}
	free(histogram->file);
	free(histogram->place);
	free(histogram);
}
