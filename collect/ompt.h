/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ompt.h - the part of OMPT that openmp.c needs: OpenMP's interface for tools (OpenMP API 5.2,
 * chapter 19). It is declared here because compilers without OMPT have no omp-tools.h;
 * tests/collect/ompt.c compares both.
 */
#ifndef PERFCTR_COLLECT_OMPT_H
#define PERFCTR_COLLECT_OMPT_H

#include <stdint.h>

/* A word of the tool's in each parallel construct, task and thread. */
union ompt_word {
	uint64_t value;
	void *pointer;
};

enum ompt_callback {
	OMPT_PARALLEL_BEGIN = 3,
	OMPT_PARALLEL_END = 4,
	OMPT_TASK_CREATE = 5,
	OMPT_TASK_SCHEDULE = 6,
	OMPT_IMPLICIT_TASK = 7,
	OMPT_TARGET = 8,
	OMPT_WORK = 20,
	OMPT_SYNC_REGION = 23,
};

enum ompt_endpoint { OMPT_BEGIN = 1, OMPT_END = 2 };

enum ompt_work {
	OMPT_LOOP = 1,
	OMPT_SECTIONS = 2,
	OMPT_SINGLE = 3, /* by the thread that executes it */
	OMPT_DISTRIBUTE = 6,
	OMPT_TASKLOOP = 7,
	OMPT_LOOP_STATIC = 10, /* these four, since 5.2, in place of OMPT_LOOP */
	OMPT_LOOP_DYNAMIC = 11,
	OMPT_LOOP_GUIDED = 12,
	OMPT_LOOP_OTHER = 13,
};

enum ompt_sync {
	OMPT_BARRIER_IMPLICIT = 2, /* before 5.1; also at the end of a parallel construct */
	OMPT_TASKWAIT = 5,
	OMPT_TASKGROUP = 6,
	OMPT_BARRIER_IMPLEMENTATION = 4, /* at the end of a construct, in GCC's programs */
	OMPT_BARRIER_PARALLEL = 9,	 /* at the end of a parallel construct, since 5.1 */
	OMPT_BARRIER_TEAMS = 10,	 /* at the end of a teams construct, since 5.1 */
};

enum ompt_status {
	OMPT_COMPLETE = 1,
	OMPT_YIELD = 2,
	OMPT_CANCEL = 3,
	OMPT_DETACH = 4,
	OMPT_EARLY_FULFILL = 5,
	OMPT_LATE_FULFILL = 6,
	OMPT_SWITCH = 7,
	OMPT_TASKWAIT_COMPLETE = 8,
};

#define OMPT_LEAGUE	   0x40000000 /* a teams construct */
#define OMPT_TASK_INITIAL  0x1
#define OMPT_TASK_EXPLICIT 0x4

/* The least that ompt_set_callback() returns for a callback that will be called. */
#define OMPT_SOMETIMES 3

/* What a tool returns from ompt_start_tool(). */
struct ompt_tool {
	int (*initialize)(void (*(*lookup)(const char *name))(void), int device,
			  union ompt_word *tool);
	void (*finalize)(union ompt_word *tool);
	union ompt_word word;
};

typedef int ompt_set_callback_function(int which, void (*callback)(void));

#endif /* PERFCTR_COLLECT_OMPT_H */
