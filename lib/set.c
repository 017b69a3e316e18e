// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets of events: groups (group.c) on all threads of a process, on processors, in a cgroup.
 *
 * A plan says what is to be opened: sources (an event on one PMU) form runs (the sources of one
 * item on one PMU, which become a group). A set is a table of such groups: instances (threads or
 * processors) times runs. The groups of an instance that are on one PMU are a part.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/group.h"
#include "lib/isa/control.h"
#include "lib/isa/pmu.h"
#include "lib/names/resolve.h"
#include "lib/perf/group.h"
#include "lib/perf/probe.h"
#include "lib/perf/reading.h"
#include "lib/perf/why.h"
#include "libperfctr.h"

#define TRIES 20 /* to find the threads of a process in peace */

/* ---- the plan ---- */

struct source {
	struct perf_event_attr attr;
	unsigned int event;
	unsigned int item;
	unsigned int pmu; /* index of its name */
	bool named;	  /* only on processors that have this PMU */
	bool last;	  /* of its event's, in the order in which they are opened */
	bool alone;	  /* its event has no other */
	uint32_t *cpus;	  /* which count for all, if it is opened on processors; else NULL */
};

/* The sources [first, first + n): one group. */
struct run {
	unsigned int first, n;
	unsigned int pmu;
	bool named;
	size_t offset; /* of the group among those of its instance */
};

struct plan {
	unsigned int n;	   /* events */
	const char **name; /* in text */
	char *text;
	size_t text_size;
	struct source *source;
	unsigned int nsources, room;
	struct run *run;
	unsigned int nruns;
	size_t stride; /* bytes of an instance's groups */
	char pmu[PERFCTR_VARIANTS_MAX][PERFCTR_NAME_SIZE];
	unsigned int npmus;
	bool on_cpus;	 /* not on threads */
	bool everywhere; /* on all processors */
};

#define NO_PMU UINT_MAX

static int no_memory(void)
{
	return perfctr_fail(ENOMEM, "no memory for a set of events");
}

static void free_plan(struct plan *plan)
{
	unsigned int s;

	for (s = 0; s < plan->nsources; s++)
		free(plan->source[s].cpus);
	free(plan->source);
	free(plan->run);
	free(plan->name);
	free(plan->text);
}

/* One more source of the last event. */
static struct source *add_source(struct plan *plan, unsigned int item)
{
	struct source *source;

	if (plan->nsources == plan->room) {
		source = reallocarray(plan->source, plan->room * 2 + 8, sizeof(*source));
		if (!source) {
			no_memory();
			return NULL;
		}
		plan->source = source;
		plan->room = plan->room * 2 + 8;
	}
	source = &plan->source[plan->nsources++];
	memset(source, 0, sizeof(*source));
	source->event = plan->n - 1;
	source->item = item;
	source->pmu = NO_PMU;
	return source;
}

/* The index of a PMU's name. -1 after perfctr_fail(). */
static int pmu_index(struct plan *plan, const char *name)
{
	unsigned int k;

	for (k = 0; k < plan->npmus; k++)
		if (!strcmp(plan->pmu[k], name))
			return (int)k;
	if (k == PERFCTR_VARIANTS_MAX)
		return perfctr_fail(EINVAL, "the events are of more than %d PMUs; use several sets",
				    PERFCTR_VARIANTS_MAX);
	snprintf(plan->pmu[k], sizeof(plan->pmu[k]), "%s", name);
	return (int)plan->npmus++;
}

/*
 * An uncore PMU's event counts for a whole package or so: opened on each processor it would be
 * counted as many times.
 */
static int read_cpus(struct source *source, const struct perfctr_variant *variant)
{
	uint32_t words[PERFCTR_CPU_WORDS];

	if (!perfctr_variant_cpus(variant, words))
		return 0;
	source->cpus = malloc(sizeof(words));
	if (!source->cpus)
		return no_memory();
	memcpy(source->cpus, words, sizeof(words));
	return 0;
}

static int add_event(struct plan *plan, const struct perfctr_list *list,
		     const struct perfctr_resolved *event)
{
	const struct perfctr_variant *variant = &list->variant[event->first];
	unsigned int i, s, last = plan->nsources;
	int k;

	plan->name[plan->n++] = event->name;
	for (i = 0; i < event->n; i++, variant++) {
		struct source *source = add_source(plan, event->item);

		if (!source || (plan->on_cpus && read_cpus(source, variant) < 0))
			return -1;
		source->attr = variant->attr;
		source->alone = event->n == 1;
		source->named = variant->is_core;
		if (!source->named)
			continue;
		k = pmu_index(plan, variant->pmu);
		if (k < 0)
			return -1;
		source->pmu = (unsigned int)k;
	}
	/* The PMUs are in the order in which the list of events has them. */
	for (s = last; s < plan->nsources; s++)
		if (plan->source[s].pmu > plan->source[last].pmu)
			last = s;
	plan->source[last].last = true;
	return 0;
}

