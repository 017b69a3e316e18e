/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* counter.h - one perf event */
#ifndef PERFCTR_LIB_PERF_COUNTER_H
#define PERFCTR_LIB_PERF_COUNTER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "libperfctr.h"

struct perfctr_counter {
	int fd;				   /* -1: not open */
	bool slots, metric;		   /* of the top-down metrics */
	bool kernel_reads;		   /* though there is a page */
	unsigned int size;		   /* of what is mapped, if anything is */
	struct perf_event_mmap_page *page; /* NULL: not mapped */
};

/*
 * Open an event, as a member of leader's group (NULL: of none), which has members events already.
 * name is for messages. On failure nothing is open, and perfctr_why_not() has told the reason;
 * EINVAL also for a top-down metric that is not in a group of slots.
 */
int perfctr_counter_open(struct perfctr_counter *counter, const struct perf_event_attr *attr,
			 const char *name, pid_t tid, int cpu, const struct perfctr_counter *leader,
			 unsigned int members);

/*
 * Map the page of an event on the calling thread, if its count, or its clock, can be read in user
 * space. Else the counter stays without a page, which is no error.
 */
enum perfctr_page_use { PERFCTR_PAGE_COUNT, PERFCTR_PAGE_CLOCK };
bool perfctr_counter_map(struct perfctr_counter *counter, enum perfctr_page_use use);

/* Give the page back: reads go through the kernel. */
void perfctr_counter_unmap(struct perfctr_counter *counter);

/* The same on processor cpu, for the threads of a cgroup, whose folder a descriptor is open on. */
int perfctr_counter_open_cgroup(struct perfctr_counter *counter, const struct perf_event_attr *attr,
				const char *name, int cgroup, int cpu,
				const struct perfctr_counter *leader, unsigned int members);

/*
 * Have the overflows of a sampling event send the calling thread this signal, and map the event's
 * page with a buffer for records, of the size of the page, behind it, which is overwritten, so that
 * the kernel never has to wait. 0, or -1 after perfctr_fail().
 */
int perfctr_counter_arm(struct perfctr_counter *counter, int signal);

/* Close and unmap; harmless on a counter that is not open. errno is kept. */
void perfctr_counter_close(struct perfctr_counter *counter);

/* What read.h needs. A counter without a page gets one that always says "ask the kernel". */
void perfctr_counter_reader(const struct perfctr_counter *counter, struct perfctr_reader *reader);

/* What read(2) returns for the leader of a group opened with PERFCTR_READ_FORMAT. */
#define PERFCTR_READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define PERFCTR_GROUP_MAX   64
#define PERFCTR_FORMAT_LOST 0x10u /* PERF_FORMAT_LOST, of Linux 6.0 */
struct perfctr_group_values {
	uint64_t nr;
	uint64_t enabled;
	uint64_t running;
	uint64_t values[PERFCTR_GROUP_MAX];
};

/*
 * Read a group of n events. 0; or 1 if it was pinned and the kernel had to take it off the PMU, so
 * that there is no value; or 2 if it is a group no more because its processor went offline, or its
 * thread's execve(2) has ended it (since 2026): each of its events has stopped, and reads alone; or
 * -1 after perfctr_fail(EIO).
 */
int perfctr_counter_read(const struct perfctr_counter *leader, struct perfctr_group_values *values,
			 size_t n);

/* The same for counter[n], leader first, which are read alone if they are a group no more: never 2.
 */
int perfctr_counter_read_all(const struct perfctr_counter *counter,
			     struct perfctr_group_values *values, size_t n);

/*
 * PERF_EVENT_IOC_*. A leader that is disabled, or enabled, is so for its group; others take
 * PERF_IOC_FLAG_GROUP. 0, or -1 after perfctr_fail().
 */
int perfctr_counter_ioctl(const struct perfctr_counter *counter, unsigned long request,
			  unsigned long argument);

/* The same without perfctr_fail(). */
int perfctr_counter_request(const struct perfctr_counter *counter, unsigned long request,
			    unsigned long argument);

/* PERF_EVENT_IOC_ID. 0, or -1 after perfctr_fail(). */
int perfctr_counter_id(const struct perfctr_counter *counter, uint64_t *id);

/*
 * Map a control page and size bytes behind it, to be overwritten or not. NULL after perfctr_fail().
 * Unmapping keeps errno.
 */
struct perf_event_mmap_page *perfctr_counter_map_ring(const struct perfctr_counter *counter,
						      size_t size, bool overwrite);
void perfctr_counter_unmap_ring(struct perf_event_mmap_page *page, size_t size);

/* Send the calling thread this signal at each overflow. 0, or -1 after perfctr_fail(). */
int perfctr_counter_signal(const struct perfctr_counter *counter, int signal);

/*
 * What read(2) returns, in whatever format: the number of words; 0 if the event was pinned and is
 * off the PMU; or -1 after perfctr_fail(EIO).
 */
ssize_t perfctr_counter_words(const struct perfctr_counter *leader, uint64_t *words, size_t room);

#endif /* PERFCTR_LIB_PERF_COUNTER_H */
