/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attr.h - events of the processors' tables in perf_events' terms */
#ifndef PERFCTR_LIB_ISA_ATTR_H
#define PERFCTR_LIB_ISA_ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/* As large as the largest control; its words are 32 bits wide in all ISAs. */
enum { PERFCTR_CONTROL_WORDS = 256 };

struct perfctr_cpu;
struct perfctr_code;
struct perfctr_event_choice;

/*
 * Translates a control's words for an event into perf_events' terms. Whether perf_events can count
 * so; the attr's type is set, too.
 */
bool perfctr_code_attr(const struct perfctr_cpu *cpu, const struct perfctr_code *code,
		       struct perf_event_attr *attr);

/* Why perf_events can't count an event that the processor can; NULL: it can, or it says so. */
const char *perfctr_code_refused(const struct perfctr_cpu *cpu, const struct perfctr_code *code);

/*
 * Does the same for an event from the table of cpu, by the words that a control would have. 0, or
 * -1 after perfctr_fail(EOPNOTSUPP).
 */
int perfctr_event_attr(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice,
		       const char *word, size_t length, struct perf_event_attr *attr);

/*
 * Sets the modes that the event names: guests of a virtual machine, the host, both or neither.
 * perf_events calls each alone excluding the other. Both are stored as both excluded, which no
 * event wants, until the event is opened (lib/perf/guests.h) or shown.
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

/* This is PERF_COUNT_SW_CGROUP_SWITCHES of Linux 5.13. */
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

/* Fails: the processor can't count the event, for a reason that arch/ gives. Returns -1. */
int perfctr_fail_choice(const struct perfctr_cpu *cpu, const char *names, size_t length,
			const char *reason);

#endif /* PERFCTR_LIB_ISA_ATTR_H */
