/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attr.h - events of the processors' tables in perf_events' terms */
#ifndef PERFCTR_LIB_ISA_ATTR_H
#define PERFCTR_LIB_ISA_ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

struct perfctr_cpu;
struct perfctr_code;
struct perfctr_event_choice;

/*
 * What the words of a control say of an event, in perf_events' terms. Whether perf_events can count
 * so; it has set the attr's type, too.
 */
bool perfctr_code_attr(const struct perfctr_cpu *cpu, const struct perfctr_code *code,
		       struct perf_event_attr *attr);

/* Why perf_events can't count an event that the processor can; NULL: it can, or it says so. */
const char *perfctr_code_refused(const struct perfctr_cpu *cpu, const struct perfctr_code *code);

/*
 * The same of what a look-up in the table of cpu found, by the words that a control would have. 0,
 * or -1 after perfctr_fail(EOPNOTSUPP).
 */
int perfctr_event_attr(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice,
		       const char *word, size_t length, struct perf_event_attr *attr);

/*
 * Guests of a virtual machine, the host, both or neither was named. Each alone is what perf_events
 * calls excluding the other. Both are both excluded, which nobody wants, until the event is opened
 * (lib/perf/guests.h) or told.
 */
static inline void perfctr_attr_set_guests(struct perf_event_attr *attr, bool guests, bool host)
{
	attr->exclude_host = guests;
	attr->exclude_guest = host;
}

static inline bool perfctr_attr_names_both(const struct perf_event_attr *attr)
{
	return attr->exclude_host && attr->exclude_guest;
}

/* Linux 5.13's PERF_COUNT_SW_CGROUP_SWITCHES. */
#define PERFCTR_SW_CGROUP_SWITCHES 11

/* It happens in kernel mode only. */
static inline bool perfctr_attr_is_kernels(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		attr->config == PERFCTR_SW_CGROUP_SWITCHES);
}

/* Does a raw event count each instruction in user mode once, and perhaps others? */
bool perfctr_attr_counts_instructions(const struct perfctr_cpu *cpu,
				      const struct perf_event_attr *attr);

/* The processor can't count what was asked for, for a reason of arch/. -1, after perfctr_fail(). */
int perfctr_fail_choice(const struct perfctr_cpu *cpu, const char *names, size_t length,
			const char *reason);

#endif /* PERFCTR_LIB_ISA_ATTR_H */
