// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * At the execve(2) of a program that is set-user-ID, has capabilities, or can't be read, the kernel
 * ends the thread's events (begin_new_exec() of fs/exec.c), whoever has opened them. Their counts
 * and times do not change from then on, as if the thread had ended; neither read(2) nor poll(2) nor
 * ioctl(2) tells the difference.
 *
 * But records do: begin_new_exec() writes COMM, and EXIT where it ends the events. Both come before
 * anything of the program is mapped, and a program that runs has at least one mapping that is
 * executable. So EXIT after COMM, without MMAP between them, means a program that was not counted.
 *
 * Events that count nothing write these records, into a thread's buffer. The kernel allows none for
 * inherited events on all processors; then there is one for each processor and all threads.
 */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/execs.h"
#include "lib/perf/events.h"
#include "lib/perf/merge.h"
#include "lib/perf/record.h"
#include "lib/perf/ring.h"
#include "libperfctr.h"

/* The size of a buffer; a process needs about 700 bytes of it. */
#define RING_SIZE ((size_t)128 << 10)

/*
 * The number of programs that have been begun, but have mapped nothing yet: a processor rarely has
 * two.
 */
#define BEGUN 64

/* The size of a record that has the longest file name. */
#define LARGEST (PATH_MAX + 256)

#define NAME_SIZE 16 /* TASK_COMM_LEN */

struct begun {
	uint32_t tid; /* 0: none */
	char name[NAME_SIZE];
};

struct perfctr_execs {
	size_t size; /* of the whole structure */
	unsigned int n, ncpus;
	size_t ring_size;
	bool busy; /* a thread is looking */
	bool any;  /* some events have ended, or may have */
	bool lost; /* records were lost */
	struct perfctr_decoder decoder;
	struct perfctr_merge merge;
	struct perfctr_counter *counter; /* ncpus for each scope */
	struct perfctr_stream *stream, **heap;
	bool *ended; /* by scope */
	struct begun begun[BEGUN];
	unsigned int next_begun; /* the entry to reuse if all are in use */
	uint32_t pid;		 /* the first program that ended events; 0: none */
	char name[NAME_SIZE];
	char *rooms;	/* memory for copies, see merge.c */
	uint64_t *copy; /* memory for a record that wraps */
};

/* ---- opening ---- */

static struct perf_event_attr attr_of(unsigned int flags)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
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

static struct perfctr_counter *counter_of(const struct perfctr_execs *execs, unsigned int i,
					  unsigned int k)
{
	return &execs->counter[(size_t)i * execs->ncpus + k];
}

/* Cuts this many bytes off the memory that *at goes through. */
static void *take(char **at, size_t bytes)
{
	void *taken = *at;

	*at += (bytes + 7) & ~(size_t)7;
	return taken;
}

/* Makes the structure, with nothing open. NULL: no memory. */
static struct perfctr_execs *make(unsigned int n, unsigned int ncpus)
{
	size_t counters = (size_t)n * ncpus * sizeof(struct perfctr_counter), size;
	struct perfctr_execs *execs;
	char *at;

	size = sizeof(*execs) + counters + n * sizeof(bool) + 8 * 8 + RING_SIZE +
	       ncpus * (sizeof(struct perfctr_stream) + sizeof(void *) + 2 * RING_SIZE);
	execs = perfctr_memory_map(size);
	if (!execs)
		return NULL;
	at = (char *)execs;
	take(&at, sizeof(*execs));
	execs->size = size;
	execs->ncpus = ncpus;
	execs->ring_size = RING_SIZE;
	execs->counter = take(&at, counters);
	execs->stream = take(&at, ncpus * sizeof(*execs->stream));
	execs->heap = take(&at, ncpus * sizeof(void *));
	execs->ended = take(&at, n * sizeof(bool));
	execs->copy = take(&at, RING_SIZE);
	execs->rooms = take(&at, ncpus * 2 * RING_SIZE);
	return execs;
}

/* Maps a buffer for processor k. The first one is made smaller until it may be locked. */
static bool map_ring(struct perfctr_execs *execs, unsigned int k)
{
	struct perfctr_counter *counter = counter_of(execs, 0, k);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	while (perfctr_counter_map_ring(counter, execs->ring_size, false) < 0) {
		if (k || errno != EPERM || execs->ring_size <= page)
			return false;
		execs->ring_size /= 2;
	}
	return true;
}

