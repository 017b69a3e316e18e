/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * internal.h - what the library's files share. Nothing here is visible to users.
 *
 * error.c	perfctr_fail(): errno and the sentence behind perfctr_error()
 * file.c	small text files of /proc and /sys
 * memory.c	memory that does not outlive a fork
 * event.c	names of events -> struct perf_event_attr
 * nearest.c	the nearest right names to a wrong one
 * counter.c	one perf event: the only file that makes perf_events' system calls
 * overflow.c	overflow signals: i-mode counters over perf_events
 * reading.c	counts and their quality
 * why.c	why an event could not be opened, in a sentence
 * clock.c	the virtual TSC where the kernel is perf_events
 * cpu.c	this machine's processor; controls -> struct perf_event_attr
 * table.c	the processors' own events
 */
#ifndef PERFCTR_INTERNAL_H
#define PERFCTR_INTERNAL_H

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include "libperfctr.h"
#include "perfctr/read.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The major halves of an ABI version, of the API and of the structures, are this library's. */
static inline bool perfctr_abi_is_ours(unsigned int abi_version)
{
	return ((abi_version ^ PERFCTR_ABI_VERSION) & 0xFF00FF00) == 0;
}

/* ---- error.c ---- */

/* Set errno to error and perfctr_error() to the formatted sentence; return -1. */
int perfctr_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* ---- file.c ---- */

/*
 * Read the text file at the absolute path into buffer, NUL-terminated, without trailing white
 * space. Returns its length, or -1 with errno (EFBIG: it does not fit), without perfctr_error().
 * In tests the environment variable PERFCTR_ROOT names a folder that stands in for /.
 */
ssize_t perfctr_file_read(const char *path, char *buffer, size_t size);

/* Read one decimal number. 0, or -1 with errno (EINVAL: not a number). */
int perfctr_file_number(const char *path, long *number);

/* opendir(3) at the absolute path. */
DIR *perfctr_file_dir(const char *path);

/* ---- memory.c ---- */

/*
 * size zeroed bytes that a child of fork() finds zeroed again (Linux 4.14 and later): what they
 * describe, mapped pages above all, stays with the parent. NULL after perfctr_fail(ENOMEM).
 */
void *perfctr_memory_map(size_t size);
void perfctr_memory_unmap(void *memory, size_t size);

/* Its address is the calling thread's own: different for all threads that live. */
extern _Thread_local char perfctr_thread_mark
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* ---- event.c ---- */

/*
 * Find the first event in a comma-separated list, where commas between slashes separate nothing.
 * Returns its length (0: the list is empty) and moves *list behind it and its comma. Returns -1
 * after perfctr_fail(EINVAL) if an event is empty or a slash is not closed.
 */
ssize_t perfctr_event_next(const char **list, const char **event);

/*
 * Fill in attr (type, config*, exclude_*; all else zero; size set) from one event's name. Returns 0
 * or fails as perfctr_event_check() does.
 */
int perfctr_event_parse(const char *event, size_t length, struct perf_event_attr *attr);

/* ---- nearest.c ---- */

#define PERFCTR_NAME_SIZE 128	/* of one word of an event's name */
#define PERFCTR_NEAREST 3
#define PERFCTR_NEAREST_TEXT (PERFCTR_NEAREST * PERFCTR_NAME_SIZE + 32)

/* Collects the names that are nearest to a word; begin with word and length, and all else zero. */
struct perfctr_nearest {
	const char *word;
	size_t length;
	unsigned int distance[PERFCTR_NEAREST];
	char name[PERFCTR_NEAREST][PERFCTR_NAME_SIZE];	/* empty: none */
};

void perfctr_nearest_note(struct perfctr_nearest *near, const char *word);

/* "; did you mean a, b or c?", put into text; or the remedy if nothing is near. */
const char *perfctr_nearest_text(const struct perfctr_nearest *near, const char *remedy, char *text,
				 size_t size);

/* ---- counter.c ---- */

