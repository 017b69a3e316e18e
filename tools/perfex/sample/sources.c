// SPDX-License-Identifier: LGPL-2.1-or-later
#include <libperfctr.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/sample/sources.h"

#define ROWS 40 /* that are shown one by one */

/* ---- counting ---- */

static struct source *find(struct source *sources, size_t size, uint64_t data_src)
{
	size_t i = (size_t)(data_src * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (size - 1);

	while (sources[i].count && sources[i].data_src != data_src)
		i = (i + 1) & (size - 1);
	return &sources[i];
}

static void grow(struct sources *sources)
{
	size_t size = sources->size ? sources->size * 2 : 64, i;
	struct source *larger = need(calloc(size, sizeof(*larger)));

	for (i = 0; i < sources->size; i++)
		if (sources->source[i].count)
			*find(larger, size, sources->source[i].data_src) = sources->source[i];
	free(sources->source);
	sources->source = larger;
	sources->size = size;
}

/* Whether there are words for it. */
static bool is_silent(uint64_t data_src)
{
	char text[16];

	perfctr_data_src_text(data_src, text, sizeof(text));
	return strcmp(text, "nothing") == 0;
}

void sources_count(struct sources *sources, uint64_t data_src, uint32_t weight, uint64_t events)
{
	struct source *source;

	if (sources->used * 2 >= sources->size)
		grow(sources);
	source = find(sources->source, sources->size, data_src);
	if (!source->count) {
		source->data_src = data_src;
		source->silent = is_silent(data_src);
		sources->used++;
	}
	source->count++;
	source->events += events;
	source->weight += (double)weight * (double)events;
	sources->samples++;
	sources->events += events;
	sources->silent += source->silent;
}

void sources_free(struct sources *sources)
{
	free(sources->source);
}

/* ---- rows ---- */

struct row {
	uint64_t count, events;
	double weight;
	char text[512];
};

static int compare_texts(const void *a, const void *b)
{
	const struct row *one = a, *two = b;

	return strcmp(one->text, two->text);
}

static int compare_counts(const void *a, const void *b)
{
	const struct row *one = a, *two = b;

	if (one->events != two->events)
		return one->events < two->events ? 1 : -1;
	return compare_texts(a, b);
}

/* Values that say the same are one row. */
static size_t make_rows(const struct sources *sources, struct row *rows)
{
	size_t i, n = 0, merged = 0;

	for (i = 0; i < sources->size; i++) {
		const struct source *source = &sources->source[i];

		if (!source->count)
			continue;
		rows[n].count = source->count;
		rows[n].events = source->events;
		rows[n].weight = source->weight;
		perfctr_data_src_text(source->data_src, rows[n].text, sizeof(rows[n].text));
		n++;
	}
	qsort(rows, n, sizeof(*rows), compare_texts);
	for (i = 0; i < n; i++) {
		if (merged && compare_texts(&rows[merged - 1], &rows[i]) == 0) {
			rows[merged - 1].count += rows[i].count;
			rows[merged - 1].events += rows[i].events;
			rows[merged - 1].weight += rows[i].weight;
		} else {
			rows[merged++] = rows[i];
		}
	}
	qsort(rows, merged, sizeof(*rows), compare_counts);
	return merged;
}

static void print_row(const struct sources *sources, FILE *file, const struct row *row)
{
	struct fit fit = fit_begin(file, 33);

	fprintf(file, " %12llu %6.2f%% ", (unsigned long long)row->count,
		100 * (double)row->events / (double)sources->events);
	if (row->weight > 0)
		fprintf(file, "%9.1f", row->weight / (double)row->events);
	else
		fprintf(file, "%9s", "-");
	fit_used(&fit, 31);
	fit_words(&fit, "  ");
	fit_words(&fit, row->text);
	fit_end(&fit);
}

void sources_print(const struct sources *sources, FILE *file)
{
	struct row *rows = need(calloc(sources->used + 1, sizeof(*rows))), rest = { .count = 0 };
	size_t i, n = make_rows(sources, rows);

	if (n)
		fprintf(file, " %12s %7s %9s  data source\n", "samples", "percent", "weight");
	for (i = 0; i < n && i < ROWS; i++)
		print_row(sources, file, &rows[i]);
	for (; i < n; i++) {
		rest.count += rows[i].count;
		rest.events += rows[i].events;
		rest.weight += rows[i].weight;
	}
	if (rest.count) {
		snprintf(rest.text, sizeof(rest.text), "%zu others", n - ROWS);
		print_row(sources, file, &rest);
	}
	free(rows);
}
