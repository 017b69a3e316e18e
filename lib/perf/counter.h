/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* counter.h - one perf event */
#ifndef PERFCTR_LIB_PERF_COUNTER_H
#define PERFCTR_LIB_PERF_COUNTER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "lib/base/call.h"
#include "lib/base/descriptor.h"
#include "lib/perf/guests.h"
#include "libperfctr.h"
#include "perfctr/read.h"

struct perfctr_counter {
	int fd;			 /* -1: not open */
	unsigned int software:1; /* the kernel's own, which needs no counter of a PMU */
	unsigned int slots:1;	 /* the event "slots" of the top-down metrics */
	unsigned int metric:1;	 /* one of these metrics, a share of the slots */
	unsigned int no_user:1;	 /* not counted in this mode */
	unsigned int no_kernel:1;
	unsigned int firmware:1;     /* counted by RISC-V's firmware: its page is wrong */
	unsigned int kernel_reads:1; /* although there is a page */
	unsigned int types:1;	     /* the event is open on other core types, too */
	unsigned int instructions:1; /* in a control: it counts each instruction of user mode */
	unsigned int guests:2;	     /* for its group's other events: enum perfctr_guests */
	uint32_t identity;	     /* of the descriptor: see descriptor.h; 0: not known */
	unsigned int size;	     /* size of the mapping, if there is one */
	struct perf_event_mmap_page *page; /* NULL: not mapped */
};

/* Where an event counts, and whether it is sampled. */
struct perfctr_scope {
	pid_t tid;    /* 0: the calling thread; -1: all threads on the processor */
	int cpu;      /* -1: any processor */
	int cgroup;   /* a descriptor of the directory whose threads alone are counted, with tid -1;
			 -1: none */
	bool sampled; /* belongs to a sampler, or is counted for one */
	bool types;   /* the same event is open on other core types, too */
	bool kept;    /* the program closes no descriptor of the library's */
};

extern const struct perfctr_scope perfctr_this_thread;

static inline struct perfctr_scope perfctr_scope_thread(pid_t tid)
{
	return (struct perfctr_scope){ .tid = tid, .cpu = -1, .cgroup = -1 };
}

/*
 * Opens an event, as a member of leader's group (NULL: none), which has "members" events already.
 * name is for messages. The attr loses bits that this kernel does not know and that are not
 * essential (PERFCTR_FORMAT_LOST), and guests, as far as they can be left out (guests.h). On
 * failure nothing is open, and perfctr_why_not(), or _sampled(), has told the reason; a top-down
 * metric also fails with EINVAL if it is not in a group of slots, or not in their modes, and with
 * EOPNOTSUPP if it is to be sampled.
 */
int perfctr_counter_open(struct perfctr_counter *counter, struct perf_event_attr *attr,
			 const char *name, const struct perfctr_scope *scope,
			 const struct perfctr_counter *leader, unsigned int members);

/* Does the same without a sentence, and without checking metrics: -1 with errno only. */
int perfctr_counter_try(struct perfctr_counter *counter, struct perf_event_attr *attr,
			const struct perfctr_scope *scope, const struct perfctr_counter *leader);

/*
 * Maps the page of an event on the calling thread, if its count, or its clock, can be read in user
 * space. Otherwise the counter stays without a page, which is no error.
 */
enum perfctr_page_use { PERFCTR_PAGE_COUNT, PERFCTR_PAGE_CLOCK };
bool perfctr_counter_map(struct perfctr_counter *counter, enum perfctr_page_use use);

/* Unmaps the page: reads go through the kernel from now on. */
void perfctr_counter_unmap(struct perfctr_counter *counter);

/*
 * Lets the overflows of a sampling event send the calling thread this signal, and maps the event's
 * page and, after it, a buffer of the same size for records, which is overwritten, so that the
 * kernel never has to wait. 0, or -1 after perfctr_fail().
 */
int perfctr_counter_arm(struct perfctr_counter *counter, int signal);

/*
 * Close and unmap; harmless on a counter that is not open. end() stops it first, and asks once for
 * both. errno is kept.
 */
void perfctr_counter_close(struct perfctr_counter *counter);
void perfctr_counter_end(struct perfctr_counter *counter);

