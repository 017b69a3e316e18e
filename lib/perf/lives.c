// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records of when threads begin (FORK), execute programs (COMM, then MMAP) and end (EXIT), from
 * events that count nothing. They are opened in one of three ways:
 *
 *	on each processor, for all threads of the system	needs rights; costs a fork nothing
 *	on each processor, inherited by what a thread creates	each fork inherits them all
 *	on a thread, without what it creates			costs nothing
 *
 * There is no inherited event for all processors: the kernel gives it no buffer, and if its records
 * go to another event's, processors overwrite each other's.
 */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/cpus.h"
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/events.h"
#include "lib/perf/lives.h"
#include "lib/perf/merge.h"
#include "lib/perf/record.h"
#include "lib/perf/ring.h"
#include "libperfctr.h"

/* The size of a buffer; a process needs about 700 bytes of it. */
#define RING_SIZE ((size_t)256 << 10)

/* The size of a record that has the longest file name. */
#define LARGEST (PATH_MAX + 256)

/* The largest size that a record's header can tell. */
#define COPY_SIZE ((size_t)64 << 10)

struct perfctr_lives {
	const char *owner; /* the thread that looks, or changes the list; see lock() */
	size_t size;	   /* of the whole structure */
	unsigned int n, ncpus;
	unsigned int users; /* if they are all threads' */
	size_t ring_size;
	struct perfctr_witness *witness; /* a list */
	struct perfctr_decoder decoder;
	struct perfctr_merge merge;	 /* not used for one buffer */
	struct perfctr_counter *counter; /* ncpus for each scope */
	struct perfctr_stream *stream, **heap;
	uint64_t *copy;	 /* memory for a record that wraps; one buffer's is mapped when it wraps */
	char *rooms;	 /* memory for copies, see merge.c */
	uint32_t cpus[]; /* of all threads' */
};

/* ---- exclusion ---- */

/*
 * Waits for other threads. False: the calling thread has it, and this is a signal handler in it.
 */
static bool lock(const char **owner)
{
	const char *none = NULL;

	while (!__atomic_compare_exchange_n(owner, &none, &perfctr_thread_mark, false,
					    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		if (none == &perfctr_thread_mark)
			return false;
		none = NULL;
		perfctr_call_sleep(20);
	}
	return true;
}

static void unlock(const char **owner)
{
	__atomic_store_n(owner, NULL, __ATOMIC_RELEASE);
}

/* ---- opening ---- */

static struct perf_event_attr attr_of(unsigned int flags)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.comm = 1,
		.mmap = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = INT32_MAX, /* no program waits for it */
		.inherit = (flags & PERFCTR_INHERIT) != 0,
		.inherit_thread = (flags & PERFCTR_EVENTS_THREADS) != 0,
	};
}

static struct perfctr_counter *counter_of(const struct perfctr_lives *lives, unsigned int i,
					  unsigned int k)
{
	return &lives->counter[(size_t)i * lives->ncpus + k];
}

/* Cuts this many bytes off the memory that *at goes through. */
static void *take(char **at, size_t bytes)
{
	void *taken = *at;

	*at += (bytes + 7) & ~(size_t)7;
	return taken;
}

/* Makes the structure, with nothing open. NULL: no memory. */
static struct perfctr_lives *make(unsigned int n, unsigned int ncpus)
{
	size_t counters = (size_t)n * ncpus * sizeof(struct perfctr_counter), size;
	bool merges = ncpus > 1;
	struct perfctr_lives *lives;
	char *at;

	size = sizeof(*lives) + PERFCTR_CPU_WORDS * sizeof(lives->cpus[0]) * merges + counters +
	       8 * 8 + ncpus * (sizeof(struct perfctr_stream) + sizeof(void *)) +
	       (COPY_SIZE + ncpus * 2 * RING_SIZE) * merges;
	lives = perfctr_memory_map(size);
	if (!lives)
		return NULL;
	at = (char *)lives;
	take(&at, sizeof(*lives) + PERFCTR_CPU_WORDS * sizeof(lives->cpus[0]) * merges);
	lives->size = size;
	lives->n = n;
	lives->ncpus = ncpus;
	lives->ring_size = RING_SIZE;
	lives->counter = take(&at, counters);
	lives->stream = take(&at, ncpus * sizeof(*lives->stream));
	lives->heap = take(&at, ncpus * sizeof(void *));
	if (merges) {
		lives->copy = take(&at, COPY_SIZE);
		lives->rooms = at;
	}
	return lives;
}

