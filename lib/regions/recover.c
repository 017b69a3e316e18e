// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reports the regions of a process that has died, from the file that arena.c made. Any program may
 * have written that file, so that all of it is checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/process.h"
#include "lib/base/stream.h"
#include "lib/regions/calibrate.h"
#include "lib/regions/print.h"
#include "lib/regions/arena.h"
#include "lib/regions/state.h"
#include "lib/regions/totals.h"

#define MOST_LEFT 100000 /* files for one name */

/* A record of visits: its region, its thread (0: threads that have ended). */
struct row {
	unsigned int id;
	pid_t tid;
	size_t at; /* the offset of the visits in the file */
};

struct recovery {
	char *bytes;
	size_t size;
	const struct perfctr_region_head *head;
	const struct perfctr_chunk *chunk; /* the chunk that has the head */
	size_t names_size;
	struct perfctr_region_kept kept;
	const char *value[PERFCTR_REGION_VALUES];
	struct perfctr_region_metrics metrics;
	const char **name; /* names of regions, by id */
	struct row *row;
	size_t nrows;
	const struct perfctr_region_noted_cost **cost;
	size_t ncosts;
};

static int no_memory(void)
{
	return perfctr_fail(ENOMEM, "no memory for a report of regions");
}

static int no_such(const char *file)
{
	return perfctr_fail(EINVAL, "%s is nothing that this library has left of a process", file);
}

/* ---- the file ---- */

static int read_all(struct recovery *recovery, int fd, const char *file)
{
	struct stat status;
	ssize_t n = 0;

	if (fstat(fd, &status) < 0)
		return perfctr_fail(errno, "%s: %s", file, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return no_such(file);
	recovery->bytes = malloc((size_t)status.st_size + 1);
	if (!recovery->bytes)
		return no_memory();
	while (recovery->size < (size_t)status.st_size &&
	       (n = perfctr_call_read(fd, recovery->bytes + recovery->size,
				      (size_t)status.st_size - recovery->size)) > 0)
		recovery->size += (size_t)n;
	return n < 0 ? perfctr_fail(errno, "%s: %s", file, strerror(errno)) : 0;
}

static int read_file(struct recovery *recovery, const char *file)
{
	int fd = perfctr_call_open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), result;

	if (fd < 0)
		return perfctr_fail(errno, "%s: %s", file, strerror(errno));
	result = read_all(recovery, fd, file);
	perfctr_call_close(fd);
	return result;
}

typedef int (*each_record)(struct recovery *recovery, const struct perfctr_chunk *chunk,
			   const struct perfctr_region_record *record);

/* Returns the chunk at this offset; NULL: there is none that is complete. */
static const struct perfctr_chunk *chunk_at(const struct recovery *recovery, size_t at)
{
	const struct perfctr_chunk *chunk = (const void *)(recovery->bytes + at);

	if (recovery->size - at < sizeof(*chunk) || chunk->magic != PERFCTR_CHUNK_MAGIC ||
	    chunk->word != sizeof(void *) || chunk->size > recovery->size - at ||
	    chunk->size % 16 || chunk->used > chunk->size || chunk->used < sizeof(*chunk))
		return NULL;
	return chunk;
}

static int walk_chunk(struct recovery *recovery, const struct perfctr_chunk *chunk,
		      each_record each)
{
	const char *end = (const char *)chunk + chunk->used;
	const char *next = (const char *)(chunk + 1);
	int result = 0;

	while (!result && (size_t)(end - next) >= sizeof(struct perfctr_region_record)) {
		const struct perfctr_region_record *record = (const void *)next;

		if (record->size < sizeof(*record) || record->size % 16 ||
		    record->size > (size_t)(end - next))
			return -1;
		result = each(recovery, chunk, record);
		next += record->size;
	}
	return result;
}

/* Visits all records, up to the first incomplete chunk. Returns what each() returned, if not 0. */
static int walk(struct recovery *recovery, each_record each)
{
	const struct perfctr_chunk *chunk;
	size_t at = 0;
	int result = 0;

	while (!result && at < recovery->size && (chunk = chunk_at(recovery, at))) {
		at += chunk->size;
		if (!chunk->over)
			result = walk_chunk(recovery, chunk, each);
	}
	return result;
}

