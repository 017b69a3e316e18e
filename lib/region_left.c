// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a process that has died has left of its regions: the file that region_room.c made. Any
 * program may have written it, so that nothing in it is believed.
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
#include "lib/region_cost.h"
#include "lib/region_print.h"
#include "lib/region_room.h"
#include "lib/region_state.h"
#include "lib/region_sum.h"

#define MOST_LEFT 100000 /* reports of one name */

/* A record of visits, and whose they are. */
struct row {
	unsigned int id;
	pid_t tid;
	size_t at; /* of the visits, in the file */
};

struct left {
	char *bytes;
	size_t size;
	const struct perfctr_region_head *head;
	const struct perfctr_region_room *room; /* of the head */
	size_t names_size;
	struct perfctr_region_kept kept;
	const char *value[PERFCTR_REGION_VALUES];
	struct perfctr_region_metrics metrics;
	const char **name; /* of regions, by id */
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

static int read_all(struct left *left, int fd, const char *file)
{
	struct stat status;
	ssize_t n = 0;

	if (fstat(fd, &status) < 0)
		return perfctr_fail(errno, "%s: %s", file, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return no_such(file);
	left->bytes = malloc((size_t)status.st_size + 1);
	if (!left->bytes)
		return no_memory();
	while (left->size < (size_t)status.st_size &&
	       (n = perfctr_call_read(fd, left->bytes + left->size,
				      (size_t)status.st_size - left->size)) > 0)
		left->size += (size_t)n;
	return n < 0 ? perfctr_fail(errno, "%s: %s", file, strerror(errno)) : 0;
}

static int read_file(struct left *left, const char *file)
{
	int fd = perfctr_call_open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), result;

	if (fd < 0)
		return perfctr_fail(errno, "%s: %s", file, strerror(errno));
	result = read_all(left, fd, file);
	perfctr_call_close(fd);
	return result;
}

typedef int (*each_record)(struct left *left, const struct perfctr_region_room *room,
			   const struct perfctr_region_record *record);

/* The room at this place; NULL: there is none that is whole. */
static const struct perfctr_region_room *room_at(const struct left *left, size_t at)
{
	const struct perfctr_region_room *room = (const void *)(left->bytes + at);

	if (left->size - at < sizeof(*room) || room->magic != PERFCTR_ROOM_MAGIC ||
	    room->word != sizeof(void *) || room->size > left->size - at || room->size % 16 ||
	    room->used > room->size || room->used < sizeof(*room))
		return NULL;
	return room;
}

static int walk_room(struct left *left, const struct perfctr_region_room *room, each_record each)
{
	const char *end = (const char *)room + room->used;
	const char *next = (const char *)(room + 1);
	int result = 0;

	while (!result && (size_t)(end - next) >= sizeof(struct perfctr_region_record)) {
		const struct perfctr_region_record *record = (const void *)next;

		if (record->size < sizeof(*record) || record->size % 16 ||
		    record->size > (size_t)(end - next))
			return -1;
		result = each(left, room, record);
		next += record->size;
	}
	return result;
}

/* A room that was just being made ends the file. What each() returned, if not 0. */
static int walk(struct left *left, each_record each)
{
	const struct perfctr_region_room *room;
	size_t at = 0;
	int result = 0;

	while (!result && at < left->size && (room = room_at(left, at))) {
		at += room->size;
		if (!room->over)
			result = walk_room(left, room, each);
	}
	return result;
}

static size_t size_of(const struct perfctr_region_record *record)
{
	return record->size - sizeof(*record);
}

/* ---- what is in it ---- */

/* The last one counts. */
static int find_head(struct left *left, const struct perfctr_region_room *room,
		     const struct perfctr_region_record *record)
{
	const struct perfctr_region_head *head = (const void *)(record + 1);

	if (record->what != PERFCTR_RECORD_HEAD)
		return 0;
	if (size_of(record) < sizeof(*head))
		return -1;
	left->head = head;
	left->names_size = size_of(record) - sizeof(*head);
	left->room = room;
	return 0;
}

/* Their names and the list of events, behind the values' names; a report without them is one. */
static void take_metrics(struct left *left, const char *names, const char *end)
{
	const char *list = memchr(names, 0, (size_t)(end - names));

	if (!list || !*names || !memchr(list + 1, 0, (size_t)(end - list - 1)) ||
	    perfctr_region_metrics_open(&left->metrics, names) < 0)
		return;
	if (perfctr_region_metrics_find(&left->metrics, list + 1, left->head->nvalues) < 0)
		perfctr_region_metrics_close(&left->metrics);
}

static int take_head(struct left *left)
{
	const struct perfctr_region_head *head = left->head;
	const char *name, *end;
	unsigned int i;

	if (!head || head->nvalues < 1 || head->nvalues > PERFCTR_REGION_VALUES ||
	    head->shift > 63 || !memchr(head->rank, 0, sizeof(head->rank)) ||
	    strspn(head->rank, "0123456789") != strlen(head->rank))
		return -1;
	name = head->names;
	end = name + left->names_size;
	for (i = 0; i < head->nvalues; i++) {
		const char *next = memchr(name, 0, (size_t)(end - name));

		if (!next)
			return -1;
		left->value[i] = name;
		name = next + 1;
	}
	take_metrics(left, name, end);
	left->kept = (struct perfctr_region_kept){
		.nvalues = head->nvalues,
		.moments = head->keep & PERFCTR_REGIONS_MOMENTS,
		.histogram = head->keep & PERFCTR_REGIONS_HISTOGRAM,
		.mult = head->mult,
		.clocks = head->clocks,
		.shift = head->shift,
	};
	return 0;
}

static int count_records(struct left *left, const struct perfctr_region_room *room,
			 const struct perfctr_region_record *record)
{
	(void)room, (void)record;
	left->nrows++;
	return 0;
}

static int take_visits(struct left *left, const struct perfctr_region_room *room,
		       const struct perfctr_region_record *record)
{
	if (size_of(record) < perfctr_visits_size(&left->kept))
		return -1;
	if (record->id >= PERFCTR_REGION_FIRST_ID)
		left->row[left->nrows++] = (struct row){
			.id = record->id,
			.tid = room->tid,
			.at = (size_t)((const char *)(record + 1) - left->bytes),
		};
	return 0;
}

static int take_record(struct left *left, const struct perfctr_region_room *room,
		       const struct perfctr_region_record *record)
{
	if (room->generation != left->room->generation)
		return 0;
	if (record->id >= PERFCTR_REGION_IDS)
		return -1;
	switch (record->what) {
	case PERFCTR_RECORD_VISITS: return take_visits(left, room, record);
	case PERFCTR_RECORD_NAME:
		if (!memchr(record + 1, 0, size_of(record)))
			return -1;
		left->name[record->id] = (const char *)(record + 1);
		return 0;
	case PERFCTR_RECORD_COST:
		if (size_of(record) < sizeof(**left->cost))
			return -1;
		left->cost[left->ncosts++] = (const void *)(record + 1);
		return 0;
	}
	return 0;
}

/* By region; all threads' that have ended first; in the order of the file. */
static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->id != y->id)
		return (int)x->id - (int)y->id;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static int take_all(struct left *left, const char *file)
{
	const uint64_t done = PERFCTR_ROOM_DONE;

	if (left->size >= sizeof(done) && !memcmp(left->bytes, &done, sizeof(done)))
		return perfctr_fail(ENOENT, "the process has reported itself");
	if ((left->size && !room_at(left, 0)) || walk(left, find_head) < 0)
		return no_such(file);
	if (!left->head)
		return perfctr_fail(ENOENT, "no region was measured");
	if (take_head(left) < 0 || walk(left, count_records) < 0)
		return no_such(file);
	left->row = calloc(left->nrows + 1, sizeof(*left->row));
	left->cost = calloc(left->nrows + 1, sizeof(*left->cost));
	left->name = calloc(PERFCTR_REGION_IDS, sizeof(*left->name));
	if (!left->row || !left->cost || !left->name)
		return no_memory();
	left->nrows = 0;
	if (walk(left, take_record) < 0)
		return no_such(file);
	qsort(left->row, left->nrows, sizeof(*left->row), compare);
	return left->nrows ? 0 : perfctr_fail(ENOENT, "no region was measured");
}

