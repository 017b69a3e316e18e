// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stretches of a run: of equal length, few, and nothing is lost. */
#include <string.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tools/perfex/count/slices.h"

static struct event event[3];
static struct events events;
static struct slices slices;

/* The second and the third event are metrics'. */
static void begin(unsigned int metrics_first)
{
	memset(event, 0, sizeof(event));
	events = (struct events){ .event = event, .n = 3, .metrics_first = metrics_first };
	events.first[EVENTS_NUMBERS] = 3;
	slices_begin(&slices, &events);
}

/* The next tick: the nth counts n, and half of that; the first event runs all of the time. */
static void tick(unsigned int n)
{
	unsigned int k;

	for (k = 0; k < 3; k++) {
		event[k].reading.value += k == 2 ? n / 2 : n;
		event[k].reading.enabled += 100;
		event[k].reading.running += k == 1 ? 100 : 40;
		event[k].reading.quality = k == 1 ? PERFCTR_EXACT : PERFCTR_SCALED;
	}
	slices_tick(&slices, &events);
}

/* Event k of slice i. */
static const struct perfctr_reading *of(unsigned int i, unsigned int k)
{
	return &slices.reading[2 * i + k];
}

START_TEST(differences)
{
	unsigned int i;

	begin(1);
	for (i = 1; i <= 5; i++)
		tick(10 * i);
	ck_assert_uint_eq(slices.n, 5);
	for (i = 0; i < 5; i++) {
		ck_assert_uint_eq(of(i, 0)->value, 10 * (i + 1));
		ck_assert_uint_eq(of(i, 1)->value, 5 * (i + 1));
		ck_assert_uint_eq(of(i, 0)->quality, PERFCTR_EXACT);
		ck_assert_uint_eq(of(i, 1)->quality, PERFCTR_SCALED);
		ck_assert_uint_eq(of(i, 1)->enabled, 100);
		ck_assert_uint_eq(of(i, 1)->running, 40);
	}
	slices_free(&slices);
}
END_TEST

/* Of any number of ticks there are 32 to 64 slices, each as long as the others but the last one.
 */
START_TEST(any_length)
{
	unsigned int n, i, sum;
	uint64_t each;

	for (n = 1; n < 700; n += n < 140 ? 1 : 37) {
		begin(1);
		for (i = 1; i <= n; i++)
			tick(2 * i);
		each = slices.each;
		event[1].reading.value += 5; /* after the last tick */
		event[1].reading.enabled += 7;
		event[1].reading.running += 7;
		slices_end(&slices, &events);
		ck_assert_uint_le(slices.n, SLICES);
		ck_assert(n < SLICES || slices.n >= SLICES / 2);
		for (i = 0, sum = 0; i < slices.n; i++) {
			sum += (unsigned int)of(i, 0)->value;
			ck_assert_uint_eq(of(i, 0)->quality, PERFCTR_EXACT);
			ck_assert(i + 1 == slices.n || of(i, 0)->enabled == 100 * each);
			ck_assert(i + 1 == slices.n || of(i, 1)->running == 40 * each);
		}
		ck_assert_uint_eq(sum, n * (n + 1) + 5);
		slices_free(&slices);
	}
}
END_TEST

/* What comes after the end is of the next interval, however long that is. */
START_TEST(intervals)
{
	unsigned int n, i, k, each;

	begin(1);
	for (n = 3; n < 1000; n = 5 * n) {
		for (k = 0; k < 2; k++) {
			for (i = 1; i <= n; i++)
				tick(i);
			slices_end(&slices, &events);
			ck_assert(n < SLICES ? slices.n == n + 1 : slices.n >= SLICES / 2);
			for (each = 1; n / each >= SLICES; each *= 2)
				;
			ck_assert_uint_eq(of(0, 0)->enabled, 100 * each);
		}
	}
	slices_free(&slices);
}
END_TEST

/* What is stale once is no estimate, and what ran for a half of the time is one. */
START_TEST(qualities)
{
	unsigned int n;

	begin(1);
	for (n = 1; n <= SLICES; n++) {
		event[1].reading.enabled += 100;
		event[1].reading.running += n % 2 ? 100 : 0;
		event[1].reading.quality = PERFCTR_SCALED;
		event[2].reading.quality = n == 10 ? PERFCTR_STALE : PERFCTR_EXACT;
		slices_tick(&slices, &events);
	}
	ck_assert_uint_eq(slices.n, SLICES / 2);
	for (n = 0; n < slices.n; n++) {
		ck_assert_uint_eq(of(n, 0)->quality, PERFCTR_SCALED);
		ck_assert_uint_eq(of(n, 1)->quality, n == 4 ? PERFCTR_STALE : PERFCTR_EXACT);
	}
	slices_free(&slices);
}
END_TEST

START_TEST(without_metrics)
{
	begin(3);
	tick(1);
	slices_end(&slices, &events);
	ck_assert_ptr_null(slices.reading);
	ck_assert_uint_eq(slices.n, 0);
	slices_free(&slices);
}
END_TEST

UNIT_MAIN("slices", 60, differences, any_length, intervals, qualities, without_metrics)
