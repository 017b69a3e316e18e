// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How good are estimates of events that take turns? Ten events on four counters, of which each must
 * count what a pinned one counts (tests/vm: branches are a quarter of the instructions there), of
 * steady, phased and bursty programs. Prints a Markdown table: the error of the estimate, which is
 * perf stat's, too, its median, 95th percentile and the largest, in percent; the median of the
 * bounds; and how many of these the truth is within. The bound is perfctr_metrics_error()'s, of
 * slices as perfex takes them. BENCH_LONG in the environment: longer programs, and more of each.
 * Fails if the truth is within fewer than 9 of 10 bounds, or of the longer ones' 19 of 20: those of
 * one program lie together.
 */
#include <math.h>
#include <stdint.h>
#include <time.h>
#include "tests/harness/guest.h"
#include "tests/harness/random.h"

enum { EVENTS = 10, SLICES = 64, MOST = 400 };

#define SLICE 62500000u /* ns */

static struct perfctr_set *truth, *turns;
static struct perfctr_metrics *metrics; /* a count in a ns of a clock */

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* ---- programs ---- */

/* How many passes of a loop stand beside each system call: more of them, more user mode. */
enum { IDLE = 1, SOME = 30, HALF = 180, ALL = 3000 };

/* Part of a program, and how long it goes on: in ns, on average. */
struct phase {
	unsigned long passes;
	unsigned int least, more;
};

static const struct program {
	const char *name;
	unsigned int n;
	struct phase phase[3];
	bool bursts; /* lengths vary as those of independent arrivals do */
} programs[] = {
	{ "steady", 1, { { ALL, 100000000, 1 } }, false },
	{ "phased",
	  3,
	  { { ALL, 30000000, 270000000 },
	    { SOME, 30000000, 270000000 },
	    { HALF, 30000000, 270000000 } },
	  false },
	{ "bursty", 2, { { IDLE, 0, 50000000 }, { ALL, 0, 5000000 } }, true },
};

static unsigned int phase;
static uint64_t phase_end;

static uint64_t length_of(const struct program *program)
{
	const struct phase *next = &program->phase[phase];
	double chance = (random_below(1000000) + 1) / 1000001.0;

	return next->least + (uint64_t)(next->more * (program->bursts ? -log(chance) : chance));
}

static void work_until(const struct program *program, uint64_t end)
{
	uint64_t time;

	while ((time = now()) < end) {
		if (time >= phase_end) {
			phase = (phase + 1) % program->n;
			phase_end = time + length_of(program);
		}
		loop(program->phase[phase].passes);
		syscall(SYS_getppid);
	}
}

/* ---- one run ---- */

static uint64_t true_count(void)
{
	struct perfctr_reading reading;

	if (perfctr_set_read(truth, &reading) < 0 || reading.quality != PERFCTR_EXACT) {
		printf("the pinned counter was lost\n");
		exit(1);
	}
	return reading.value / 4;
}

/* Of the program of one length. */
struct outcome {
	double off[MOST], bound[MOST]; /* in percent */
	unsigned int n, bounds, within;
};

/* The events' readings, since those before. */
static void read_turns(struct perfctr_reading *before, struct perfctr_reading *part)
{
	struct perfctr_reading after[EVENTS];
	unsigned int i;

	if (perfctr_set_read(turns, after) < 0)
		exit(1);
	for (i = 0; i < EVENTS; i++) {
		part[i] = after[i];
		part[i].value -= before[i].value;
		part[i].enabled -= before[i].enabled;
		part[i].running -= before[i].running;
		part[i].quality = part[i].running == part[i].enabled ? PERFCTR_EXACT
				  : part[i].running		     ? PERFCTR_SCALED
								     : PERFCTR_NOT_COUNTED;
		before[i] = after[i];
	}
}