/* ---- the report ---- */

static const struct perfctr_region_cost *find_cost(const struct left *left, uint64_t address)
{
	size_t i;

	for (i = 0; i < left->ncosts; i++)
		if (left->cost[i]->address == address)
			return &left->cost[i]->cost;
	return &perfctr_region_no_cost;
}

static void add_row(const struct left *left, const struct row *row, struct perfctr_visits *copy,
		    struct perfctr_visits *sum)
{
	memcpy(copy, left->bytes + row->at, perfctr_visits_size(&left->kept));
	perfctr_visits_adopt(copy, &left->kept, find_cost(left, (uintptr_t)copy->cost));
	perfctr_visits_add(sum, copy, NULL, &left->kept);
}

/* The rows of one region, or the one row of a thread. */
static void print_rows(const struct left *left, struct perfctr_region_report *report, size_t first,
		       size_t n, pid_t tid, struct perfctr_visits *room)
{
	const size_t size = perfctr_visits_size(&left->kept);
	struct perfctr_visits *sum = room, *copy = (void *)((char *)room + size);
	struct perfctr_region_reading reading;
	size_t i;

	memset(sum, 0, size);
	perfctr_visits_init(sum, &left->kept, NULL);
	for (i = first; i < first + n; i++)
		add_row(left, &left->row[i], copy, sum);
	perfctr_visits_read(sum, &left->kept, &reading);
	perfctr_region_print(report, left->name[left->row[first].id], tid, &reading);
}

