// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An OpenMP runtime that is made up: it loads the tool as OMPT says, and calls it as LLVM's does,
 * in the order that collect.sh knows, and in orders that no program of a test reaches by itself.
 * The first argument is the case.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include "collect/ompt.h"

typedef void parallel_function(union ompt_word *, const void *, union ompt_word *, unsigned int,
			       int, const void *);
typedef void end_function(union ompt_word *, union ompt_word *, int, const void *);
typedef void implicit_function(int, union ompt_word *, union ompt_word *, unsigned int,
			       unsigned int, int);
typedef void work_function(int, int, union ompt_word *, union ompt_word *, uint64_t, const void *);
typedef void sync_function(int, int, union ompt_word *, union ompt_word *, const void *);
typedef void create_function(union ompt_word *, const void *, union ompt_word *, int, int,
			     const void *);
typedef void schedule_function(union ompt_word *, int, union ompt_word *);
typedef void target_function(int, int, int, union ompt_word *, uint64_t, const void *);

static struct {
	parallel_function *parallel;
	end_function *end;
	implicit_function *implicit;
	work_function *work;
	sync_function *sync;
	create_function *create;
	schedule_function *schedule;
	target_function *target;
} tell;

static bool refuses;

static int set_callback(int which, void (*callback)(void))
{
	switch (which) {
	case OMPT_PARALLEL_BEGIN: tell.parallel = (parallel_function *)callback; break;
	case OMPT_PARALLEL_END: tell.end = (end_function *)callback; break;
	case OMPT_IMPLICIT_TASK: tell.implicit = (implicit_function *)callback; break;
	case OMPT_WORK: tell.work = (work_function *)callback; break;
	case OMPT_SYNC_REGION: tell.sync = (sync_function *)callback; break;
	case OMPT_TASK_CREATE: tell.create = (create_function *)callback; break;
	case OMPT_TASK_SCHEDULE: tell.schedule = (schedule_function *)callback; break;
	case OMPT_TARGET: tell.target = (target_function *)callback; break;
	default: return 0;
	}
	return refuses ? 1 : 5;
}

static void (*lookup(const char *name))(void)
{
	return strcmp(name, "ompt_set_callback") ? NULL : (void (*)(void))set_callback;
}

static void *tool_library;

static bool load_tool(void)
{
	const char *file = getenv("OMP_TOOL_LIBRARIES");
	struct ompt_tool *(*start)(unsigned int, const char *) = NULL, *tool;

	tool_library = file ? dlopen(file, RTLD_LAZY) : NULL;
	if (tool_library)
		start = (struct ompt_tool * (*)(unsigned int, const char *))
			dlsym(tool_library, "ompt_start_tool");
	tool = start ? start(202011, "made up") : NULL;
	return tool && tool->initialize(lookup, 0, &tool->word);
}

/* The program's places, as return addresses. */
static char places[64] = { 1 }; /* in the file, whose symbols name them */
#define PLACE(n) (&places[n])

/* ---- a team, in which a worker is told the end of its part when the next one begins ---- */

struct thread {
	pthread_t id;
	union ompt_word task, *parallel;
	unsigned int index;
};

static void begin_part(struct thread *thread)
{
	tell.implicit(OMPT_BEGIN, thread->parallel, &thread->task, 2, thread->index, 2);
}

/* version: of OpenMP; before 5.1 there was no name for this barrier. */
static void arrive(struct thread *thread, int version)
{
	tell.sync(version < 51 ? OMPT_BARRIER_IMPLICIT : OMPT_BARRIER_PARALLEL, OMPT_BEGIN,
		  thread->parallel, &thread->task, thread->index ? NULL : PLACE(1));
}

static void leave(struct thread *thread, int version)
{
	union ompt_word copy = thread->task, *task = thread->index ? &copy : &thread->task;

	tell.sync(version < 51 ? OMPT_BARRIER_IMPLICIT : OMPT_BARRIER_PARALLEL, OMPT_END, NULL,
		  task, thread->index ? NULL : PLACE(1));
	tell.implicit(OMPT_END, NULL, task, 2, thread->index, 2);
}

static int version_now;

