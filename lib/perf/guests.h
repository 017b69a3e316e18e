/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* guests.h - events count a virtual machine's guests only if they name them */
#ifndef PERFCTR_LIB_PERF_GUESTS_H
#define PERFCTR_LIB_PERF_GUESTS_H

#include <linux/perf_event.h>
#include <sys/types.h>

/* The result for an event that names neither, which its group's other events must follow. */
enum perfctr_guests { PERFCTR_GUESTS_ANY, PERFCTR_GUESTS_OUT, PERFCTR_GUESTS_IN };

/*
 * Opens an event by the function given, with this argument. The event leaves guests out if it names
 * neither them nor the host (perfctr_attr_set_guests()) and its PMU can. Some PMUs refuse to leave
 * them out, others to count them: Apple's, and all PMUs whose counters KVM's guests have to
 * themselves (mediated vPMU, Linux 7.0). guests is that of the group's leader, or _ANY, and becomes
 * the event's. On success attr is the one that was opened; on failure it is unchanged, and errno is
 * that of the first attempt.
 */
typedef int perfctr_opener(struct perf_event_attr *attr, const void *arg);
int perfctr_guests_open(struct perf_event_attr *attr, enum perfctr_guests *guests,
			perfctr_opener *open, const void *arg);

/* Does the same for an event that only shows whether it can be opened. */
int perfctr_guests_probe(struct perf_event_attr *attr, pid_t tid, int cpu);

#endif /* PERFCTR_LIB_PERF_GUESTS_H */