/* Event k of n slices, and the time beside it, as the metric's events. */
static void judge(struct outcome *outcome, const struct perfctr_reading part[][EVENTS],
		  unsigned int n, unsigned int k, double count)
{
	static struct perfctr_reading pair[SLICES][2];
	struct perfctr_reading total = { .quality = PERFCTR_SCALED };
	double estimate, error;
	unsigned int i;

	for (i = 0; i < n; i++) {
		pair[i][0] = part[i][k];
		pair[i][1] = part[i][k];
		pair[i][1].value = pair[i][1].running = pair[i][1].enabled;
		pair[i][1].quality = PERFCTR_EXACT;
		total.value += part[i][k].value;
		total.enabled += part[i][k].enabled;
		total.running += part[i][k].running;
	}
	estimate = (double)perfctr_reading_estimate(&total);
	outcome->off[outcome->n++] = 100 * fabs(estimate - count) / count;
	if (perfctr_metrics_error(metrics, 0, &pair[0][0], n, &error) < 0)
		return;
	error *= (double)total.enabled;
	outcome->bound[outcome->bounds++] = 100 * error / count;
	/* A branch is begun in one slice, and counted in another. */
	outcome->within += fabs(estimate - count) <= error + n;
}

static void run(const struct program *program, uint64_t length, struct outcome *outcome)
{
	static struct perfctr_reading part[SLICES][EVENTS];
	struct perfctr_reading before[EVENTS];
	uint64_t start, slice = SLICE, counted;
	unsigned int n, i, k;

	while (length / slice >= SLICES)
		slice *= 2;
	n = length > slice ? (unsigned int)(length / slice) : 1;
	if (perfctr_set_read(turns, before) < 0)
		exit(1);
	counted = true_count();
	start = now();
	phase_end = 0;
	for (i = 0; i < n; i++) {
		work_until(program, start + (i + 1 < n ? (i + 1) * slice : length));
		read_turns(before, part[i]);
	}
	counted = true_count() - counted;
	for (k = 0; k < EVENTS; k++)
		judge(outcome, part, n, k, (double)counted);
}

/* ---- the table ---- */

static int compare(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

static void print_row(const struct program *program, unsigned int ms, struct outcome *outcome)
{
	unsigned int n = outcome->n;

	qsort(outcome->off, n, sizeof(outcome->off[0]), compare);
	qsort(outcome->bound, outcome->bounds, sizeof(outcome->bound[0]), compare);
	printf("| %s, %u ms | %u | %.1f; %.1f; %.1f |", program->name, ms, n, outcome->off[n / 2],
	       outcome->off[n * 95 / 100], outcome->off[n - 1]);
	if (outcome->bounds)
		printf(" %.1f | %u of %u |\n", outcome->bound[outcome->bounds / 2], outcome->within,
		       outcome->bounds);
	else
		printf(" none | |\n");
}

/* How long a program runs, and how often. */
static const struct {
	unsigned int ms, runs, runs_long;
} lengths[] = { { 100, 3, 10 }, { 600, 2, 5 }, { 1000, 1, 5 }, { 2000, 0, 2 }, { 10000, 0, 1 } };

static void open_events(void)
{
	truth = perfctr_set_open("instructions:u", NULL, 0);
	turns = perfctr_set_open("branches:u,branches:u,branches:u,branches:u,branches:u,"
				 "branches:u,branches:u,branches:u,branches:u,branches:u",
				 NULL, PERFCTR_MULTIPLEX);
	metrics = perfctr_metrics_open("frequency", NULL);
	if (!truth || !turns || !metrics ||
	    strcmp(perfctr_metrics_events(metrics, NULL), "{cycles,task-clock}") != 0) {
		printf("%s\n", perfctr_error());
		exit(1);
	}
}

int main(void)
{
	static struct outcome outcome;
	bool is_long = getenv("BENCH_LONG") != NULL;
	unsigned int i, k, r, runs, bounds = 0, within = 0;

	open_events();
	printf("| a program | estimates | off by, %% | bound, %% | within it |\n"
	       "| --- | ---: | ---: | ---: | ---: |\n");
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		for (k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
			memset(&outcome, 0, sizeof(outcome));
			runs = is_long ? lengths[k].runs_long : lengths[k].runs;
			for (r = 0; r < runs; r++)
				run(&programs[i], lengths[k].ms * UINT64_C(1000000), &outcome);
			if (!runs)
				continue;
			print_row(&programs[i], lengths[k].ms, &outcome);
			bounds += outcome.bounds;
			within += outcome.within;
		}
	}
	return (is_long ? within * 20 < bounds * 19 : within * 10 < bounds * 9) || !bounds;
}