static void *be_worker(void *arg)
{
	struct thread *thread = arg;

	begin_part(thread);
	tell.work(OMPT_LOOP, OMPT_BEGIN, thread->parallel, &thread->task, 10, PLACE(2));
	tell.work(OMPT_LOOP, OMPT_END, thread->parallel, &thread->task, 10, PLACE(3));
	tell.sync(OMPT_BARRIER_IMPLICIT, OMPT_BEGIN, thread->parallel, &thread->task, PLACE(4));
	tell.sync(OMPT_BARRIER_IMPLICIT, OMPT_END, thread->parallel, &thread->task, PLACE(4));
	arrive(thread, version_now);
	leave(thread, version_now);
	return arg;
}

static void have_team(int version, int ends)
{
	union ompt_word parallel = { 0 }, task = { 0 };
	struct thread primary = { .parallel = &parallel },
		      worker = { .parallel = &parallel, .index = 1 };

	version_now = version;
	tell.parallel(&task, NULL, &parallel, 2, (int)0x80000002u, PLACE(1));
	pthread_create(&worker.id, NULL, be_worker, &worker);
	begin_part(&primary);
	tell.work(OMPT_LOOP_STATIC, OMPT_BEGIN, &parallel, &primary.task, 10, PLACE(2));
	if (ends) /* not if it was cancelled */
		tell.work(OMPT_LOOP_STATIC, OMPT_END, &parallel, &primary.task, 10, PLACE(3));
	arrive(&primary, version);
	leave(&primary, version);
	pthread_join(worker.id, NULL);
	tell.end(&parallel, &task, (int)0x80000002u, PLACE(1));
}

static void team_50(void)
{
	have_team(50, 1);
}

static void team_51(void)
{
	have_team(51, 1);
}

static void cancelled(void)
{
	have_team(51, 0);
}

/* ---- GCC's programs: loops that begin, and barriers, without an address ---- */

static void loop_of_gcc(struct thread *thread, int begins, int ends)
{
	tell.work(OMPT_LOOP, OMPT_BEGIN, thread->parallel, &thread->task, 10,
		  begins ? PLACE(begins) : NULL);
	tell.work(OMPT_LOOP, OMPT_END, thread->parallel, &thread->task, 10, PLACE(ends));
	tell.sync(OMPT_BARRIER_IMPLEMENTATION, OMPT_BEGIN, thread->parallel, &thread->task, NULL);
	tell.sync(OMPT_BARRIER_IMPLEMENTATION, OMPT_END, thread->parallel, &thread->task, NULL);
}

/* Two loops, of which one has a place, and a barrier alone, which is the construct's around. */
static void gcc(void)
{
	union ompt_word parallel = { 0 }, task = { 0 };
	struct thread primary = { .parallel = &parallel };

	tell.parallel(&task, NULL, &parallel, 1, (int)0x80000001u, PLACE(20));
	begin_part(&primary);
	loop_of_gcc(&primary, 0, 21);
	loop_of_gcc(&primary, 22, 23);
	tell.sync(OMPT_BARRIER_IMPLEMENTATION, OMPT_BEGIN, &parallel, &primary.task, NULL);
	tell.sync(OMPT_BARRIER_IMPLEMENTATION, OMPT_END, &parallel, &primary.task, NULL);
	tell.implicit(OMPT_END, NULL, &primary.task, 1, 0, 2);
	tell.end(&parallel, &task, (int)0x80000001u, PLACE(20));
}

/* ---- a league, whose teams begin as initial tasks, each with a parallel of its own ---- */

static int teams_barrier;

static void *be_team(void *arg)
{
	struct thread *team = arg;
	union ompt_word parallel = { 0 }, task = { 0 };

	tell.implicit(OMPT_BEGIN, team->parallel, &team->task, 2, team->index, OMPT_TASK_INITIAL);
	tell.parallel(&team->task, NULL, &parallel, 1, (int)0x80000002u, NULL);
	tell.implicit(OMPT_BEGIN, &parallel, &task, 1, 0, 2);
	tell.work(OMPT_DISTRIBUTE, OMPT_BEGIN, &parallel, &task, 10, PLACE(31));
	tell.work(OMPT_DISTRIBUTE, OMPT_END, &parallel, &task, 10, PLACE(32));
	tell.implicit(OMPT_END, NULL, &task, 1, 0, 2);
	tell.end(&parallel, &team->task, (int)0x80000002u, NULL);
	tell.sync(teams_barrier, OMPT_BEGIN, team->parallel, &team->task,
		  team->index ? NULL : PLACE(30));
	tell.sync(teams_barrier, OMPT_END, NULL, &team->task, team->index ? NULL : PLACE(30));
	tell.implicit(OMPT_END, NULL, &team->task, 0, team->index, OMPT_TASK_INITIAL);
	return arg;
}

