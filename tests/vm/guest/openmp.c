// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program with OpenMP, built by clang with the collector in it, which libomp finds there. Four
 * threads have exactly as much to do as the first argument says. With "cost" it calls the collector
 * as libomp does, and counts that.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfctr/regions.h>
#include "collect/ompt.h"

#define TIMES 10

/* Exactly 2 * n + 1 instructions. */
static inline __attribute__((always_inline)) void work(unsigned long n)
{
	__asm__ volatile("1: dec %0; jnz 1b; nop" : "+r"(n) : : "cc");
}

/* ---- what a construct costs in a thread ---- */

struct ompt_tool *ompt_start_tool(unsigned int version, const char *runtime);

static void (*callbacks[64])(void);

static int set_callback(int which, void (*callback)(void))
{
	callbacks[which] = callback;
	return 5;
}

static void (*lookup(const char *name))(void)
{
	(void)name;
	return (void (*)(void))set_callback;
}

typedef void parallel_function(union ompt_word *, const void *, union ompt_word *, unsigned int,
			       int, const void *);
typedef void end_function(union ompt_word *, union ompt_word *, int, const void *);
typedef void implicit_function(int, union ompt_word *, union ompt_word *, unsigned int,
			       unsigned int, int);
typedef void sync_function(int, int, union ompt_word *, union ompt_word *, const void *);

/* As the thread that begins the construct, or as a worker of it. */
static __attribute__((noinline)) void have_construct(unsigned int index, union ompt_word *parallel)
{
	implicit_function *implicit = (implicit_function *)callbacks[OMPT_IMPLICIT_TASK];
	sync_function *sync = (sync_function *)callbacks[OMPT_SYNC_REGION];
	union ompt_word none = { 0 }, task = { 0 };

	if (!index)
		((parallel_function *)callbacks[OMPT_PARALLEL_BEGIN])(&none, NULL, parallel, 4, 2,
								      lookup);
	implicit(OMPT_BEGIN, parallel, &task, 4, index, 2);
	sync(OMPT_BARRIER_IMPLICIT, OMPT_BEGIN, parallel, &task, NULL);
	sync(OMPT_BARRIER_IMPLICIT, OMPT_END, NULL, &task, NULL);
	implicit(OMPT_END, NULL, &task, 4, index, 2);
	if (!index)
		((end_function *)callbacks[OMPT_PARALLEL_END])(parallel, &none, 2, lookup);
}

static uint64_t instructions(const struct perfctr_set *set)
{
	struct perfctr_reading reading = { .value = 0 };

	if (perfctr_set_read(set, &reading) < 0)
		puts(perfctr_error());
	return reading.value;
}

/* In the place of each callback, so that the calls themselves are known. */
static void nothing(void)
{
}

static uint64_t cost_of(const struct perfctr_set *set, unsigned int index)
{
	static union ompt_word parallel; /* a worker's is the one that the primary has begun */
	uint64_t before;
	unsigned int i;

	for (i = 0; i < 10; i++)
		have_construct(index, &parallel);
	before = instructions(set);
	for (i = 0; i < 1000; i++)
		have_construct(index, &parallel);
	return (instructions(set) - before) / 1000;
}

static void *find_cost(void *arg)
{
	struct perfctr_set *set = perfctr_set_open("instructions:u", NULL, 0);
	uint64_t cost[2];
	unsigned int i;

	if (!set) {
		puts(perfctr_error());
		return arg;
	}
	cost[0] = cost_of(set, 0);
	cost[1] = cost_of(set, 1);
	for (i = 0; i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
		callbacks[i] = nothing;
	printf("primary %llu\n", (unsigned long long)(cost[0] - cost_of(set, 0)));
	printf("worker %llu\n", (unsigned long long)(cost[1] - cost_of(set, 1)));
	perfctr_set_close(set);
	return arg;
}

static void print_cost(void)
{
	struct ompt_tool *tool = ompt_start_tool(202011, "none");
	pthread_t thread;

	tool->initialize(lookup, 0, &tool->word);
	pthread_create(&thread, NULL, find_cost, NULL);
	pthread_join(thread, NULL);
}

/* It is one construct, which is not copied when its caller's loop is unrolled. */
static __attribute__((noinline)) void share(unsigned long n)
{
#pragma omp parallel num_threads(4)
	work(n);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	if (argc > 1 && !strcmp(argv[1], "cost")) {
		print_cost();
		return 0;
	}
	for (int i = 0; i < TIMES; i++)
		share(n);
	return 0;
}
