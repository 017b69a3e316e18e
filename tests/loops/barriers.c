// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library's read loops, with barriers that call the test: stepping shows what today's compiler
 * made of them, and a compiler that reorders more is not at hand.
 */
extern void step_at_barrier(void);
#define perfctr_barrier() step_at_barrier()
#define LOOP(name)	  barrier_##name
#include "loops.c"
