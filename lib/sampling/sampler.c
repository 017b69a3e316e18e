// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Samplers: an event whose overflows the kernel records in buffers.
 *
 * A sampler has parts: the event on a thread, on a processor, or on one core type. The parts of a
 * processor share a buffer. The kernel has a buffer for inherited events only per processor: so a
 * process is sampled on each processor.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/descriptor.h"
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/virtual/kind.h"
#include "lib/names/resolve.h"
#include "lib/names/terms.h"
#include "lib/perf/area.h"
#include "lib/perf/counter.h"
#include "lib/perf/execs.h"
#include "lib/perf/events.h"
#include "lib/perf/merge.h"
#include "lib/perf/record.h"
#include "lib/perf/ring.h"
#include "lib/perf/why.h"
#include "lib/sampling/config.h"
#include "lib/target/target.h"
#include "libperfctr.h"
#include "perfctr/read.h"

/*
 * Indices in the words of read(2). A group has: number, enabled, running, and for each event its
 * value and, if the kernel tells them, its lost records. A single event has: value, enabled,
 * running, lost records.
 */
#define GROUP_VALUES 3
#define LEADERS_LOST 4
#define ONES_LOST    3

/* The number of ended threads that one epoll_wait(2) reports. */
#define ENDED_AT_ONCE 16

struct part {
	struct perfctr_events events;
	unsigned int stream; /* the index of its buffer */
};

/* Lies in memory that a child of fork() finds cleared: there it is a sampler without parts. */
struct perfctr_sampler {
	struct perfctr_head head;
	size_t size;	   /* of the whole structure */
	unsigned int n;	   /* events of a part */
	unsigned int room; /* number of parts that fit */
	unsigned int nparts, nstreams;
	struct perfctr_ring *ring; /* the only buffer, which is read without merging; else NULL */
	struct perfctr_decoder decoder;
	bool overwrite;
	bool knows_lost;      /* the kernel tells how many records were lost */
	bool clock;	      /* the first event is one of the kernel's clocks */
	bool clock_frequency; /* the kernel has made a period of it, in ns */
	bool stopped;	      /* by the last call that started or stopped it; see is_stopped() */
	bool all_seen;	      /* the last look was one after the stop */
	unsigned int starts;  /* perfctr_counter_starts() at the stop */
	bool reading;	      /* merged: since the last look at the buffers there were records */
	int epoll;	      /* -1: the first part's descriptor is the sampler's */
	unsigned long epolls_identity; /* see lib/base/descriptor.h; 0: not known */
	unsigned int nwatched;
	uint64_t lost, lost_samples; /* as the records say */
	struct perfctr_merge merge;
	size_t ring_size, rooms_size;
	unsigned char *rooms; /* for the streams' copies */
	struct part *part;
	struct perfctr_counter *counter; /* n for each part */
	struct perfctr_stream *stream, **heap;
	unsigned int *owner;	     /* for each stream, the part that has mapped it */
	struct perfctr_area *area;   /* for each stream, if there are areas */
	unsigned int at_area;	     /* the next one to read */
	struct perfctr_aux aux;	     /* the last piece */
	uint64_t *copy;		     /* memory for a record that wraps */
	struct perfctr_execs *execs; /* NULL: nothing can end the events early, or isn't watched */
};

static struct perfctr_counter *leader_of(const struct perfctr_sampler *sampler, unsigned int p)
{
	return &sampler->counter[(size_t)p * sampler->n];
}

/* ---- making and closing ---- */

/* Cuts this many bytes off the memory that *at goes through. */
static void *take(char **at, size_t bytes)
{
	void *taken = *at;

	*at += (bytes + 7) & ~(size_t)7;
	return taken;
}

/*
 * Makes a sampler with nothing open and room for this many parts. NULL after perfctr_fail(ENOMEM).
 */
static struct perfctr_sampler *make_sampler(unsigned int n, size_t room, size_t ring_size)
{
	size_t copy = ring_size < PERFCTR_LARGEST_RECORD ? ring_size : PERFCTR_LARGEST_RECORD;
	size_t part, size = sizeof(struct perfctr_sampler) + copy + 8 * 8;
	struct perfctr_sampler *sampler;
	char *at;

	part = sizeof(*sampler->part) + n * sizeof(*sampler->counter) + sizeof(*sampler->stream) +
	       sizeof(*sampler->heap) + sizeof(*sampler->owner) + sizeof(*sampler->area);
	if (room > UINT32_MAX || __builtin_mul_overflow(part, room, &part) ||
	    __builtin_add_overflow(size, part, &size)) {
		perfctr_fail(ENOMEM, "no memory for a sampler");
		return NULL;
	}
	sampler = perfctr_memory_map(size);
	if (!sampler)
		return NULL;
	at = (char *)sampler;
	take(&at, sizeof(*sampler));
	sampler->head = perfctr_head_of(PERFCTR_KIND_SAMPLER);
	sampler->size = size;
	sampler->n = n;
	sampler->room = (unsigned int)room;
	sampler->ring_size = ring_size;
	sampler->epoll = -1;
	sampler->part = take(&at, room * sizeof(*sampler->part));
	sampler->counter = take(&at, room * n * sizeof(*sampler->counter));
	sampler->stream = take(&at, room * sizeof(*sampler->stream));
	sampler->heap = take(&at, room * sizeof(*sampler->heap));
	sampler->owner = take(&at, room * sizeof(*sampler->owner));
	sampler->area = take(&at, room * sizeof(*sampler->area));
	sampler->copy = take(&at, copy);
	return sampler;
}

