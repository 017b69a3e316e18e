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
 * reading.c	counts and their quality
 * ring.c	the buffer that the kernel writes records into
 * record.c	their bytes -> struct perfctr_record
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
 * or fails as perfctr_event_check() does. For an event to be sampled, its modifier p sets
 * precise_ip.
 */
int perfctr_event_parse(const char *event, size_t length, struct perf_event_attr *attr);
int perfctr_event_parse_sampled(const char *event, size_t length, struct perf_event_attr *attr);

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

/* Close and unmap; harmless on a counter that is not open. errno is kept. */
void perfctr_counter_close(struct perfctr_counter *counter);

/* What read.h needs. A counter without a page gets one that always says "ask the kernel". */
void perfctr_counter_reader(const struct perfctr_counter *counter, struct perfctr_reader *reader);

/* What read(2) returns for the leader of a group opened with PERFCTR_READ_FORMAT. */
#define PERFCTR_READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define PERFCTR_GROUP_MAX 64
#define PERFCTR_FORMAT_LOST 0x10u	/* PERF_FORMAT_LOST, of Linux 6.0 */
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

/* PERF_EVENT_IOC_ENABLE, _DISABLE or _RESET for a whole group. 0, or -1 after perfctr_fail(). */
int perfctr_counter_ioctl(const struct perfctr_counter *leader, unsigned long request);

/*
 * Map a control page and size bytes behind it, to be overwritten or not. NULL after perfctr_fail().
 * Unmapping keeps errno.
 */
struct perf_event_mmap_page *perfctr_counter_map_ring(const struct perfctr_counter *counter,
						      size_t size, bool overwrite);
void perfctr_counter_unmap_ring(struct perf_event_mmap_page *page, size_t size);

/* ioctl(2) with an argument of its own, and without perfctr_fail(). */
int perfctr_counter_request(const struct perfctr_counter *counter, unsigned long request,
			    unsigned long argument);

/* Send the calling thread this signal when there are records. 0, or -1 after perfctr_fail(). */
int perfctr_counter_signal(const struct perfctr_counter *counter, int signal);

/*
 * What read(2) returns, in whatever format: the number of words; 0 if the event was pinned and is
 * off the PMU; or -1 after perfctr_fail(EIO).
 */
ssize_t perfctr_counter_words(const struct perfctr_counter *leader, uint64_t *words, size_t room);

/* ---- ring.c ---- */

struct perfctr_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;			/* of the data, a power of two */
	unsigned char *copy;		/* room for a record: 64 KiB, or size */
	unsigned long position;		/* behind the last record handed out */
	unsigned long head;		/* as last seen, or the end of a snapshot */
	unsigned long tail;		/* what the kernel knows of position */
	bool backward, cut;		/* snapshots */
	uint64_t seen;			/* bytes that had been written at the last one */
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

#define PERFCTR_RECORD_AUX_OUTPUT_HW_ID 21u	/* PERF_RECORD_AUX_OUTPUT_HW_ID, of Linux 5.16 */
#define PERFCTR_RECORD_WORDS 9

/* How records were asked for, and the last one. */
struct perfctr_decoder {
	uint64_t fields;		/* PERF_SAMPLE_* */
	uint64_t read_format;		/* PERF_FORMAT_* */
	unsigned int user_registers, interrupt_registers;	/* their number */
	bool branch_index;
	bool more;			/* samples have fields that are not one word */
	uint8_t nwords, nid_words;
	uint16_t word[PERFCTR_RECORD_WORDS];	/* offsets in struct perfctr_record */
	uint16_t id_word[PERFCTR_RECORD_WORDS];
	struct perfctr_record sample;	/* fields that were not asked for stay 0 */
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
