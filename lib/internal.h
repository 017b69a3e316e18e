/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * internal.h - what the library's files share. Nothing here is visible to users.
 *
 * error.c	perfctr_fail(): errno and the sentence behind perfctr_error()
 * info.c	the processors that are online
 * file.c	small text files of /proc and /sys
 * memory.c	memory that does not outlive a fork
 * pmu.c	the core PMUs of this machine
 * event.c	names of events -> struct perf_event_attr
 * nearest.c	the nearest right names to a wrong one
 * counter.c	one perf event: the only file that makes perf_events' system calls
 * group.c	events that count together
 * overflow.c	overflows: i-mode counters over perf_events
 * signal.c	their signals
 * reading.c	counts and their quality
 * ring.c	the buffer that the kernel writes records into
 * record.c	their bytes -> struct perfctr_record
 * why.c	why an event could not be opened, in a sentence
 * clock.c	the virtual TSC where the kernel is perf_events
 * cpuid.c	the words that an x86 is identified by
 * cpu.c	this machine's processor; controls -> struct perf_event_attr
 * table.c	the processors' own events
 */
#ifndef PERFCTR_INTERNAL_H
#define PERFCTR_INTERNAL_H

#include <dirent.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include "libperfctr.h"
#include "perfctr/read.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * A word that its thread changes while others may read it, under a sequence count that tells them
 * to begin again. A processor of 32 bits has it in halves: not all have larger atomic words.
 */
#if __SIZEOF_LONG__ == 8
static inline uint64_t perfctr_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void perfctr_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}
#else
typedef uint32_t __attribute__((may_alias)) perfctr_half;

static inline uint64_t perfctr_load(const uint64_t *word)
{
	const perfctr_half *from = (const perfctr_half *)word;
	uint64_t value;
	perfctr_half *to = (perfctr_half *)&value;

	to[0] = __atomic_load_n(&from[0], __ATOMIC_RELAXED);
	to[1] = __atomic_load_n(&from[1], __ATOMIC_RELAXED);
	return value;
}

static inline void perfctr_store(uint64_t *word, uint64_t value)
{
	const perfctr_half *from = (const perfctr_half *)&value;
	perfctr_half *to = (perfctr_half *)word;

	__atomic_store_n(&to[0], from[0], __ATOMIC_RELAXED);
	__atomic_store_n(&to[1], from[1], __ATOMIC_RELAXED);
}
#endif

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

#define PERFCTR_NAME_SIZE 128 /* of one word of an event's name, or of a folder's entry */

/* Letters, digits, '_', '-' and '.', the last not in front: such a word is safe in a path. */
bool perfctr_file_is_word(const char *text, size_t length);

/*
 * Call each() with the words that are entries of the folder, until it returns non-zero; return
 * that.
 */
int perfctr_file_walk(const char *path, int (*each)(void *arg, const char *entry), void *arg);

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

/* ---- info.c ---- */

/* 0, or -1 after perfctr_fail(EINVAL) if there is no such processor online now. */
int perfctr_cpu_online(unsigned int cpu);

/* ---- pmu.c ---- */

#define PERFCTR_DEVICES "/sys/bus/event_source/devices"

/* How many kinds of cores a machine may have. */
#define PERFCTR_VARIANTS_MAX 8

/* The PMU of one kind of core. */
struct perfctr_pmu {
	char name[PERFCTR_NAME_SIZE];
	uint32_t type; /* struct perf_event_attr's; UINT32_MAX: the file makes no sense */
};

/*
 * The core PMUs of this machine by type, which is the order in which the kernel made them: the
 * P-cores' first. Their number: 0 if sysfs shows none, more than one on a hybrid machine. -1 after
 * perfctr_fail(EOPNOTSUPP) if there are more than PERFCTR_VARIANTS_MAX; EMFILE, ENFILE if it
 * can't be known.
 */
int perfctr_core_pmus(struct perfctr_pmu *pmus);

/* The text of the PMU's list of processors, such as "0-3,8"; "" if there is none. */
void perfctr_pmu_cpus(const struct perfctr_pmu *pmu, char *text, size_t size);
bool perfctr_pmu_has_cpu(const struct perfctr_pmu *pmu, unsigned int cpu);

