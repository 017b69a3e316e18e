// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions of a program's OpenMP constructs, by OMPT: an OpenMP runtime that has OMPT loads this
 * library (OMP_TOOL_LIBRARIES), and calls it at each begin and end. README.md says which regions
 * there are.
 */
#include <dlfcn.h>
#include <link.h>
#include <perfctr/regions.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "collect/constructs.h"
#include "collect/ompt.h"
#include "collect/visits.h"

/* ---- what OMPT calls ---- */

/* A function of its own, so that the ways that don't call it save no registers. */
#define APART __attribute__((noinline))

static unsigned int running; /* parallel constructs, in all threads */

/* The runtime's own code, if it is a library for itself. */
static uintptr_t runtime_begin, runtime_size;

static bool is_in_runtime(const void *address)
{
	return (uintptr_t)address - runtime_begin < runtime_size;
}

/*
 * The place in the program of a construct whose address is in the runtime: that of the thread's
 * innermost visit, if it is of either kind. libomp's taskloop has such an address, and so have its
 * tasks; the taskgroup that it begins with has the program's. A task of it may make others.
 */
static APART const void *place_around(const void *address, enum kind kind, enum kind other)
{
	const struct visits *visits = visits_here();
	const struct construct *around;

	if (!visits->depth || visits->depth > VISITS_DEPTH)
		return address;
	around = visits->visit[visits->depth - 1].construct;
	return (around->kind == kind || around->kind == other) && around->address ? around->address
										  : address;
}

/*
 * The place of a construct that the runtime tells none for, as libomp for GCC's programs: that of
 * the parallel construct that the thread is in.
 */
static APART const void *place_within(void)
{
	const struct visits *visits = visits_here();
	unsigned int at = visits->depth < VISITS_DEPTH ? visits->depth : VISITS_DEPTH;

	while (at-- > 0)
		if (visits->visit[at].construct->kind == PARALLEL ||
		    visits->visit[at].construct->kind == TEAMS)
			return visits->visit[at].construct->address;
	return NULL;
}

/* A parallel construct without a place is the runtime's own: it has one in each team of a league.
 */
static void parallel_begin(union ompt_word *task, const void *frame, union ompt_word *parallel,
			   unsigned int requested, int flags, const void *address)
{
	(void)task, (void)frame, (void)requested;
	__atomic_fetch_add(&running, 1, __ATOMIC_RELAXED);
	constructs_look(address);
	if (flags & OMPT_LEAGUE)
		parallel->pointer = visits_here()->league = construct_find(TEAMS, address);
	else
		parallel->pointer = address ? construct_find(PARALLEL, address) : NULL;
}

static void parallel_end(union ompt_word *parallel, union ompt_word *task, int flags,
			 const void *address)
{
	(void)parallel, (void)task, (void)flags, (void)address;
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELAXED);
}

/*
 * A team of a league begins as an initial task; that of the program belongs to no construct. libomp
 * forgets the tool's word if a league has one team.
 */
static struct construct *construct_of(const union ompt_word *parallel, int flags)
{
	struct visits *visits = visits_here();
	struct construct *league = flags & OMPT_TASK_INITIAL ? visits->league : NULL;

	visits->league = NULL;
	return parallel && parallel->pointer ? parallel->pointer : league;
}

static void implicit_task(int endpoint, union ompt_word *parallel, union ompt_word *task,
			  unsigned int threads, unsigned int index, int flags)
{
	struct construct *construct = endpoint == OMPT_BEGIN ? construct_of(parallel, flags) : NULL;

	(void)threads;
	if (construct) {
		task->pointer = construct;
		visits_begin(visits_here(), construct, task, index == 0);
	} else if (endpoint == OMPT_END && task->pointer) {
		struct visits *visits = visits_here();

		visits_end_from(visits, visits_find(visits, task));
		task->pointer = NULL;
	}
}

static enum kind kind_of_work(int type)
{
	switch (type) {
	case OMPT_SECTIONS: return SECTIONS;
	case OMPT_SINGLE: return SINGLE;
	case OMPT_DISTRIBUTE: return DISTRIBUTE;
	case OMPT_TASKLOOP: return TASKLOOP;
	case OMPT_LOOP:
	case OMPT_LOOP_STATIC:
	case OMPT_LOOP_DYNAMIC:
	case OMPT_LOOP_GUIDED:
	case OMPT_LOOP_OTHER: return LOOP;
	default: return NOTHING;
	}
}

