/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * explore.h - every state that something can get into: the test takes one state after the other
 * from explore_next(), and hands all that can follow it to explore_note(), until there is no new
 * one. A state is a block of bytes without holes. One exploration at a time.
 */
#ifndef PERFCTR_TESTS_EXPLORE_H
#define PERFCTR_TESTS_EXPLORE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/check.h"

static struct {
	size_t size;	     /* of a state */
	unsigned char *seen; /* in the order in which they were found */
	uint32_t *origin;    /* of each, the one that it was found from */
	uint32_t *table;     /* numbers in seen, from 1 on, by hash */
	uint32_t states, slots, next;
} explored;

static inline const unsigned char *explore_state(uint32_t i)
{
	return explored.seen + i * explored.size;
}

/* Where a state stands in the table, or would. */
static inline uint32_t *explore_slot(const void *state)
{
	const unsigned char *byte = state;
	uint64_t hash = 14695981039346656037ull;
	uint32_t slot;
	size_t i;

	for (i = 0; i < explored.size; i++)
		hash = (hash ^ byte[i]) * 1099511628211ull;
	for (slot = (uint32_t)(hash >> 32) & (explored.slots - 1); explored.table[slot];
	     slot = (slot + 1) & (explored.slots - 1))
		if (!memcmp(explore_state(explored.table[slot] - 1), state, explored.size))
			break;
	return &explored.table[slot];
}

static inline void explore_grow(void)
{
	uint32_t i;

	explored.slots = explored.slots ? 2 * explored.slots : 1u << 16;
	free(explored.table);
	explored.table = calloc(explored.slots, sizeof(*explored.table));
	explored.seen = realloc(explored.seen, explored.slots / 2 * explored.size);
	explored.origin = realloc(explored.origin, explored.slots / 2 * sizeof(*explored.origin));
	ck_assert(explored.table && explored.seen && explored.origin);
	for (i = 0; i < explored.states; i++)
		*explore_slot(explore_state(i)) = i + 1;
}

static inline void explore_note(const void *state)
{
	if (explored.states >= explored.slots / 2)
		explore_grow();
	if (*explore_slot(state))
		return;
	*explore_slot(state) = explored.states + 1;
	memcpy(explored.seen + explored.states * explored.size, state, explored.size);
	explored.origin[explored.states++] = explored.next ? explored.next - 1 : 0;
}

/* A state of this size to begin with. */
static inline void explore_begin(const void *state, size_t size)
{
	memset(&explored, 0, sizeof(explored));
	explored.size = size;
	explore_note(state);
}

/* Copies the next state; 0: what follows each is known. */
static inline int explore_next(void *state)
{
	if (explored.next >= explored.states)
		return 0;
	memcpy(state, explore_state(explored.next++), explored.size);
	return 1;
}

/* How the last state of explore_next() was come to: it, or the one so many steps before; NULL:
 * none. */
static inline const void *explore_way(unsigned int steps)
{
	uint32_t i = explored.next - 1;

	for (; steps && i; steps--)
		i = explored.origin[i];
	return steps ? NULL : explore_state(i);
}

/* How many there were. */
static inline uint32_t explore_end(void)
{
	free(explored.table);
	free(explored.seen);
	free(explored.origin);
	return explored.states;
}

#endif /* PERFCTR_TESTS_EXPLORE_H */
