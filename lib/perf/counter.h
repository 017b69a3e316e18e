/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* counter.h - one perf event */
#ifndef PERFCTR_LIB_PERF_COUNTER_H
#define PERFCTR_LIB_PERF_COUNTER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "lib/perf/guests.h"
#include "libperfctr.h"

struct perfctr_counter {
	int fd;			/* -1: not open */
	unsigned int slots:1;	/* of the top-down metrics */
	unsigned int metric:1;	/* a share of these */
	unsigned int no_user:1; /* modes that are not counted */
	unsigned int no_kernel:1;
	unsigned int firmware:1;	   /* counted by RISC-V's: its page is not to be believed */
	unsigned int kernel_reads:1;	   /* though there is a page */
	unsigned int instructions:1;	   /* of a control: counts each one of user mode's */
	enum perfctr_guests guests;	   /* for its group's other events */
	unsigned int size;		   /* of what is mapped, if anything is */
	struct perf_event_mmap_page *page; /* NULL: not mapped */
};

/* Where an event counts, and what for. */
struct perfctr_scope {
	pid_t tid;    /* 0: the calling thread; -1: all of the processor */
	int cpu;      /* -1: all that the thread runs on */
	int cgroup;   /* a descriptor of its directory: only its threads, and tid is -1; -1: none */
	bool sampled; /* for its records: a sampler's, or counted for one */
};

extern const struct perfctr_scope perfctr_this_thread;

static inline struct perfctr_scope perfctr_scope_thread(pid_t tid)
{
	return (struct perfctr_scope){ .tid = tid, .cpu = -1, .cgroup = -1 };
}

/*
 * Open an event, as a member of leader's group (NULL: of none), which has members events already.
 * name is for messages; attr loses what this kernel does not know and nobody must have
 * (PERFCTR_FORMAT_LOST), and guests, as far as they can be left out (guests.h). On failure nothing
 * is open, and perfctr_why_not(), or _sampled(), has told the reason; of a top-down metric also
 * EINVAL, it is not in a group of slots, or not in their modes, and EOPNOTSUPP, it is to be
 * sampled.
 */
int perfctr_counter_open(struct perfctr_counter *counter, struct perf_event_attr *attr,
			 const char *name, const struct perfctr_scope *scope,
			 const struct perfctr_counter *leader, unsigned int members);

/* The same without a sentence, and without a look at metrics: -1 with errno only. */
int perfctr_counter_try(struct perfctr_counter *counter, struct perf_event_attr *attr,
			const struct perfctr_scope *scope, const struct perfctr_counter *leader);

/*
 * Map the page of an event on the calling thread, if its count, or its clock, can be read in user
 * space. Else the counter stays without a page, which is no error.
 */
enum perfctr_page_use { PERFCTR_PAGE_COUNT, PERFCTR_PAGE_CLOCK };
bool perfctr_counter_map(struct perfctr_counter *counter, enum perfctr_page_use use);

/* Give the page back: reads go through the kernel. */
void perfctr_counter_unmap(struct perfctr_counter *counter);

/*
 * Have the overflows of a sampling event send the calling thread this signal, and map the event's
 * page with a buffer for records, of the size of the page, after it, which is overwritten, so that
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

/* What a read found. */
enum perfctr_outcome {
	PERFCTR_READ_DONE,
	PERFCTR_READ_TAKEN,	/* no values: it was pinned, and the kernel took it off the PMU */
	PERFCTR_READ_DISSOLVED, /* it is a group no more: each event has stopped, and reads alone */
	PERFCTR_READ_OVERFLOWN, /* the values at the overflow that has stopped it, but no times */
	PERFCTR_READ_FAILED,	/* after perfctr_fail(EIO) */
};

/*
 * Read a group of n events: all but _OVERFLOWN, which the kernel does not tell. A group is
 * dissolved if its processor goes offline, or its thread's execve(2) ends it (since 2026).
 */
enum perfctr_outcome perfctr_counter_read(const struct perfctr_counter *leader,
					  struct perfctr_group_values *values, size_t n);

/* PERF_EVENT_IOC_*: a leader's hold for its group. 0, or -1 after perfctr_fail(). */
int perfctr_counter_ioctl(const struct perfctr_counter *counter, unsigned long request,
			  unsigned long argument);

/* The same without perfctr_fail(). */
int perfctr_counter_request(const struct perfctr_counter *counter, unsigned long request,
			    unsigned long argument);

/* PERF_EVENT_IOC_ID. 0, or -1 after perfctr_fail(). */
int perfctr_counter_id(const struct perfctr_counter *counter, uint64_t *id);

/* Map the page, and size bytes after it, to be overwritten or not. 0, or -1 after perfctr_fail().
 */
int perfctr_counter_map_ring(struct perfctr_counter *counter, size_t size, bool overwrite);

/* Send the calling thread this signal at each overflow. 0, or -1 after perfctr_fail(). */
int perfctr_counter_signal(const struct perfctr_counter *counter, int signal);

/*
 * What read(2) returns, in whatever format: the number of words; 0 if the event was pinned and is
 * off the PMU; or -1 after perfctr_fail(EIO).
 */
#define PERFCTR_READ_WORDS (3 + 2 * PERFCTR_GROUP_MAX) /* at most */
ssize_t perfctr_counter_words(const struct perfctr_counter *leader, uint64_t *words, size_t room);

#endif /* PERFCTR_LIB_PERF_COUNTER_H */