static size_t size_of(const struct perfctr_region_record *record)
{
	return record->size - sizeof(*record);
}

/* ---- what is in it ---- */

/* The last head counts. */
static int find_head(struct recovery *recovery, const struct perfctr_chunk *chunk,
		     const struct perfctr_region_record *record)
{
	const struct perfctr_region_head *head = (const void *)(record + 1);

	if (record->what != PERFCTR_RECORD_HEAD)
		return 0;
	if (size_of(record) < sizeof(*head))
		return -1;
	recovery->head = head;
	recovery->names_size = size_of(record) - sizeof(*head);
	recovery->chunk = chunk;
	return 0;
}

/*
 * Takes the metrics' names and the list of events, which follow the values' names. Without them the
 * report has no metrics.
 */
static void take_metrics(struct recovery *recovery, const char *names, const char *end)
{
	const char *list = memchr(names, 0, (size_t)(end - names));

	if (!list || !*names || !memchr(list + 1, 0, (size_t)(end - list - 1)) ||
	    perfctr_region_metrics_open(&recovery->metrics, names) < 0)
		return;
	if (perfctr_region_metrics_find(&recovery->metrics, list + 1, recovery->head->nvalues) < 0)
		perfctr_region_metrics_close(&recovery->metrics);
}

static int take_head(struct recovery *recovery)
{
	const struct perfctr_region_head *head = recovery->head;
	const char *name, *end;
	unsigned int i;

	if (!head || head->nvalues < 1 || head->nvalues > PERFCTR_REGION_VALUES ||
	    head->shift > 63 || !memchr(head->rank, 0, sizeof(head->rank)) ||
	    strspn(head->rank, "0123456789") != strlen(head->rank))
		return -1;
	name = head->names;
	end = name + recovery->names_size;
	for (i = 0; i < head->nvalues; i++) {
		const char *next = memchr(name, 0, (size_t)(end - name));

		if (!next)
			return -1;
		recovery->value[i] = name;
		name = next + 1;
	}
	take_metrics(recovery, name, end);
	recovery->kept = (struct perfctr_region_kept){
		.nvalues = head->nvalues,
		.moments = head->keep & PERFCTR_REGIONS_MOMENTS,
		.histogram = head->keep & PERFCTR_REGIONS_HISTOGRAM,
		.mult = head->mult,
		.clocks = head->clocks,
		.unverified = head->unverified,
		.shift = head->shift,
	};
	return 0;
}

static int count_records(struct recovery *recovery, const struct perfctr_chunk *chunk,
			 const struct perfctr_region_record *record)
{
	(void)chunk, (void)record;
	recovery->nrows++;
	return 0;
}

static int take_visits(struct recovery *recovery, const struct perfctr_chunk *chunk,
		       const struct perfctr_region_record *record)
{
	if (size_of(record) < perfctr_totals_size(&recovery->kept))
		return -1;
	if (record->id >= PERFCTR_REGION_FIRST_ID)
		recovery->row[recovery->nrows++] = (struct row){
			.id = record->id,
			.tid = chunk->tid,
			.at = (size_t)((const char *)(record + 1) - recovery->bytes),
		};
	return 0;
}

static int take_record(struct recovery *recovery, const struct perfctr_chunk *chunk,
		       const struct perfctr_region_record *record)
{
	if (chunk->generation != recovery->chunk->generation)
		return 0;
	if (record->id >= PERFCTR_REGION_IDS)
		return -1;
	switch (record->what) {
	case PERFCTR_RECORD_VISITS: return take_visits(recovery, chunk, record);
	case PERFCTR_RECORD_NAME:
		if (!memchr(record + 1, 0, size_of(record)))
			return -1;
		recovery->name[record->id] = (const char *)(record + 1);
		return 0;
	case PERFCTR_RECORD_COST:
		if (size_of(record) < sizeof(**recovery->cost))
			return -1;
		recovery->cost[recovery->ncosts++] = (const void *)(record + 1);
		return 0;
	}
	return 0;
}

