/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * internal.h - what the library's files share. Nothing here is visible to users.
 *
 * error.c	perfctr_fail(): errno and the sentence behind perfctr_error()
 * file.c	small text files of /proc and /sys
 * info.c	the machine; sets of processors
 * memory.c	memory that does not outlive a fork
 * event.c	names of events -> struct perf_event_attr
 * nearest.c	the nearest right names to a wrong one
 * counter.c	one perf event: the only file that makes perf_events' system calls
 * group.c	events that count together
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

/* ---- info.c ---- */

/* Large enough for the kernel's largest, NR_CPUS 8192. */
#define PERFCTR_CPU_WORDS 256

/*
 * Fill words[PERFCTR_CPU_WORDS] from a file with a list such as "0-3,8". Returns the words in use,
 * 0 if there is no such list.
 */
unsigned int perfctr_cpus_file(const char *path, uint32_t *words);

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

#define PERFCTR_NAME_SIZE 128	/* of one word of an event's name */
#define PERFCTR_VARIANTS_MAX 8

struct perfctr_variant {
	struct perf_event_attr attr;
	char pmu[PERFCTR_NAME_SIZE];	/* empty: the only one */
};

/*
 * The variants of one event's name: one, or on a hybrid machine one per core PMU that has it. Their
 * number, or -1 after perfctr_fail().
 */
int perfctr_event_variants(const char *event, size_t length, struct perfctr_variant *variants);

/* ---- nearest.c ---- */

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

/* The same on processor cpu, for the threads of a cgroup, whose folder a descriptor is open on. */
int perfctr_counter_open_cgroup(struct perfctr_counter *counter, const struct perf_event_attr *attr,
				const char *name, int cgroup, int cpu,
				const struct perfctr_counter *leader, unsigned int members);

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
 * that there is no value; or 2 if it is a group no more because its processor went offline: each of
 * its events has stopped, and reads alone; or -1 after perfctr_fail(EIO).
 */
int perfctr_counter_read(const struct perfctr_counter *leader, struct perfctr_group_values *values,
			 size_t n);

/* PERF_EVENT_IOC_ENABLE, _DISABLE or _RESET for a whole group. 0, or -1 after perfctr_fail(). */
int perfctr_counter_ioctl(const struct perfctr_counter *leader, unsigned long request);

/* PERF_EVENT_IOC_ID. 0, or -1 after perfctr_fail(). */
int perfctr_counter_id(const struct perfctr_counter *counter, uint64_t *id);

/* Whether events can count a cgroup on processor cpu: 0, or -1 with errno only. */
int perfctr_cgroup_probe(int cgroup, int cpu);

/* Whether the kernel can inherit to threads alone (attr.inherit_thread, Linux 5.13). */
bool perfctr_can_inherit_thread(void);

/* ---- group.c: groups in memory that is a set's ---- */

/* Where events are opened. */
struct perfctr_scope {
	pid_t tid;	/* 0: the calling thread; -1: all of the processor */
	int cpu;	/* -1: all that the thread runs on */
	int cgroup;	/* a descriptor of its folder: only its threads; -1: none */
};

/* More flags of perfctr_group_open(). */
#define PERFCTR_GROUP_THREADS	0x10000	/* with _INHERIT: threads, but not children */
#define PERFCTR_GROUP_UNWATCHED	0x20000	/* another group tells whether the processor is offline */

/* 0, or -1 after perfctr_fail(EINVAL): these are no flags for a user. */
int perfctr_group_check(unsigned int flags);

/* Bytes for a group of n events; where they lie they must be zero. */
size_t perfctr_group_room(unsigned int n);

/*
 * Make a group, add n events one by one, and start what is to start. add and start return 0, or -1
 * after perfctr_fail(), and the group must still be ended. An ended group has no events.
 */
void perfctr_group_init(struct perfctr_group *group, const struct perfctr_scope *scope,
			unsigned int flags);
int perfctr_group_add(struct perfctr_group *group, struct perf_event_attr *attr, const char *name,
		      unsigned int n);
int perfctr_group_start(struct perfctr_group *group);
void perfctr_group_end(struct perfctr_group *group);

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