static void have_league(int barrier)
{
	union ompt_word league = { 0 }, task = { 0 };
	struct thread primary = { .parallel = &league },
		      other = { .parallel = &league, .index = 1 };

	teams_barrier = barrier;
	tell.parallel(&task, NULL, &league, 2, OMPT_LEAGUE | 2, PLACE(30));
	pthread_create(&other.id, NULL, be_team, &other);
	be_team(&primary);
	pthread_join(other.id, NULL);
	tell.end(&league, &task, OMPT_LEAGUE | 2, PLACE(30));
}

/* One team: libomp hands over another word than that of the league. */
static void league_of_one(void)
{
	union ompt_word league = { 0 }, task = { 0 }, others = { 0 };
	struct thread primary = { .parallel = &others };

	teams_barrier = OMPT_BARRIER_TEAMS;
	tell.implicit(OMPT_BEGIN, &others, &task, 1, 1, OMPT_TASK_INITIAL);
	tell.parallel(&task, NULL, &league, 1, OMPT_LEAGUE | 2, PLACE(30));
	be_team(&primary);
	tell.end(&league, &task, OMPT_LEAGUE | 2, PLACE(30));
	tell.implicit(OMPT_END, &others, &task, 0, 1, OMPT_TASK_INITIAL);
}

static void league_50(void)
{
	have_league(OMPT_BARRIER_IMPLICIT);
}

static void league_51(void)
{
	have_league(OMPT_BARRIER_TEAMS);
}

/* ---- tasks ---- */

static union ompt_word create(union ompt_word *creator, int at)
{
	union ompt_word task = { 0 };

	tell.create(creator, NULL, &task, OMPT_TASK_EXPLICIT, 0, PLACE(at));
	return task;
}

/* A task that waits executes another one; then an untied one that ends in two parts. */
static void tasks(void)
{
	union ompt_word none = { 0 }, parallel = { 0 }, implicit = { 0 }, outer, inner, untied;

	tell.parallel(&none, NULL, &parallel, 1, 2, PLACE(1));
	tell.implicit(OMPT_BEGIN, &parallel, &implicit, 1, 0, 2);
	outer = create(&implicit, 10);
	tell.schedule(&implicit, OMPT_SWITCH, &outer);
	inner = create(&outer, 11);
	tell.sync(OMPT_TASKWAIT, OMPT_BEGIN, &parallel, &outer, PLACE(12));
	tell.schedule(&outer, OMPT_SWITCH, &inner);
	tell.schedule(&inner, OMPT_COMPLETE, &outer);
	tell.sync(OMPT_TASKWAIT, OMPT_END, &parallel, &outer, PLACE(12));
	tell.schedule(&outer, OMPT_TASKWAIT_COMPLETE, NULL);
	tell.schedule(&outer, OMPT_CANCEL, &implicit);
	untied = create(&implicit, 13);
	tell.schedule(&implicit, OMPT_SWITCH, &untied);
	tell.schedule(&untied, OMPT_YIELD, &implicit);
	tell.schedule(&implicit, OMPT_SWITCH, &untied);
	tell.schedule(&untied, OMPT_EARLY_FULFILL, NULL);
	tell.schedule(&untied, OMPT_DETACH, &implicit);
	tell.schedule(&untied, OMPT_LATE_FULFILL, NULL);
	tell.implicit(OMPT_END, NULL, &implicit, 1, 0, 2);
	tell.end(&parallel, &none, 2, PLACE(1));
}

/* ---- others ---- */