/* Does the same for a kept one, whose descriptor is closed together with the run's others. */
void perfctr_counter_close_in(struct perfctr_counter *counter, struct perfctr_descriptor_run *run);

/*
 * Whether the descriptor is still the event's own. Each call below that makes a system call on it
 * asks first, and fails with ESTALE if the program has closed it; the event is never closed in
 * another file's place. Not so if it is kept: its owner knows that nobody closes it.
 */
static inline bool perfctr_counter_is_kept(const struct perfctr_counter *counter)
{
	return counter->identity == PERFCTR_DESCRIPTOR_KEPT;
}

static inline bool perfctr_counter_is_own(const struct perfctr_counter *counter)
{
	return perfctr_counter_is_kept(counter) || !counter->identity ||
	       perfctr_descriptor_is(counter->fd, counter->identity);
}

/* 0, or -1 after perfctr_fail(ESTALE) if the program has closed the descriptor. */
int perfctr_counter_check(const struct perfctr_counter *counter);

/*
 * Fills in a reader for read.h. A counter without a page gets one that always says "ask the
 * kernel".
 */
void perfctr_counter_reader(const struct perfctr_counter *counter, struct perfctr_reader *reader);

/* The data that read(2) returns for the leader of a group opened with PERFCTR_READ_FORMAT. */
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

/* The result of a read. */
enum perfctr_outcome {
	PERFCTR_READ_DONE,
	PERFCTR_READ_TAKEN,	 /* no values: it was pinned, and the kernel took it off the PMU */
	PERFCTR_READ_DISSOLVED,	 /* it is no longer a group: each event has stopped, and is read
				    alone */
	PERFCTR_READ_OVERFLOWED, /* the values at the overflow that has stopped it, but no times */
	PERFCTR_READ_FAILED,	 /* after perfctr_fail(EIO) */
};

/*
 * Reads a group of n events. All results but _OVERFLOWN are possible, which the kernel does not
 * tell. A group is dissolved if its processor goes offline, or if its thread's execve(2) ends it
 * (since 2026).
 */
enum perfctr_outcome perfctr_counter_read(const struct perfctr_counter *leader,
					  struct perfctr_group_values *values, size_t n);

/*
 * Make a request PERF_EVENT_IOC_*; a leader's goes to its group. 0, or -1 after perfctr_fail(). The
 * first one comes right after another call on the counter, and does not ask again whether the
 * descriptor is the event's: the question would be counted.
 */
int perfctr_counter_ioctl_at_once(const struct perfctr_counter *counter, unsigned long request,
				  unsigned long argument);
int perfctr_counter_ioctl(const struct perfctr_counter *counter, unsigned long request,
			  unsigned long argument);

/* Does the same without perfctr_fail(): -1 with errno only. Async-signal-safe. */
int perfctr_counter_request(const struct perfctr_counter *counter, unsigned long request,
			    unsigned long argument);

/* How often perfctr_enable_all() has started events that were stopped one by one. */
unsigned int perfctr_counter_starts(void);

/* Gets the event's id (PERF_EVENT_IOC_ID). 0, or -1 after perfctr_fail(). */
int perfctr_counter_id(const struct perfctr_counter *counter, uint64_t *id);

/*
 * Maps the page, and size bytes after it, to be overwritten or not. 0, or -1 after perfctr_fail().
 */
int perfctr_counter_map_ring(struct perfctr_counter *counter, size_t size, bool overwrite);

/* Sends the calling thread this signal at each overflow. 0, or -1 after perfctr_fail(). */
int perfctr_counter_signal(const struct perfctr_counter *counter, int signal);

/*
 * Calls read(2), in any format. Returns the number of words; 0 if the event was pinned and is off
 * the PMU; or -1 after perfctr_fail(EIO).
 */
#define PERFCTR_READ_WORDS (3 + 2 * PERFCTR_GROUP_MAX) /* at most */
ssize_t perfctr_counter_words(const struct perfctr_counter *leader, uint64_t *words, size_t room);

/* Does the same right after another call on the counter. */
ssize_t perfctr_counter_words_at_once(const struct perfctr_counter *leader, uint64_t *words,
				      size_t room);

#endif /* PERFCTR_LIB_PERF_COUNTER_H */