/* What no core counts goes with the item's first kind of core, if it has one. */
static void place_items(struct plan *plan)
{
	unsigned int s, t, pmu;

	for (s = 0; s < plan->nsources; s++) {
		struct source *source = &plan->source[s];

		if (source->pmu != NO_PMU)
			continue;
		pmu = NO_PMU;
		for (t = 0; t < plan->nsources; t++)
			if (plan->source[t].item == source->item && plan->source[t].named &&
			    plan->source[t].pmu < pmu)
				pmu = plan->source[t].pmu;
		source->pmu = pmu == NO_PMU ? 0 : pmu;
	}
	if (plan->npmus == 0)
		plan->npmus = 1;
}

/* Sources of one PMU together, otherwise in their order. */
static void sort_sources(struct plan *plan)
{
	unsigned int s, t;

	for (s = 1; s < plan->nsources; s++) {
		struct source moved = plan->source[s];

		for (t = s; t > 0 && plan->source[t - 1].pmu > moved.pmu; t--)
			plan->source[t] = plan->source[t - 1];
		plan->source[t] = moved;
	}
}

static int make_runs(struct plan *plan)
{
	struct run *run = NULL;
	unsigned int s;

	place_items(plan);
	sort_sources(plan);
	plan->run = calloc(plan->nsources, sizeof(*plan->run));
	if (!plan->run)
		return no_memory();
	for (s = 0; s < plan->nsources; s++) {
		const struct source *source = &plan->source[s];

		if (!run || source->pmu != run->pmu || source->item != plan->source[s - 1].item) {
			run = &plan->run[plan->nruns++];
			run->first = s;
			run->pmu = source->pmu;
		}
		run->named |= source->named;
		if (++run->n > PERFCTR_GROUP_MAX)
			return perfctr_fail(EINVAL,
					    "a group of %u events is too large; at most %d "
					    "can count together",
					    run->n, PERFCTR_GROUP_MAX);
	}
	for (s = 0; s < plan->nruns; s++) {
		plan->run[s].offset = plan->stride;
		plan->stride += perfctr_group_room(plan->run[s].n);
	}
	return 0;
}

static int plan_events(struct plan *plan, const char *events)
{
	struct perfctr_list list;
	unsigned int i;
	int result = 0;

	if (!events)
		return perfctr_fail(EINVAL, "perfctr_set_open() needs a list of events, not NULL");
	if (perfctr_list_resolve(&list, events, PERFCTR_LIST_ITEMS) < 0)
		return -1;
	plan->text = list.text;
	plan->text_size = list.text_size;
	list.text = NULL;
	plan->name = calloc(list.n, sizeof(*plan->name));
	if (!plan->name)
		result = no_memory();
	for (i = 0; i < list.n && result == 0; i++)
		result = add_event(plan, &list, &list.event[i]);
	perfctr_list_free(&list);
	return result < 0 ? -1 : make_runs(plan);
}

#define CONTROL_NAME 32

static int plan_control(struct plan *plan, const struct perfctr_cpu_control *control)
{
	unsigned int i, n;

	if (!control)
		return perfctr_fail(EINVAL, "perfctr_set_open_control() needs a control, not NULL");
	if (perfctr_cpu_control_check(control) < 0)
		return -1;
	n = control->nractrs;
	if (control->nrictrs || n == 0)
		return perfctr_fail(EINVAL,
				    control->nrictrs
					    ? "a set takes a-mode counters only (nrictrs = 0)"
					    : "the control has no counters (nractrs = 0)");
	if (perfctr_control_place(control) < 0)
		return -1;
	plan->text_size = n * CONTROL_NAME;
	plan->text = calloc(n, CONTROL_NAME);
	plan->name = calloc(n, sizeof(*plan->name));
	if (!plan->text || !plan->name)
		return no_memory();
	for (i = 0; i < n; i++) {
		struct source *source;
		char *name = plan->text + i * CONTROL_NAME;

		plan->name[plan->n++] = name;
		source = add_source(plan, 0);
		if (!source ||
		    perfctr_control_attr(control, i, &source->attr, name, CONTROL_NAME) < 0)
			return -1;
		source->attr.size = sizeof(source->attr);
		source->last = source->alone = true;
	}
	return make_runs(plan);
}

/* Whether the events of each group are for the same processors. */
static int check_cpus(const struct plan *plan)
{
	unsigned int s;

	for (s = 1; s < plan->nsources; s++)
		if (plan->source[s].item == plan->source[s - 1].item &&
		    !plan->source[s].cpus != !plan->source[s - 1].cpus)
			return perfctr_fail(EINVAL,
					    "%s and %s can't be in one group: only one of "
					    "them counts for several processors",
					    plan->name[plan->source[s - 1].event],
					    plan->name[plan->source[s].event]);
	return 0;
}

/* ---- the set ---- */

