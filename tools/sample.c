// SPDX-License-Identifier: LGPL-2.1-or-later
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

struct sampling {
	char *event;
	bool any_event; /* none was asked for */
	uint64_t period, frequency, bad;
	struct perfctr_sampler *sampler;
	struct histogram *histogram;
};

/* ---- records ---- */

static void use_sample(struct histogram *histogram, const struct perfctr_record *record)
{
	if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
		histogram_count(histogram, record->pid, record->as.sample.ip);
	else
		histogram_count_kernel(histogram);
}

static void use_mmap(struct histogram *histogram, const struct perfctr_record_mmap *mmap)
{
	const struct map map = { mmap->addr, mmap->length, mmap->offset,
				 histogram_file(histogram, mmap->file) };

	histogram_map(histogram, mmap->pid, &map);
}

static int use_record(void *arg, const struct perfctr_record *record)
{
	struct histogram *histogram = arg;

	switch (record->type) {
	case PERF_RECORD_SAMPLE: use_sample(histogram, record); break;
	case PERF_RECORD_MMAP2: use_mmap(histogram, &record->as.mmap); break;
	case PERF_RECORD_FORK:
		histogram_fork(histogram, record->as.task.pid, record->as.task.ppid);
		break;
	case PERF_RECORD_COMM:
		if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
			histogram_exec(histogram, record->as.comm.pid);
		break;
	}
	return 0;
}

void sampling_read(struct sampling *sampling)
{
	while (perfctr_sampler_each(sampling->sampler, use_record, sampling->histogram) < 0 &&
	       ++sampling->bad < 1000)
		;
}

/* ---- opening and closing ---- */

static struct perfctr_list *resolve(const char *event)
{
	struct perfctr_list *list = perfctr_list_resolve(event, 0);

	if (!list)
		die("%s", perfctr_error());
	if (perfctr_list_size(list) != 1)
		die("--sample takes one event, not \"%s\"", event);
	return list;
}

/* Whether the event does not say in which modes it counts, and happens in user mode, too. */
static bool has_user_mode(const struct perfctr_list *list)
{
	struct perfctr_list_event event;
	struct perf_event_attr attr;

	if (perfctr_list_event(list, 0, &event) < 0 ||
	    perfctr_list_attr(list, 0, 0, &attr, NULL, NULL, 0) < 0)
		die("%s", perfctr_error());
	return !(event.flags & PERFCTR_EVENT_KERNEL || attr.type == PERF_TYPE_TRACEPOINT ||
		 attr.exclude_user || attr.exclude_kernel || attr.exclude_hv);
}

/* User mode, unless the event says what it wants; to be freed. */
static char *in_user_mode(const char *event)
{
	struct perfctr_list *list = resolve(event), *other;
	struct perfctr_list_event only;
	char *user;
	size_t length;

	perfctr_list_event(list, 0, &only);
	length = strlen(only.name);
	user = need(malloc(length + 3));
	sprintf(user, "%s%s", only.name, only.name[length - 1] == '/' ? "u" : ":u");
	/* There may be no room for a modifier behind those that it has. */
	other = perfctr_list_resolve(user, 0);
	if (!other || !has_user_mode(list))
		strcpy(user, only.name);
	perfctr_list_free(other);
	perfctr_list_free(list);
	return user;
}

struct sampling *sampling_new(const char *event, uint64_t period, uint64_t frequency)
{
	struct sampling *sampling = need(calloc(1, sizeof(*sampling)));

	sampling->any_event = !event;
	sampling->event = in_user_mode(event ? event : "cycles");
	sampling->period = period;
	sampling->frequency = period ? 0 : frequency ? frequency : DEFAULT_FREQUENCY;
	sampling->histogram = histogram_new();
	return sampling;
}

static struct perfctr_sampler *open_one(const struct sampling *sampling, pid_t pid)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD, .id = pid };
	struct perfctr_sampler_config config;

	memset(&config, 0, sizeof(config));
	config.period = sampling->period;
	config.frequency = sampling->frequency;
	config.fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	config.flags = PERFCTR_MULTIPLEX | PERFCTR_INHERIT | PERFCTR_ON_EXEC |
		       PERFCTR_SAMPLER_MMAP | PERFCTR_SAMPLER_COMM | PERFCTR_SAMPLER_TASK;
	return perfctr_sampler_open(sampling->event, &target, &config);
}

void sampling_open(struct sampling *sampling, pid_t pid)
{
	sampling->sampler = open_one(sampling, pid);
	if (!sampling->sampler && sampling->any_event) {
		/* No PMU: the clock. */
		free(sampling->event);
		sampling->event = need(strdup("cpu-clock:u"));
		sampling->sampler = open_one(sampling, pid);
	}
	if (!sampling->sampler)
		die("%s", perfctr_error());
}

void sampling_free(struct sampling *sampling)
{
	perfctr_sampler_close(sampling->sampler);
	histogram_free(sampling->histogram);
	free(sampling->event);
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

/* The processors of the event's core types, of those that are online. */
static unsigned int count_processors(const struct perfctr_list *list, unsigned int nvariants,
				     const struct perfctr_cpu_mask *online, unsigned int *all)
{
	uint32_t *cpus = need(calloc(online->nrwords + 1, sizeof(*cpus)));
	struct perf_event_attr attr;
	unsigned int i, k, n = 0;

	for (i = *all = 0; i < online->nrwords; i++)
		*all += (unsigned int)__builtin_popcount(online->mask[i]);
	for (k = 0; k < nvariants; k++) {
		perfctr_list_attr(list, 0, k, &attr, NULL, cpus, online->nrwords);
		for (i = 0; i < online->nrwords; i++)
			n += (unsigned int)__builtin_popcount(cpus[i] & online->mask[i]);
	}
	free(cpus);
	return n;
}

/* A machine's other core types do not have every event. */
static void print_processors(const struct sampling *sampling, FILE *file)
{
	struct perfctr_cpus_info *info = need(perfctr_cpus_info(-1));
	struct perfctr_list *list = resolve(sampling->event);
	struct perfctr_list_event event;
	struct perf_event_attr attr;
	unsigned int n, all, k;
	const char *pmu;

	perfctr_list_event(list, 0, &event);
	n = count_processors(list, event.nvariants, info->cpus, &all);
	for (k = 0; n < all && k < event.nvariants; k++) {
		perfctr_list_attr(list, 0, k, &attr, &pmu, NULL, 0);
		if (k)
			fprintf(file, ", %s", pmu);
		else
			fprintf(file, " on %u of the processors only: %s counts on %s", n,
				event.name, pmu);
	}
	if (n < all)
		fputc('\n', file);
	perfctr_list_free(list);
	free(info);
}

void sampling_print(struct sampling *sampling, FILE *file, char **command)
{
	uint64_t lost;

	/* What is stopped hands out all that it has. */
	perfctr_sampler_disable(sampling->sampler);
	sampling_read(sampling);
	setlocale(LC_CTYPE, "");
	print_subject(sampling, file, command);
	histogram_print(sampling->histogram, file);
	fprintf(file, "\n %llu samples\n",
		(unsigned long long)histogram_samples(sampling->histogram));
	print_processors(sampling, file);
	if (perfctr_sampler_lost(sampling->sampler, &lost) == 0 && lost)
		fprintf(file,
			" %llu records were lost: perfex could not keep up, take fewer samples "
			"(-c, -F)\n",
			(unsigned long long)lost);
	if (sampling->bad)
		fprintf(file, " records were left out: %s\n", perfctr_error());
	fputc('\n', file);
}