/* Opens scope i on processor cpu (-1: all), the kth, with the first scope's buffer. */
static bool open_one(struct perfctr_execs *execs, const struct perfctr_scope *scope, unsigned int i,
		     unsigned int k, int cpu, unsigned int flags)
{
	struct perfctr_scope place = { .tid = scope->tid, .cpu = cpu, .cgroup = -1 };
	struct perfctr_counter *counter = counter_of(execs, i, k);
	struct perf_event_attr attr = attr_of(flags);

	if (perfctr_counter_try(counter, &attr, &place, NULL) < 0)
		return errno == ESRCH; /* ESRCH: the thread has ended */
	if (i == 0)
		return map_ring(execs, k);
	return perfctr_counter_request(counter, PERF_EVENT_IOC_SET_OUTPUT,
				       (unsigned long)counter_of(execs, 0, k)->fd) == 0;
}

/* Opens scope i, which must be closed even if this fails. */
static bool open_scope(struct perfctr_execs *execs, const struct perfctr_scope *scope,
		       const uint32_t *cpus, unsigned int flags)
{
	unsigned int i = execs->n++, k = 0;
	int cpu;

	for (; k < execs->ncpus; k++)
		counter_of(execs, i, k)->fd = -1;
	if (!cpus)
		return open_one(execs, scope, i, 0, -1, flags);
	for (cpu = 0, k = 0; k < execs->ncpus; cpu++)
		if (cpus[cpu / 32] >> cpu % 32 & 1 && !open_one(execs, scope, i, k++, cpu, flags))
			return false;
	return true;
}

static void start_merge(struct perfctr_execs *execs, unsigned int flags)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = execs->ring_size;
	struct perf_event_attr attr = attr_of(flags);
	unsigned int k;

	for (k = 0; k < execs->ncpus; k++) {
		struct perfctr_stream *stream = &execs->stream[k];
		struct perf_event_mmap_page *start = counter_of(execs, 0, k)->page;

		perfctr_ring_init(&stream->ring, start, (char *)start + page, size, execs->copy);
		stream->old_room = (unsigned char *)execs->rooms + 2 * k * size;
		stream->recent_room = stream->old_room + size;
	}
	perfctr_decoder_init(&execs->decoder, &attr);
	perfctr_merge_init(&execs->merge, &execs->decoder, execs->stream, execs->ncpus, execs->heap,
			   false);
}

static bool open_all(struct perfctr_execs *execs, const struct perfctr_scope *scope, unsigned int n,
		     const uint32_t *cpus, unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!open_scope(execs, &scope[i], cpus, flags))
			return false;
	/* Without a buffer, the first thread, whose buffers all use, has ended meanwhile. */
	for (i = 0; i < execs->ncpus; i++)
		if (!counter_of(execs, 0, i)->page)
			return false;
	return true;
}

/*
 * Whether the scope may execute a program. The calling thread alone can't: after execve(2) it would
 * not be here to read.
 */
static bool may_execute(const struct perfctr_scope *scope, unsigned int n, unsigned int flags)
{
	if (!n || scope[0].tid < 0)
		return false;
	return flags & PERFCTR_INHERIT || (n == 1 && scope[0].tid > 0);
}

struct perfctr_execs *perfctr_execs_watch(const struct perfctr_scope *scope, unsigned int n,
					  unsigned int flags)
{
	struct perfctr_execs *execs = NULL;
	uint32_t cpus[PERFCTR_CPU_WORDS];
	unsigned int w, nwords = 0, ncpus = 0;
	int error = errno;
	bool inherits = flags & PERFCTR_INHERIT;

	if (!may_execute(scope, n, flags))
		return NULL;
	if (inherits)
		nwords = perfctr_cpus_online(cpus);
	for (w = 0; w < nwords; w++)
		ncpus += (unsigned int)__builtin_popcount(cpus[w]);
	if (ncpus || !inherits)
		execs = make(n, inherits ? ncpus : 1);
	if (execs && !open_all(execs, scope, n, inherits ? cpus : NULL, flags)) {
		perfctr_execs_end(execs);
		execs = NULL;
	}
	if (execs)
		start_merge(execs, flags);
	errno = error;
	return execs;
}

void perfctr_execs_end(struct perfctr_execs *execs)
{
	int error = errno;
	unsigned int i;

	if (!execs)
		return;
	for (i = execs->n * execs->ncpus; i-- > 0;)
		perfctr_counter_close(&execs->counter[i]);
	perfctr_memory_unmap(execs, execs->size);
	errno = error;
}

/* ---- looking ---- */

static struct begun *find_begun(struct perfctr_execs *execs, uint32_t tid)
{
	unsigned int i;

	for (i = 0; i < BEGUN; i++)
		if (execs->begun[i].tid == tid)
			return &execs->begun[i];
	return NULL;
}