/* Sorts rows by region, then by thread (those of ended threads first), then by offset. */
static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->id != y->id)
		return (int)x->id - (int)y->id;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static int take_all(struct recovery *recovery, const char *file)
{
	const uint64_t done = PERFCTR_CHUNK_DONE;

	if (recovery->size >= sizeof(done) && !memcmp(recovery->bytes, &done, sizeof(done)))
		return perfctr_fail(EALREADY, "the process has reported itself");
	if ((recovery->size && !chunk_at(recovery, 0)) || walk(recovery, find_head) < 0)
		return no_such(file);
	if (!recovery->head)
		return perfctr_fail(ENOENT, "no region was measured");
	if (take_head(recovery) < 0 || walk(recovery, count_records) < 0)
		return no_such(file);
	recovery->row = calloc(recovery->nrows + 1, sizeof(*recovery->row));
	recovery->cost = calloc(recovery->nrows + 1, sizeof(*recovery->cost));
	recovery->name = calloc(PERFCTR_REGION_IDS, sizeof(*recovery->name));
	if (!recovery->row || !recovery->cost || !recovery->name)
		return no_memory();
	recovery->nrows = 0;
	if (walk(recovery, take_record) < 0)
		return no_such(file);
	qsort(recovery->row, recovery->nrows, sizeof(*recovery->row), compare);
	return recovery->nrows ? 0 : perfctr_fail(ENOENT, "no region was measured");
}

/* ---- the report ---- */

static const struct perfctr_region_cost *find_cost(const struct recovery *recovery,
						   uint64_t address)
{
	size_t i;

	for (i = 0; i < recovery->ncosts; i++)
		if (recovery->cost[i]->address == address)
			return &recovery->cost[i]->cost;
	return &perfctr_region_no_cost;
}

static void add_row(const struct recovery *recovery, const struct row *row,
		    struct perfctr_visits *copy, struct perfctr_visits *sum)
{
	memcpy(copy, recovery->bytes + row->at, perfctr_totals_size(&recovery->kept));
	perfctr_totals_adopt(copy, &recovery->kept, find_cost(recovery, (uintptr_t)copy->cost));
	perfctr_totals_add(sum, copy, NULL, &recovery->kept);
}

/* Prints one line: the sum of a region's rows, or a thread's row. */
static void print_rows(const struct recovery *recovery, struct perfctr_region_report *report,
		       size_t first, size_t n, pid_t tid, struct perfctr_visits *scratch)
{
	const size_t size = perfctr_totals_size(&recovery->kept);
	struct perfctr_visits *sum = scratch, *copy = (void *)((char *)scratch + size);
	struct perfctr_region_reading reading;
	size_t i;

	memset(sum, 0, size);
	perfctr_totals_init(sum, &recovery->kept, NULL);
	for (i = first; i < first + n; i++)
		add_row(recovery, &recovery->row[i], copy, sum);
	perfctr_totals_read(sum, &recovery->kept, &reading);
	report->visits = tid ? NULL : sum;
	perfctr_region_print(report, recovery->name[recovery->row[first].id], tid, &reading);
}

static void print_region(const struct recovery *recovery, struct perfctr_region_report *report,
			 size_t first, size_t n, struct perfctr_visits *scratch)
{
	size_t i;

	if (!recovery->name[recovery->row[first].id])
		return;
	print_rows(recovery, report, first, n, 0, scratch);
	for (i = first; i < first + n && recovery->head->keep & PERFCTR_REGIONS_THREADS; i++)
		if (recovery->row[i].tid)
			print_rows(recovery, report, i, 1, recovery->row[i].tid, scratch);
}

static int print_report(const struct recovery *recovery, struct perfctr_region_report *report)
{
	const struct perfctr_region_cost *cost = recovery->ncosts ? &recovery->cost[0]->cost
								  : &perfctr_region_no_cost;
	struct perfctr_visits *scratch = malloc(2 * perfctr_totals_size(&recovery->kept));
	size_t first, n;

	if (!scratch)
		return no_memory();
	report->pid = recovery->head->pid;
	report->died = true;
	report->rank = recovery->head->rank;
	report->not_counted = perfctr_region_not_counted();
	report->keep = recovery->head->keep;
	report->kept = &recovery->kept;
	report->nvalues = recovery->kept.nvalues;
	report->clocks = recovery->kept.clocks;
	report->names = recovery->value;
	report->inside = cost->inside;
	report->pair = cost->pair;
	report->spread = cost->spread;
	report->ns = (double)recovery->kept.mult / (double)(UINT64_C(1) << recovery->kept.shift);
	report->metrics = recovery->metrics.metrics ? &recovery->metrics : NULL;
	report->through_kernel = recovery->head->through_kernel;
	perfctr_region_print_head(report);
	for (first = 0; first < recovery->nrows; first += n) {
		for (n = 1; first + n < recovery->nrows; n++)
			if (recovery->row[first + n].id != recovery->row[first].id)
				break;
		print_region(recovery, report, first, n, scratch);
	}
	perfctr_region_print_end(report);
	free(scratch);
	return 0;
}

