// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The counters that Linux lets the events of AMD family 15h have: reads event selects, and prints
 *
 *	SELECT COUNTERS
 *
 * in hexadecimal. No counter: the event is the northbridge's. fam15h.h is the part of the kernel's
 * amd/core.c that decides it; here is what it needs.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct event_constraint {
	unsigned int counters;
};

struct hw_perf_event {
	uint64_t config;
};

struct perf_event {
	struct hw_perf_event hw;
};

struct cpu_hw_events;

#define EVENT_CONSTRAINT(code, counters, mask) \
	{                                      \
		(code) + (mask) + (counters)   \
	}
#define EVENT_CONSTRAINT_OVERLAP(code, counters, mask) EVENT_CONSTRAINT(code, counters, mask)
#define ARCH_PERFMON_EVENTSEL_UMASK		       0xFF00
#define hweight_long(x)				       __builtin_popcountll(x)

static struct event_constraint emptyconstraint;

static unsigned int amd_get_event_code(const struct hw_perf_event *hw)
{
	return (hw->config & 0xFF) | (hw->config >> 24 & 0xF00);
}

#include "fam15h.h"

int main(void)
{
	struct perf_event event;

	while (scanf("%" SCNx64, &event.hw.config) == 1)
		printf("%" PRIx64 " %x\n", event.hw.config,
		       amd_get_event_constraints_f15h(NULL, 0, &event)->counters);
	return ferror(stdout) || fflush(stdout);
}
