/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fibers.h - every order in which several contexts can take their steps. Contexts are coroutines on
 * stacks of their own. Code that is to be explored is compiled with -fsanitize=thread, whose
 * functions fibers.c defines itself: so each access to memory is a place where another context can
 * continue. All orders with a number of preemptions are executed, but for those that only exchange
 * accesses to different places, which lead to the same state.
 */
#ifndef PERFCTR_TESTS_EXPLORE_FIBERS_H
#define PERFCTR_TESTS_EXPLORE_FIBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIBERS 8

/* Whether there are coroutines for this processor. */
bool fibers_work(void);

/* What an exploration has done. */
struct fibers_sum {
	uint64_t executions, states;
};

/* Begins an execution: it makes the world, and its contexts by fiber_start(). */
typedef void fibers_begin(void);
/* Looks at the world that is left when all contexts have ended. */
typedef void fibers_end(void);

/*
 * Executes all orders; the first mistake ends the program. A context is told of by its name. After
 * this many orders it ends (0: no limit); false: there are more.
 */
bool fibers_explore(const char *scenario, unsigned int preemptions, fibers_begin *begin,
		    fibers_end *end, uint64_t limit, struct fibers_sum *sum);

void fiber_start(const char *name, void (*run)(void *), void *argument);

/* The number of the context that runs, in the order in which they were started. */
unsigned int fiber_self(void);

/*
 * What the context does from now on is not its own doing: an interrupt, or the scheduler that takes
 * its processor away. Memory that both use is a place for others. Returns whether it was so before.
 */
bool fiber_interrupted(bool interrupted);

/* Waits until the condition holds: no preemption. */
void fiber_wait(bool (*ready)(void *), void *argument);

/* Waits until another context has done something, if any can. */
void fiber_yield(void);

/* Ends the context that runs. */
_Noreturn void fiber_exit(void);

/* What is between these is one step for all others: they come before it or after it. */
void fiber_step_begins(void);
void fiber_step_ends(void);

/* A mistake: prints it and how it came to it, and ends the program. */
_Noreturn void fiber_fail(const char *what);

/* Called after each place where another context could have continued: interrupts. */
extern void (*fiber_arrived)(void);

/* ---- memory, which is checked at each access ---- */

void *fiber_allocate(size_t size);
void fiber_free(const void *block);
/* How many blocks have not been freed. */
unsigned int fiber_blocks(void);
/* Whether there is a block that begins here; whether an address lies in this block. */
bool fiber_has(const void *block);
bool fiber_is_in(const void *block, const void *address);

#endif /* PERFCTR_TESTS_EXPLORE_FIBERS_H */