/* Whether it is a sampler of either kind. */
static bool is_sampler(const struct perfctr_sampler *sampler)
{
	return perfctr_is_kind(sampler, PERFCTR_KIND_SAMPLER) ||
	       perfctr_is_kind(sampler, PERFCTR_KIND_QUICK_SAMPLER);
}

static int watch(const struct perfctr_sampler *sampler, int request, unsigned int p)
{
	/* No address of the program's, nor a descriptor, has the highest of 64 bits. */
	const uint32_t mark = (uint32_t)leader_of(sampler, 0)->identity | 1u << 31;
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = (uint64_t)mark << 32 | p };

	return perfctr_counter_is_own(leader_of(sampler, p))
		       ? epoll_ctl(sampler->epoll, request, leader_of(sampler, p)->fd, &event)
		       : -1;
}

/* Whether the number is still the sampler's epoll descriptor, which the program may have closed. */
static bool has_epoll(const struct perfctr_sampler *sampler)
{
	return perfctr_counter_is_kept(leader_of(sampler, 0)) || !sampler->epolls_identity ||
	       perfctr_descriptor_is(sampler->epoll, sampler->epolls_identity);
}

/*
 * Does the same without a descriptor for a file of /proc, which may be missing: only the sampler's
 * watches an event of the sampler's, and is asked for what it has already. It may lose a wake-up.
 */
static bool has_epoll_at_end(const struct perfctr_sampler *sampler)
{
	int error = errno;
	bool has = has_epoll(sampler);
	unsigned int p;

	for (p = 0; p < sampler->nparts && !has; p++)
		has = watch(sampler, EPOLL_CTL_MOD, p) == 0;
	errno = error;
	return has;
}

static void close_epoll(const struct perfctr_sampler *sampler)
{
	if (sampler->epoll >= 0 && has_epoll_at_end(sampler))
		perfctr_descriptor_drop(sampler->epoll, sampler->epolls_identity);
}

void perfctr_sampler_close(struct perfctr_sampler *sampler)
{
	unsigned int p;

	/*
	 * In a child of fork() it was cleared, its size too, and the buffers are not mapped there.
	 */
	if (!sampler || perfctr_is_cleared(sampler))
		return;
	if (!is_sampler(sampler)) {
		perfctr_wrong_kind(sampler, "a sampler of perfctr_sampler_open()");
		return;
	}
	close_epoll(sampler); /* first: it is recognised by the events that it watches */
	for (p = 0; p < sampler->nstreams; p++)
		perfctr_area_unmap(&sampler->area[p]);
	for (p = 0; p < sampler->nparts; p++)
		perfctr_events_end(&sampler->part[p].events);
	perfctr_execs_end(sampler->execs);
	perfctr_memory_unmap(sampler->rooms, sampler->rooms_size);
	perfctr_memory_unmap(sampler, sampler->size);
}

/* ---- opening parts ---- */

/* The arguments of open_all(), through perfctr_target_open(). */
struct opening {
	const struct perfctr_list *list;
	const struct perfctr_sampler_config *config;
	unsigned int flags;		  /* the groups' */
	bool several;			  /* parts, perhaps */
	uint32_t cpus[PERFCTR_CPU_WORDS]; /* of all PMUs that have a cpumask */
	const char *pmu;		  /* one of these; NULL: none has, and cpus mean nothing */
	struct perfctr_sampler *sampler;
};

/* Adds an event; the most precise one that the PMU has, if that is asked for. */
static int add_event(struct perfctr_events *events, struct perf_event_attr *attr, bool most_precise,
		     const char *name)
{
	struct perf_event_attr wanted = *attr;

	while (perfctr_events_add(events, attr, name) < 0) {
		if (!most_precise || wanted.precise_ip == 0 || errno == EACCES || errno == EMFILE ||
		    errno == ENFILE || errno == ENOMEM || errno == ESRCH)
			return -1;
		wanted.precise_ip--;
		*attr = wanted;
	}
	return 0;
}

/* The kernel samples its clocks by a timer, and puts this in the place of a shorter period. */
#define LEAST_CLOCK_PERIOD 10000 /* ns */

/* Checks a period of a clock; 0 is none. 0, or -1 after perfctr_fail(). */
static int check_clock(uint64_t period)
{
	if (period == 0 || period >= LEAST_CLOCK_PERIOD)
		return 0;
	return perfctr_fail(
		EINVAL,
		"the kernel samples its clocks at most every %d ns: take a period of %d or "
		"more, or a frequency of %d or less",
		LEAST_CLOCK_PERIOD, LEAST_CLOCK_PERIOD, 1000000000 / LEAST_CLOCK_PERIOD);
}