/* Large enough for the kernel's largest set of processors, its largest NR_CPUS. */
#define PERFCTR_MAX_CPUS  8192
#define PERFCTR_CPU_WORDS (PERFCTR_MAX_CPUS / 32)

/*
 * Fill words from a list such as "0-3,8,10-11". Returns the words in use, 0 if it is no such list.
 */
unsigned int perfctr_cpus_parse(const char *list, uint32_t *words);

/*
 * Whether the PMU of this type counts for more than a processor, as one of a package does: then it
 * has a file `cpumask`, of those that its events are to be opened on. words are set to it: to none
 * if it makes no sense.
 */
bool perfctr_cpumask(uint32_t type, uint32_t *words);

/*
 * Whether the calling thread may run on more than one kind of core: a hybrid machine, and not
 * bound.
 */
bool perfctr_may_change_kind(void);

/*
 * Intel's top-down metrics: event 0 with unit mask 80H or more is a byte of the register
 * PERF_METRICS, a share of what the event slots counts. The kernel makes a count of it, but only
 * in a group that slots leads and only in read(2); RDPMC of its index would return the whole
 * register.
 */
bool perfctr_event_is_metric(const struct perf_event_attr *attr);
bool perfctr_event_is_slots(const struct perf_event_attr *attr);

/* ---- event.c ---- */

/*
 * Find the first event in a comma-separated list, where commas between slashes separate nothing.
 * Returns its length (0: the list is empty) and moves *list behind it and its comma. Returns -1
 * after perfctr_fail(EINVAL) if an event is empty or a slash is not closed.
 */
ssize_t perfctr_event_next(const char **list, const char **event);

/*
 * Fill in attr (type, config*, exclude_*; all else zero; size set) from one event's name. Returns 0
 * or fails as perfctr_event_check() does. For an event to be sampled, its modifier p sets
 * precise_ip.
 */
int perfctr_event_parse(const char *event, size_t length, struct perf_event_attr *attr);
int perfctr_event_parse_sampled(const char *event, size_t length, struct perf_event_attr *attr);

/*
 * What one event's name means on each kind of core. The kernel puts an event on one PMU: on a
 * hybrid machine an event that is to be counted wherever the thread runs is one per core PMU,
 * summed.
 */
struct perfctr_variant {
	struct perf_event_attr attr;
	char pmu[PERFCTR_NAME_SIZE]; /* its core PMU on a hybrid machine; else empty */
};

/*
 * The variants of one event's name: one, or on a hybrid machine one per core PMU that has it, in
 * the order of perfctr_core_pmus(). A software event, a tracepoint and the event of a PMU that is
 * named have one. Their number, at most PERFCTR_VARIANTS_MAX, or -1 after perfctr_fail(): as
 * perfctr_event_check(), and ENOENT if no core PMU has the event, EOPNOTSUPP if there are too many
 * kinds of cores.
 */
int perfctr_event_variants(const char *event, size_t length, struct perfctr_variant *variants);
int perfctr_event_variants_sampled(const char *event, size_t length,
				   struct perfctr_variant *variants);

/* ---- nearest.c ---- */

#define PERFCTR_NEAREST	     3
#define PERFCTR_NEAREST_TEXT (PERFCTR_NEAREST * PERFCTR_NAME_SIZE + 32)

/* Collects the names that are nearest to a word; begin with word and length, and all else zero. */
struct perfctr_nearest {
	const char *word;
	size_t length;
	unsigned int distance[PERFCTR_NEAREST];
	char name[PERFCTR_NEAREST][PERFCTR_NAME_SIZE]; /* empty: none */
};

void perfctr_nearest_note(struct perfctr_nearest *near, const char *word);

/* "; did you mean a, b or c?", put into text; or the remedy if nothing is near. */
const char *perfctr_nearest_text(const struct perfctr_nearest *near, const char *remedy, char *text,
				 size_t size);

/* ---- counter.c ---- */

struct perfctr_counter {
	int fd;				   /* -1: not open */
	bool slots, metric;		   /* of the top-down metrics */
	bool kernel_reads;		   /* though there is a page */
	unsigned int size;		   /* of what is mapped, if anything is */
	struct perf_event_mmap_page *page; /* NULL: not mapped */
};

