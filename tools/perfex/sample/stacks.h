/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stacks.h - counts the samples of each chain of calls, and the events that they stand for. Chains
 * share their frames: each place is kept once.
 */
#ifndef PERFCTR_TOOLS_STACKS_H
#define PERFCTR_TOOLS_STACKS_H

#include <stddef.h>
#include <stdint.h>

struct frame {
	size_t file;
	uint64_t offset;
};

struct stack {
	uint64_t count; /* 0: free */
	uint64_t events;
	size_t name;	 /* the process's */
	size_t first, n; /* its calls, the innermost first */
};

struct stacks {
	struct stack *stack; /* a hash table of a size that is a power of two */
	size_t used, size;
	struct frame *frame; /* each once */
	size_t nframes;
	uint32_t *slot; /* another such table: frames' numbers + 1 */
	size_t slots;
	uint32_t *call; /* of all chains: numbers of frames */
	size_t ncalls, room;
};

void stacks_count(struct stacks *stacks, size_t name, const struct frame *frame, size_t n,
		  uint64_t events);
void stacks_free(struct stacks *stacks);

#endif /* PERFCTR_TOOLS_STACKS_H */