static int open_event(const struct opening *opening, struct perfctr_events *events,
		      const struct perfctr_variant *variant, const char *name)
{
	bool leader = events->n == 0, group = events->total > 1;
	bool is_clock = (opening->list->event[0].flags & PERFCTR_EVENT_TIME) != 0;
	struct perfctr_sampler *sampler = opening->sampler;
	struct perf_event_attr attr = variant->attr;

	attr.read_format = PERFCTR_READ_FORMAT & ~(group ? 0u : (unsigned int)PERF_FORMAT_GROUP);
	if (!leader && (attr.precise_ip || attr.sample_period))
		return perfctr_fail(EINVAL,
				    "%s is not sampled but counted, as all events but the first "
				    "are: leave the modifiers p and P, period= and freq= out",
				    name);
	if (leader) {
		perfctr_sampler_config_attr(opening->config, &attr);
		if (opening->several)
			attr.sample_type |= PERF_SAMPLE_TIME;
		if (is_clock &&
		    check_clock(attr.freq ? 1000000000 / attr.sample_freq : attr.sample_period) < 0)
			return -1;
		/*
		 * Linux 6.0 and later report how many records were lost; earlier kernels refuse the
		 * bit.
		 */
		attr.read_format |= PERFCTR_FORMAT_LOST;
	}
	if (add_event(events, &attr, leader && variant->asked & PERFCTR_ASKED_MOST_PRECISE, name) <
	    0)
		return -1;
	if (!leader || sampler->nparts)
		return 0;
	/*
	 * For an inherited group, read(2) returns the newest child's lost records (seen: Linux
	 * 6.18).
	 */
	sampler->knows_lost = attr.read_format & PERFCTR_FORMAT_LOST && !(group && attr.inherit);
	perfctr_decoder_init(&sampler->decoder, &attr);
	sampler->clock = is_clock;
	sampler->clock_frequency = sampler->clock && attr.freq;
	return 0;
}

static bool may_share(const struct perfctr_scope *a, const struct perfctr_scope *b)
{
	return a->cpu == b->cpu && (a->cpu >= 0 || a->tid == b->tid);
}

static int map_area(const struct opening *opening, const struct perfctr_counter *leader)
{
	const struct perfctr_sampler_config *config = opening->config;
	struct perfctr_sampler *sampler = opening->sampler;

	if (!config->aux_pages)
		return 0;
	return perfctr_area_map(&sampler->area[sampler->nstreams], leader,
				opening->list->event[0].name,
				perfctr_sampler_config_aux_size(config),
				(config->flags & PERFCTR_SAMPLER_AUX_OVERWRITE) != 0);
}

/* The latest buffer, if the kernel lets the next part write there, or one of its own. */
static int give_buffer(const struct opening *opening)
{
	struct perfctr_sampler *sampler = opening->sampler;
	unsigned int owner = sampler->nstreams ? sampler->owner[sampler->nstreams - 1] : 0;
	struct perfctr_counter *leader = leader_of(sampler, sampler->nparts);
	struct part *part = &sampler->part[sampler->nparts];

	if (!sampler->nstreams ||
	    !may_share(&sampler->part[owner].events.scope, &part->events.scope) ||
	    perfctr_counter_request(leader, PERF_EVENT_IOC_SET_OUTPUT,
				    (unsigned long)leader_of(sampler, owner)->fd) < 0) {
		if (perfctr_counter_map_ring(leader, sampler->ring_size, sampler->overwrite) < 0 ||
		    map_area(opening, leader) < 0)
			return -1;
		sampler->owner[sampler->nstreams++] = sampler->nparts;
	}
	part->stream = sampler->nstreams - 1;
	return 0;
}

/* Opens a part on one core type; -1: on any. */
static int open_part(const struct opening *opening, const struct perfctr_scope *scope, int core)
{
	struct perfctr_sampler *sampler = opening->sampler;
	struct perfctr_events *events = &sampler->part[sampler->nparts].events;
	struct perfctr_counter *leader = leader_of(sampler, sampler->nparts);
	const struct perfctr_list *list = opening->list;
	unsigned int use[PERFCTR_GROUP_MAX], i;

	perfctr_list_use(list, core, use);
	perfctr_events_init(events, scope, opening->flags, leader, list->n);
	for (i = 0; i < list->n; i++)
		if (open_event(opening, events, &list->variant[use[i]], list->event[i].name) < 0)
			goto fail;
	if (opening->config->signal && perfctr_counter_signal(leader, opening->config->signal) < 0)
		goto fail;
	if (give_buffer(opening) < 0)
		goto fail;
	sampler->nparts++;
	return 0;
fail:
	perfctr_events_end(events);
	return -1;
}

/* Opens a thread or processor: on each core type of a set; 0: on any. */
static int open_scope(const struct opening *opening, const struct perfctr_scope *scope, int cores)
{
	int core;

	if (cores == 0)
		return open_part(opening, scope, -1);
	for (core = 0; cores >> core; core++)
		if (cores >> core & 1 && open_part(opening, scope, core) < 0)
			return -1;
	return 0;
}

/* Whether a part can be left out: its thread has ended, or its processor has gone offline. */
static bool has_gone(const struct perfctr_scope *scope)
{
	int error = errno;
	bool gone = error == ESRCH ||
		    (error == EINVAL && scope->cpu >= 0 &&
		     perfctr_cpu_online((unsigned int)scope->cpu) < 0 && errno == EINVAL);

	errno = error;
	return gone;
}

/* Some PMUs are of a part of the processors, such as Arm's SPE of big ones. */
static int read_cpumasks(struct opening *opening)
{
	unsigned int since = perfctr_file_troubles(), i, w;
	const struct perfctr_list *list = opening->list;
	uint32_t words[PERFCTR_CPU_WORDS];

	memset(opening->cpus, 0xFF, sizeof(opening->cpus));
	for (i = 0; i < list->n; i++) {
		const struct perfctr_variant *variant = &list->variant[list->event[i].first];

		if (!perfctr_variant_cpus(variant, words))
			continue;
		opening->pmu = variant->pmu;
		for (w = 0; w < PERFCTR_CPU_WORDS; w++)
			opening->cpus[w] &= words[w];
	}
	return perfctr_file_check(since, list->event[0].name);
}