/* A barrier that follows may have no place of its own. */
static void end_work(struct visits *visits, enum kind kind)
{
	const struct visit *visit = &visits->visit[visits->depth - 1];

	visits->ended = NULL;
	if (visits->depth && visits->depth <= VISITS_DEPTH && visit->construct->kind == kind)
		visits->ended = visit->construct->address;
	visits_end_of(visits, kind);
}

static void work(int type, int endpoint, union ompt_word *parallel, union ompt_word *task,
		 uint64_t count, const void *address)
{
	enum kind kind = kind_of_work(type);

	(void)parallel, (void)task, (void)count;
	if (kind == TASKLOOP && endpoint == OMPT_BEGIN && is_in_runtime(address))
		address = place_around(address, GROUP, GROUP);
	if (kind != NOTHING && endpoint == OMPT_BEGIN)
		visits_begin(visits_here(),
			     construct_find(kind, address ? address : place_within()), NULL, false);
	else if (kind != NOTHING && endpoint == OMPT_END)
		end_work(visits_here(), kind);
}

/* Whether a barrier is the one at the end of a parallel construct, which has its address or none.
 */
static bool is_last(int type, const union ompt_word *task, const void *address)
{
	const struct construct *construct = task ? task->pointer : NULL;

	return construct && (construct->kind == PARALLEL || construct->kind == TEAMS) &&
	       (type == OMPT_BARRIER_PARALLEL || type == OMPT_BARRIER_TEAMS ||
		(type == OMPT_BARRIER_IMPLICIT && (!address || address == construct->address)));
}

/*
 * The thread's part of a parallel construct ends here. A worker is told the end of its implicit
 * task, and of the barrier, only when the next construct begins: it is idle until then.
 */
static APART void last_barrier(union ompt_word *task)
{
	struct construct *construct = task->pointer;
	struct visits *visits = visits_here();
	unsigned int at = visits_find(visits, task);
	bool primary = at && visits->visit[at - 1].primary;

	visits_end_from(visits, at);
	task->pointer = NULL;
	visits_begin(visits, construct_wait(construct, primary ? BARRIER : IDLE), NULL, false);
}

static APART void begin_wait(int type, enum kind kind, union ompt_word *task, const void *address)
{
	struct visits *visits = visits_here();

	if (is_last(type, task, address)) {
		last_barrier(task);
		return;
	}
	if (!address)
		address = visits->ended ? visits->ended : place_within();
	visits->ended = NULL;
	if (address)
		visits_begin(visits, construct_find(kind, address), NULL, false);
}

static APART void end_wait(enum kind kind)
{
	struct visits *visits = visits_here();
	bool idle = visits->depth == 1 && visits->visit[0].construct->kind == IDLE;

	visits_end_of(visits, idle ? IDLE : kind);
}

static void sync_region(int type, int endpoint, union ompt_word *parallel, union ompt_word *task,
			const void *address)
{
	enum kind kind = type == OMPT_TASKWAIT ? WAIT : type == OMPT_TASKGROUP ? GROUP : BARRIER;

	(void)parallel;
	if (endpoint == OMPT_END)
		end_wait(kind);
	else if (endpoint == OMPT_BEGIN)
		begin_wait(type, kind, task, address);
}

static void task_create(union ompt_word *task, const void *frame, union ompt_word *created,
			int flags, int dependences, const void *address)
{
	(void)task, (void)frame, (void)dependences;
	if (!(flags & OMPT_TASK_EXPLICIT))
		return;
	if (is_in_runtime(address))
		address = place_around(address, TASKLOOP, TASK);
	created->pointer = construct_find(TASK, address);
}

static bool is_explicit(const union ompt_word *task)
{
	const struct construct *construct = task ? task->pointer : NULL;

	return construct && construct->kind == TASK;
}

/*
 * A thread leaves a task for another one. It begins that within the one that it leaves, as by a
 * call, or returns to one in which it was before: an untied task ends in parts.
 */
static void task_schedule(union ompt_word *prior, int status, union ompt_word *next)
{
	struct visits *visits = visits_here();

	switch (status) {
	case OMPT_EARLY_FULFILL:
	case OMPT_LATE_FULFILL:
	case OMPT_TASKWAIT_COMPLETE: return;
	case OMPT_SWITCH:
	case OMPT_YIELD:
		if (is_explicit(next) && !visits_find(visits, next)) {
			visits_begin(visits, next->pointer, next, false);
			return;
		}
		break;
	default: break;
	}
	if (is_explicit(prior))
		visits_end_from(visits, visits_find(visits, prior));
}

