// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bytes that a thread and its signal handlers add at once. The thread is made by hand, so that this
 * needs no counters, and runs on each ISA.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include "lib/regions/fast_path.h"
#include "tests/harness/check.h"

#define STRIDE (sizeof(struct perfctr_visit) + 2 * sizeof(uint64_t))

static struct perfctr_region_thread thread;
static _Alignas(struct perfctr_visit) char visits[3 * STRIDE]; /* the root, outer, inner */
static struct perfctr_visits outer, inner;

static struct perfctr_visit *visit(unsigned int n)
{
	return (struct perfctr_visit *)(void *)(visits + n * STRIDE);
}

static void begin(struct perfctr_visit *top, struct perfctr_visit *saved)
{
	memset(&outer, 0, sizeof(outer));
	memset(&inner, 0, sizeof(inner));
	thread.nvalues = 1;
	ck_assert_uint_eq(perfctr_visit_stride(thread.nvalues), STRIDE);
	visit(1)->visits = &outer;
	visit(2)->visits = &inner;
	thread.saved = saved;
	perfctr_region_here.thread = &thread;
	perfctr_region_here.top = top;
}

static struct perfctr_visit *changing(void)
{
	return (struct perfctr_visit *)(void *)&thread;
}

static void bytes_are(uint64_t own, uint64_t within)
{
	ck_assert_uint_eq(inner.told[PERFCTR_BYTES].own, own);
	ck_assert_uint_eq(inner.told[PERFCTR_BYTES].within, 0);
	ck_assert_uint_eq(outer.told[PERFCTR_BYTES].own, 0);
	ck_assert_uint_eq(outer.told[PERFCTR_BYTES].within, within);
}

START_TEST(places)
{
	begin(visit(2), NULL);
	perfctr_region_add_bytes(UINT64_C(5000000000));
	bytes_are(UINT64_C(5000000000), UINT64_C(5000000000));
	perfctr_region_add_communication(9);
	bytes_are(UINT64_C(5000000000), UINT64_C(5000000000));
	ck_assert_uint_eq(inner.told[PERFCTR_COMMUNICATION].own, 9);
	ck_assert_uint_eq(outer.told[PERFCTR_COMMUNICATION].within, 9);
	begin(changing(), visit(2));
	perfctr_region_add_bytes(7);
	bytes_are(7, 7);
	ck_assert_ptr_eq(thread.saved, visit(2));
	ck_assert_ptr_eq(perfctr_region_here.top, changing());
	begin(changing(), NULL);
	perfctr_region_add_bytes(7);
	begin(visit(0), NULL);
	perfctr_region_add_bytes(7);
	begin(changing(), visit(0));
	perfctr_region_add_bytes(7);
	bytes_are(0, 0);
}
END_TEST

static volatile sig_atomic_t handled;

static void add_by_timer(int signal)
{
	(void)signal;
	handled++;
	perfctr_region_add_bytes(1);
}

/*
 * Signals interrupt the addition at any instruction. Nothing of the thread's is lost, nor of the
 * handler's if the processor adds 64 bits at once: others let the handler add nothing.
 */
static void check_amid_timer(struct perfctr_visit *top, struct perfctr_visit *saved)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, none = { { 0, 0 }, { 0, 0 } };
	uint64_t n = 0;

	begin(top, saved);
	handled = 0;
	signal(SIGALRM, add_by_timer);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; handled < 2000; n++)
		perfctr_region_add_bytes(1);
	setitimer(ITIMER_REAL, &none, NULL);
	signal(SIGALRM, SIG_IGN);
	ck_assert_uint_ge(inner.told[PERFCTR_BYTES].own,
			  n + (sizeof(long) == 8 ? (unsigned int)handled : 0));
	ck_assert_uint_le(inner.told[PERFCTR_BYTES].own, n + (unsigned int)handled);
	bytes_are(inner.told[PERFCTR_BYTES].own, inner.told[PERFCTR_BYTES].own);
	ck_assert_ptr_eq(thread.saved, saved);
	ck_assert_ptr_eq(perfctr_region_here.top, top);
}

START_TEST(amid_signals)
{
	check_amid_timer(visit(2), NULL);
	check_amid_timer(changing(), visit(2));
}
END_TEST

UNIT_MAIN("bytes", 60, places, amid_signals)