/* perf_event_open(2), close-on-exec: a descriptor, or -1 with errno only. */
int perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);

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

/* Whether events can count a cgroup on processor cpu: 0, or -1 with errno only. */
int perfctr_cgroup_probe(int cgroup, int cpu);

/* Whether the kernel can inherit to threads alone (attr.inherit_thread, Linux 5.13). */
bool perfctr_can_inherit_thread(void);

/* Whether it can end events at an execve(2) (attr.remove_on_exec, Linux 5.13). */
bool perfctr_can_remove_on_exec(void);

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

/* ---- group.c: groups in memory that is a set's ---- */

/* Where events are opened. */
struct perfctr_scope {
	pid_t tid;  /* 0: the calling thread; -1: all of the processor */
	int cpu;    /* -1: all that the thread runs on */
	int cgroup; /* a descriptor of its folder: only its threads; -1: none */
};

/* More flags of perfctr_group_open(). */
#define PERFCTR_GROUP_THREADS	0x10000 /* with _INHERIT: threads, but not children */
#define PERFCTR_GROUP_UNWATCHED 0x20000 /* another group tells whether the processor is offline */

/*
 * The core PMU of a hybrid machine that can count all events of the list, or sample the first of
 * them, on processor cpu (-1: any): the first, the P-cores', if several can. 0, with *pmu
 * (PERFCTR_NAME_SIZE) empty on any other machine, or if no event is one of a core PMU; -1 after
 * perfctr_fail().
 */
int perfctr_group_choose_pmu(const char *list, int cpu, bool sampled, char *pmu);

/* What an event means on the PMU chosen for its group. 0, or -1 after perfctr_fail(). */
int perfctr_group_parse(const char *pmu, const char *event, size_t length, bool sampled,
			struct perf_event_attr *attr);

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

/* Whether its readings tell that its processor is offline. */
bool perfctr_group_is_watched(const struct perfctr_group *group);
void perfctr_group_end(struct perfctr_group *group);

/* ---- overflow.c ---- */

/* A group of events whose first are in i-mode, between one start and the next. */
struct perfctr_overflow {
	unsigned int nr; /* of i-mode events; 0: nothing else matters */
	unsigned int n;	 /* of all events */
	struct {
		uint64_t seen;	 /* where the records of its buffer begin that are news */
		uint64_t due;	 /* the count at which the kernel lets it overflow next */
		uint64_t period; /* the kernel's */
	} event[PERFCTR_NR_CTRS];
};

/* As much of it as has a meaning. */
static inline void perfctr_overflow_copy(struct perfctr_overflow *to,
					 const struct perfctr_overflow *from)
{
	memcpy(to, from,
	       offsetof(struct perfctr_overflow, event) + from->nr * sizeof(from->event[0]));
}

/* The same of a group that goes on, while other threads may read it. */
static inline void perfctr_overflow_update(struct perfctr_overflow *to,
					   const struct perfctr_overflow *from)
{
	unsigned int k;

	for (k = 0; k < from->nr; k++) {
		perfctr_store(&to->event[k].seen, from->event[k].seen);
		perfctr_store(&to->event[k].due, from->event[k].due);
		to->event[k].period = from->event[k].period;
	}
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

/* ---- signal.c ---- */

typedef void perfctr_signal_handler(int signo, siginfo_t *info, void *context);

/*
 * Have a real-time signal for the library alone, with this handler, and let it into the calling
 * thread: the highest that nobody handles, but not the program's own. Also SIGIO, if nobody handles
 * that. The signal's number, or -1 after perfctr_fail(EBUSY), or with what forbids signals. Each
 * call must name the same handler.
 */
int perfctr_signal_take(int programs, perfctr_signal_handler *handler);

/*
 * Send the calling thread an overflow's signal, as the driver does: SI_PMC_OVF, and the mask. If it
 * is a real-time signal and RLIMIT_SIGPENDING does not allow one more, it comes as SI_USER.
 * Async-signal-safe; errno is kept.
 */
void perfctr_signal_send(int signo, unsigned int mask);

/* ---- ring.c ---- */

struct perfctr_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;		/* of the data, a power of two */
	unsigned char *copy;	/* room for a record: 64 KiB, or size */
	unsigned long position; /* behind the last record handed out */
	unsigned long head;	/* as last seen, or the end of a snapshot */
	unsigned long tail;	/* what the kernel knows of position */
	bool backward, cut;	/* snapshots */
	uint64_t seen;		/* bytes that had been written at the last one */
};

