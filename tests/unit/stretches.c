// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stretches of a run: of equal length, few, and nothing is lost. */
#include <string.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tools/perfex/count/stretches.h"

static struct event event[3];
static struct events events;
static struct stretches stretches;

/* The second and the third event are metrics'. */
static void begin(unsigned int metrics_first)
{
	memset(event, 0, sizeof(event));
	events = (struct events){ .event = event, .n = 3, .metrics_first = metrics_first };
	events.first[EVENTS_NUMBERS] = 3;
	stretches_begin(&stretches, &events);
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
	stretches_tick(&stretches, &events);
}

/* Event k of stretch i. */
static const struct perfctr_reading *of(unsigned int i, unsigned int k)
{
	return &stretches.reading[2 * i + k];
}

START_TEST(differences)
{
	unsigned int i;

	begin(1);
	for (i = 1; i <= 5; i++)
		tick(10 * i);
	ck_assert_uint_eq(stretches.n, 5);
	for (i = 0; i < 5; i++) {
		ck_assert_uint_eq(of(i, 0)->value, 10 * (i + 1));
		ck_assert_uint_eq(of(i, 1)->value, 5 * (i + 1));
		ck_assert_uint_eq(of(i, 0)->quality, PERFCTR_EXACT);
		ck_assert_uint_eq(of(i, 1)->quality, PERFCTR_SCALED);
		ck_assert_uint_eq(of(i, 1)->enabled, 100);
		ck_assert_uint_eq(of(i, 1)->running, 40);
	}
	stretches_free(&stretches);
}
END_TEST

/* Of any number of ticks there are 32 to 64 stretches, each as long as the others but the last one.
 */
START_TEST(any_length)
{
	unsigned int n, i, sum;
	uint64_t each;

	for (n = 1; n < 700; n += n < 140 ? 1 : 37) {
		begin(1);
		for (i = 1; i <= n; i++)
			tick(2 * i);
		each = stretches.each;
		event[1].reading.value += 5; /* behind the last tick */
		event[1].reading.enabled += 7;
		event[1].reading.running += 7;
		stretches_end(&stretches, &events);
		ck_assert_uint_le(stretches.n, STRETCHES);
		ck_assert(n < STRETCHES || stretches.n >= STRETCHES / 2);
		for (i = 0, sum = 0; i < stretches.n; i++) {
			sum += (unsigned int)of(i, 0)->value;
			ck_assert_uint_eq(of(i, 0)->quality, PERFCTR_EXACT);
			ck_assert(i + 1 == stretches.n || of(i, 0)->enabled == 100 * each);
			ck_assert(i + 1 == stretches.n || of(i, 1)->running == 40 * each);
		}
		ck_assert_uint_eq(sum, n * (n + 1) + 5);
		stretches_free(&stretches);
	}
}
END_TEST

/* What comes behind the end is of the next interval, however long that is. */
START_TEST(intervals)
{
	unsigned int n, i, k, each;

	begin(1);
	for (n = 3; n < 1000; n = 5 * n) {
		for (k = 0; k < 2; k++) {
			for (i = 1; i <= n; i++)
				tick(i);
			stretches_end(&stretches, &events);
			ck_assert(n < STRETCHES ? stretches.n == n + 1
						: stretches.n >= STRETCHES / 2);
			for (each = 1; n / each >= STRETCHES; each *= 2)
				;
			ck_assert_uint_eq(of(0, 0)->enabled, 100 * each);
		}
	}
	stretches_free(&stretches);
}
END_TEST

/* What is stale once is no estimate, and what ran for a half of the time is one. */
START_TEST(qualities)
{
	unsigned int n;

	begin(1);
	for (n = 1; n <= STRETCHES; n++) {
		event[1].reading.enabled += 100;
		event[1].reading.running += n % 2 ? 100 : 0;
		event[1].reading.quality = PERFCTR_SCALED;
		event[2].reading.quality = n == 10 ? PERFCTR_STALE : PERFCTR_EXACT;
		stretches_tick(&stretches, &events);
	}
	ck_assert_uint_eq(stretches.n, STRETCHES / 2);
	for (n = 0; n < stretches.n; n++) {
		ck_assert_uint_eq(of(n, 0)->quality, PERFCTR_SCALED);
		ck_assert_uint_eq(of(n, 1)->quality, n == 4 ? PERFCTR_STALE : PERFCTR_EXACT);
	}
	stretches_free(&stretches);
}
END_TEST

START_TEST(without_metrics)
{
	begin(3);
	tick(1);
	stretches_end(&stretches, &events);
	ck_assert_ptr_null(stretches.reading);
	ck_assert_uint_eq(stretches.n, 0);
	stretches_free(&stretches);
}
END_TEST

UNIT_MAIN("stretches", 60, differences, any_length, intervals, qualities, without_metrics)
