/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sys.h - perf_event_open(2) */
#ifndef PERFCTR_LIB_PERF_SYS_H
#define PERFCTR_LIB_PERF_SYS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/*
 * Calls perf_event_open(2); the descriptor is close-on-exec, and closed in a child of fork(3). A
 * descriptor, or -1 with errno only.
 */
int perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);

/*
 * Does the same for the threads of a cgroup on processor cpu; cgroup is a descriptor of its
 * directory.
 */
int perfctr_event_open_cgroup(const struct perf_event_attr *attr, int cgroup, int cpu,
			      int group_fd);

/*
 * Does the same for a program that closes no descriptor of the library's; flags: 0, or
 * PERF_FLAG_PID_CGROUP if tid is that descriptor.
 */
int perfctr_event_open_kept(const struct perf_event_attr *attr, int tid, int cpu, int group_fd,
			    unsigned long flags);

/* An event of the kernel's own, in user mode only, which is opened disabled. */
static inline struct perf_event_attr perfctr_attr_user(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

/*
 * These are defer_callchain and defer_output, bits 38 and 39 of the attr's flags, which have no
 * names in headers up to Linux 6.18. The flags are after read_format.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PERFCTR_ATTR_DEFER (UINT64_C(3) << 38)
#else
#define PERFCTR_ATTR_DEFER (UINT64_C(3) << (63 - 39))
#endif

static inline void perfctr_attr_defer(struct perf_event_attr *attr)
{
	char *flags = (char *)attr + offsetof(struct perf_event_attr, read_format) + 8;
	uint64_t word;

	memcpy(&word, flags, sizeof(word));
	word |= PERFCTR_ATTR_DEFER;
	memcpy(flags, &word, sizeof(word));
}

static inline bool perfctr_attr_is_deferred(const struct perf_event_attr *attr)
{
	uint64_t word;

	memcpy(&word, (const char *)attr + offsetof(struct perf_event_attr, read_format) + 8,
	       sizeof(word));
	return (word & PERFCTR_ATTR_DEFER) != 0;
}

#endif /* PERFCTR_LIB_PERF_SYS_H */