/* The same place in each kind. */
static void all_kinds(void)
{
	static const int types[] = {
		OMPT_LOOP,	   OMPT_SECTIONS,    OMPT_SINGLE,     4 /* another thread's */,
		OMPT_DISTRIBUTE,   OMPT_TASKLOOP,    8 /* scope */,   OMPT_LOOP_STATIC,
		OMPT_LOOP_DYNAMIC, OMPT_LOOP_GUIDED, OMPT_LOOP_OTHER,
	};
	union ompt_word none = { 0 }, parallel = { 0 }, task = { 0 };
	unsigned int i;

	tell.implicit(OMPT_BEGIN, NULL, &none, 1, 1, OMPT_TASK_INITIAL);
	tell.parallel(&none, NULL, &parallel, 1, OMPT_LEAGUE, NULL);
	tell.implicit(OMPT_BEGIN, &parallel, &task, 1, 0, 2);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		tell.work(types[i], OMPT_BEGIN, &parallel, &task, 1, PLACE(1));
		tell.work(types[i], OMPT_END, &parallel, &task, 1, PLACE(1));
	}
	tell.sync(OMPT_TASKGROUP, OMPT_BEGIN, &parallel, &task, PLACE(1));
	tell.sync(OMPT_TASKGROUP, OMPT_END, &parallel, &task, PLACE(1));
	tell.implicit(OMPT_END, NULL, &task, 1, 0, 2);
	tell.end(&parallel, &none, 0, NULL);
	tell.implicit(OMPT_END, NULL, &none, 1, 1, OMPT_TASK_INITIAL);
}

/* Deeper than a thread's visits are noted, twice. */
static void deep(void)
{
	union ompt_word none = { 0 }, parallel = { 0 }, task[700] = { { 0 } };
	int i, turn;

	tell.parallel(&none, NULL, &parallel, 1, 2, PLACE(1));
	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < 700; i++)
			tell.implicit(OMPT_BEGIN, &parallel, &task[i], 1, 0, 2);
		while (i-- > 0)
			tell.implicit(OMPT_END, NULL, &task[i], 1, 0, 2);
	}
	tell.end(&parallel, &none, 2, PLACE(1));
}

/* More constructs than there is room for. */
static void many_constructs(void)
{
	static char text[5000];
	union ompt_word none = { 0 };
	unsigned int i;

	for (i = 0; i < sizeof(text); i++) {
		tell.work(OMPT_LOOP, OMPT_BEGIN, NULL, &none, 1, &text[i]);
		tell.work(OMPT_LOOP, OMPT_END, NULL, &none, 1, &text[i]);
	}
}

static void offloaded(void)
{
	union ompt_word none = { 0 };

	tell.target(1, OMPT_BEGIN, 0, &none, 1, PLACE(1));
	tell.target(1, OMPT_END, 0, &none, 1, PLACE(1));
	team_51();
}

static void nothing(int signal)
{
	(void)signal;
}

/* A timer interrupts each wait for an answer. */
static void interrupted(void)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } };
	struct sigaction action = { .sa_handler = nothing };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	team_51();
}

static void killed(void)
{
	team_51();
	raise(SIGKILL);
}

/* For callgrind: as many constructs as the second argument says, in one thread. */
static int times;

__attribute__((noinline)) static void one_construct(void)
{
	union ompt_word none = { 0 }, parallel = { 0 };
	struct thread thread = { .parallel = &parallel };

	tell.parallel(&none, NULL, &parallel, 1, 2, PLACE(1));
	begin_part(&thread);
	arrive(&thread, 51);
	leave(&thread, 51);
	tell.end(&parallel, &none, 2, PLACE(1));
}

static void many_times(void)
{
	while (times-- > 0)
		one_construct();
}

/* The library has no room for a construct's name after these. */
static void full_times(void)
{
	void *(*by_name)(const char *name) =
		(void *(*)(const char *))dlsym(tool_library, "perfctr_region_by_name");
	char name[32];
	int i = 0;

	do
		snprintf(name, sizeof(name), "%d", i);
	while (by_name(name) && i++ < 100000);
	if (i > 100000)
		exit(4);
	many_times();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "team-5.0", team_50 },
		{ "team-5.1", team_51 },
		{ "cancelled", cancelled },
		{ "tasks", tasks },
		{ "kinds", all_kinds },
		{ "deep", deep },
		{ "many", many_constructs },
		{ "killed", killed },
		{ "target", offloaded },
		{ "times", many_times },
		{ "full", full_times },
		{ "interrupted", interrupted },
		{ "gcc", gcc },
		{ "league-5.0", league_50 },
		{ "league-5.1", league_51 },
		{ "league-of-one", league_of_one },
	};
	unsigned int i;

	refuses = argc > 1 && !strcmp(argv[1], "refuse");
	times = argc > 2 ? atoi(argv[2]) : 0;
	if (!load_tool())
		return 3;
	for (i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(cases[i].name, argv[1]))
			cases[i].run();
	return 0;
}
