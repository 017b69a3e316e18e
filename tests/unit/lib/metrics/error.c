// SPDX-License-Identifier: LGPL-2.1-or-later
/* How far metrics of multiplexed events may be off: by hand, and against what is known. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/random.h"
#include "tests/harness/root.h"

/* The nth calloc(3) from now on fails; 0: none. */
static unsigned int no_memory;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return no_memory && --no_memory == 0 ? NULL : __real_calloc(n, size);
}

/* Instructions and cycles, in the order of the metric's events. */
static struct perfctr_metrics *open_ipc(unsigned int *instructions)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open("ipc", "skylake");
	const char *events;
	unsigned int n;

	ck_assert_ptr_nonnull(metrics);
	events = perfctr_metrics_events(metrics, &n);
	ck_assert_uint_eq(n, 2);
	*instructions = strcasestr(events, "inst") < strcasestr(events, "cycles") ? 0 : 1;
	return metrics;
}

static struct perfctr_reading seen(double value, uint64_t enabled, uint64_t running)
{
	return (struct perfctr_reading){ .value = (uint64_t)value,
					 .enabled = enabled,
					 .running = running,
					 .quality = running == enabled ? PERFCTR_EXACT
						    : running	       ? PERFCTR_SCALED
								       : PERFCTR_NOT_COUNTED };
}

/* Stretches of 100 ns, of which the events ran for a part: by hand. The last of nine is in the
 * value, and in no pair; what is after them is nothing. */
START_TEST(by_hand)
{
	static const double instructions[9] = { 10, 12, 20, 18, 30, 33, 40, 40, 90 };
	static const unsigned int ran[][2] = { { 50, 50 }, { 50, 25 }, { 25, 50 }, { 100, 25 } };
	struct perfctr_reading part[20] = { 0 };
	unsigned int n, r, i, at;
	struct perfctr_metrics *metrics = open_ipc(&at);
	double t = 1.960 + 2.372 / 4 + 2.823 / 16 + 2.556 / 64;

	ck_assert_double_eq_tol(t, 2.776, 0.01); /* Student's of 4 degrees of freedom, 95 % */
	for (r = 0; r < 2 * ARRAY_SIZE(ran); r++) {
		const unsigned int *share = ran[r / 2];
		double scale = (double)share[1] / share[0], moved, variance = 0, most = 0, value,
		       least = (share[0] < share[1] ? share[0] : share[1]) / 100.0, error = -1;

		n = 8 + r % 2;
		for (i = 0; i < n; i++) {
			part[2 * i + at] = seen(instructions[i], 100, share[0]);
			part[2 * i + !at] = seen(50, 100, share[1]);
		}
		part[2 * n] = part[2 * n + 1] =
			(struct perfctr_reading){ .quality = PERFCTR_STALE };
		for (i = 0; i < 8; i += 2) {
			moved = (instructions[i] - instructions[i + 1]) / (50 * n) * scale;
			variance += moved * moved; /* the other way round it is the same */
			most = fmax(most, moved * moved);
		}
		for (i = 0, value = 0; i < n; i++)
			value += instructions[i] / (50 * n) * scale;
		moved = t * sqrt((variance + most) * (1 - least));
		ck_assert_int_eq(perfctr_metrics_error(metrics, 0, part, n, &error), 0);
		/* As far away as that of a value so large, in proportion. */
		ck_assert_double_eq_tol(error, moved * sqrt((value + error) / value), 1e-9);
	}
	/* There is no error when they were all counted, for 100 ns or nobody knows how long. */
	for (n = 0; n < 16; n++) {
		double error = -1;

		for (i = 0; i < 16; i++)
			part[i].running = part[i].enabled = n < 8 ? 100 : 0;
		ck_assert_int_eq(perfctr_metrics_error(metrics, 0, part, n % 8 + 1, &error), 0);
		ck_assert(error == 0);
	}
	perfctr_metrics_close(metrics);
}
END_TEST