void perfctr_ring_init(struct perfctr_ring *ring, struct perf_event_mmap_page *page,
		       const void *data, size_t size, void *copy);

/*
 * The next record's header, and its bytes, in one piece, until the next call: 1; or 0, or -1 after
 * perfctr_fail(EBADMSG), which leaves out all records there are.
 */
int perfctr_ring_next(struct perfctr_ring *ring, struct perf_event_header *header,
		      const void **bytes);

/* Look how far the kernel is: 0, or -1 as above. */
int perfctr_ring_refresh(struct perfctr_ring *ring);

/* Give the kernel the room of what has been handed out. */
void perfctr_ring_release(struct perfctr_ring *ring);

/*
 * For a buffer that is overwritten, and while nothing is written: what perfctr_ring_next() then
 * goes through is what is there and was not there at the last snapshot, newest first.
 */
void perfctr_ring_snapshot(struct perfctr_ring *ring);

/* ---- record.c ---- */

#define PERFCTR_RECORD_AUX_OUTPUT_HW_ID 21u /* PERF_RECORD_AUX_OUTPUT_HW_ID, of Linux 5.16 */
#define PERFCTR_RECORD_WORDS		9

/* How records were asked for, and the last one. */
struct perfctr_decoder {
	uint64_t fields;				  /* PERF_SAMPLE_* */
	uint64_t read_format;				  /* PERF_FORMAT_* */
	unsigned int user_registers, interrupt_registers; /* their number */
	bool branch_index;
	bool more; /* samples have fields that are not one word */
	uint8_t nwords, nid_words;
	uint16_t word[PERFCTR_RECORD_WORDS]; /* offsets in struct perfctr_record */
	uint16_t id_word[PERFCTR_RECORD_WORDS];
	struct perfctr_record sample; /* fields that were not asked for stay 0 */
	struct perfctr_record other;
	uint64_t values[PERFCTR_GROUP_MAX];
};

void perfctr_decoder_init(struct perfctr_decoder *decoder, const struct perf_event_attr *attr);

/*
 * Decode the header.size bytes, aligned to 8, of which the header is the beginning; the size is at
 * least the header's and a multiple of 8. 1, or -1 after perfctr_fail(EBADMSG).
 */
int perfctr_record_decode(struct perfctr_decoder *decoder, struct perf_event_header header,
			  const void *bytes, const struct perfctr_record **result);

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

/* The same for an event that is to be sampled. */
int perfctr_why_not_sampled(int error, const struct perf_event_attr *attr, const char *name,
			    pid_t tid, unsigned int members);

/* Why no buffer of size bytes could be mapped. */
int perfctr_why_no_ring(int error, size_t size);

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

/*
 * The same from CPUID leaf 15H, SDM vol. 3B 19.7.3: crystal (ECX, Hz) * EBX / EAX. 0: it does not
 * tell.
 */
uint64_t perfctr_crystal_khz(uint32_t eax, uint32_t ebx, uint32_t ecx);

struct perfctr_clock {
	struct perfctr_counter event; /* its page has the clock; not open if there is none */
	struct perfctr_counter exec;  /* begins to count when the clock ends so; mostly not open */
	struct perfctr_rate rate;
	pid_t tid; /* whose thread */
};

/* Open the calling thread's clock. Always possible. */
void perfctr_clock_open(struct perfctr_clock *clock);

/*
 * Open a thread's (0: the calling one's), which others can read, too, also after its end, and which
 * goes on or ends when the thread executes a program. 0, or -1 after perfctr_why_not().
 */
int perfctr_clock_watch(struct perfctr_clock *clock, pid_t tid, bool until_exec);

/*
 * Whether such a clock of another thread can still tick: the thread lives, under the same id, and
 * has not executed a program, if that ends it, or one with more rights, which ends all events. 1,
 * 0, or -1 after perfctr_why_not().
 */
