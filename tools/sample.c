// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Inherited events have a buffer per processor, so that records of a process are in several. A
 * record is looked at when all that is older must have been read: what was written before one
 * reading of all buffers began is older than what the next reading finds last.
 */
#include <errno.h>
#include <libperfctr.h>
#include <linux/perf_event.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "die.h"
#include "histogram.h"
#include "sample.h"
#include "text.h"

#define DEFAULT_FREQUENCY 1000

/* What a record says, as far as it is needed. */
struct item {
	uint64_t time, sequence;
	uint32_t type;
	uint32_t pid, parent; /* parent: FORK */
	bool kernel;	      /* SAMPLE */
	struct map map;	      /* MMAP2; SAMPLE: start is the instruction's address */
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
	uint64_t sequence, newest, bad;
	struct histogram *histogram;
};

/* ---- records ---- */

static int compare_items(const void *a, const void *b)
{
	const struct item *one = a, *two = b;

	if (one->time != two->time)
		return one->time < two->time ? -1 : 1;
	return one->sequence < two->sequence ? -1 : one->sequence > two->sequence;
}

static void use_item(struct histogram *histogram, const struct item *item)
{
	switch (item->type) {
	case PERF_RECORD_SAMPLE:
		if (item->kernel)
			histogram_count_kernel(histogram);
		else
			histogram_count(histogram, item->pid, item->map.start);
		break;
	case PERF_RECORD_MMAP2: histogram_map(histogram, item->pid, &item->map); break;
	case PERF_RECORD_FORK: histogram_fork(histogram, item->pid, item->parent); break;
	case PERF_RECORD_COMM: histogram_exec(histogram, item->pid); break;
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
		use_item(sampling->histogram, &sampling->item[i]);
	memmove(sampling->item, sampling->item + i,
		(sampling->nitems - i) * sizeof(*sampling->item));
	sampling->nitems -= i;
}

/* false: it says nothing that is needed. */
static bool make_item(struct histogram *histogram, const struct perfctr_record *record,
		      struct item *item)
{
	const struct perfctr_record_mmap *mmap = &record->as.mmap;

	*item = (struct item){ .time = record->time, .type = record->type };
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		item->pid = record->pid;
		item->map.start = record->as.sample.ip;
		item->kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
			       PERF_RECORD_MISC_USER;
		return true;
	case PERF_RECORD_MMAP2:
		item->pid = mmap->pid;
		item->map = (struct map){ mmap->addr, mmap->length, mmap->offset,
					  histogram_file(histogram, mmap->file) };
		return true;
	case PERF_RECORD_FORK:
		item->pid = record->as.task.pid;
		item->parent = record->as.task.ppid;
		return true;
	case PERF_RECORD_COMM:
		item->pid = record->as.comm.pid;
		return record->misc & PERF_RECORD_MISC_COMM_EXEC;
	}
	return false;
}