/* Of two metrics' events those of the other one don't matter. */
START_TEST(own_events)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open("cpi,branch-miss-rate", "skylake");
	struct perfctr_reading part[4 * 8], *last = &part[4 * 7];
	unsigned int i, k;
	double error;

	ck_assert_str_eq(perfctr_metrics_events(metrics, NULL),
			 "{cycles,instructions},{branch-misses,branches}");
	for (i = 0; i < 8; i++)
		for (k = 0; k < 4; k++)
			part[4 * i + k] = k < 2 ? seen(0, 100, 0) : seen(10 + i * k, 100, 100);
	part[0].quality = PERFCTR_STALE;
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENODATA, "not counted");
	ck_assert_int_eq(perfctr_metrics_error(metrics, 1, part, 8, &error), 0);
	ck_assert(error == 0);
	last[2] = (struct perfctr_reading){ .quality = PERFCTR_NOT_COUNTED };
	ck_fails(perfctr_metrics_error(metrics, 1, part, 8, &error), ENODATA, "not counted");
	last[2] = seen(10, 100, 100);
	last[3].quality = PERFCTR_STALE;
	ck_fails(perfctr_metrics_error(metrics, 1, part, 8, &error), ENODATA, "not counted");
	perfctr_metrics_close(metrics);
}
END_TEST

/* Stretches in which one event did not run go with those next to them. */
START_TEST(joined)
{
	struct perfctr_reading part[2 * 20], whole[2 * 8];
	unsigned int i, at, n = 0;
	struct perfctr_metrics *metrics = open_ipc(&at);
	double apart = -1, together = -2;

	for (i = 0; i < 8; i++) {
		/* The second half of each does not count instructions; the first one of the first
		 * neither. */
		part[2 * n + at] = seen(0, 50, 0);
		part[2 * n++ + !at] = seen(20, 50, 20);
		part[2 * n + at] = seen(10 + i * i, 100, 50);
		part[2 * n++ + !at] = seen(30, 50, 30);
		whole[2 * i + at] = seen(10 + i * i, 150, 50);
		whole[2 * i + !at] = seen(50, 100, 50);
	}
	/* A rest belongs to the last one. */
	part[2 * n + at] = seen(0, 50, 0);
	part[2 * n++ + !at] = seen(7, 50, 1);
	whole[2 * 7 + at] = seen(10 + 49, 200, 50);
	whole[2 * 7 + !at] = seen(57, 150, 51);
	ck_assert_int_eq(perfctr_metrics_error(metrics, 0, part, n, &apart), 0);
	ck_assert_int_eq(perfctr_metrics_error(metrics, 0, whole, 8, &together), 0);
	ck_assert_double_eq_tol(apart, together, 1e-12);
	ck_assert(apart > 0);
	perfctr_metrics_close(metrics);
}
END_TEST

/*
 * Programs of 64 stretches, of 20 turns each, whose instructions in a cycle change slowly, and by
 * chance: of the turns each fourth is counted. How often is the truth within the error?
 */
START_TEST(coverage)
{
	static struct perfctr_reading part[128];
	unsigned int trial, i, k, at, within = 0, trials = 1000;
	struct perfctr_metrics *metrics = open_ipc(&at);
	struct perfctr_metric_value value;
	double all, counted, rate, phase, error, errors = 0;

	for (trial = 0; trial < trials; trial++) {
		struct perfctr_reading total[2] = { { .quality = PERFCTR_SCALED },
						    { .quality = PERFCTR_SCALED } };

		phase = random_below(628) / 100.0;
		for (i = 0, all = 0; i < 64; i++) {
			for (k = 0, counted = 0; k < 20; k++) {
				rate = 2 + sin(phase + i / 10.0) + random_below(1000) / 1000.0;
				all += rate;
				counted += k % 4 == trial % 4 ? rate : 0;
			}
			part[2 * i + at] = seen(1e6 * counted, 20000, 5000);
			part[2 * i + !at] = seen(1e6 * 5, 20000, 5000);
			for (k = 0; k < 2; k++) {
				total[k].value += part[2 * i + k].value;
				total[k].enabled += part[2 * i + k].enabled;
				total[k].running += part[2 * i + k].running;
			}
		}
		ck_assert_int_eq(perfctr_metrics_value(metrics, 0, total, &value), 0);
		ck_assert_int_eq(perfctr_metrics_error(metrics, 0, part, 64, &error), 0);
		within += fabs(value.value - all / (64 * 20)) <= error;
		errors += error;
	}
	printf("%u of %u within %f\n", within, trials, errors / trials);
	ck_assert_uint_ge(within, trials * 92 / 100);
	ck_assert_uint_le(within, trials * 98 / 100);
	/* What changes slowly over the whole run is no error: its deviation alone would be 0.03. */
	ck_assert(errors / trials < 0.04);
	perfctr_metrics_close(metrics);
}
END_TEST

