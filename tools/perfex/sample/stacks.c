// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/stacks.h"

static uint64_t hash(size_t name, const struct frame *frame, size_t n)
{
	uint64_t value = name;

	for (; n--; frame++)
		value = (value ^ frame->offset ^ (uint64_t)frame->file << 40) *
			UINT64_C(0x9E3779B97F4A7C15);
	return value ^ value >> 32;
}

static bool same_frames(const struct frame *one, const struct frame *two, size_t n)
{
	for (; n--; one++, two++)
		if (one->file != two->file || one->offset != two->offset)
			return false;
	return true;
}

static struct stack *find(const struct stacks *stacks, size_t name, const struct frame *frame,
			  size_t n)
{
	size_t i = (size_t)hash(name, frame, n);

	for (;; i++) {
		struct stack *stack = &stacks->stack[i & (stacks->size - 1)];

		if (!stack->count || (stack->name == name && stack->n == n &&
				      same_frames(stacks->frame + stack->first, frame, n)))
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
			*find(&larger, stack->name, stacks->frame + stack->first,
			      stack->n) = *stack;
	}
	free(stacks->stack);
	*stacks = larger;
}

static size_t add_frames(struct stacks *stacks, const struct frame *frame, size_t n)
{
	size_t first = stacks->nframes;

	if (!stacks->frame || stacks->room - first < n) {
		stacks->room = stacks->room * 2 + n + 1024;
		stacks->frame =
			need(reallocarray(stacks->frame, stacks->room, sizeof(*stacks->frame)));
	}
	memcpy(stacks->frame + first, frame, n * sizeof(*frame));
	stacks->nframes += n;
	return first;
}

void stacks_count(struct stacks *stacks, size_t name, const struct frame *frame, size_t n,
		  uint64_t events)
{
	struct stack *stack;

	if (stacks->used * 2 >= stacks->size)
		grow(stacks);
	stack = find(stacks, name, frame, n);
	if (!stack->count) {
		stacks->used++;
		*stack = (struct stack){ .name = name,
					 .first = add_frames(stacks, frame, n),
					 .n = n };
	}
	stack->count++;
	stack->events += events;
}

void stacks_free(struct stacks *stacks)
{
	free(stacks->stack);
	free(stacks->frame);
}
