// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where a command spends an event: samples of it and of all that it starts, as a histogram.
 *
 * Inherited events have a buffer per processor, so that records of a process are in several. A
 * record is looked at when all that is older must have been read: what was written before one
 * reading of all buffers began is older than what the next reading finds last.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <libperfctr.h>
#include "die.h"
#include "sample.h"
#include "symbols.h"
#include "text.h"

#define DEFAULT_FREQUENCY 1000
#define ROWS		  40 /* that are shown one by one */
#define BUCKETS		  1024

/* What a record says, as far as it is needed. */
struct item {
	uint64_t time, sequence;
	uint32_t type;
	uint32_t pid, parent;	 /* FORK */
	bool kernel;		 /* SAMPLE */
	uint64_t address;	 /* SAMPLE: of the instruction */
	uint64_t length, offset; /* MMAP2 */
	size_t file;		 /* its index */
};

struct map {
	uint64_t start, length, offset;
	size_t file;
};

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

struct sampling {
	char *event;
	bool any_event; /* none was asked for */
	uint64_t period, frequency;
	struct perfctr_sampler **sampler;
	size_t nsamplers;
	char *elsewhere; /* why some processors are left out; NULL: none is */
	struct item *item;
	size_t nitems, room;
	uint64_t sequence, newest;
	struct process *process[BUCKETS];
	struct file *file;
	size_t nfiles;
	struct place *place; /* a hash table of a size that is a power of two */
	size_t nplaces, places;
	uint64_t samples, bad;
};

enum { FILE_UNKNOWN, FILE_KERNEL, FILE_ANONYMOUS };

/* ---- what there is ---- */

static size_t find_file(struct sampling *sampling, const char *name)
{
	size_t i;

	if (!strncmp(name, "//anon", 6))
		return FILE_ANONYMOUS;
	for (i = 0; i < sampling->nfiles; i++)
		if (!strcmp(sampling->file[i].name, name))
			return i;
	sampling->file = need(reallocarray(sampling->file, i + 1, sizeof(*sampling->file)));
	sampling->file[i] = (struct file){ .name = need(strdup(name)), .whole = name[0] != '/' };
	sampling->nfiles++;
	return i;
}

static struct process *find_process(struct sampling *sampling, uint32_t pid)
{
	struct process **list = &sampling->process[pid % BUCKETS], *process;

	for (process = *list; process; process = process->next)
		if (process->pid == pid)
			return process;
	process = need(calloc(1, sizeof(*process)));
	process->pid = pid;
	process->next = *list;
	*list = process;
	return process;
}

