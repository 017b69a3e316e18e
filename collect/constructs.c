// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "collect/constructs.h"
#include "collect/place.h"

static const char *const kinds[] = {
	[PARALLEL] = "omp parallel",
	[LOOP] = "omp loop",
	[SECTIONS] = "omp sections",
	[SINGLE] = "omp single",
	[DISTRIBUTE] = "omp distribute",
	[TASKLOOP] = "omp taskloop",
	[TASK] = "omp task",
	[BARRIER] = "omp barrier",
	[WAIT] = "omp taskwait",
	[GROUP] = "omp taskgroup",
	[TEAMS] = "omp teams",
	[IDLE] = "omp idle",
};

/*
 * A hash table of all constructs. Threads look without the lock, since entries are added only, and
 * the pointer to one is written last.
 */
#define CONSTRUCTS 4096
static struct construct *constructs[CONSTRUCTS];
static struct construct all[CONSTRUCTS / 2];
static unsigned int nconstructs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The constructs for which there is no room. */
PERFCTR_REGION(others, "omp (others)");
static struct construct no_room[IDLE + 1];

static size_t slot_of(enum kind kind, const void *address)
{
	return ((uintptr_t)address * 11 + (uintptr_t)kind * 401) % CONSTRUCTS;
}

/* Returns the place of a construct, or of the one that it will be. */
static struct construct **find_slot(enum kind kind, const void *address)
{
	size_t slot = slot_of(kind, address);
	struct construct *found;

	while ((found = __atomic_load_n(&constructs[slot], __ATOMIC_ACQUIRE)) != NULL &&
	       (found->address != address || found->kind != kind))
		slot = (slot + 1) % CONSTRUCTS;
	return &constructs[slot];
}

/* Several constructs may have a line, as in a macro; GCC gives calls of its runtime no line. */
static void tell_apart(char name[PLACE_SIZE], enum kind kind)
{
	unsigned int i, same = 1;
	size_t length;

	name[PLACE_SIZE - 8] = '\0'; /* there is room for the number, then */
	length = strlen(name);
	for (i = 0; i < nconstructs; i++)
		same += all[i].kind == kind && !strncmp(all[i].region->name, name, length) &&
			(!all[i].region->name[length] || all[i].region->name[length + 1] == '#');
	if (same > 1)
		snprintf(name + length, PLACE_SIZE - length, " #%u", same);
}

static struct construct *new_construct(enum kind kind, const void *address)
{
	struct construct *construct = &all[nconstructs];
	char name[PLACE_SIZE] = "";

	if (nconstructs == CONSTRUCTS / 2)
		return NULL;
	place_name(name, kinds[kind], address);
	tell_apart(name, kind);
	construct->region = perfctr_region_by_name(name);
	if (!construct->region) /* the library has no room for more names */
		construct->region = &others;
	construct->address = address;
	construct->kind = kind;
	nconstructs++;
	return construct;
}

/* It is apart, so that construct_find() saves no registers. */
static __attribute__((noinline)) struct construct *add_construct(enum kind kind,
								 const void *address)
{
	struct construct **slot, *construct;

	pthread_mutex_lock(&lock);
	slot = find_slot(kind, address);
	construct = *slot ? *slot : new_construct(kind, address);
	if (construct) {
		__atomic_store_n(slot, construct, __ATOMIC_RELEASE);
	} else {
		construct = &no_room[kind];
		*construct = (struct construct){ .region = &others, .kind = kind };
	}
	pthread_mutex_unlock(&lock);
	return construct;
}

/* When names have used all ids up, it is too late for the one that stands for them. */
void constructs_begin(void)
{
	perfctr_region_by_name(others.name);
}

struct construct *construct_find(enum kind kind, const void *address)
{
	struct construct *found = *find_slot(kind, address);

	return found ? found : add_construct(kind, address);
}