/*
 * Programs that work in short bursts, with little to do in between, for half a second: an event is
 * counted in 4 of 10 turns of 4 ms, and the bound must hold though only a few bursts were seen.
 */
START_TEST(bursts)
{
	enum { STRETCHES = 8, MS = 62 };
	static struct perfctr_reading part[2 * STRETCHES];
	unsigned int trial, i, k, at, ms, within = 0, trials = 2000;
	struct perfctr_metrics *metrics = open_ipc(&at);
	struct perfctr_metric_value value;
	double all, counted, rate, error;
	bool burst;

	for (trial = 0; trial < trials; trial++) {
		struct perfctr_reading total[2] = { { .quality = PERFCTR_SCALED },
						    { .quality = PERFCTR_SCALED } };

		burst = false;
		for (i = 0, all = 0; i < STRETCHES; i++) {
			unsigned int ran = 0;

			for (k = 0, counted = 0; k < MS; k++) {
				burst = random_below(20) < (burst ? 10u : 1u);
				rate = burst ? 1 : 0.05;
				ms = i * MS + k + 4 * (trial % 10);
				all += rate;
				counted += ms / 4 % 10 < 4 ? rate : 0;
				ran += ms / 4 % 10 < 4;
			}
			part[2 * i + at] = seen(1e6 * counted, MS, ran);
			part[2 * i + !at] = seen(1e6 * ran, MS, ran);
			for (k = 0; k < 2; k++) {
				total[k].value += part[2 * i + k].value;
				total[k].enabled += part[2 * i + k].enabled;
				total[k].running += part[2 * i + k].running;
			}
		}
		ck_assert_int_eq(perfctr_metrics_value(metrics, 0, total, &value), 0);
		ck_assert_int_eq(perfctr_metrics_error(metrics, 0, part, STRETCHES, &error), 0);
		within += fabs(value.value - all / (STRETCHES * MS)) <= error;
	}
	printf("%u of %u within\n", within, trials);
	ck_assert_uint_ge(within, trials * 95 / 100);
	perfctr_metrics_close(metrics);
}
END_TEST

/* A value of nearly nothing: its bound is no more than 2.4 times as far as its variance says. */
START_TEST(nearly_nothing)
{
	struct perfctr_reading part[16];
	unsigned int i, at;
	struct perfctr_metrics *metrics = open_ipc(&at);
	double error, t = 1.960 + 2.372 / 4 + 2.823 / 16 + 2.556 / 64, moved = 1000.0 / 4e8;

	for (i = 0; i < 8; i++) {
		part[2 * i + at] = seen(i ? 0 : 1000, 100, 50);
		part[2 * i + !at] = seen(5e7, 100, 50);
	}
	ck_assert_int_eq(perfctr_metrics_error(metrics, 0, part, 8, &error), 0);
	/* One of four pairs, which counts twice. */
	ck_assert_double_eq_tol(error, t * moved * (1 + sqrt(2)), 1e-12);
	perfctr_metrics_close(metrics);
}
END_TEST