/* Maps a buffer for processor k. The first one is made smaller until it may be locked. */
static bool map_ring(struct perfctr_lives *lives, unsigned int k)
{
	struct perfctr_counter *counter = counter_of(lives, 0, k);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	while (perfctr_counter_map_ring(counter, lives->ring_size, false) < 0) {
		if (k || errno != EPERM || lives->ring_size <= page)
			return false;
		lives->ring_size /= 2;
	}
	return true;
}

/* Opens scope i on processor cpu (-1: all), the kth, with the first scope's buffer. */
static bool open_one(struct perfctr_lives *lives, pid_t tid, unsigned int i, unsigned int k,
		     int cpu, unsigned int flags)
{
	struct perfctr_scope place = {
		.tid = tid,
		.cpu = cpu,
		.cgroup = -1,
		.kept = (flags & PERFCTR_EVENTS_KEPT) != 0,
	};
	struct perfctr_counter *counter = counter_of(lives, i, k);
	struct perf_event_attr attr = attr_of(flags);

	if (perfctr_counter_try(counter, &attr, &place, NULL) < 0)
		return errno == ESRCH; /* ESRCH: the thread has ended */
	if (i == 0)
		return map_ring(lives, k);
	return perfctr_counter_request(counter, PERF_EVENT_IOC_SET_OUTPUT,
				       (unsigned long)counter_of(lives, 0, k)->fd) == 0;
}

static bool open_scope(struct perfctr_lives *lives, pid_t tid, unsigned int i, const uint32_t *cpus,
		       unsigned int flags)
{
	unsigned int k;
	int cpu;

	if (!cpus)
		return open_one(lives, tid, i, 0, -1, flags);
	for (cpu = 0, k = 0; k < lives->ncpus; cpu++)
		if (cpus[cpu / 32] >> cpu % 32 & 1 && !open_one(lives, tid, i, k++, cpu, flags))
			return false;
	return true;
}

static void start_merge(struct perfctr_lives *lives, unsigned int flags)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = lives->ring_size;
	struct perf_event_attr attr = attr_of(flags);
	unsigned int k;

	for (k = 0; k < lives->ncpus; k++) {
		struct perfctr_stream *stream = &lives->stream[k];
		struct perf_event_mmap_page *start = counter_of(lives, 0, k)->page;

		perfctr_ring_init(&stream->ring, start, (char *)start + page, size, lives->copy);
		stream->old_room = (unsigned char *)lives->rooms + 2 * k * size;
		stream->recent_room = stream->old_room + size;
	}
	perfctr_decoder_init(&lives->decoder, &attr);
	perfctr_merge_init(&lives->merge, &lives->decoder, lives->stream, lives->ncpus, lives->heap,
			   false);
}

/* Opens all that the structure has room for. tids NULL: of all threads. */
static bool open_all(struct perfctr_lives *lives, const struct perfctr_scope *scope,
		     const uint32_t *cpus, unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < lives->n * lives->ncpus; i++)
		lives->counter[i].fd = -1;
	for (i = 0; i < lives->n; i++)
		if (!open_scope(lives, scope ? scope[i].tid : -1, i, cpus, flags))
			return false;
	/* Without a buffer, the first thread, whose buffers all use, has ended meanwhile. */
	for (i = 0; i < lives->ncpus; i++)
		if (!counter_of(lives, 0, i)->page)
			return false;
	return true;
}

static void close_all(struct perfctr_lives *lives)
{
	unsigned int i;

	for (i = lives->n * lives->ncpus; i-- > 0;)
		perfctr_counter_close(&lives->counter[i]);
	if (lives->ncpus == 1 && lives->copy)
		perfctr_memory_unmap(lives->copy, COPY_SIZE);
	perfctr_memory_unmap(lives, lives->size);
}

static struct perfctr_lives *open_lives(const struct perfctr_scope *scope, unsigned int n,
					const uint32_t *cpus, unsigned int ncpus,
					unsigned int flags)
{
	struct perfctr_lives *lives = make(n, ncpus);
	int error;

	if (!lives)
		return NULL;
	if (open_all(lives, scope, cpus, flags)) {
		start_merge(lives, flags);
		return lives;
	}
	error = errno;
	close_all(lives);
	errno = error;
	return NULL;
}

static unsigned int count_cpus(const uint32_t *cpus, unsigned int nwords)
{
	unsigned int w, n = 0;

	for (w = 0; w < nwords; w++)
		n += (unsigned int)__builtin_popcount(cpus[w]);
	return n;
}

