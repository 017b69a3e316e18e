// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/stacks.h"

#define MIX UINT64_C(0x9E3779B97F4A7C15)

/* ---- frames ---- */

/* Returns the slot of a frame, which is free if there is no such frame. */
static uint32_t *find_slot(const struct stacks *stacks, const struct frame *frame)
{
	uint64_t hash = (frame->offset ^ (uint64_t)frame->file << 40) * MIX;
	size_t i = (size_t)(hash ^ hash >> 32);

	for (;; i++) {
		uint32_t *slot = &stacks->slot[i & (stacks->slots - 1)];
		const struct frame *other = *slot ? &stacks->frame[*slot - 1] : NULL;

		if (!other || (other->offset == frame->offset && other->file == frame->file))
			return slot;
	}
}

static void grow_frames(struct stacks *stacks)
{
	size_t i;

	stacks->slots = stacks->slots ? stacks->slots * 2 : 1024;
	free(stacks->slot);
	stacks->slot = need(calloc(stacks->slots, sizeof(*stacks->slot)));
	stacks->frame =
		need(reallocarray(stacks->frame, stacks->slots / 2, sizeof(*stacks->frame)));
	for (i = 0; i < stacks->nframes; i++)
		*find_slot(stacks, &stacks->frame[i]) = (uint32_t)i + 1;
}

static uint32_t number_of(struct stacks *stacks, const struct frame *frame)
{
	uint32_t *slot;

	if (stacks->nframes * 2 >= stacks->slots)
		grow_frames(stacks);
	slot = find_slot(stacks, frame);
	if (!*slot) {
		stacks->frame[stacks->nframes] = *frame;
		*slot = (uint32_t)++stacks->nframes;
	}
	return *slot - 1;
}

/* Notes the calls of a chain behind those of all others. */
static void put_calls(struct stacks *stacks, const struct frame *frame, size_t n)
{
	size_t i;

	if (!stacks->call || stacks->room - stacks->ncalls < n) {
		stacks->room = stacks->room * 2 + n + 1024;
		stacks->call =
			need(reallocarray(stacks->call, stacks->room, sizeof(*stacks->call)));
	}
	for (i = 0; i < n; i++)
		stacks->call[stacks->ncalls + i] = number_of(stacks, &frame[i]);
}

/* ---- chains ---- */

static uint64_t hash(size_t name, const uint32_t *call, size_t n)
{
	uint64_t value = name;

	for (; n--; call++)
		value = (value ^ *call) * MIX;
	return value ^ value >> 32;
}

static struct stack *find(const struct stacks *stacks, size_t name, const uint32_t *call, size_t n)
{
	size_t i = (size_t)hash(name, call, n);

	for (;; i++) {
		struct stack *stack = &stacks->stack[i & (stacks->size - 1)];

		if (!stack->count ||
		    (stack->name == name && stack->n == n &&
		     !memcmp(stacks->call + stack->first, call, n * sizeof(*call))))
			return stack;
	}
}

static void grow(struct stacks *stacks)
{
	struct stacks larger = *stacks;
	size_t i;

	larger.size = stacks->size ? stacks->size * 2 : 1024;
	larger.stack = need(calloc(larger.size, sizeof(*larger.stack)));
	for (i = 0; i < stacks->size; i++) {
		const struct stack *stack = &stacks->stack[i];

		if (stack->count)
			*find(&larger, stack->name, stacks->call + stack->first, stack->n) = *stack;
	}
	free(stacks->stack);
	*stacks = larger;
}

void stacks_count(struct stacks *stacks, size_t name, const struct frame *frame, size_t n,
		  uint64_t events)
{
	struct stack *stack;

	if (stacks->used * 2 >= stacks->size)
		grow(stacks);
	put_calls(stacks, frame, n);
	stack = find(stacks, name, stacks->call + stacks->ncalls, n);
	if (!stack->count) {
		stacks->used++;
		*stack = (struct stack){ .name = name, .first = stacks->ncalls, .n = n };
		stacks->ncalls += n;
	}
	stack->count++;
	stack->events += events;
}

void stacks_free(struct stacks *stacks)
{
	free(stacks->stack);
	free(stacks->frame);
	free(stacks->slot);
	free(stacks->call);
}