/* 0, or -1 after perfctr_fail(): the PMUs do not have this processor. */
static int check_cpu(const struct opening *opening, int cpu)
{
	unsigned int word = (unsigned int)cpu / 32;

	if (cpu < 0 || !opening->pmu ||
	    (word < PERFCTR_CPU_WORDS && opening->cpus[word] >> cpu % 32 & 1))
		return 0;
	return perfctr_fail(EINVAL,
			    "processor %d is not one of those that %s samples; "
			    "/sys/bus/event_source/devices/%s/cpumask has them",
			    cpu, opening->pmu, opening->pmu);
}

/*
 * Opens all scopes, on that processor if it is not -1. It leaves out processors of another core
 * type, or that the PMU does not count for.
 */
static int open_scopes(const struct opening *opening, const struct perfctr_scopes *scopes, int cpu)
{
	struct perfctr_scope scope;
	unsigned int i;
	int cores = 0;

	for (i = 0; i < scopes->n; i++) {
		scope = scopes->scope[i];
		scope.sampled = true;
		if (cpu >= 0)
			scope.cpu = cpu;
		if (check_cpu(opening, scope.cpu) < 0)
			continue;
		if (i == 0 || cpu < 0)
			cores = perfctr_list_cores(opening->list, scope.cpu, "sampler");
		if (cores < 0 && errno != EINVAL)
			return -1;
		if (cores >= 0 && open_scope(opening, &scope, cores) < 0 && !has_gone(&scope))
			return -1;
	}
	return 0;
}

/* Inherited events, if they are not on one processor already. */
static int open_on_each_cpu(const struct opening *opening, const struct perfctr_scopes *scopes,
			    const uint32_t *cpus, unsigned int nwords)
{
	unsigned int i;

	for (i = 0; i < nwords * 32; i++)
		if (cpus[i / 32] >> i % 32 & 1 && open_scopes(opening, scopes, (int)i) < 0)
			return -1;
	return 0;
}

static unsigned int count_cpus(const uint32_t *cpus, unsigned int nwords)
{
	unsigned int i, n = 0;

	for (i = 0; i < nwords; i++)
		n += (unsigned int)__builtin_popcount(cpus[i]);
	return n;
}

/* How many parts there can be. -1 after perfctr_fail(): none. */
static long count_parts(const struct opening *opening, const struct perfctr_scopes *scopes,
			unsigned int ncpus)
{
	int cpu = scopes->n == 1 && ncpus == 1 ? scopes->scope[0].cpu : -1;
	int cores = perfctr_list_cores(opening->list, cpu, "sampler");

	if (cores < 0)
		return -1;
	return (long)scopes->n * (long)ncpus *
	       (cores ? __builtin_popcount((unsigned int)cores) : 1);
}

static int open_all(void *arg, const struct perfctr_scopes *scopes)
{
	const struct perfctr_sampler_config *config;
	bool spread, process = scopes->process;
	uint32_t cpus[PERFCTR_CPU_WORDS];
	struct opening *opening = arg;
	unsigned int nwords;
	long room;
	int result;

	config = opening->config;
	opening->flags = config->flags & PERFCTR_SAMPLER_GROUP_FLAGS;
	if (process && !(opening->flags & PERFCTR_INHERIT))
		opening->flags |= PERFCTR_INHERIT | PERFCTR_EVENTS_THREADS;
	spread = opening->flags & PERFCTR_INHERIT && scopes->n && scopes->scope[0].cpu < 0;
	nwords = perfctr_cpus_online(cpus);
	if (spread && !nwords)
		return -1;
	room = count_parts(opening, scopes, spread ? count_cpus(cpus, nwords) : 1);
	if (room < 0)
		return -1;
	opening->several = room > 1;
	opening->sampler = make_sampler(opening->list->n, (size_t)room,
					perfctr_sampler_config_size(config));
	if (!opening->sampler)
		return -1;
	opening->sampler->overwrite = (config->flags & PERFCTR_SAMPLER_OVERWRITE) != 0;
	result = spread ? open_on_each_cpu(opening, scopes, cpus, nwords)
			: open_scopes(opening, scopes, -1);
	/* Last, since the samples' buffers need the memory that may be locked. */
	if (result == 0)
		opening->sampler->execs = perfctr_execs_watch(scopes->scope, scopes->n,
							      opening->flags | PERFCTR_WATCH);
	if (result == 0 && (opening->sampler->nparts || (process && !opening->pmu)))
		return 0;
	perfctr_sampler_close(opening->sampler);
	return -1;
}

static void close_all(void *arg)
{
	struct opening *opening = arg;

	perfctr_sampler_close(opening->sampler);
}

/* ---- opening targets ---- */

static bool is_of_one_thread(const struct perfctr_sampler *sampler)
{
	return sampler->nstreams == 1 &&
	       sampler->part[0].events.scope.tid ==
		       sampler->part[sampler->nparts - 1].events.scope.tid;
}

static void init_rings(struct perfctr_sampler *sampler)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int i;

	for (i = 0; i < sampler->nstreams; i++) {
		struct perf_event_mmap_page *start = leader_of(sampler, sampler->owner[i])->page;

		perfctr_ring_init(&sampler->stream[i].ring, start, (char *)start + page,
				  sampler->ring_size, sampler->copy);
	}
}

static int init_merge(struct perfctr_sampler *sampler)
{
	size_t size = sampler->ring_size;
	unsigned int i;

	if (__builtin_mul_overflow(2 * size, sampler->nstreams, &sampler->rooms_size))
		return perfctr_fail(ENOMEM, "no memory for records");
	sampler->rooms = perfctr_memory_map(sampler->rooms_size);
	if (!sampler->rooms)
		return -1;
	for (i = 0; i < sampler->nstreams; i++) {
		sampler->stream[i].old_room = sampler->rooms + 2 * i * size;
		sampler->stream[i].recent_room = sampler->rooms + (2 * i + 1) * size;
	}
	perfctr_merge_init(&sampler->merge, &sampler->decoder, sampler->stream, sampler->nstreams,
			   sampler->heap, sampler->overwrite);
	return 0;
}

