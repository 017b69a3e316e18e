// SPDX-License-Identifier: LGPL-2.1-or-later
/* The threads that a set counts: a hash table with linear probing. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/memory.h"
#include "lib/perf/family.h"

static struct perfctr_member *members(const struct perfctr_family *family)
{
	return family->member ? family->member : (struct perfctr_member *)family->few;
}

static unsigned int room_of(const struct perfctr_family *family)
{
	return family->member ? family->room : PERFCTR_FAMILY_FEW;
}

/* Returns the entry of the thread, or the free one where it would be. */
static struct perfctr_member *place_of(const struct perfctr_family *family, uint32_t tid)
{
	struct perfctr_member *member = members(family);
	unsigned int mask = room_of(family) - 1, i = tid & mask;

	while (member[i].tid && member[i].tid != tid)
		i = (i + 1) & mask;
	return &member[i];
}

/* Makes room for twice as many. */
static bool grow(struct perfctr_family *family)
{
	unsigned int i, room = room_of(family);
	struct perfctr_member *old = members(family);
	struct perfctr_family larger = { .room = 2 * room };

	larger.member = perfctr_memory_map(larger.room * sizeof(*larger.member));
	if (!larger.member)
		return false;
	for (i = 0; i < room; i++)
		if (old[i].tid)
			*place_of(&larger, old[i].tid) = old[i];
	perfctr_family_end(family);
	family->member = larger.member;
	family->room = larger.room;
	return true;
}

bool perfctr_family_add(struct perfctr_family *family, const struct perfctr_member *member)
{
	struct perfctr_member *place;

	if (4 * (family->n + 1) > 3 * room_of(family) && !grow(family))
		return false;
	place = place_of(family, member->tid);
	family->n += !place->tid;
	family->nothers -= place->tid != place->pid;
	*place = *member;
	family->nothers += place->tid != place->pid;
	return true;
}

struct perfctr_member *perfctr_family_find(const struct perfctr_family *family, uint32_t tid)
{
	struct perfctr_member *place = place_of(family, tid);

	return place->tid ? place : NULL;
}

struct perfctr_member *perfctr_family_of_process(const struct perfctr_family *family, uint32_t pid)
{
	struct perfctr_member *member = members(family);
	unsigned int i;

	for (i = 0; i < room_of(family); i++)
		if (member[i].tid && member[i].pid == pid)
			return &member[i];
	return NULL;
}

void perfctr_family_remove(struct perfctr_family *family, uint32_t tid)
{
	struct perfctr_member *member = members(family), *place = place_of(family, tid);
	unsigned int mask = room_of(family) - 1, hole, i;

	if (!place->tid)
		return;
	family->n--;
	family->nothers -= place->tid != place->pid;
	/* Entries after the hole that would not be found past it move into it. */
	for (hole = i = (unsigned int)(place - member); member[i = (i + 1) & mask].tid;)
		if (((i - member[i].tid) & mask) >= ((i - hole) & mask)) {
			member[hole] = member[i];
			hole = i;
		}
	member[hole] = (struct perfctr_member){ .tid = 0 };
}

unsigned int perfctr_family_processes(const struct perfctr_family *family)
{
	const struct perfctr_member *member = members(family);
	struct perfctr_family processes = { .n = 0 };
	unsigned int i, n;

	for (i = 0; i < room_of(family); i++)
		if (member[i].tid)
			perfctr_family_add(&processes,
					   &(struct perfctr_member){ .tid = member[i].pid });
	n = processes.n;
	perfctr_family_end(&processes);
	return n;
}

void perfctr_family_end(struct perfctr_family *family)
{
	if (family->member)
		perfctr_memory_unmap(family->member, family->room * sizeof(*family->member));
	family->member = NULL;
}