struct perfctr_counter {
	int fd;					/* -1: not open */
	unsigned int size;			/* of what is mapped, if anything is */
	struct perf_event_mmap_page *page;	/* NULL: not mapped */
};

/* perf_event_open(2), close-on-exec: a descriptor, or -1 with errno only. */
int perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);

/*
 * Open an event, as a member of leader's group (NULL: of none), which has members events already.
 * name is for messages. On failure nothing is open, and perfctr_why_not() has told the reason.
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

/*
 * Have the overflows of a sampling event send thread tid (0: the calling one) the signal signo,
 * and map the event's page with a buffer for records, of the size of the page, behind it. name is
 * for messages. 0, or -1 after perfctr_fail() (EPERM, ENOMEM: no memory may be locked).
 */
int perfctr_counter_arm(struct perfctr_counter *counter, const char *name, pid_t tid, int signo);

/* Close and unmap; harmless on a counter that is not open. errno is kept. */
void perfctr_counter_close(struct perfctr_counter *counter);

/* What read.h needs. A counter without a page gets one that always says "ask the kernel". */
void perfctr_counter_reader(const struct perfctr_counter *counter, struct perfctr_reader *reader);

/* What read(2) returns for the leader of a group opened with PERFCTR_READ_FORMAT. */
#define PERFCTR_READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define PERFCTR_GROUP_MAX 64
struct perfctr_group_values {
	uint64_t nr;
	uint64_t enabled;
	uint64_t running;
	uint64_t values[PERFCTR_GROUP_MAX];
};

/*
 * Read a group of n events. 0; or 1 if it was pinned and the kernel had to take it off the PMU, so
 * that there is no value; or -1 after perfctr_fail(EIO).
 */
int perfctr_counter_read(const struct perfctr_counter *leader, struct perfctr_group_values *values,
			 size_t n);

/*
 * PERF_EVENT_IOC_*. A leader that is disabled, or enabled, is so for its group; others take
 * PERF_IOC_FLAG_GROUP. 0, or -1 after perfctr_fail().
 */
int perfctr_counter_ioctl(const struct perfctr_counter *counter, unsigned long request,
			  unsigned long argument);

/* ---- overflow.c ---- */

/* A group of events whose first are in i-mode, between one start and the next. */
struct perfctr_overflow {
	unsigned int nr;		/* of i-mode events; 0: nothing else matters */
	unsigned int n;			/* of all events */
	struct {
		uint64_t seen;		/* where the records of its buffer begin that are news */
		uint64_t due;		/* the count at which the kernel lets it overflow next */
		uint64_t period;	/* the kernel's */
	} event[PERFCTR_NR_CTRS];
};

/* As much of it as has a meaning. */
static inline void perfctr_overflow_copy(struct perfctr_overflow *to,
					 const struct perfctr_overflow *from)
{
	memcpy(to, from,
	       offsetof(struct perfctr_overflow, event) + from->nr * sizeof(from->event[0]));
}

/* Prepare for a new group, whose i-mode events overflow after ireset[]. */
void perfctr_overflow_init(struct perfctr_overflow *overflow, unsigned int nr, unsigned int n,
			   const int *ireset);

/* The set of events that may overflow again, once each, and the group itself, start. 0, or -1. */
int perfctr_overflow_start(const struct perfctr_overflow *overflow,
			   const struct perfctr_counter *counter, unsigned int again);

/*
 * Has any event overflowed since? Then these are the counts of all n events at the first
 * overflow; *reached is the set of events that had reached the end of their period then, and
 * *stopped that of those that the kernel has stopped at overflows of their own.
 * Async-signal-safe, without a system call.
 */
bool perfctr_overflow_find(const struct perfctr_overflow *overflow,
			   const struct perfctr_counter *counter, uint64_t *values,
			   unsigned int *reached, unsigned int *stopped);