/* One descriptor for all buffers. */
static int open_epoll(struct perfctr_sampler *sampler)
{
	sampler->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (sampler->epoll < 0)
		return perfctr_fail(errno, "no descriptor for all buffers: %s", strerror(errno));
	while (sampler->nwatched < sampler->nstreams)
		if (watch(sampler, EPOLL_CTL_ADD, sampler->owner[sampler->nwatched++]) < 0)
			return perfctr_fail(errno, "a buffer can't be waited for: %s",
					    strerror(errno));
	sampler->epolls_identity = perfctr_descriptor_own_file(sampler->epoll);
	return 0;
}

static int start(const struct perfctr_sampler *sampler)
{
	unsigned int p;

	for (p = 0; p < sampler->nparts; p++)
		if (perfctr_events_start(&sampler->part[p].events) < 0)
			return -1;
	return 0;
}

static void make_quick(struct perfctr_sampler *sampler)
{
	sampler->ring = &sampler->stream[0].ring;
	sampler->head = perfctr_head_of(PERFCTR_KIND_QUICK_SAMPLER);
}

static int end_opening(struct perfctr_sampler *sampler, const struct perfctr_target *target)
{
	/* Otherwise there is no sampler. */
	if (sampler->nparts == 0)
		return perfctr_fail(ESRCH, "there is no process %d: it has just ended", target->id);
	init_rings(sampler);
	if (is_of_one_thread(sampler) && !sampler->overwrite)
		make_quick(sampler);
	else if (init_merge(sampler) < 0)
		return -1;
	if (!is_of_one_thread(sampler) && open_epoll(sampler) < 0)
		return -1;
	return start(sampler);
}

static int fail_units(const struct perfctr_list *list)
{
	unsigned int i = 0;

	while (!list->variant[list->event[i].first].is_unit)
		i++;
	return perfctr_fail(EINVAL,
			    "a sampler has one PMU; name one of the units that %.100s stands for, "
			    "such as %s",
			    list->event[i].name, list->variant[list->event[i].first].pmu);
}

static int check_list(const struct perfctr_list *list, const struct perfctr_sampler_config *config)
{
	const struct perfctr_variant *sampled = &list->variant[list->event[0].first];
	const char *last = list->event[list->n - 1].name;

	if (!config->period && !config->frequency && !sampled->attr.sample_period)
		return perfctr_fail(EINVAL, "one of period and frequency has to be set");
	if (config->aux_pages && sampled->attr.freq)
		return perfctr_sampler_config_fail_aux();
	if (list->has_units)
		return fail_units(list);
	if (list->event[list->n - 1].item)
		return perfctr_fail(EINVAL,
				    "%.100s is outside of the first event's braces, but a sampler "
				    "has one group; write {%.100s,%.100s}, or open another",
				    last, list->event[0].name, last);
	if (list->n > PERFCTR_GROUP_MAX)
		return perfctr_fail(EINVAL,
				    "a group of %u events is too large; at most %d can count "
				    "together",
				    list->n, PERFCTR_GROUP_MAX);
	if (list->n > 1 && !(config->fields & PERF_SAMPLE_READ))
		return perfctr_fail(EINVAL,
				    "the counts of the events after the first come with "
				    "PERF_SAMPLE_READ; add it to fields, or leave them out");
	return 0;
}

struct perfctr_sampler *perfctr_sampler_open(const char *events,
					     const struct perfctr_target *target,
					     const struct perfctr_sampler_config *config)
{
	struct perfctr_list list;
	struct opening opening = { .list = &list, .config = config };
	const struct perfctr_target_user user = {
		.open = open_all,
		.close = close_all,
		.arg = &opening,
	};
	int result, error = errno;

	if (!events || !config) {
		perfctr_fail(EINVAL, "perfctr_sampler_open() needs a list of events and a config, "
				     "not NULL");
		return NULL;
	}
	if (perfctr_sampler_config_check(config) < 0 || perfctr_list_init(&list, events, 0) < 0)
		return NULL;
	result = check_list(&list, config);
	if (result == 0)
		result = read_cpumasks(&opening);
	if (result == 0)
		result = perfctr_target_open(target, config->flags, &user);
	perfctr_list_clear(&list);
	if (result < 0)
		return NULL;
	if (end_opening(opening.sampler, target) == 0) {
		errno = error;
		return opening.sampler;
	}
	perfctr_sampler_close(opening.sampler);
	return NULL;
}

/* ---- control ---- */

/* 0, or -1 after perfctr_fail(): EINVAL for NULL, ESRCH in a child of fork(). */
static int check_alive(const struct perfctr_sampler *sampler)
{
	if (!sampler)
		return perfctr_fail(EINVAL, "a sampler is needed, not NULL");
	if (!perfctr_is_cleared(sampler) && !is_sampler(sampler))
		return perfctr_wrong_kind(sampler, "a sampler of perfctr_sampler_open()");
	return sampler->nparts ? 0
			       : perfctr_fail(ESRCH, "this sampler belongs to the parent process; "
						     "a child opens its own");
}

