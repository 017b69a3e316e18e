/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena.h - the memory of what is measured: a bump allocator. An arena belongs to one thread or to
 * all, and consists of chunks, in which one record follows another; nothing is freed but the whole
 * arena. If PERFCTR_REGIONS_LEFT names a directory, chunks are parts of a file there, which
 * outlives a process that dies; recover.c reads it.
 */
#ifndef PERFCTR_LIB_REGIONS_ARENA_H
#define PERFCTR_LIB_REGIONS_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/regions/fast_path.h"

/* Of each chunk, until the library's structures change; of the first one, if nothing is left. */
#define PERFCTR_CHUNK_MAGIC UINT64_C(0x32306d6f6f725070)
#define PERFCTR_CHUNK_DONE  UINT64_C(0x656e6f446f725070)

/* At the beginning of memory that was mapped. */
struct perfctr_chunk {
	uint64_t magic;
	size_t size, used; /* with this; whole records only */
	struct perfctr_chunk *next;
	uint32_t generation;   /* see perfctr_regions */
	int32_t tid;	       /* 0: of all threads */
	uint32_t over;	       /* its thread has ended, or measuring has: nothing of it counts */
	uint32_t is_left;      /* in the file */
	uint32_t word;	       /* bytes of a pointer */
	uint64_t start, space; /* of the process: lib/base/process.h; 0 if nothing is left */
} __attribute__((aligned(16)));

/* In the directory, of processes that have reached no region: each moves its file to it. */
#define PERFCTR_ARENA_NONE ".none"

enum perfctr_region_what {
	PERFCTR_RECORD_VISITS, /* struct perfctr_visits of a region; also those of ended threads */
	PERFCTR_RECORD_HEAD,   /* struct perfctr_region_head, and names */
	PERFCTR_RECORD_NAME,   /* a region's */
	PERFCTR_RECORD_COST,   /* struct perfctr_region_cost */
};

/* Then what it is about; the next one is size bytes further on. */
struct perfctr_region_record {
	uint32_t what, id; /* of a region, or 0 */
	size_t size;	   /* with this, a multiple of 16 */
} __attribute__((aligned(16)));

/* What is measured, and by whom. */
struct perfctr_region_head {
	uint32_t keep, nvalues, mult, shift, clocks, through_kernel;
	int32_t pid;
	char rank[16];
	char names[]; /* of the values, one after the other; metrics, and the events */
};

struct perfctr_region_noted_cost {
	uint64_t address; /* to which visits point */
	struct perfctr_region_cost cost;
};

/* Zeroed memory for a record. NULL after perfctr_fail(ENOMEM). */
void *perfctr_arena_take(struct perfctr_arena *arena, enum perfctr_region_what what,
			 unsigned int id, size_t size);

/* The record may be the next one's if it was the last. */
void perfctr_arena_untake(struct perfctr_arena *arena, void *taken);

void perfctr_arena_free(struct perfctr_arena *arena);

/*
 * Makes a file in the directory, for this process: its chunks are there from now on, as long as
 * there is space. Whatever goes wrong, they are in memory, and nothing is left of a process that
 * dies.
 */
void perfctr_arenas_leave(const char *directory);

/* Whether they are there; nothing needs to be left any more, and the file is removed. */
bool perfctr_arenas_are_left(void);
void perfctr_arenas_forget(void);

/* The same; and whoever made the directory sees that this process has reached no region. */
void perfctr_arenas_forget_none(void);

#endif /* PERFCTR_LIB_REGIONS_ARENA_H */