static void add_map(struct process *process, const struct map *map)
{
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

static void copy_maps(struct sampling *sampling, uint32_t pid, uint32_t parent)
{
	struct process *from = find_process(sampling, parent), *to = find_process(sampling, pid);

	to->map = need(reallocarray(to->map, from->n + 1, sizeof(*to->map)));
	to->room = from->n + 1;
	to->n = from->n;
	memcpy(to->map, from->map, from->n * sizeof(*to->map));
}

static struct place *find_place(struct place *places, size_t size, size_t file, uint64_t offset)
{
	size_t i = (size_t)((offset * UINT64_C(0x9E3779B97F4A7C15) >> 20) + file * 31) & (size - 1);

	while (places[i].count && (places[i].file != file || places[i].offset != offset))
		i = (i + 1) & (size - 1);
	return &places[i];
}

static void count_place(struct sampling *sampling, size_t file, uint64_t offset)
{
	size_t size = sampling->places, i;
	struct place *place;

	if (sampling->nplaces * 2 >= size) {
		struct place *larger = need(calloc(size ? size * 2 : 1024, sizeof(*larger)));

		sampling->places = size ? size * 2 : 1024;
		for (i = 0; i < size; i++)
			if (sampling->place[i].count)
				*find_place(larger, sampling->places, sampling->place[i].file,
					    sampling->place[i].offset) = sampling->place[i];
		free(sampling->place);
		sampling->place = larger;
	}
	place = find_place(sampling->place, sampling->places, file, offset);
	sampling->nplaces += place->count == 0;
	place->file = file;
	place->offset = offset;
	place->count++;
	sampling->samples++;
}

static void count_sample(struct sampling *sampling, const struct item *item)
{
	struct process *process = find_process(sampling, item->pid);
	size_t i = process->n;

	if (item->kernel) {
		count_place(sampling, FILE_KERNEL, 0);
		return;
	}
	while (i--) {
		const struct map *map = &process->map[i];

		if (item->address < map->start || item->address - map->start >= map->length)
			continue;
		count_place(sampling, map->file,
			    sampling->file[map->file].whole
				    ? 0
				    : item->address - map->start + map->offset);
		return;
	}
	count_place(sampling, FILE_UNKNOWN, 0);
}

/* ---- records ---- */

static int compare_items(const void *a, const void *b)
{
	const struct item *one = a, *two = b;

	if (one->time != two->time)
		return one->time < two->time ? -1 : 1;
	return one->sequence < two->sequence ? -1 : one->sequence > two->sequence;
}

static void use_item(struct sampling *sampling, const struct item *item)
{
	const struct map map = { item->address, item->length, item->offset, item->file };

	switch (item->type) {
	case PERF_RECORD_SAMPLE: count_sample(sampling, item); break;
	case PERF_RECORD_MMAP2: add_map(find_process(sampling, item->pid), &map); break;
	case PERF_RECORD_FORK:
		if (item->pid != item->parent)
			copy_maps(sampling, item->pid, item->parent);
		break;
	case PERF_RECORD_COMM: /* an exec */ find_process(sampling, item->pid)->n = 0; break;
	}
}

/* Use what is as old as limit, or older. */
static void use_items(struct sampling *sampling, uint64_t limit)
{
	size_t i;

	if (!sampling->nitems)
		return;
	qsort(sampling->item, sampling->nitems, sizeof(*sampling->item), compare_items);
	for (i = 0; i < sampling->nitems && sampling->item[i].time <= limit; i++)
		use_item(sampling, &sampling->item[i]);
	memmove(sampling->item, sampling->item + i,
		(sampling->nitems - i) * sizeof(*sampling->item));
	sampling->nitems -= i;
}

static void keep(struct sampling *sampling, const struct perfctr_record *record)
{
	struct item item = { .time = record->time, .type = record->type };

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		item.pid = record->pid;
		item.address = record->as.sample.ip;
		item.kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
			      PERF_RECORD_MISC_USER;
		break;
	case PERF_RECORD_MMAP2:
		item.pid = record->as.mmap.pid;
		item.address = record->as.mmap.addr;
		item.length = record->as.mmap.length;
		item.offset = record->as.mmap.offset;
		item.file = find_file(sampling, record->as.mmap.file);
		break;
	case PERF_RECORD_FORK:
		item.pid = record->as.task.pid;
		item.parent = record->as.task.ppid;
		break;
	case PERF_RECORD_COMM:
		if (!(record->misc & PERF_RECORD_MISC_COMM_EXEC))
			return;
		item.pid = record->as.comm.pid;
		break;
	default: return;
	}
	item.sequence = sampling->sequence++;
	if (sampling->nitems == sampling->room) {
		sampling->room = sampling->room * 2 + 1024;
		sampling->item =
			need(reallocarray(sampling->item, sampling->room, sizeof(*sampling->item)));
	}
	sampling->item[sampling->nitems++] = item;
	if (item.time > sampling->newest)
		sampling->newest = item.time;
}

static int keep_record(void *arg, const struct perfctr_record *record)
{
	keep(arg, record);
	return 0;
}

void sampling_read(struct sampling *sampling)
{
	uint64_t limit = sampling->newest;
	size_t i;

	for (i = 0; i < sampling->nsamplers; i++)
		while (perfctr_sampler_each(sampling->sampler[i], keep_record, sampling) < 0 &&
		       ++sampling->bad < 1000)
			;
	use_items(sampling, limit);
}

/* ---- opening and closing ---- */

struct sampling *sampling_new(const char *event, uint64_t period, uint64_t frequency)
{
	struct sampling *sampling = need(calloc(1, sizeof(*sampling)));
	bool slash = false;
	const char *p;

	sampling->any_event = !event;
	if (!event)
		event = "cycles";
	for (p = event; *p; p++) {
		slash ^= *p == '/';
		if (*p == '{' || (*p == ',' && !slash))
			die("--sample takes one event, not \"%s\"", event);
	}
	/* User mode, unless the event says what it wants. */
	sampling->event = need(malloc(strlen(event) + 3));
	sprintf(sampling->event, "%s%s", event, *event && p[-1] == '/' ? "u" : ":u");
	if (perfctr_event_check(sampling->event) < 0)
		strcpy(sampling->event, event);
	sampling->period = period;
	sampling->frequency = period ? 0 : frequency ? frequency : DEFAULT_FREQUENCY;
	find_file(sampling, "[unknown]");
	find_file(sampling, "[kernel]");
	find_file(sampling, "[anon]");
	return sampling;
}

static struct perfctr_sampler *open_one(const struct sampling *sampling, pid_t pid, int cpu)
{
	struct perfctr_sampler_config config;

	memset(&config, 0, sizeof(config));
	config.period = sampling->period;
	config.frequency = sampling->frequency;
	config.fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	config.flags = PERFCTR_GROUP_INHERIT | PERFCTR_GROUP_ON_EXEC | PERFCTR_SAMPLER_MMAP |
		       PERFCTR_SAMPLER_COMM | PERFCTR_SAMPLER_TASK;
	return perfctr_sampler_open(sampling->event, pid, cpu, &config);
}