int perfctr_sampler_fd(const struct perfctr_sampler *sampler)
{
	if (check_alive(sampler) < 0)
		return -1;
	if (sampler->epoll < 0 ? !perfctr_counter_is_own(leader_of(sampler, 0))
			       : !has_epoll(sampler))
		return perfctr_descriptor_fail("the sampler");
	return sampler->epoll >= 0 ? sampler->epoll : leader_of(sampler, 0)->fd;
}

int perfctr_sampler_check(const struct perfctr_sampler *sampler)
{
	unsigned int p;

	if (check_alive(sampler) < 0)
		return -1;
	if (sampler->epoll >= 0 && !has_epoll(sampler))
		return perfctr_descriptor_fail("the sampler");
	for (p = 0; p < sampler->nparts; p++)
		if (perfctr_events_check(&sampler->part[p].events) < 0)
			return -1;
	return sampler->execs ? perfctr_execs_check(sampler->execs) : 0;
}

/*
 * Enables the first event of each part: without it the others don't count, and they are always on,
 * since PERF_EVENT_IOC_REFRESH can't start them.
 */
int perfctr_sampler_enable(struct perfctr_sampler *sampler)
{
	unsigned int p;
	int result = 0;

	if (check_alive(sampler) < 0)
		return -1;
	sampler->stopped = false;
	for (p = 0; p < sampler->nparts; p++)
		if (perfctr_events_enable(&sampler->part[p].events) < 0)
			result = -1;
	return result;
}

int perfctr_sampler_disable(struct perfctr_sampler *sampler)
{
	unsigned int p;
	int result = 0;

	if (check_alive(sampler) < 0)
		return -1;
	for (p = 0; p < sampler->nparts; p++)
		if (perfctr_events_disable(&sampler->part[p].events) < 0)
			result = -1;
	sampler->stopped = result == 0;
	sampler->all_seen = false;
	sampler->starts = perfctr_counter_starts();
	for (p = 0; p < sampler->nstreams; p++)
		if (sampler->area[p].overwrite)
			perfctr_area_snapshot(&sampler->area[p]);
	return result;
}

/* Makes a request to all parts. -1: errno is from the last one that failed. */
static int request_all(const struct perfctr_sampler *sampler, unsigned long request,
		       unsigned long argument)
{
	unsigned int p;
	int result = 0;

	for (p = 0; p < sampler->nparts; p++)
		if (perfctr_counter_request(leader_of(sampler, p), request, argument) < 0)
			result = -1;
	return result;
}

int perfctr_sampler_refresh(struct perfctr_sampler *sampler, unsigned int samples)
{
	bool stopped;

	if (check_alive(sampler) < 0)
		return -1;
	stopped = sampler->stopped;
	if (samples == 0 || samples > INT32_MAX)
		return perfctr_fail(EINVAL, "a sampler can be started for 1 to %d samples, not %u",
				    INT32_MAX, samples);
	sampler->stopped = false;
	if (request_all(sampler, PERF_EVENT_IOC_REFRESH, samples) == 0)
		return 0;
	/* The parts are alike: none has begun. */
	sampler->stopped = stopped && errno == EINVAL;
	return perfctr_fail(errno, "the kernel refuses to start the sampler for %u samples: %s",
			    samples,
			    errno == EINVAL ? "inherited events have no common number of them"
					    : strerror(errno));
}

int perfctr_sampler_set_period(struct perfctr_sampler *sampler, uint64_t period)
{
	uint64_t wanted = period;
	long limit;

	if (check_alive(sampler) < 0)
		return -1;
	if (sampler->clock_frequency) {
		/* An impossible period becomes 0, which the kernel refuses. */
		if (perfctr_file_number("/proc/sys/kernel/perf_event_max_sample_rate", &limit) < 0)
			limit = 1000000000;
		wanted = period && period <= (uint64_t)limit ? UINT64_C(1000000000) / period : 0;
	}
	if (sampler->clock && check_clock(wanted) < 0)
		return -1;
	if (request_all(sampler, PERF_EVENT_IOC_PERIOD, (unsigned long)&wanted) < 0)
		return perfctr_fail(
			errno, "the kernel refuses %llu: %s", (unsigned long long)period,
			errno == EINVAL ? "a period is from 1 to 2^63 - 1, on some PMUs from 128; "
					  "a frequency is at most "
					  "kernel.perf_event_max_sample_rate"
					: strerror(errno));
	return 0;
}

/* ---- records of several buffers, or of one that is overwritten ---- */

/*
 * The thread whose descriptor is waited for has ended: waits for the next one of the buffer. If
 * there is no other buffer either, the descriptor stays: its hang-up is the sampler's.
 */
static void watch_next(struct perfctr_sampler *sampler, unsigned int p)
{
	unsigned int next = p + 1;

	while (next < sampler->nparts && (sampler->part[next].stream != sampler->part[p].stream ||
					  watch(sampler, EPOLL_CTL_ADD, next) < 0))
		next++;
	if (next == sampler->nparts && sampler->nwatched == 1)
		return;
	if (next == sampler->nparts)
		sampler->nwatched--;
	epoll_ctl(sampler->epoll, EPOLL_CTL_DEL, leader_of(sampler, p)->fd, NULL);
}

/* Otherwise there would always be something to wake up for. */
static void leave_ended(struct perfctr_sampler *sampler)
{
	struct epoll_event event[ENDED_AT_ONCE];
	int i, n = has_epoll(sampler)
			   ? perfctr_call_epoll_wait(sampler->epoll, event, ENDED_AT_ONCE)
			   : 0;

	for (i = 0; i < n; i++)
		if (event[i].events & EPOLLHUP)
			watch_next(sampler, (uint32_t)event[i].data.u64);
}