/*
 * Stop what still counts of a group that has overflowed, and prepare its events for going on from
 * the first overflow's counts: *next replaces *overflow, missed[n] is what was counted since,
 * *again is for perfctr_overflow_start(). 0; 1 if nothing has overflowed; or -1 after
 * perfctr_fail().
 */
int perfctr_overflow_renew(const struct perfctr_overflow *overflow,
			   const struct perfctr_counter *counter, const int *ireset,
			   struct perfctr_overflow *next, uint64_t *values, uint64_t *missed,
			   unsigned int *again);

/* ---- reading.c ---- */

/* What the times of a running event say about its count. */
enum perfctr_quality perfctr_quality_of(uint64_t enabled, uint64_t running);

/* ---- why.c ---- */

/*
 * Turn perf_event_open(2)'s error for an event into this library's errno and sentence; return -1.
 * members is the number of events already in its group.
 */
int perfctr_why_not(int error, const struct perf_event_attr *attr, const char *name, pid_t tid,
		    unsigned int members);

/* perfctr_fail(EBUSY): the counters called what ("the counters", a name) were taken away. */
int perfctr_why_taken(const char *what);

/* perfctr_fail(EOPNOTSUPP): why a counter that counts can't be read in user space. */
int perfctr_why_no_reader(void);

/* The reason for which there is no core PMU, as a clause; NULL if there is one. */
const char *perfctr_no_pmu(void);

/* ---- clock.c: the virtual TSC of the perf provider ---- */

/* Ticks per ns as a fixed-point number with 60 bits behind the point. */
struct perfctr_rate {
	uint64_t ticks_per_ns;
};
struct perfctr_rate perfctr_rate_from_khz(uint64_t khz);
struct perfctr_rate perfctr_rate_from_page(uint32_t mult, unsigned int shift);
uint64_t perfctr_rate_ticks(struct perfctr_rate rate, uint64_t ns);

/* Frequency of the clock that perfctr_rdtsc() reads; 1000000 (ns) if there is none. */
uint64_t perfctr_tsc_khz(void);

struct perfctr_clock {
	struct perfctr_counter event;	/* its page has the clock; not open if there is none */
	struct perfctr_rate rate;
	pid_t tid;			/* whose thread */
};

/* Open the calling thread's clock. Always possible. */
void perfctr_clock_open(struct perfctr_clock *clock);
void perfctr_clock_close(struct perfctr_clock *clock);

/*
 * Ticks for which the clock's thread has run, from some start. own: the caller is that thread. 0 and
 * *ticks, or -1 after perfctr_fail(ESRCH) if the thread has ended.
 */
int perfctr_clock_read(const struct perfctr_clock *clock, bool own, uint64_t *ticks);

/* ---- cpu.c ---- */

/* Set info's cpu_type: generic if the kernel has no PMU for it. */
void perfctr_cpu_info(struct perfctr_info *info);

/* This machine's processor, as it says itself, and the table of its events (NULL: none). */
struct perfctr_cpu;
struct perfctr_event_table;
const struct perfctr_cpu *perfctr_this_cpu(void);
const struct perfctr_event_table *perfctr_this_table(void);

/* What a look-up in the table found, in perf_events' terms. 0, or -1 after perfctr_fail(). */
struct perfctr_event_choice;
int perfctr_choice_attr(const struct perfctr_event_choice *choice, const char *word, size_t length,
			struct perf_event_attr *attr);

/* ---- table.c ---- */

/*
 * As perfctr_event_parse(), from the table of this machine's processor. 1: found; 0: no event begins
 * so; -1 after perfctr_fail().
 */
int perfctr_table_parse(const char *word, size_t length, struct perf_event_attr *attr);

/*
 * The event that counter i of a checked control counts. 0, or -1 after perfctr_fail(EOPNOTSUPP) if
 * perf_events can't express it. name is for messages, at least 32 bytes.
 */
int perfctr_control_attr(const struct perfctr_cpu_control *control, unsigned int i,
			 struct perf_event_attr *attr, char *name, size_t size);

#endif /* PERFCTR_INTERNAL_H */