struct member {
	unsigned int event;
	bool last, alone;
};

struct part {
	unsigned int instance, pmu;
};

/* Lies in memory that a child of fork() finds cleared: there it is a set without events. */
struct perfctr_set {
	size_t size;	/* of all this */
	unsigned int n; /* events */
	unsigned int nruns, ninstances, nparts;
	unsigned int flags;	  /* as given */
	unsigned int group_flags; /* the groups' */
	size_t stride;
	const char **name;
	struct run *run;
	struct perfctr_scope *scope; /* per instance */
	struct part *part;
	struct member *member; /* per source */
	char (*pmu)[PERFCTR_NAME_SIZE];
	char *groups;
};

static struct perfctr_group *group_at(const struct perfctr_set *set, unsigned int instance,
				      const struct run *run)
{
	return (struct perfctr_group *)(void *)(set->groups + instance * set->stride + run->offset);
}

/* Cut so many bytes off the memory that *at goes through. */
static void *take(char **at, size_t bytes)
{
	void *taken = *at;

	*at += (bytes + 7) & ~(size_t)7;
	return taken;
}

/* A set with nothing open. */
static struct perfctr_set *make_set(const struct plan *plan, const struct perfctr_scope *scope,
				    unsigned int ninstances)
{
	size_t nparts = (size_t)ninstances * plan->npmus, size, per_instance;
	struct perfctr_set *set;
	char *at, *text;
	unsigned int i;

	per_instance = sizeof(*scope) + plan->stride + plan->npmus * sizeof(struct part);
	size = sizeof(struct perfctr_set) + plan->n * sizeof(char *) +
	       plan->nruns * sizeof(struct run) + plan->nsources * sizeof(struct member) +
	       plan->npmus * (size_t)PERFCTR_NAME_SIZE + plan->text_size + 8 * 8;
	if (__builtin_mul_overflow(per_instance, ninstances, &per_instance) ||
	    __builtin_add_overflow(size, per_instance, &size)) {
		no_memory();
		return NULL;
	}
	set = perfctr_memory_map(size);
	if (!set)
		return NULL;
	at = (char *)set;
	take(&at, sizeof(*set));
	set->size = size;
	set->n = plan->n;
	set->nruns = plan->nruns;
	set->ninstances = ninstances;
	set->stride = plan->stride;
	set->groups = take(&at, ninstances * plan->stride);
	set->name = take(&at, plan->n * sizeof(*set->name));
	set->run = take(&at, plan->nruns * sizeof(*set->run));
	memcpy(set->run, plan->run, plan->nruns * sizeof(*set->run));
	set->scope = take(&at, ninstances * sizeof(*scope));
	memcpy(set->scope, scope, ninstances * sizeof(*scope));
	set->part = take(&at, nparts * sizeof(*set->part));
	set->member = take(&at, plan->nsources * sizeof(*set->member));
	for (i = 0; i < plan->nsources; i++)
		set->member[i] = (struct member){
			.event = plan->source[i].event,
			.last = plan->source[i].last,
			.alone = plan->source[i].alone,
		};
	set->pmu = take(&at, plan->npmus * sizeof(*set->pmu));
	memcpy(set->pmu, plan->pmu, plan->npmus * sizeof(*set->pmu));
	text = memcpy(take(&at, plan->text_size), plan->text, plan->text_size);
	for (i = 0; i < plan->n; i++)
		set->name[i] = text + (plan->name[i] - plan->text);
	return set;
}

static int open_group(struct perfctr_set *set, const struct plan *plan, unsigned int instance,
		      const struct run *run, unsigned int flags)
{
	struct perfctr_group *group = group_at(set, instance, run);
	unsigned int i;

	perfctr_group_init(group, &set->scope[instance], flags, run->n);
	for (i = 0; i < run->n; i++) {
		struct source *source = &plan->source[run->first + i];

		if (perfctr_events_add(&group->events, &source->attr, set->name[source->event]) < 0)
			goto fail;
	}
	if (perfctr_group_start(group) == 0)
		return 0;
fail:
	perfctr_events_end(&group->events);
	return -1;
}

/* Whether an event of the run is to be opened on this processor. */
static bool wanted(const struct plan *plan, const struct run *run, int cpu)
{
	const uint32_t *cpus = plan->everywhere ? plan->source[run->first].cpus : NULL;

	return !cpus || cpus[cpu / 32] & 1u << cpu % 32;
}

static void close_instance(struct perfctr_set *set, unsigned int instance)
{
	unsigned int r;

	for (r = 0; r < set->nruns; r++)
		perfctr_events_end(&group_at(set, instance, &set->run[r])->events);
}