static int let_write(const struct perfctr_sampler *sampler, bool write)
{
	unsigned int i;
	int result = 0;

	for (i = 0; i < sampler->nstreams; i++)
		if (perfctr_counter_request(leader_of(sampler, sampler->owner[i]),
					    PERF_EVENT_IOC_PAUSE_OUTPUT, !write) < 0)
			result = perfctr_fail(EIO,
					      "the kernel refuses to stop writing, or to go on: %s",
					      strerror(errno));
	return result;
}

/*
 * A record may just be being written on another processor. Reading the count interrupts that
 * processor, and when it answers, the record is complete.
 */
static int end_writing(const struct perfctr_sampler *sampler)
{
	uint64_t words[PERFCTR_READ_WORDS];
	unsigned int p;

	for (p = 0; p < sampler->nparts; p++)
		if (perfctr_counter_words(leader_of(sampler, p), words, PERFCTR_READ_WORDS) < 0)
			return -1;
	return 0;
}

static int look_at_snapshot(struct perfctr_sampler *sampler)
{
	int result;

	if (let_write(sampler, false) < 0 || end_writing(sampler) < 0) {
		int error = errno;

		let_write(sampler, true);
		errno = error;
		return -1;
	}
	sampler->reading = true;
	result = perfctr_merge_look(&sampler->merge, true);
	return let_write(sampler, true) < 0 ? -1 : result;
}

/* Whether nothing is being written, as far as the library's calls go. */
static bool is_stopped(const struct perfctr_sampler *sampler)
{
	return sampler->stopped && sampler->starts == perfctr_counter_starts();
}

static int look(struct perfctr_sampler *sampler)
{
	if (sampler->overwrite)
		return look_at_snapshot(sampler);
	/* This comes before the look, so that a record written after the look wakes the program. */
	if (sampler->epoll >= 0 && !perfctr_merge_has_news(&sampler->merge))
		leave_ended(sampler);
	sampler->reading = true;
	sampler->all_seen = is_stopped(sampler);
	return perfctr_merge_look(&sampler->merge, sampler->all_seen);
}

/*
 * Events that were stopped since the last look have written all their records. What is overwritten
 * has been handed out as it was.
 */
static bool must_look_again(const struct perfctr_sampler *sampler)
{
	return is_stopped(sampler) && !sampler->all_seen && !sampler->overwrite;
}

static int next_merged(struct perfctr_sampler *sampler, struct perf_event_header *header,
		       const void **bytes)
{
	int result;

	if (!sampler->reading && look(sampler) < 0)
		return -1;
	while ((result = perfctr_merge_next(&sampler->merge, header, bytes)) == 0) {
		if (!must_look_again(sampler)) {
			sampler->reading = false;
			return 0;
		}
		if (look(sampler) < 0)
			return -1;
	}
	return result;
}

/* ---- records ---- */

static void note_lost(struct perfctr_sampler *sampler, const struct perfctr_record *record)
{
	if (record->type == PERF_RECORD_LOST)
		sampler->lost += record->as.lost.lost;
	else if (record->type == PERF_RECORD_LOST_SAMPLES)
		sampler->lost_samples += record->as.lost.lost;
}

static inline int decode(struct perfctr_sampler *sampler, struct perf_event_header header,
			 const void *bytes, const struct perfctr_record **record)
{
	int result = perfctr_record_decode(&sampler->decoder, header, bytes, record);

	if (!perfctr_likely(header.type == PERF_RECORD_SAMPLE) && result > 0)
		note_lost(sampler, *record);
	return result;
}

static int next_of_many(struct perfctr_sampler *sampler, const struct perfctr_record **record)
	__attribute__((noinline));
static int next_of_many(struct perfctr_sampler *sampler, const struct perfctr_record **record)
{
	struct perf_event_header header;
	const void *bytes;
	int result;

	if (check_alive(sampler) < 0)
		return -1;
	if (!record)
		return perfctr_fail(EINVAL, "a place for the record is needed, not NULL");
	result = next_merged(sampler, &header, &bytes);
	return result > 0 ? decode(sampler, header, bytes, record) : result;
}

/* Hands out the next record of one buffer, of any type. */
static int next_of_one(struct perfctr_sampler *sampler, const struct perfctr_record **record)
	__attribute__((noinline));
static int next_of_one(struct perfctr_sampler *sampler, const struct perfctr_record **record)
{
	struct perf_event_header header;
	const void *bytes;
	int result = perfctr_ring_next_inline(sampler->ring, &header, &bytes);

	return perfctr_likely(result > 0) ? decode(sampler, header, bytes, record) : result;
}

int perfctr_sampler_next(struct perfctr_sampler *sampler, const struct perfctr_record **record)
{
	const struct perfctr_record *usual;

	/* Only this kind has a ring. */
	if (!perfctr_likely(sampler && record &&
			    perfctr_is_kind(sampler, PERFCTR_KIND_QUICK_SAMPLER)))
		return next_of_many(sampler, record);
	usual = perfctr_record_take(&sampler->decoder, sampler->ring);
	if (!perfctr_likely(usual != NULL))
		return next_of_one(sampler, record);
	*record = usual;
	return 1;
}

/* Goes up to the kernel's present position: the kernel may write as quickly as this reads. */
static int each_of_one(struct perfctr_sampler *sampler,
		       int (*each)(void *arg, const struct perfctr_record *), void *arg)
{
	struct perfctr_ring *ring = sampler->ring;
	const struct perfctr_record *record;
	int result;

	if (perfctr_ring_refresh(ring) < 0)
		return -1;
	while (ring->position != ring->head) {
		record = perfctr_record_take(&sampler->decoder, ring);
		if (!perfctr_likely(record != NULL)) {
			result = next_of_one(sampler, &record);
			if (result <= 0)
				return result;
		}
		result = each(arg, record);
		if (result)
			return result;
	}
	perfctr_ring_release(ring);
	return 0;
}