/* OMPT tells an offloaded region on the host; its instructions are another processor's. */
static void target(int type, int endpoint, int device, union ompt_word *task, uint64_t id,
		   const void *address)
{
	static bool told;

	(void)type, (void)endpoint, (void)device, (void)task, (void)id, (void)address;
	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		fprintf(stderr,
			"libperfctr: OpenMP's target regions are not measured: they are executed "
			"by another device; use its vendor's profiler\n");
}

/* ---- the tool ---- */

static pid_t process;
static int (*pause_all)(int kind); /* omp_pause_resource_all(), or NULL */

/*
 * Finds it in the runtime that has this function. A program may have loaded that for itself alone
 * (RTLD_LOCAL), as Python does with modules.
 */
static void find_pause(void (*(*lookup)(const char *name))(void))
{
	static const char name[] = "omp_pause_resource_all";
	void *runtime = NULL, *found = NULL;
	Dl_info info;

	if (dladdr((void *)lookup, &info) && info.dli_fname)
		runtime = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (runtime)
		found = dlsym(runtime, name);
	if (!found)
		found = dlsym(RTLD_DEFAULT, name);
	pause_all = (int (*)(int))found;
}

/*
 * Workers are idle until the program's end, after the report. This ends them, if none has anything
 * to do: omp_pause_hard.
 */
static void end_workers(void)
{
	if (pause_all && getpid() == process && !__atomic_load_n(&running, __ATOMIC_RELAXED))
		pause_all(2);
}

/* Finds the library that a function is in, of which the name is to say that it is a runtime. */
static int find_runtime(struct dl_phdr_info *library, size_t size, void *function)
{
	const char *end = strrchr(library->dlpi_name, '/');
	unsigned int i;

	(void)size;
	for (i = 0; i < library->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &library->dlpi_phdr[i];
		uintptr_t begin = library->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || (uintptr_t)function - begin >= part->p_memsz)
			continue;
		if (end && strstr(end, "omp")) {
			runtime_begin = begin;
			runtime_size = part->p_memsz;
		}
		return 1;
	}
	return 0;
}

static int initialize(void (*(*lookup)(const char *name))(void), int device, union ompt_word *tool)
{
	static const struct {
		int which;
		void (*callback)(void);
	} callbacks[] = {
		{ OMPT_PARALLEL_BEGIN, (void (*)(void))parallel_begin },
		{ OMPT_IMPLICIT_TASK, (void (*)(void))implicit_task },
		{ OMPT_PARALLEL_END, (void (*)(void))parallel_end },
		{ OMPT_WORK, (void (*)(void))work },
		{ OMPT_SYNC_REGION, (void (*)(void))sync_region },
		{ OMPT_TASK_CREATE, (void (*)(void))task_create },
		{ OMPT_TASK_SCHEDULE, (void (*)(void))task_schedule },
		{ OMPT_TARGET, (void (*)(void))target },
	};
	ompt_set_callback_function *set = (ompt_set_callback_function *)lookup("ompt_set_callback");
	unsigned int i;

	(void)device, (void)tool;
	for (i = 0; set && i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
		if (set(callbacks[i].which, callbacks[i].callback) < OMPT_SOMETIMES && i < 2)
			set = NULL;
	if (!set)
		fprintf(stderr, "libperfctr: this OpenMP runtime does not tell where its parallel "
				"constructs begin and end: use LLVM's libomp\n");
	constructs_begin();
	process = getpid();
	find_pause(lookup);
	dl_iterate_phdr(find_runtime, (void *)lookup);
	return set != NULL && atexit(end_workers) == 0;
}

static void finalize(union ompt_word *tool)
{
	(void)tool;
}

/* An OpenMP runtime looks for this function. */
struct ompt_tool *ompt_start_tool(unsigned int version, const char *runtime);
__attribute__((visibility("default"))) struct ompt_tool *ompt_start_tool(unsigned int version,
									 const char *runtime)
{
	static struct ompt_tool tool = { initialize, finalize, { 0 } };

	(void)version, (void)runtime;
	return &tool;
}