/* Open all of an instance that it can have. On failure nothing of it is open. */
static int open_instance(struct perfctr_set *set, const struct plan *plan, unsigned int instance)
{
	int cpu = set->scope[instance].cpu;
	unsigned int r, watched = NO_PMU;

	for (r = 0; r < set->nruns; r++) {
		const struct run *run = &set->run[r];
		unsigned int flags = set->group_flags;

		if (!wanted(plan, run, cpu))
			continue;
		/* Of several kinds of core, a thread is on one at a time: see finish(). */
		if (run->named && flags & PERFCTR_INHERIT)
			flags |= PERFCTR_MULTIPLEX;
		if (plan->source[run->first].cpus)
			flags |= PERFCTR_EVENTS_MOVES;
		if (run->pmu == watched)
			flags |= PERFCTR_EVENTS_UNWATCHED;
		if (open_group(set, plan, instance, run, flags) == 0) {
			if (perfctr_events_is_watched(&group_at(set, instance, run)->events))
				watched = run->pmu;
		} else if (!(run->named && cpu >= 0 && errno == EOPNOTSUPP)) {
			close_instance(set, instance);
			return -1;
		}
	}
	return 0;
}

/*
 * List the parts: the kinds of core that an instance has something open on. Each event must be
 * somewhere, unless all threads have ended.
 */
static int find_parts(struct perfctr_set *set, unsigned int npmus, bool may_have_ended)
{
	unsigned int i, k, r, m, e;
	bool *open = calloc(set->n, sizeof(*open));
	int result = 0;

	if (!open)
		return no_memory();
	for (i = 0; i < set->ninstances; i++) {
		for (k = 0; k < npmus; k++) {
			bool any = false;

			for (r = 0; r < set->nruns; r++) {
				const struct run *run = &set->run[r];

				if (run->pmu != k || !perfctr_group_size(group_at(set, i, run)))
					continue;
				any = true;
				for (m = 0; m < run->n; m++)
					open[set->member[run->first + m].event] = true;
			}
			if (any)
				set->part[set->nparts++] = (struct part){ .instance = i, .pmu = k };
		}
	}
	for (e = 0; e < set->n && result == 0 && (set->nparts || !may_have_ended); e++)
		if (!open[e])
			result = perfctr_fail(EOPNOTSUPP,
					      "%s can't be counted: its PMU is on none "
					      "of the processors asked for",
					      set->name[e]);
	free(open);
	return result;
}

/* A set with everything open. Of several threads some may have ended: they have nothing open. */
static struct perfctr_set *open_set(const struct plan *plan, const struct perfctr_scope *scope,
				    unsigned int n, unsigned int flags, unsigned int group_flags,
				    bool may_have_ended)
{
	struct perfctr_set *set = make_set(plan, scope, n);
	unsigned int i;

	if (!set)
		return NULL;
	set->flags = flags;
	set->group_flags = group_flags;
	for (i = 0; i < n; i++)
		if (open_instance(set, plan, i) < 0 && !(may_have_ended && errno == ESRCH))
			goto fail;
	if (find_parts(set, plan->npmus, may_have_ended) == 0)
		return set;
fail:
	perfctr_set_close(set);
	return NULL;
}

/* ---- threads and processes ---- */

static struct perfctr_set *open_thread(const struct plan *plan, int id, unsigned int flags)
{
	struct perfctr_scope scope = { .tid = id, .cpu = -1, .cgroup = -1 };

	if (id < 0) {
		perfctr_fail(EINVAL, "%d is no thread's id; 0 is the calling thread", id);
		return NULL;
	}
	return open_set(plan, &scope, 1, flags, flags, false);
}

/* A thread is known by its inode in /proc, too, because the next thread with its id has another. */
struct thread {
	pid_t tid;
	ino_t inode;
	unsigned long long ran; /* ns on a processor, when first looked at; 0: not yet */
	bool settled;
};

struct threads {
	struct thread *thread;
	unsigned int n, room;
};

static int list_threads(DIR *dir, struct threads *list)
{
	struct thread *larger;
	struct dirent *entry;
	long tid;

	rewinddir(dir);
	list->n = 0;
	while ((entry = readdir(dir))) {
		tid = strtol(entry->d_name, NULL, 10);
		if (tid <= 0)
			continue;
		if (list->n == list->room) {
			larger = reallocarray(list->thread, list->room * 2 + 16, sizeof(*larger));
			if (!larger)
				return no_memory();
			list->thread = larger;
			list->room = list->room * 2 + 16;
		}
		list->thread[list->n++] = (struct thread){
			.tid = (pid_t)tid,
			.inode = entry->d_ino,
		};
	}
	return 0;
}

/* Whether all of a are in b. The kernel lists threads in the order of their creation. */
static bool is_part_of(const struct threads *a, const struct threads *b)
{
	unsigned int i, k = 0;

	for (i = 0; i < a->n; i++, k++) {
		while (k < b->n && (a->thread[i].tid != b->thread[k].tid ||
				    a->thread[i].inode != b->thread[k].inode))
			k++;
		if (k == b->n)
			return false;
	}
	return true;
}