static int not_written(const char *name)
{
	/* ENOENT would mean that there is nothing to report. */
	return perfctr_fail(errno == ENOENT ? ENOTDIR : errno, "%s can't be written: %s", name,
			    strerror(errno));
}

/*
 * Creates a file of that name, or with the first suffix that is free, so that it replaces neither
 * the process's own report nor one that was left by another program with the same number.
 */
static int take_name(struct perfctr_text *name)
{
	const size_t size = name->size;
	unsigned int i;
	int fd = perfctr_call_create(name->bytes, true);

	for (i = 0; i < MOST_LEFT && fd < 0 && errno == EEXIST; i++) {
		name->size = size;
		perfctr_text_add(name, ".left");
		if (i)
			perfctr_text_add(name, ".%u", i);
		if (name->failed)
			return no_memory();
		fd = perfctr_call_create(name->bytes, true);
	}
	if (fd < 0)
		return not_written(name->bytes);
	perfctr_call_close(fd);
	return 0;
}

static int write_anew(const struct perfctr_text *text, struct perfctr_text *name)
{
	int error;

	if (perfctr_stream_named(name->bytes) >= 0 || perfctr_call_is_special(name->bytes))
		return perfctr_text_write(text, name->bytes);
	if (take_name(name) < 0)
		return -1;
	if (perfctr_text_write(text, name->bytes) == 0)
		return 0;
	error = errno;
	unlink(name->bytes);
	errno = error;
	return -1;
}

static int write_report(const struct recovery *recovery, const struct perfctr_region_report *report,
			const char *pattern)
{
	struct perfctr_text name = { NULL, 0, 0, false };
	int result = -1;

	if (!pattern)
		return perfctr_text_write(&report->text, NULL);
	if (perfctr_text_name(&name, pattern, recovery->head->pid) == 0)
		result = write_anew(&report->text, &name);
	free(name.bytes);
	return result;
}

static int check_death(const struct recovery *recovery)
{
	const struct perfctr_process process = {
		.pid = recovery->head->pid,
		.start = recovery->chunk->start,
		.space = recovery->chunk->space,
	};

	switch (perfctr_process_find(&process)) {
	case PERFCTR_GONE: return 0;
	case PERFCTR_PRESENT:
		return perfctr_fail(EBUSY, "process %d is alive, and will report by itself",
				    (int)process.pid);
	case PERFCTR_NOT_KNOWN: break;
	}
	return perfctr_fail(ESRCH, "whether it has can't be told: there is no /proc");
}

int perfctr_regions_recover(const char *left_file, const char *file, unsigned int format)
{
	struct perfctr_region_report report = { .format = format };
	struct recovery recovery;
	int result;

	if (!left_file)
		return perfctr_fail(EINVAL, "perfctr_regions_recover() needs a file, not NULL");
	if (format > PERFCTR_REGIONS_JSON)
		return perfctr_fail(EINVAL, "%u is no format of a report of regions", format);
	memset(&recovery, 0, sizeof(recovery));
	result = read_file(&recovery, left_file);
	if (result == 0)
		result = take_all(&recovery, left_file);
	if (result == 0)
		result = check_death(&recovery);
	if (result == 0)
		result = print_report(&recovery, &report);
	if (result == 0)
		result = write_report(&recovery, &report, file);
	free(report.text.bytes);
	perfctr_region_metrics_close(&recovery.metrics);
	free(recovery.name);
	free(recovery.cost);
	free(recovery.row);
	free(recovery.bytes);
	return result;
}