struct perfctr_lives *perfctr_lives_of(const struct perfctr_scope *scope, unsigned int n,
				       const uint32_t *cpus, unsigned int flags,
				       struct perfctr_witness *witness)
{
	unsigned int ncpus = cpus ? count_cpus(cpus, PERFCTR_CPU_WORDS) : 1;
	struct perfctr_lives *lives;

	if (!cpus)
		flags &= ~(unsigned int)(PERFCTR_INHERIT | PERFCTR_EVENTS_THREADS);
	lives = ncpus ? open_lives(scope, cpus ? n : 1, cpus, ncpus, flags) : NULL;
	if (lives)
		lives->witness = witness;
	return lives;
}

/* ---- records of all threads ---- */

/* Lies in memory that a child of fork() finds cleared, with a lock that another thread held. */
struct place {
	const char *owner;
	struct perfctr_lives *all; /* NULL: not open */
};

static struct place *get_place(void)
{
	static struct place *place;
	struct place *mine, *none = NULL;

	if (__atomic_load_n(&place, __ATOMIC_ACQUIRE))
		return place;
	mine = perfctr_memory_take(sizeof(*mine));
	if (mine && !__atomic_compare_exchange_n(&place, &none, mine, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE)) {
		perfctr_memory_give(mine, sizeof(*mine));
		mine = none;
	}
	return mine;
}

/* Those that are open, unless processors have come online since; or new ones. */
static struct perfctr_lives *find_all(struct place *place, unsigned int flags)
{
	uint32_t cpus[PERFCTR_CPU_WORDS] = { 0 };
	unsigned int nwords = perfctr_cpus_online(cpus), ncpus = count_cpus(cpus, nwords);
	struct perfctr_lives *lives = place->all;

	if (lives && (!nwords || (lives->ncpus == ncpus &&
				  !memcmp(lives->cpus, cpus, ncpus > 1 ? sizeof(cpus) : 0))))
		return lives;
	lives = ncpus ? open_lives(NULL, 1, cpus, ncpus, flags) : NULL;
	if (!lives)
		return NULL;
	if (ncpus > 1)
		memcpy(lives->cpus, cpus, sizeof(cpus));
	place->all = lives;
	return lives;
}

struct perfctr_lives *perfctr_lives_of_all(unsigned int flags, struct perfctr_witness *witness)
{
	struct place *place = get_place();
	struct perfctr_lives *lives;

	if (!place || !lock(&place->owner)) {
		errno = EBUSY;
		return NULL;
	}
	lives = find_all(place, flags & PERFCTR_EVENTS_KEPT);
	if (lives) {
		perfctr_lives_look(lives); /* older records don't concern this witness */
		lock(&lives->owner);
		witness->next = lives->witness;
		lives->witness = witness;
		lives->users++;
		unlock(&lives->owner);
	}
	unlock(&place->owner);
	return lives;
}

/* Whether these are all threads', and others use them. */
static bool has_users(struct place *place, struct perfctr_lives *lives)
{
	if (!lives->users)
		return false;
	if (--lives->users)
		return true;
	if (place->all == lives)
		place->all = NULL;
	return false;
}

void perfctr_lives_leave(struct perfctr_lives *lives, struct perfctr_witness *witness)
{
	struct place *place = lives->users ? get_place() : NULL;
	struct perfctr_witness **at;
	int error = errno;
	bool used;

	if (place)
		lock(&place->owner);
	lock(&lives->owner);
	for (at = &lives->witness; *at != witness;)
		at = &(*at)->next;
	*at = witness->next;
	used = has_users(place, lives);
	unlock(&lives->owner);
	if (!used)
		close_all(lives);
	if (place)
		unlock(&place->owner);
	errno = error;
}

/* ---- looking ---- */

static void miss(struct perfctr_lives *lives)
{
	struct perfctr_witness *witness;

	for (witness = lives->witness; witness; witness = witness->next)
		witness->miss(witness);
}

/*
 * Whether a buffer is as good as full. The kernel reports lost records only when it writes the next
 * one, which may never come.
 */
static bool is_full(const struct perfctr_lives *lives, unsigned int k)
{
	const struct perfctr_ring *ring = &lives->stream[k].ring;
	unsigned long head = *(volatile unsigned long *)perfctr_ring_half(&ring->page->data_head);
	size_t least = ring->size / 4 < LARGEST ? ring->size / 4 : LARGEST;

	return head - ring->position > ring->size - least;
}