/* Read "TID/name" in a process's folder. false: there is no such thread. */
static bool read_thread_file(DIR *dir, pid_t tid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%d/%s", (int)tid, name);
	fd = openat(dirfd(dir), path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* No thread is created in so many ns on a processor. */
#define CLONING_NS 1000000

/*
 * Whether the thread is not inside of a clone(2) that began before this was first called: then it
 * sleeps, or has run long enough since. A thread that is being created has inherited what was open
 * early in clone(2), and is in /proc only at its end.
 */
static bool is_settled(DIR *dir, struct thread *thread)
{
	char text[512], *state;
	unsigned long long ran;

	if (!read_thread_file(dir, thread->tid, "stat", text, sizeof(text)))
		return true;
	/* Behind the name, which may hold anything. */
	state = strrchr(text, ')');
	if (!state || strlen(state) < 3 || !strchr("RD", state[2]))
		return true;
	if (!read_thread_file(dir, thread->tid, "schedstat", text, sizeof(text)))
		return true;
	ran = strtoull(text, NULL, 10);
	if (!thread->ran)
		thread->ran = ran;
	return ran - thread->ran >= CLONING_NS || ran == 0;
}

#define SETTLE_MS 1000

/* Wait until all threads but the calling one are settled. 0, or -1 after perfctr_fail(EAGAIN). */
static int settle(DIR *dir, const struct threads *threads)
{
	pid_t self = (pid_t)syscall(SYS_gettid);
	unsigned int i, ms;
	pid_t last = 0;

	for (ms = 0; ms < SETTLE_MS; ms++) {
		bool all = true;

		for (i = 0; i < threads->n; i++) {
			struct thread *thread = &threads->thread[i];

			if (!thread->settled)
				thread->settled = thread->tid == self || is_settled(dir, thread);
			if (!thread->settled) {
				all = false;
				last = thread->tid;
			}
		}
		if (all)
			return 0;
		usleep(1000);
	}
	return perfctr_fail(EAGAIN,
			    "thread %d is kept from running, so that it can't be known "
			    "whether it is just creating another; try again",
			    (int)last);
}

/*
 * Whether the process has no other threads than the ones listed before: 1, 0, or -1 after
 * perfctr_fail(). A listing may leave out a thread while another ends. But two equal listings are
 * of threads that lived all the time between, and if they are as many as the kernel had then (the
 * folder's links), no other did.
 */
static int has_only(DIR *dir, const struct threads *before)
{
	struct threads list[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };
	const struct threads *last = before;
	struct stat folder;
	int tries, result = 0;

	for (tries = 0; tries < TRIES; tries++) {
		struct threads *now = &list[tries % 2];

		if (fstat(dirfd(dir), &folder) < 0) {
			result = perfctr_fail(EIO, "a process's folder in /proc can't be read: %s",
					      strerror(errno));
			break;
		}
		if (list_threads(dir, now) < 0) {
			result = -1;
			break;
		}
		if (!is_part_of(now, before))
			break;
		if (now->n == last->n && is_part_of(now, last) && folder.st_nlink == now->n + 2) {
			result = 1;
			break;
		}
		last = now;
	}
	free(list[0].thread);
	free(list[1].thread);
	return result;
}

/* Open on all threads that there are; what they create inherits. Nothing starts yet. */
static struct perfctr_set *try_process(const struct plan *plan, DIR *dir, struct threads *threads,
				       unsigned int flags)
{
	unsigned int i, group_flags = flags | PERFCTR_INHERIT | PERFCTR_DISABLED;
	struct perfctr_scope *scope;
	struct perfctr_set *set;

	if (!(flags & PERFCTR_INHERIT))
		group_flags |= PERFCTR_EVENTS_THREADS;
	if (list_threads(dir, threads) < 0)
		return NULL;
	scope = calloc(threads->n + 1, sizeof(*scope));
	if (!scope) {
		no_memory();
		return NULL;
	}
	for (i = 0; i < threads->n; i++)
		scope[i] = (struct perfctr_scope){
			.tid = threads->thread[i].tid,
			.cpu = -1,
			.cgroup = -1,
		};
	set = open_set(plan, scope, threads->n, flags, group_flags, true);
	free(scope);
	return set;
}

static DIR *open_process_folder(int id)
{
	char path[64];
	DIR *dir;

	if (id < 0) {
		perfctr_fail(EINVAL, "%d is no process's id; 0 is the calling process", id);
		return NULL;
	}
	if (id == 0)
		snprintf(path, sizeof(path), "/proc/self/task");
	else
		snprintf(path, sizeof(path), "/proc/%d/task", id);
	dir = perfctr_file_dir(path);
	if (dir)
		return dir;
	if (errno == ENOENT && id != 0 && kill(id, 0) < 0 && errno == ESRCH)
		perfctr_fail(ESRCH, "there is no process %d", id);
	else
		perfctr_fail(errno == ENOMEM || errno == EMFILE || errno == ENFILE ? errno : ENOENT,
			     "the threads of process %d are not known: %s can't be read (%s); "
			     "mount /proc",
			     id, path, strerror(errno));
	return NULL;
}

static struct perfctr_set *open_process(const struct plan *plan, int id, unsigned int flags)
{
	struct threads threads = { NULL, 0, 0 };
	struct perfctr_set *set = NULL;
	DIR *dir = open_process_folder(id);
	int tries, result = 0;

	if (!dir)
		return NULL;
	for (tries = 1; tries <= TRIES && result == 0; tries++) {
		set = try_process(plan, dir, &threads, flags);
		/*
		 * That an event is wrong or not possible may be the kernel's mistake: it exchanges
		 * the events of a thread and of another that has just inherited them all, so that a
		 * group's first event may be that of the other one, or end with it, before the next
		 * is opened.
		 */
		if (set)
			result = settle(dir, &threads) < 0 ? -1 : has_only(dir, &threads);
		else if ((errno != EINVAL && errno != EOPNOTSUPP) || tries == TRIES)
			result = -1;
		if (result <= 0) {
			perfctr_set_close(set);
			set = NULL;
		}
	}
	free(threads.thread);
	if (result == 0)
		perfctr_fail(EAGAIN,
			     "process %d creates threads faster than they can be counted: "
			     "they were others at each of %d attempts; try again, or stop it "
			     "meanwhile",
			     id ? id : (int)getpid(), TRIES);
	if (set && set->nparts == 0)
		result = perfctr_fail(ESRCH, "there is no process %d: it has just ended", id);
	else if (set && !(flags & (PERFCTR_ON_EXEC | PERFCTR_DISABLED)))
		result = perfctr_set_enable(set);
	closedir(dir);
	if (result >= 0)
		return set;
	perfctr_set_close(set);
	return NULL;
}

/* ---- processors and cgroups ---- */

/* The set on processor cpu, or on all (-1), within the cgroup if its descriptor is not -1. */
static struct perfctr_set *open_cpus(struct plan *plan, int cpu, int cgroup, unsigned int flags)
{
	struct perfctr_cpus_info *info = NULL;
	struct perfctr_scope *scope = NULL;
	struct perfctr_set *set = NULL;
	unsigned int i, n = 0;

	if (flags & (PERFCTR_INHERIT | PERFCTR_ON_EXEC)) {
		perfctr_fail(EINVAL,
			     "PERFCTR_INHERIT and PERFCTR_ON_EXEC are for threads; on a processor "
			     "all count");
		return NULL;
	}
	if (cpu < -1) {
		perfctr_fail(EINVAL, "%d is no processor; -1 is all of them", cpu);
		return NULL;
	}
	plan->everywhere = cpu < 0;
	info = perfctr_cpus_info(-1);
	if (!info)
		return NULL;
	scope = calloc(info->cpus->nrwords * 32, sizeof(*scope));
	if (!scope) {
		no_memory();
		goto end;
	}
	for (i = 0; i < info->cpus->nrwords * 32; i++)
		if (info->cpus->mask[i / 32] & 1u << i % 32 && (cpu < 0 || i == (unsigned int)cpu))
			scope[n++] = (struct perfctr_scope){
				.tid = -1,
				.cpu = (int)i,
				.cgroup = cgroup,
			};
	if (n == 0)
		perfctr_fail(ENODEV, "processor %d is not online", cpu);
	else if (cpu >= 0 || check_cpus(plan) == 0)
		set = open_set(plan, scope, n, flags, flags, false);
end:
	free(scope);
	free(info);
	return set;
}

/* A descriptor of a cgroup's folder; -1 with errno (EINVAL: of another folder). */
static int open_folder(const char *root, const char *path)
{
	char name[PATH_MAX];
	struct statfs fs;
	int fd, n = snprintf(name, sizeof(name), "%s%s", root, path);

	if (n < 0 || (size_t)n >= sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstatfs(fd, &fs) == 0 &&
	    (fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static int open_cgroup(const char *path)
{
	/* Where version 1 has perf_event, version 2 has not. */
	static const char *const roots[] = {
		"/sys/fs/cgroup/perf_event/",
		"/sys/fs/cgroup/",
		"/sys/fs/cgroup/unified/",
	};
	unsigned int i;
	int fd = -1;

	if (!path || !*path)
		return perfctr_fail(EINVAL, "PERFCTR_TARGET_CGROUP needs the name of a cgroup's "
					    "folder");
	if (*path == '/')
		fd = open_folder("", path);
	for (i = 0; i < ARRAY_SIZE(roots) && *path != '/' && fd < 0; i++)
		fd = open_folder(roots[i], path);
	if (fd >= 0)
		return fd;
	if (errno == EINVAL || errno == ENOTDIR)
		return perfctr_fail(EINVAL, "%.200s is no cgroup's folder", path);
	if (errno == ENOENT)
		return perfctr_fail(ENOENT, "there is no cgroup %.200s%s", path,
				    *path == '/' ? "" : " under /sys/fs/cgroup");
	return perfctr_fail(errno, "cgroup %.200s can't be opened: %s", path, strerror(errno));
}

static struct perfctr_set *open_in_cgroup(struct plan *plan, const char *path, unsigned int flags)
{
	struct perfctr_set *set = NULL;
	int cgroup = open_cgroup(path), error;

	if (cgroup < 0)
		return NULL;
	error = perfctr_cgroup_probe(cgroup, 0) < 0 ? errno : 0;
	if (error == EBADF || error == ENOENT)
		perfctr_fail(EOPNOTSUPP,
			     "cgroup %.200s can't be counted: it has no perf_event; write "
			     "+pids or so into its parent's cgroup.subtree_control, or name the "
			     "folder under the mount that has perf_event",
			     path);
	else if (error == EINVAL)
		perfctr_fail(EOPNOTSUPP,
			     "cgroup %.200s can't be counted: this kernel can't count "
			     "cgroups (CONFIG_CGROUP_PERF)",
			     path);
	else /* any other error comes again, and then it is about an event */
		set = open_cpus(plan, -1, cgroup, flags);
	close(cgroup);
	return set;
}

/* ---- the calls ---- */

static struct perfctr_set *open_target(struct plan *plan, const struct perfctr_target *target,
				       unsigned int flags)
{
	if (perfctr_group_check(flags) < 0)
		return NULL;
	if (!target)
		return open_thread(plan, 0, flags);
	switch (target->type) {
	case PERFCTR_TARGET_THREAD: return open_thread(plan, target->id, flags);
	case PERFCTR_TARGET_PROCESS: return open_process(plan, target->id, flags);
	case PERFCTR_TARGET_CPU: return open_cpus(plan, target->id, -1, flags);
	case PERFCTR_TARGET_CGROUP: return open_in_cgroup(plan, target->cgroup, flags);
	}
	perfctr_fail(EINVAL, "%u is no type of target; they are PERFCTR_TARGET_*", target->type);
	return NULL;
}

struct perfctr_set *perfctr_set_open(const char *events, const struct perfctr_target *target,
				     unsigned int flags)
{
	struct plan plan = {
		.on_cpus = target && (target->type == PERFCTR_TARGET_CPU ||
				      target->type == PERFCTR_TARGET_CGROUP),
	};
	struct perfctr_set *set = NULL;

	if (plan_events(&plan, events) == 0)
		set = open_target(&plan, target, flags);
	free_plan(&plan);
	return set;
}

struct perfctr_set *perfctr_set_open_control(const struct perfctr_cpu_control *control,
					     const struct perfctr_target *target,
					     unsigned int flags)
{
	struct plan plan = { .n = 0 };
	struct perfctr_set *set = NULL;

	if (plan_control(&plan, control) == 0)
		set = open_target(&plan, target, flags);
	free_plan(&plan);
	return set;
}

unsigned int perfctr_set_size(const struct perfctr_set *set)
{
	return set->n;
}

const char *perfctr_set_name(const struct perfctr_set *set, unsigned int i)
{
	return i < set->n ? set->name[i] : NULL;
}

/* 0, or -1 after perfctr_fail(ESRCH) in a child of fork(). */
static int check_alive(const struct perfctr_set *set)
{
	return set->n ? 0
		      : perfctr_fail(ESRCH, "this set belongs to the parent process; a child "
					    "opens its own");
}

/* Call this for all groups, also behind one that fails; an instance's in order, or from the last.
 */
static int for_all(struct perfctr_set *set, int (*call)(struct perfctr_group *), bool backward)
{
	unsigned int i, r;
	int result = 0;

	if (check_alive(set) < 0)
		return -1;
	for (i = 0; i < set->ninstances; i++) {
		for (r = 0; r < set->nruns; r++) {
			const struct run *run = &set->run[backward ? set->nruns - 1 - r : r];
			struct perfctr_group *group = group_at(set, i, run);

			if (perfctr_group_size(group) && call(group) < 0)
				result = -1;
		}
	}
	return result;
}

int perfctr_set_enable(struct perfctr_set *set)
{
	return for_all(set, perfctr_group_enable, false);
}

int perfctr_set_disable(struct perfctr_set *set)
{
	return for_all(set, perfctr_group_disable, true);
}

int perfctr_set_reset(struct perfctr_set *set)
{
	return for_all(set, perfctr_group_reset, false);
}

/* ---- reading ---- */

static void worsen(struct perfctr_reading *reading, unsigned int quality)
{
	if (quality > reading->quality)
		reading->quality = quality;
}

/* Add what a part counted to readings; whole: of its thread, with all kinds of core. */
static int add_part(const struct perfctr_set *set, const struct part *part,
		    struct perfctr_reading *readings, bool whole)
{
	struct perfctr_reading one[PERFCTR_GROUP_MAX];
	bool on_cpu = set->scope[part->instance].cpu >= 0, stale = false;
	unsigned int r, m;
	int result = 0;

	for (r = 0; r < set->nruns; r++) {
		const struct run *run = &set->run[r];
		const struct perfctr_group *group = group_at(set, part->instance, run);
		bool failed;

		if (run->pmu != part->pmu || !perfctr_group_size(group))
			continue;
		failed = perfctr_group_read(group, one) < 0;
		if (failed)
			result = -1;
		/* The first one that is watched tells whether the processor is offline. */
		stale |= one[0].quality == PERFCTR_STALE;
		for (m = 0; m < run->n; m++) {
			const struct member *member = &set->member[run->first + m];
			struct perfctr_reading *sum = &readings[member->event];

			sum->value += one[m].value;
			sum->running += one[m].running;
			if (member->last || on_cpu || !whole)
				sum->enabled += one[m].enabled;
			if (stale)
				worsen(sum, PERFCTR_STALE);
			else if (member->alone || failed || on_cpu || !whole)
				worsen(sum, one[m].quality);
		}
	}
	return result;
}

/*
 * The times decide for events on several kinds of core: a thread that is on one kind, and counted
 * there, is not counted on the others, and that is exact. The time enabled is that of the last
 * kind: it is started last, stopped first and read first, so that it is not longer than the
 * others'.
 */
static int finish(const struct perfctr_set *set, struct perfctr_reading *readings)
{
	unsigned int s, r;
	int result = 0;

	for (r = 0; r < set->nruns; r++) {
		for (s = set->run[r].first; s < set->run[r].first + set->run[r].n; s++) {
			struct perfctr_reading *sum = &readings[set->member[s].event];

			if (set->member[s].alone)
				continue;
			if (sum->running > sum->enabled)
				sum->running = sum->enabled;
			worsen(sum, perfctr_quality_of(sum->enabled, sum->running));
			if (!(set->flags & PERFCTR_MULTIPLEX) && sum->quality != PERFCTR_EXACT &&
			    sum->quality != PERFCTR_STALE)
				result = perfctr_why_taken("the events");
		}
	}
	return result;
}

int perfctr_set_read(const struct perfctr_set *set, struct perfctr_reading *readings)
{
	unsigned int p;
	int result = 0;

	if (check_alive(set) < 0)
		return -1;
	if (!readings)
		return perfctr_fail(EINVAL, "perfctr_set_read() needs a place for the counts, not "
					    "NULL");
	memset(readings, 0, set->n * sizeof(*readings));
	for (p = set->nparts; p-- > 0;)
		if (add_part(set, &set->part[p], readings, true) < 0)
			result = -1;
	return finish(set, readings) < 0 ? -1 : result;
}

unsigned int perfctr_set_parts(const struct perfctr_set *set)
{
	return set->nparts;
}

static int check_part(const struct perfctr_set *set, unsigned int p)
{
	if (check_alive(set) < 0)
		return -1;
	return p < set->nparts ? 0
			       : perfctr_fail(EINVAL, "there is no part %u; the set has %u", p,
					      set->nparts);
}

int perfctr_set_part(const struct perfctr_set *set, unsigned int p, struct perfctr_part *part)
{
	const struct perfctr_scope *scope;

	if (check_part(set, p) < 0)
		return -1;
	if (!part)
		return perfctr_fail(EINVAL, "perfctr_set_part() needs a place for the part, not "
					    "NULL");
	scope = &set->scope[set->part[p].instance];
	part->tid = scope->tid;
	part->cpu = scope->cpu;
	part->pmu = set->pmu[set->part[p].pmu];
	return 0;
}

int perfctr_set_read_part(const struct perfctr_set *set, unsigned int p,
			  struct perfctr_reading *readings)
{
	const struct part *part;
	unsigned int e, r, m;

	if (check_part(set, p) < 0)
		return -1;
	if (!readings)
		return perfctr_fail(EINVAL, "perfctr_set_read_part() needs a place for the counts, "
					    "not NULL");
	part = &set->part[p];
	memset(readings, 0, set->n * sizeof(*readings));
	for (e = 0; e < set->n; e++)
		readings[e].quality = PERFCTR_NOT_COUNTED;
	for (r = 0; r < set->nruns; r++) {
		const struct run *run = &set->run[r];

		if (run->pmu != part->pmu ||
		    !perfctr_group_size(group_at(set, part->instance, run)))
			continue;
		for (m = 0; m < run->n; m++)
			readings[set->member[run->first + m].event].quality = PERFCTR_EXACT;
	}
	return add_part(set, part, readings, false);
}

void perfctr_set_close(struct perfctr_set *set)
{
	unsigned int i;

	/* In a child of fork() the set was wiped, its size too: there is nothing to give back. */
	if (!set || !set->size)
		return;
	for (i = 0; i < set->ninstances; i++)
		close_instance(set, i);
	perfctr_memory_unmap(set, set->size);
}