int perfctr_sampler_each(struct perfctr_sampler *sampler,
			 int (*each)(void *arg, const struct perfctr_record *), void *arg)
{
	const struct perfctr_record *record;
	int result;

	if (check_alive(sampler) < 0)
		return -1;
	if (!each)
		return perfctr_fail(EINVAL, "a function for each record is needed, not NULL");
	if (sampler->ring)
		return each_of_one(sampler, each, arg);
	while ((result = next_of_many(sampler, &record)) > 0) {
		result = each(arg, record);
		if (result)
			break;
	}
	return result;
}

/* Reads event i of a part, alone or with its group. The number of words; -1 after perfctr_fail().
 */
static ssize_t read_part(const struct perfctr_sampler *sampler, unsigned int p, unsigned int i,
			 uint64_t words[PERFCTR_READ_WORDS])
{
	ssize_t n = perfctr_counter_words(leader_of(sampler, p) + i, words, PERFCTR_READ_WORDS);

	return n ? n : perfctr_why_taken("the events");
}

/* Adds a part's number of lost records. 0, or -1 after perfctr_fail(). */
static int add_lost(const struct perfctr_sampler *sampler, unsigned int p, uint64_t *lost)
{
	uint64_t words[PERFCTR_READ_WORDS];

	if (read_part(sampler, p, 0, words) < 0)
		return -1;
	*lost += words[sampler->n > 1 ? LEADERS_LOST : ONES_LOST];
	return 0;
}

int perfctr_sampler_lost(struct perfctr_sampler *sampler, uint64_t *lost)
{
	unsigned int p;

	if (check_alive(sampler) < 0)
		return -1;
	if (!lost)
		return perfctr_fail(EINVAL, "perfctr_sampler_lost() needs a place for the number, "
					    "not NULL");
	*lost = sampler->lost_samples + (sampler->knows_lost ? 0 : sampler->lost);
	for (p = 0; p < sampler->nparts && sampler->knows_lost; p++)
		if (add_lost(sampler, p, lost) < 0)
			return -1;
	return 0;
}

/* Adds a part's count of event i. 0, or -1 after perfctr_fail(). */
static int add_count(const struct perfctr_sampler *sampler, unsigned int p, unsigned int i,
		     uint64_t *count)
{
	uint64_t words[PERFCTR_READ_WORDS];
	ssize_t n = read_part(sampler, p, 0, words);

	if (n > 0 && sampler->n == 1)
		*count += words[0];
	else if (n > 0 && words[0] == sampler->n)
		*count += words[GROUP_VALUES + i * ((size_t)(n - GROUP_VALUES) / sampler->n)];
	/* A group that was dissolved: each is a group of its own. */
	else if (n > 0 && (n = read_part(sampler, p, i, words)) > 0)
		*count += words[GROUP_VALUES];
	return n < 0 ? -1 : 0;
}

int perfctr_sampler_count(struct perfctr_sampler *sampler, unsigned int i, uint64_t *count)
{
	uint64_t sum = 0;
	unsigned int p;

	if (check_alive(sampler) < 0)
		return -1;
	if (!count)
		return perfctr_fail(EINVAL, "perfctr_sampler_count() needs a place for the count, "
					    "not NULL");
	if (i >= sampler->n)
		return perfctr_fail(EINVAL, "the sampler has no event %u, but %u from 0 on", i,
				    sampler->n);
	for (p = 0; p < sampler->nparts; p++)
		if (add_count(sampler, p, i, &sum) < 0)
			return -1;
	*count = sum;
	return 0;
}

/* ---- AUX areas ---- */

/* Turns to the next area. 0, or -1 after perfctr_fail(). */
static int turn_to_next(struct perfctr_sampler *sampler)
{
	sampler->at_area = (sampler->at_area + 1) % sampler->nstreams;
	return perfctr_area_refresh(&sampler->area[sampler->at_area]);
}

static bool take_piece(struct perfctr_sampler *sampler)
{
	struct perfctr_area *area = &sampler->area[sampler->at_area];
	const struct part *part = &sampler->part[sampler->owner[sampler->at_area]];
	struct perfctr_aux *aux = &sampler->aux;

	aux->offset = area->position;
	aux->cpu = part->events.scope.cpu;
	aux->size = perfctr_area_take(area, &aux->bytes);
	return aux->size != 0;
}

int perfctr_sampler_next_aux(struct perfctr_sampler *sampler, const struct perfctr_aux **aux)
{
	unsigned int i;

	if (check_alive(sampler) < 0)
		return -1;
	if (!aux)
		return perfctr_fail(EINVAL, "a place for the piece is needed, not NULL");
	if (!sampler->area[0].data)
		return perfctr_fail(EINVAL, "the sampler has no AUX area: open it with aux_pages");
	if (sampler->area[0].overwrite && !is_stopped(sampler))
		return perfctr_fail(EINVAL, "the AUX area is being overwritten: call "
					    "perfctr_sampler_disable() before");
	*aux = &sampler->aux;
	perfctr_area_release(&sampler->area[sampler->at_area]);
	for (i = 0; i <= sampler->nstreams; i++) {
		if (take_piece(sampler))
			return 1;
		if (turn_to_next(sampler) < 0)
			return -1;
	}
	return 0;
}