/*
 * Takes the few fields that matter. Most records are those of other programs, so that
 * perfctr_record_decode() would cost more than all else. False: it is another record.
 */
static bool read_life(struct perf_event_header header, const void *bytes, struct perfctr_life *life)
{
	const uint32_t *word = (const uint32_t *)bytes + sizeof(header) / sizeof(*word);
	bool task = header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT;
	bool exec = header.type == PERF_RECORD_COMM && header.misc & PERF_RECORD_MISC_COMM_EXEC;

	if (header.size < sizeof(header) + (task ? 6 : 4) * sizeof(*word) ||
	    (!task && !exec && header.type != PERF_RECORD_MMAP))
		return false;
	*life = (struct perfctr_life){
		.type = header.type,
		.pid = word[0],
		.tid = word[task ? 2 : 1],
		.ppid = task ? word[1] : 0,
		.ptid = task ? word[3] : 0,
		.name = exec ? (const char *)&word[2] : NULL,
	};
	return true;
}

static void see(struct perfctr_lives *lives, struct perf_event_header header, const void *bytes)
{
	struct perfctr_witness *witness;
	struct perfctr_life life;

	if (header.type == PERF_RECORD_LOST)
		miss(lives);
	else if (read_life(header, bytes, &life))
		for (witness = lives->witness; witness; witness = witness->next)
			witness->see(witness, &life);
}

/* Hands out the records of one buffer, which come in order. */
static void look_at_one(struct perfctr_lives *lives)
{
	struct perfctr_ring *ring = &lives->stream[0].ring;
	struct perf_event_header header;
	const void *bytes;
	int result;

	if (perfctr_ring_refresh(ring) < 0)
		miss(lives);
	/* The first record that wraps is in the second round. */
	if (!ring->copy && ring->head > ring->size)
		ring->copy = (void *)(lives->copy = perfctr_memory_map(COPY_SIZE));
	if (!ring->copy && ring->head > ring->size) {
		ring->position = ring->head;
		miss(lives);
	}
	while (ring->position != ring->head &&
	       (result = perfctr_ring_next(ring, &header, &bytes)) != 0)
		if (result > 0)
			see(lives, header, bytes);
		else
			miss(lives);
	perfctr_ring_release(ring);
}

/*
 * Hands out the records of several. Those that one look finds are handed out at the next one, with
 * all older ones; see merge.c.
 */
static void look_at_all(struct perfctr_lives *lives)
{
	struct perf_event_header header;
	const void *bytes;
	int looks, result;

	for (looks = 0; looks < 2; looks++) {
		perfctr_merge_look(&lives->merge, false);
		while ((result = perfctr_merge_next(&lives->merge, &header, &bytes)) != 0)
			if (result > 0)
				see(lives, header, bytes);
	}
}

void perfctr_lives_look(struct perfctr_lives *lives)
{
	int error = errno;
	unsigned int k;

	if (!lock(&lives->owner))
		return;
	for (k = 0; k < lives->ncpus; k++)
		if (is_full(lives, k))
			miss(lives);
	if (lives->ncpus == 1)
		look_at_one(lives);
	else if (lives->merge.nheap || perfctr_merge_has_news(&lives->merge))
		look_at_all(lives);
	unlock(&lives->owner);
	errno = error;
}

/* A buffer that is mapped keeps its event: the descriptors of the first scope may go. */
int perfctr_lives_check(const struct perfctr_lives *lives)
{
	unsigned int i;

	for (i = lives->ncpus; i < lives->n * lives->ncpus; i++)
		if (lives->counter[i].fd >= 0 && perfctr_counter_check(&lives->counter[i]) < 0)
			return -1;
	return 0;
}

/*
 * An event hangs up when its thread, and those that have inherited it, have ended; but only one
 * that has a buffer tells.
 */
int perfctr_lives_go_on(const struct perfctr_lives *lives, const struct perfctr_counter *counter,
			bool *goes_on)
{
	int error = errno;

	if (perfctr_counter_check(counter) < 0 || perfctr_counter_check(lives->counter) < 0)
		return -1;
	*goes_on = perfctr_counter_request(counter, PERF_EVENT_IOC_SET_OUTPUT,
					   (unsigned long)lives->counter->fd) < 0 ||
		   !perfctr_call_hangs_up(counter->fd);
	errno = error;
	return 0;
}