static int keep_record(void *arg, const struct perfctr_record *record)
{
	struct sampling *sampling = arg;
	struct item item;

	if (!make_item(sampling->histogram, record, &item))
		return 0;
	item.sequence = sampling->sequence++;
	if (sampling->nitems == sampling->room) {
		sampling->room = sampling->room * 2 + 1024;
		sampling->item =
			need(reallocarray(sampling->item, sampling->room, sizeof(*sampling->item)));
	}
	sampling->item[sampling->nitems++] = item;
	if (item.time > sampling->newest)
		sampling->newest = item.time;
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

/* User mode, unless the event says what it wants; to be freed. */
static char *in_user_mode(const char *event)
{
	size_t length = strlen(event);
	char *user = need(malloc(length + 3));

	sprintf(user, "%s%s", event, length && event[length - 1] == '/' ? "u" : ":u");
	if (perfctr_event_check(user) < 0)
		strcpy(user, event);
	return user;
}

static void check_single(const char *event)
{
	bool slash = false;
	const char *p;

	for (p = event; *p; p++) {
		slash ^= *p == '/';
		if (*p == '{' || (*p == ',' && !slash))
			die("--sample takes one event, not \"%s\"", event);
	}
}

struct sampling *sampling_new(const char *event, uint64_t period, uint64_t frequency)
{
	struct sampling *sampling = need(calloc(1, sizeof(*sampling)));

	if (event)
		check_single(event);
	sampling->any_event = !event;
	sampling->event = in_user_mode(event ? event : "cycles");
	sampling->period = period;
	sampling->frequency = period ? 0 : frequency ? frequency : DEFAULT_FREQUENCY;
	sampling->histogram = histogram_new();
	return sampling;
}

static struct perfctr_sampler *open_one(const struct sampling *sampling, pid_t pid, int cpu)
{
	struct perfctr_sampler_config config;

	memset(&config, 0, sizeof(config));
	config.period = sampling->period;
	config.frequency = sampling->frequency;
	config.fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	config.flags = PERFCTR_MULTIPLEX | PERFCTR_INHERIT | PERFCTR_ON_EXEC |
		       PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_COMM | PERFCTR_SAMPLER_TASK;
	return perfctr_sampler_open(sampling->event, pid, cpu, &config);
}

/* On a processor. A hybrid machine's other cores do not have every event: it is left out. */
static void open_on(struct sampling *sampling, pid_t pid, int cpu)
{
	struct perfctr_sampler *sampler = open_one(sampling, pid, cpu);

	if (!sampler && sampling->any_event && sampling->nsamplers == 0) {
		/* No PMU: the clock. */
		free(sampling->event);
		sampling->event = need(strdup("cpu-clock:u"));
		sampler = open_one(sampling, pid, cpu);
	}
	if (sampler)
		sampling->sampler[sampling->nsamplers++] = sampler;
	else if (errno != EINVAL && errno != ENOENT)
		die("%s", perfctr_error());
	else if (!sampling->elsewhere)
		sampling->elsewhere = need(strdup(perfctr_error()));
}

void sampling_open(struct sampling *sampling, pid_t pid)
{
	struct perfctr_cpus_info *info = perfctr_cpus_info(-1);
	unsigned int cpu, n;

	if (!info)
		die("%s", perfctr_error());
	n = info->cpus->nrwords * 32;
	sampling->sampler = need(calloc(n, sizeof(*sampling->sampler)));
	for (cpu = 0; cpu < n; cpu++)
		if (info->cpus->mask[cpu / 32] & 1u << cpu % 32)
			open_on(sampling, pid, (int)cpu);
	if (sampling->nsamplers == 0)
		die("%s", sampling->elsewhere);
	free(info);
}

void sampling_free(struct sampling *sampling)
{
	size_t i;

	for (i = 0; i < sampling->nsamplers; i++)
		perfctr_sampler_close(sampling->sampler[i]);
	histogram_free(sampling->histogram);
	free(sampling->sampler);
	free(sampling->item);
	free(sampling->event);
	free(sampling->elsewhere);
	free(sampling);
}

/* ---- showing ---- */

static void print_subject(const struct sampling *sampling, FILE *file, char **command)
{
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
}

/* Records that the buffers had no room for. */
static uint64_t lost_records(const struct sampling *sampling)
{
	uint64_t lost = 0, one;
	size_t i;

	for (i = 0; i < sampling->nsamplers; i++)
		if (perfctr_sampler_lost(sampling->sampler[i], &one) == 0)
			lost += one;
	return lost;
}

void sampling_print(struct sampling *sampling, FILE *file, char **command)
{
	unsigned long long lost = lost_records(sampling);

	use_items(sampling, UINT64_MAX);
	setlocale(LC_CTYPE, "");
	print_subject(sampling, file, command);
	histogram_print(sampling->histogram, file);
	fprintf(file, "\n %llu samples\n",
		(unsigned long long)histogram_samples(sampling->histogram));
	if (sampling->elsewhere)
		fprintf(file, " on %zu of the processors only: %s\n", sampling->nsamplers,
			sampling->elsewhere);
	if (lost)
		fprintf(file,
			" %llu records were lost: perfex could not keep up, take fewer samples "
			"(-c, -F)\n",
			lost);
	if (sampling->bad)
		fprintf(file, " records were left out: %s\n", perfctr_error());
	fputc('\n', file);
}