void sampling_open(struct sampling *sampling, pid_t pid)
{
	struct perfctr_cpus_info *cpus = perfctr_cpus_info(-1);
	unsigned int cpu;

	if (!cpus)
		die("%s", perfctr_error());
	sampling->sampler = need(calloc(cpus->cpus->nrwords * 32, sizeof(*sampling->sampler)));
	for (cpu = 0; cpu < cpus->cpus->nrwords * 32; cpu++) {
		struct perfctr_sampler **sampler = &sampling->sampler[sampling->nsamplers];

		if (!(cpus->cpus->mask[cpu / 32] & 1u << cpu % 32))
			continue;
		*sampler = open_one(sampling, pid, (int)cpu);
		if (!*sampler && sampling->any_event && sampling->nsamplers == 0) {
			/* No PMU: the clock. */
			free(sampling->event);
			sampling->event = need(strdup("cpu-clock:u"));
			*sampler = open_one(sampling, pid, (int)cpu);
		}
		/* A hybrid machine's other cores do not have every event. */
		if (!*sampler && (errno == EINVAL || errno == ENOENT)) {
			if (!sampling->elsewhere)
				sampling->elsewhere = need(strdup(perfctr_error()));
			continue;
		}
		if (!*sampler)
			die("%s", perfctr_error());
		sampling->nsamplers++;
	}
	if (sampling->nsamplers == 0)
		die("%s", sampling->elsewhere);
	free(cpus);
}

void sampling_free(struct sampling *sampling)
{
	struct process *process, *next;
	size_t i;

	for (i = 0; i < sampling->nsamplers; i++)
		perfctr_sampler_close(sampling->sampler[i]);
	for (i = 0; i < BUCKETS; i++) {
		for (process = sampling->process[i]; process; process = next) {
			next = process->next;
			free(process->map);
			free(process);
		}
	}
	for (i = 0; i < sampling->nfiles; i++) {
		symbols_free(sampling->file[i].symbols);
		free(sampling->file[i].name);
	}
	free(sampling->sampler);
	free(sampling->item);
	free(sampling->file);
	free(sampling->place);
	free(sampling->event);
	free(sampling->elsewhere);
	free(sampling);
}

/* ---- the histogram ---- */

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

static size_t make_rows(struct sampling *sampling, struct row *rows)
{
	size_t i, n = 0, merged = 0;

	for (i = 0; i < sampling->places; i++) {
		const struct place *place = &sampling->place[i];
		struct file *file = &sampling->file[place->file];

		if (!place->count)
			continue;
		if (!file->symbols && !file->whole)
			file->symbols = symbols_read(file->name);
		rows[n] = (struct row){ .count = place->count, .file = file };
		rows[n].symbol = file->symbols ? symbols_find(file->symbols, place->offset) : NULL;
		rows[n].offset = rows[n].symbol ? 0 : place->offset;
		n++;
	}
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

static void print_row(FILE *file, const struct sampling *sampling, const struct row *row)
{
	char offset[32];

	snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)row->offset);
	fprintf(file, " %12llu %6.2f%%  ", (unsigned long long)row->count,
		100 * (double)row->count / (double)sampling->samples);
	text_terminal(file, row->symbol ? row->symbol : row->file->whole ? "-" : offset, 36);
	fputs("  ", file);
	text_terminal(file, row->file->name, 0);
	fputc('\n', file);
}

void sampling_print(struct sampling *sampling, FILE *file, char **command)
{
	struct row *rows;
	uint64_t lost = 0, one, rest = 0;
	size_t i, n;

	use_items(sampling, UINT64_MAX);
	for (i = 0; i < sampling->nsamplers; i++)
		if (perfctr_sampler_lost(sampling->sampler[i], &one) == 0)
			lost += one;
	setlocale(LC_CTYPE, "");
	rows = need(calloc(sampling->nplaces + 1, sizeof(*rows)));
	n = make_rows(sampling, rows);
	fprintf(file, "\n samples of %s, ", sampling->event);
	if (sampling->period)
		fprintf(file, "one in %llu", (unsigned long long)sampling->period);
	else
		fprintf(file, "%llu a second", (unsigned long long)sampling->frequency);
	fprintf(file, ", in '");
	for (; *command; command++) {
		text_terminal(file, *command, 0);
		fputs(command[1] ? " " : "':\n\n", file);
	}
	if (n)
		fprintf(file, " %12s %7s  %-36s  %s\n", "samples", "percent", "symbol", "file");
	for (i = 0; i < n && i < ROWS; i++)
		print_row(file, sampling, &rows[i]);
	for (; i < n; i++)
		rest += rows[i].count;
	if (rest)
		fprintf(file, " %12llu %6.2f%%  in %zu other places\n", (unsigned long long)rest,
			100 * (double)rest / (double)sampling->samples, n - ROWS);
	fprintf(file, "\n %llu samples\n", (unsigned long long)sampling->samples);
	if (sampling->elsewhere)
		fprintf(file, " on %zu of the processors only: %s\n", sampling->nsamplers,
			sampling->elsewhere);
	if (lost)
		fprintf(file,
			" %llu records were lost: perfex could not keep up, take fewer samples "
			"(-c, -F)\n",
			(unsigned long long)lost);
	if (sampling->bad)
		fprintf(file, " records were left out: %s\n", perfctr_error());
	fputc('\n', file);
	free(rows);
}
