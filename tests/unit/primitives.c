// SPDX-License-Identifier: LGPL-2.1-or-later
/* The ISA's own instructions, and the parts that need no perf_events: they must work under
 * qemu-user. */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include "lib/virtual/provider.h"
#include "lib/isa/tsc.h"
#include "lib/perf/counter.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "tests/harness/check.h"

START_TEST(the_clock_runs)
{
	uint64_t before = perfctr_rdtsc(), after;
	unsigned int i;

	if (!PERFCTR_HAVE_RDTSC)
		return;
	for (i = 0; i < 1000; i++) {
		after = perfctr_rdtsc();
		ck_assert_uint_ge(after, before);
		before = after;
	}
	/* The low half is that of the same clock: a moment later. */
	before = perfctr_rdtsc();
	ck_assert_uint_lt(perfctr_rdtscl() - (uint32_t)before, 0x80000000u);
	ck_assert_uint_gt(perfctr_tsc_khz(), 0);
}
END_TEST

static sigjmp_buf escape;

static void on_fault(int signal)
{
	siglongjmp(escape, signal);
}

/* Counter instructions either work, or fault as the processor says; never do they return nonsense.
 */
START_TEST(counter_instructions)
{
	volatile unsigned int n = 0;

	if (!PERFCTR_HAVE_RDPMC)
		return;
	signal(SIGSEGV, on_fault);
	signal(SIGILL, on_fault);
	if (sigsetjmp(escape, 1) == 0) {
		uint64_t value = perfctr_rdpmc(n);

#if defined(__powerpc__)
		/* UPMC1: 32 bits, readable by everybody. */
		ck_assert_uint_le(value, UINT32_MAX);
#else
		(void)value;
#endif
	} else {
#if defined(__powerpc__) && !defined(__powerpc64__)
		ck_abort_msg("mfspr of UPMC1 faults");
#endif
	}
}
END_TEST

/* An event that is in no register must not be read, on any ISA. */
START_TEST(no_index_no_read)
{
	struct perfctr_counter none = { .fd = -1, .page = NULL };
	struct perfctr_reader reader;
	uint64_t value = 42, enabled, running;

	perfctr_counter_reader(&none, &reader);
	ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
	ck_assert_int_eq(perfctr_reader_read_ordered(&reader, &value), 0);
	ck_assert_int_eq(perfctr_reader_read_all(&reader, 1, &value), 0);
	ck_assert_int_eq(perfctr_reader_pause(&reader, &value), 0);
	ck_assert_int_eq(perfctr_reader_resume(&reader, 7), 0);
	ck_assert_int_eq(perfctr_reader_read_times(&reader, &value, &enabled, &running), 0);
	ck_assert_uint_eq(value, 42);
}
END_TEST

START_TEST(scaling)
{
	ck_assert_uint_eq(perfctr_scale(1000, 1u << 10, 10), 1000);
	ck_assert_uint_eq(perfctr_scale(UINT64_C(1) << 60, 3, 2), 3 * (UINT64_C(1) << 58));
	ck_assert_uint_eq(perfctr_scale(UINT64_MAX / 5, 5, 0), UINT64_MAX / 5 * 5);
	ck_assert_uint_eq(perfctr_scale(0xFFFFFFFFFFFF, 0x80000000, 31), 0xFFFFFFFFFFFF);
}
END_TEST

START_TEST(cstatus)
{
	unsigned int c = perfctr_mk_cstatus(1, 3, 2), n;

	ck_assert_uint_eq(c, 0x80020503);
	ck_assert(perfctr_cstatus_enabled(c) && perfctr_cstatus_has_tsc(c));
	ck_assert_uint_eq(perfctr_cstatus_nractrs(c), 3);
	ck_assert_uint_eq(perfctr_cstatus_nrctrs(c), 5);
	ck_assert_uint_ne(perfctr_cstatus_has_ictrs(c), 0);
	ck_assert_uint_eq(perfctr_mk_cstatus(0, 0, 0), 0);
	ck_assert_uint_eq(perfctr_cstatus_enabled(0), 0);
	/* Any tsc_on but 0, and each counter there may be. */
	ck_assert_uint_eq(perfctr_mk_cstatus(2, 0, 0), 0x80000000);
	ck_assert_uint_eq(perfctr_mk_cstatus(0, 0, 1), 0x00010100);
	ck_assert_uint_eq(perfctr_mk_cstatus(0, 64, 63), 0x003F7F40);
	ck_assert_uint_eq(perfctr_cstatus_enabled(perfctr_mk_cstatus(0, 0, 1)), 0x00010100);
	for (n = 0; n < 128; n++) {
		ck_assert_uint_eq(perfctr_cstatus_nractrs(perfctr_mk_cstatus(1, n, 0)), n);
		ck_assert_uint_eq(perfctr_cstatus_nractrs(perfctr_mk_cstatus(1, 0, n)), 0);
		ck_assert_uint_eq(perfctr_cstatus_nrctrs(perfctr_mk_cstatus(1, n, 0)), n);
		ck_assert_uint_eq(perfctr_cstatus_nrctrs(perfctr_mk_cstatus(1, 0, n)), n);
		ck_assert_int_eq(perfctr_cstatus_has_ictrs(perfctr_mk_cstatus(1, 127 - n, n)) != 0,
				 n != 0);
		ck_assert_int_eq(perfctr_cstatus_has_tsc(perfctr_mk_cstatus(0, 127 - n, n)), 0);
	}
	/* Whatever the other bits are. */
	ck_assert_int_eq(perfctr_cstatus_has_tsc(0x80000000), 1);
	ck_assert_int_eq(perfctr_cstatus_has_tsc(0x7FFFFFFF), 0);
	ck_assert_uint_eq(perfctr_cstatus_nractrs(0xFFFFFFFF), 127);
	ck_assert_uint_eq(perfctr_cstatus_nractrs(0xFFFFFF80), 0);
	ck_assert_uint_eq(perfctr_cstatus_nrctrs(0xFFFFFFFF), 127);
	ck_assert_uint_eq(perfctr_cstatus_nrctrs(0xFFFF80FF), 0);
	ck_assert_uint_eq(perfctr_cstatus_has_ictrs(0xFF80FFFF), 0);
	ck_assert_uint_eq(perfctr_cstatus_has_ictrs(perfctr_mk_cstatus(1, 18, 0)), 0);
}
END_TEST

/* The virtual TSC works without perf_events. */
START_TEST(tsc_without_events)
{
	struct vperfctr_control control;
	struct vperfctr *self = vperfctr_open();
	struct perfctr_sum_ctrs a, b;
	volatile int i;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	ck_assert_ptr_nonnull(self);
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &a), 0);
	for (i = 0; i < 1000000; i++)
		;
	ck_assert_int_eq(vperfctr_read_ctrs(self, &b), 0);
	ck_assert_uint_gt(b.tsc, a.tsc);
	ck_assert_int_eq(vperfctr_stop(self), 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

UNIT_MAIN("primitives", 60, the_clock_runs, counter_instructions, no_index_no_read, scaling,
	  cstatus, tsc_without_events)