static void print_region(const struct left *left, struct perfctr_region_report *report,
			 size_t first, size_t n, struct perfctr_visits *room)
{
	size_t i;

	if (!left->name[left->row[first].id])
		return;
	print_rows(left, report, first, n, 0, room);
	for (i = first; i < first + n && left->head->keep & PERFCTR_REGIONS_THREADS; i++)
		if (left->row[i].tid)
			print_rows(left, report, i, 1, left->row[i].tid, room);
}

static int print_report(const struct left *left, struct perfctr_region_report *report)
{
	const struct perfctr_region_cost *cost = left->ncosts ? &left->cost[0]->cost
							      : &perfctr_region_no_cost;
	struct perfctr_visits *room = malloc(2 * perfctr_visits_size(&left->kept));
	size_t first, n;

	if (!room)
		return no_memory();
	report->pid = left->head->pid;
	report->died = true;
	report->rank = left->head->rank;
	report->keep = left->head->keep;
	report->nvalues = left->kept.nvalues;
	report->clocks = left->kept.clocks;
	report->names = left->value;
	report->inside = cost->inside;
	report->pair = cost->pair;
	report->spread = cost->spread;
	report->ns = (double)left->kept.mult / (double)(UINT64_C(1) << left->kept.shift);
	report->metrics = left->metrics.metrics ? &left->metrics : NULL;
	report->through_kernel = left->head->through_kernel;
	perfctr_region_print_head(report);
	for (first = 0; first < left->nrows; first += n) {
		for (n = 1; first + n < left->nrows; n++)
			if (left->row[first + n].id != left->row[first].id)
				break;
		print_region(left, report, first, n, room);
	}
	perfctr_region_print_end(report);
	free(room);
	return 0;
}

static int not_written(const char *name)
{
	/* ENOENT says that there is nothing to be reported. */
	return perfctr_fail(errno == ENOENT ? ENOTDIR : errno, "%s can't be written: %s", name,
			    strerror(errno));
}

/*
 * An empty file of the name, or of the first that is nobody's: what the process itself has written
 * stays, and what others have left of the same number, or of programs that it was before.
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

	if (perfctr_call_is_special(name->bytes))
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

static int write_report(const struct left *left, const struct perfctr_region_report *report,
			const char *pattern)
{
	struct perfctr_text name = { NULL, 0, 0, false };
	int result = -1;

	if (!pattern)
		return perfctr_text_write(&report->text, NULL);
	if (perfctr_text_name(&name, pattern, left->head->pid) == 0)
		result = write_anew(&report->text, &name);
	free(name.bytes);
	return result;
}

static int check_death(const struct left *left)
{
	const struct perfctr_process process = {
		.pid = left->head->pid,
		.start = left->room->start,
		.space = left->room->space,
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
	struct left left;
	int result;

	if (!left_file)
		return perfctr_fail(EINVAL, "perfctr_regions_recover() needs a file, not NULL");
	if (format > PERFCTR_REGIONS_JSON)
		return perfctr_fail(EINVAL, "%u is no format of a report of regions", format);
	memset(&left, 0, sizeof(left));
	result = read_file(&left, left_file);
	if (result == 0)
		result = take_all(&left, left_file);
	if (result == 0)
		result = check_death(&left);
	if (result == 0)
		result = print_report(&left, &report);
	if (result == 0)
		result = write_report(&left, &report, file);
	free(report.text.bytes);
	perfctr_region_metrics_close(&left.metrics);
	free(left.name);
	free(left.cost);
	free(left.row);
	free(left.bytes);
	return result;
}
