/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* guests.h - events count a virtual machine's guests only if they are named */
#ifndef PERFCTR_LIB_PERF_GUESTS_H
#define PERFCTR_LIB_PERF_GUESTS_H

#include <linux/perf_event.h>
#include <sys/types.h>

/* What an event without such a name came to, and its group's other events must do. */
enum perfctr_guests { PERFCTR_GUESTS_ANY, PERFCTR_GUESTS_OUT, PERFCTR_GUESTS_IN };

/*
 * By such a function, with this argument, open an event that leaves guests out if neither they nor
 * the host are named (perfctr_attr_set_guests()) and its PMU can. Some PMUs refuse to leave them
 * out, others to count them: Apple's, and all whose counters KVM's guests have for themselves
 * (mediated vPMU, Linux 7.0). guests is that of the group's leader, or _ANY, and becomes the
 * event's. attr becomes what was opened; if nothing is, it stays, and errno is that of the first
 * attempt.
 */
typedef int perfctr_opener(struct perf_event_attr *attr, const void *arg);
int perfctr_guests_open(struct perf_event_attr *attr, enum perfctr_guests *guests,
			perfctr_opener *open, const void *arg);

/* The same of an event that is only to show whether it can be opened. */
int perfctr_guests_probe(struct perf_event_attr *attr, pid_t tid, int cpu);

#endif /* PERFCTR_LIB_PERF_GUESTS_H */
