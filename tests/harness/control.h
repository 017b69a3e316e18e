/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * control.h - controls that the made-up PMU counts: in user mode, the first of these events; of the
 * nth one there are control_rates[n] in a unit of work. None counts instructions, of which the
 * library leaves out its own (lib/perf/edge.h): the made-up PMU does not count them.
 */
#ifndef PERFCTR_TESTS_CONTROL_H
#define PERFCTR_TESTS_CONTROL_H

#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "pmu.h"

#ifndef PERFCTR_ABI_POWERPC_H /* which perf_events can't count */

#if defined(__i386__) || defined(__x86_64__)
#define CONTROL_EVNTSEL	   0x00410000u /* enabled, user mode */
#define CONTROL_INTERRUPTS 0x00100000u
static const uint32_t control_codes[] = { 0xC4, 0x3C, 0x4F2E, 0xC5 };
#else
#ifdef __aarch64__
#define CONTROL_EVNTSEL 0x80000000u /* not in the kernel */
#else
#define CONTROL_EVNTSEL 0u
#endif
#define CONTROL_INTERRUPTS 0u
static const uint32_t control_codes[] = { 0x13, 0x11, 0x10, 0x12 };
#endif
#ifdef __riscv
#define CONTROL_FIRST 3 /* those below count other things */
#else
#define CONTROL_FIRST 0
#endif
static const unsigned int control_rates[ARRAY_SIZE(control_codes)] = { 1, 2, 3, 5 };

/* To be called after pmu_begin(). */
static inline void control_set_rates(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(control_codes); i++)
		pmu_rate(control_codes[i], control_rates[i]);
}

/* With the TSC; i-mode counters lack their ireset. */
static inline struct perfctr_cpu_control control_make(unsigned int nractrs, unsigned int nrictrs)
{
	struct perfctr_cpu_control control;
	unsigned int i;

	memset(&control, 0, sizeof(control));
	control.tsc_on = 1;
	control.nractrs = nractrs;
	control.nrictrs = nrictrs;
	for (i = 0; i < nractrs + nrictrs; i++) {
		control.pmc_map[i] = i + CONTROL_FIRST;
		control.evntsel[i] = CONTROL_EVNTSEL | control_codes[i] |
				     (i >= nractrs ? CONTROL_INTERRUPTS : 0);
#ifdef __riscv
		control.evntsel_high[i] = 0x20000000; /* SINH: not in the kernel */
#endif
	}
	return control;
}

#endif

#endif /* PERFCTR_TESTS_CONTROL_H */