/* Sums of 2^64 and more, and squares of what no double has room for, are no numbers. */
START_TEST(too_large)
{
	struct perfctr_reading part[16];
	unsigned int i, at;
	struct perfctr_metrics *metrics = open_ipc(&at);
	double error = 42;

	for (i = 0; i < 8; i++) {
		part[2 * i + at] = seen(0, 100, 50);
		part[2 * i + !at] = seen(50, 100, 50);
		/* Together, and twice as an estimate, no more than 2^64. */
		part[2 * i + at].value = i ? 1ULL << 59 : 1ULL << 62;
	}
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENODATA,
		 "or a number is too large");
	part[at].value = 1ULL << 59;
	ck_assert_int_eq(perfctr_metrics_error(metrics, 0, part, 8, &error), 0);
	part[at].value = (1ULL << 63) + (1ULL << 62);
	part[2 + at].value = 1ULL << 62;
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENODATA, "has no value whose");
	perfctr_metrics_close(metrics);
	root_make();
	root_line("power/type", "12");
	root_line("power/format/event", "config:0-7");
	root_line("power/events/energy-pkg", "event=0x02");
	root_line("power/events/energy-pkg.unit", "Joules");
	root_line("power/events/energy-pkg.scale", "1e200");
	metrics = perfctr_metrics_open("energy-pkg", NULL);
	for (i = 0; i < 8; i++)
		part[i] = seen(10 + i, 100, 50);
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENODATA,
		 "or a number is too large");
	perfctr_metrics_close(metrics);
	root_remove();
	unsetenv("PERFCTR_ROOT");
}
END_TEST

START_TEST(refused)
{
	struct perfctr_reading part[16];
	unsigned int i, at;
	struct perfctr_metrics *metrics = open_ipc(&at);
	double error;

	for (i = 0; i < 16; i++)
		part[i] = seen(10 + i, 100, 50);
	ck_assert_int_eq(perfctr_metrics_error(metrics, 0, part, 8, &error), 0);
	ck_fails(perfctr_metrics_error(NULL, 0, part, 8, &error), EINVAL,
		 "needs metrics, not NULL");
	ck_fails(perfctr_metrics_error(metrics, 1, part, 8, &error), EINVAL,
		 "there is no metric 1");
	ck_fails(perfctr_metrics_error(metrics, 0, NULL, 8, &error), EINVAL, "one stretch");
	ck_fails(perfctr_metrics_error(metrics, 0, part, 0, &error), EINVAL, "one stretch");
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, NULL), EINVAL, "not NULL");
	ck_fails(perfctr_metrics_error(metrics, 0, part, 7, &error), ENODATA, "8 stretches");
	for (i = 1; i <= 3; i++) {
		no_memory = i;
		ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENOMEM, "no memory");
		no_memory = 0;
	}
	part[at].quality = PERFCTR_STALE;
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENODATA, "not counted");
	part[at] = (struct perfctr_reading){ .quality = PERFCTR_NOT_COUNTED };
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENODATA, "not counted");
	for (i = 0; i < 16; i += 2) {
		part[i + at] = seen(10, 100, 50);
		part[i + !at] = seen(0, 100, 50);
	}
	error = 42;
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENODATA, "has no value whose");
	for (i = 0; i < 16; i += 2)
		part[i + at].running = 0;
	for (i = 0; i < 16; i += 2)
		part[i + !at].value = 10;
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENODATA, "there were 0");
	for (i = 0; i < 16; i += 2) {
		part[i + at].running = 50;
		part[i + !at].value = 0;
	}
	part[!at] = seen(30, 100, 50);
	ck_fails(perfctr_metrics_error(metrics, 0, part, 8, &error), ENODATA, "too few of them");
	ck_fails(perfctr_metrics_error(metrics, 0, part, 7, &error), ENODATA, "there were 7");
	ck_assert(error == 42);
	perfctr_metrics_close(metrics);
}
END_TEST

UNIT_MAIN("metrics_error", 60, by_hand, own_events, joined, coverage, bursts, nearly_nothing,
	  too_large, refused)