int perfctr_clock_is_on(const struct perfctr_clock *clock);

void perfctr_clock_close(struct perfctr_clock *clock);

/*
 * Ticks for which the clock's thread has run, from some start. own: the caller is that thread. 0
 * and *ticks, or -1 after perfctr_fail(ESRCH) if the thread has ended.
 */
int perfctr_clock_read(const struct perfctr_clock *clock, bool own, uint64_t *ticks);

/* ---- cpuid.c ---- */

struct perfctr_cpuid;
void perfctr_cpuid_read(struct perfctr_cpuid *id);

/* ---- cpu.c ---- */

/* Set info's cpu_type: generic if the kernel has no PMU for it. */
void perfctr_cpu_info(struct perfctr_info *info);

/*
 * Set it to what PERFCTR_CPU_TYPE asks for, if anything. 0, or -1 after perfctr_fail(EINVAL): that
 * is no type whose rules this machine's counters obey.
 */
int perfctr_cpu_info_wished(struct perfctr_info *info);

/*
 * This machine's processor, as it says itself, and the table of its events (NULL: none): both by
 * one call, or each.
 */
struct perfctr_cpu;
struct perfctr_event_table;
const struct perfctr_cpu *perfctr_this_cpu_table(const struct perfctr_event_table **table);
const struct perfctr_cpu *perfctr_this_cpu(void);
const struct perfctr_event_table *perfctr_this_table(void);

/*
 * The same for the cores of one kind of a hybrid machine, *cpu is filled in if there is a table.
 */
const struct perfctr_event_table *perfctr_core_table(const struct perfctr_pmu *core,
						     struct perfctr_cpu *cpu);

/* ---- attr.c ---- */

/*
 * What the words of a control say of an event, in perf_events' terms. Whether perf_events can count
 * so; it has set the attr's type, too.
 */
struct perfctr_code;
bool perfctr_code_attr(const struct perfctr_cpu *cpu, const struct perfctr_code *code,
		       struct perf_event_attr *attr);

/*
 * The same of what a look-up in the table of cpu found, by the words that a control would have. 0,
 * or -1 after perfctr_fail(EOPNOTSUPP).
 */
struct perfctr_event_choice;
int perfctr_event_attr(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice,
		       const char *word, size_t length, struct perf_event_attr *attr);

/* The processor can't count what was asked for, for a reason of arch/. -1, after perfctr_fail(). */
int perfctr_fail_choice(const struct perfctr_cpu *cpu, const char *names, size_t length,
			const char *reason);

/* ---- table.c ---- */

/*
 * As perfctr_event_parse(), from the table of this machine's processor, or of one kind of its
 * cores. 1: found; 0: no event begins so; -1 after perfctr_fail().
 */
int perfctr_table_parse(const char *word, size_t length, struct perf_event_attr *attr);
int perfctr_core_table_parse(const struct perfctr_pmu *core, const char *word, size_t length,
			     struct perf_event_attr *attr);

/*
 * As perfctr_cpu_event_list(), of the events that only other kinds of cores than this table's
 * have.
 */
int perfctr_cores_event_list(const struct perfctr_pmu *cores, int n,
			     int (*each)(void *arg, const struct perfctr_event_name *), void *arg);

/*
 * perfctr_cpu_control_check(), whose extended members count or don't. 0, or -1 after
 * perfctr_fail(EINVAL, EPERM, or EOPNOTSUPP if there are no counters).
 */
int perfctr_control_check(const struct perfctr_cpu_control *control, bool extended);

/*
 * Whether perf_events, which chooses counters itself, can count a checked control: each
 * programmable counter that it names can count its event, or one of the others that could change
 * places with it. 0, or -1 after perfctr_fail(EOPNOTSUPP).
 */
int perfctr_control_place(const struct perfctr_cpu_control *control);

/*
 * The event that counter i of a checked control counts, whose extended members count. 0, or -1
 * after perfctr_fail(EOPNOTSUPP) if perf_events can't express it. name is for messages, at least 32
 * bytes.
 */
int perfctr_control_attr(const struct perfctr_cpu_control *control, unsigned int i,
			 struct perf_event_attr *attr, char *name, size_t size);

#endif /* PERFCTR_INTERNAL_H */
