// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/regions/state.h"

#define NAME_SIZE 128
#define SLOTS	  (2 * PERFCTR_REGION_IDS) /* size of the names' hash table, a power of 2 */

struct perfctr_region_ways perfctr_region_ways;
struct perfctr_regions perfctr_regions;

/*
 * A program with regions needs the variable above. In the static library this reference makes it
 * get environment.c, too.
 */
__attribute__((used)) static const char *const linked = &perfctr_link_environment;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
PERFCTR_THREAD unsigned int perfctr_regions_busy;

/* Names are never removed, so that an id always means the same. */
static struct perfctr_region handle[PERFCTR_REGION_IDS];
static uint16_t slot[SLOTS];

void perfctr_regions_lock(sigset_t *old)
{
	perfctr_signals_block(old);
	perfctr_regions_busy++;
	pthread_mutex_lock(&lock);
}

void perfctr_regions_unlock(const sigset_t *old)
{
	pthread_mutex_unlock(&lock);
	perfctr_regions_busy--;
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static unsigned int hash(const char *name, size_t length)
{
	unsigned int h = 2166136261u;

	while (length--)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h;
}

char *perfctr_copy(const char *text, size_t length)
{
	char *copy = malloc(length + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

/*
 * Returns the name's slot in the hash table, or a free one (0). Names are only added, each before
 * its id is.
 */
static unsigned int find_slot(const char *name, size_t length)
{
	unsigned int at = hash(name, length) % SLOTS, id;

	for (;; at = (at + 1) % SLOTS) {
		id = __atomic_load_n(&slot[at], __ATOMIC_ACQUIRE);
		if (!id || (!strncmp(handle[id].name, name, length) && !handle[id].name[length]))
			return at;
	}
}

/* The pointers are in registers. */
static __attribute__((noinline)) void
visit(struct perfctr_region *outer, struct perfctr_region *middle, struct perfctr_region *inner)
{
	perfctr_region_begin(outer);
	perfctr_region_begin(middle);
	perfctr_region_begin(inner);
	perfctr_region_end(inner);
	perfctr_region_end(middle);
	perfctr_region_end(outer);
}

/* The pointers are loaded from memory each time. */
static __attribute__((noinline)) void visit_loaded(struct perfctr_region *volatile *own)
{
	perfctr_region_begin(own[0]);
	perfctr_region_begin(own[1]);
	perfctr_region_begin(own[2]);
	perfctr_region_end(own[2]);
	perfctr_region_end(own[1]);
	perfctr_region_end(own[0]);
}

/*
 * Visits as those of a region by its name, which a program has by a pointer. It has the pointer in
 * a register or in memory, and an instruction more in each begin and end counts for the region: two
 * calls in a row differ by these, so that they are in the error of sums.
 */
static void calibrate_named(void)
{
	static unsigned int turn; /* one thread calibrates at a time */
	struct perfctr_region *volatile own[] = { &perfctr_region_own[0], &perfctr_region_own[1],
						  &perfctr_region_own[2] };

	if (turn++ % 2)
		visit(own[0], own[1], own[2]);
	else
		visit_loaded(own);
}

static struct perfctr_region *add_name(const char *name, size_t length, unsigned int at)
{
	unsigned int id = perfctr_region_ids();

	if (id == PERFCTR_REGION_IDS) {
		perfctr_fail(ENOSPC, "there are %d regions already",
			     PERFCTR_REGION_IDS - PERFCTR_REGION_FIRST_ID);
		return NULL;
	}
	handle[id].name = perfctr_copy(name, length);
	if (!handle[id].name) {
		perfctr_fail(ENOMEM, "no memory for a region's name");
		return NULL;
	}
	handle[id].calibrate = calibrate_named;
	handle[id].id = id;
	__atomic_store_n(&slot[at], (uint16_t)id, __ATOMIC_RELEASE);
	perfctr_regions.named++;
	if (perfctr_regions.on)
		perfctr_region_note_name(id);
	return &handle[id];
}

struct perfctr_region *perfctr_region_find(const char *name)
{
	size_t length = strnlen(name, NAME_SIZE - 1);
	unsigned int at = find_slot(name, length);

	return slot[at] ? &handle[slot[at]] : add_name(name, length, at);
}

/* Looks the name up without the lock first: some programs do so at each visit. */
struct perfctr_region *perfctr_region_by_name(const char *name)
{
	struct perfctr_region *region;
	unsigned int id;
	sigset_t old;

	if (!name || !*name) {
		perfctr_fail(EINVAL, "a region needs a name");
		return NULL;
	}
	id = __atomic_load_n(&slot[find_slot(name, strnlen(name, NAME_SIZE - 1))],
			     __ATOMIC_ACQUIRE);
	if (id)
		return &handle[id];
	perfctr_regions_lock(&old);
	region = perfctr_region_find(name);
	perfctr_regions_unlock(&old);
	return region;
}

unsigned int perfctr_region_known(struct perfctr_region *region)
{
	unsigned int id = __atomic_load_n(&region->id, __ATOMIC_RELAXED);
	const char *name = __atomic_load_n(&region->name, __ATOMIC_RELAXED);

	if (id != 1 || !name || !*name)
		return id == 1 ? 0 : id;
	id = __atomic_load_n(&slot[find_slot(name, strnlen(name, NAME_SIZE - 1))],
			     __ATOMIC_ACQUIRE);
	if (id)
		__atomic_store_n(&region->id, id, __ATOMIC_RELAXED);
	return id;
}

unsigned int perfctr_region_id(struct perfctr_region *region)
{
	unsigned int id = perfctr_region_known(region);
	const char *name = __atomic_load_n(&region->name, __ATOMIC_RELAXED);

	if (id || !name || !*name || !perfctr_region_find(name))
		return id;
	return perfctr_region_known(region);
}

bool perfctr_regions_are_on(void)
{
	return perfctr_regions.on && perfctr_regions_are_ours();
}

bool perfctr_regions_are_ours(void)
{
	return __atomic_load_n(&perfctr_regions.pid, __ATOMIC_RELAXED) == getpid();
}

bool perfctr_regions_may_lock(void)
{
	return perfctr_regions_are_ours() || perfctr_regions.forked == getpid();
}

bool perfctr_regions_are_adopted(void)
{
	return perfctr_regions_are_on() || (perfctr_regions.adopt && perfctr_regions.adopt());
}

void perfctr_region_note(enum perfctr_region_what what, unsigned int id, const void *first,
			 size_t size, const void *second, size_t more)
{
	char *place;

	if (!perfctr_arenas_are_left())
		return;
	place = perfctr_arena_take(&perfctr_regions.arena, what, id, size + more);
	if (!place)
		return;
	memcpy(place, first, size);
	memcpy(place + size, second, more);
}

void perfctr_region_note_name(unsigned int id)
{
	perfctr_region_note(PERFCTR_RECORD_NAME, id, handle[id].name, strlen(handle[id].name) + 1,
			    "", 0);
}

const char *perfctr_region_name(unsigned int id)
{
	return handle[id].name;
}