static void begin(struct perfctr_execs *execs, const struct perfctr_record_comm *comm)
{
	struct begun *begun = find_begun(execs, comm->tid);

	if (!begun)
		begun = find_begun(execs, 0);
	if (!begun)
		begun = &execs->begun[execs->next_begun++ % BEGUN];
	begun->tid = comm->tid;
	snprintf(begun->name, sizeof(begun->name), "%s", comm->name);
}

/* Marks the scope of the event that has written a record; if it can't be found, all scopes. */
static void mark(struct perfctr_execs *execs, uint64_t id)
{
	size_t i, n = (size_t)execs->n * execs->ncpus;
	uint64_t its;

	for (i = 0; i < n; i++)
		if (perfctr_counter_request(&execs->counter[i], PERF_EVENT_IOC_ID,
					    (uintptr_t)&its) == 0 &&
		    its == id)
			break;
	if (i < n)
		execs->ended[i / execs->ncpus] = true;
	else
		memset(execs->ended, true, execs->n * sizeof(*execs->ended));
	execs->any = true;
}

static void end(struct perfctr_execs *execs, const struct perfctr_record *record)
{
	struct begun *begun = find_begun(execs, record->as.task.tid);

	if (!begun)
		return;
	if (!execs->pid) {
		execs->pid = record->as.task.pid;
		memcpy(execs->name, begun->name, sizeof(execs->name));
	}
	begun->tid = 0;
	mark(execs, record->id);
}

static void lose(struct perfctr_execs *execs)
{
	execs->lost = true;
	memset(execs->ended, true, execs->n * sizeof(*execs->ended));
	execs->any = true;
}

static void judge(struct perfctr_execs *execs, const struct perfctr_record *record)
{
	struct begun *begun;

	switch (record->type) {
	case PERF_RECORD_COMM:
		if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
			begin(execs, &record->as.comm);
		break;
	case PERF_RECORD_MMAP:
		begun = find_begun(execs, record->as.mmap.tid);
		if (begun && begun->tid)
			begun->tid = 0;
		break;
	case PERF_RECORD_EXIT: end(execs, record); break;
	case PERF_RECORD_LOST: lose(execs); break;
	}
}

/*
 * Whether a buffer is as good as full. The kernel reports lost records only when it writes the next
 * one, which may never come.
 */
static bool is_full(const struct perfctr_execs *execs, unsigned int k)
{
	const struct perfctr_ring *ring = &execs->stream[k].ring;
	unsigned long head = *(volatile unsigned long *)perfctr_ring_half(&ring->page->data_head);
	size_t least = ring->size / 4 < LARGEST ? ring->size / 4 : LARGEST;

	return head - ring->position > ring->size - least;
}

/*
 * Looks once. Records that one look finds are handed out at the next one, with all older ones; see
 * merge.c.
 */
static void look(struct perfctr_execs *execs)
{
	const struct perfctr_record *record;
	struct perf_event_header header;
	const void *bytes;
	unsigned int k;
	int looks, result;

	for (k = 0; k < execs->ncpus; k++)
		if (is_full(execs, k))
			lose(execs);
	for (looks = 0; looks < 2; looks++) {
		perfctr_merge_look(&execs->merge, false);
		while ((result = perfctr_merge_next(&execs->merge, &header, &bytes)) != 0)
			if (result > 0 &&
			    perfctr_record_decode(&execs->decoder, header, bytes, &record) > 0)
				judge(execs, record);
	}
}

void perfctr_execs_look(struct perfctr_execs *execs)
{
	int error = errno;

	if (__atomic_test_and_set(&execs->busy, __ATOMIC_ACQUIRE))
		return;
	if (execs->merge.nheap || perfctr_merge_has_news(&execs->merge))
		look(execs);
	__atomic_clear(&execs->busy, __ATOMIC_RELEASE);
	errno = error;
}

bool perfctr_execs_has_ended(const struct perfctr_execs *execs, unsigned int i)
{
	return execs->any && execs->ended[i];
}

#define WHY                                                                                    \
	"may not be traced, as it is set-user-ID, has capabilities or can't be read, so that " \
	"the kernel stopped counting it at its execve(2); run everything as root, or count "   \
	"whole processors"

int perfctr_execs_fail(void)
{
	return perfctr_fail(ESTALE, "a program " WHY);
}

int perfctr_execs_check(struct perfctr_execs *execs)
{
	perfctr_execs_look(execs);
	if (execs->pid)
		return perfctr_fail(ESTALE, "%s (process %u) " WHY, execs->name, execs->pid);
	if (execs->lost)
		return perfctr_fail(
			ESTALE,
			"records of programs that began and ended were lost, as there were more "
			"than the buffers hold, so that nobody knows whether all were counted to "
			"their ends; read more often");
	return 0;
}
