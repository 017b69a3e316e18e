/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sys.h - perf_event_open(2) */
#ifndef PERFCTR_LIB_PERF_SYS_H
#define PERFCTR_LIB_PERF_SYS_H

#include <linux/perf_event.h>
#include <sys/types.h>

/* perf_event_open(2), close-on-exec, and closed in a child of fork(3): a descriptor, or -1 with
 * errno only. */
int perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);

/* The same for the threads of a cgroup, whose folder a descriptor is open on, on processor cpu. */
int perfctr_event_open_cgroup(const struct perf_event_attr *attr, int cgroup, int cpu,
			      int group_fd);

#endif /* PERFCTR_LIB_PERF_SYS_H */
