/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena.h - the memory of what regions count: a bump allocator. An arena belongs to one thread or
 * to all, and consists of chunks, in which one record follows another; only the whole arena is
 * freed. If PERFCTR_REGIONS_LEFT names a directory, chunks are parts of a file there, which
 * outlives a process that dies; recover.c reads it.
 */
#ifndef PERFCTR_LIB_REGIONS_ARENA_H
#define PERFCTR_LIB_REGIONS_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/regions/fast_path.h"

/*
 * Each chunk begins with the first number, which changes when the library's structures do. The
 * first chunk of a file gets the second one when the process has reported by itself.
 */
#define PERFCTR_CHUNK_MAGIC UINT64_C(0x33306d6f6f725070)
#define PERFCTR_CHUNK_DONE  UINT64_C(0x656e6f446f725070)

/* A chunk begins with this. */
struct perfctr_chunk {
	uint64_t magic;
	size_t size, used; /* in bytes, with this header; used has whole records only */
	struct perfctr_chunk *next;
	uint32_t generation; /* see perfctr_regions */
	int32_t tid;	     /* 0: of all threads */
	uint32_t over;	     /* its thread or the measurement has ended: nothing of it counts */
	uint32_t is_left;    /* the chunk is part of the file */
	uint32_t word;	     /* size of a pointer in bytes */
	uint64_t start,
		space; /* identify the process: see lib/base/process.h; 0: there is no file */
} __attribute__((aligned(16)));

/* A process that has reached no region renames its file in the directory to this. */
#define PERFCTR_ARENA_NONE ".none"

enum perfctr_region_what {
	PERFCTR_RECORD_VISITS, /* struct perfctr_visits of a region; tid 0: of threads that have
				  ended */
	PERFCTR_RECORD_HEAD,   /* struct perfctr_region_head, then names */
	PERFCTR_RECORD_NAME,   /* a region's name */
	PERFCTR_RECORD_COST,   /* struct perfctr_region_cost */
};

/* A record's contents follow; the next record is "size" bytes after this one. */
struct perfctr_region_record {
	uint32_t what, id; /* id: the region's, or 0 */
	size_t size;	   /* in bytes, with this header; a multiple of 16 */
} __attribute__((aligned(16)));

/* What is measured, and by which process. */
struct perfctr_region_head {
	uint32_t keep, nvalues, mult, shift, clocks, unverified, through_kernel;
	int32_t pid;
	char rank[16];
	char names[]; /* of the values, one after the other; then of the metrics and the events, if
			 any */
};

struct perfctr_region_noted_cost {
	uint64_t address; /* the address to which visits point */
	struct perfctr_region_cost cost;
};

/* Returns zeroed memory for a record. NULL after perfctr_fail(ENOMEM). */
void *perfctr_arena_take(struct perfctr_arena *arena, enum perfctr_region_what what,
			 unsigned int id, size_t size);

/* Gives a record's memory back, if it was the last one that was taken. */
void perfctr_arena_untake(struct perfctr_arena *arena, void *taken);

void perfctr_arena_free(struct perfctr_arena *arena);

/*
 * Makes a file in the directory for this process. From now on chunks are parts of it while there is
 * space. If anything fails, they are anonymous memory, and a process that dies leaves no counts.
 */
void perfctr_arenas_leave(const char *directory);

/* Whether chunks are in a file; the second removes the file, with the lock of state.h held. */
bool perfctr_arenas_are_left(void);
void perfctr_arenas_forget(void);

/* The same, but leaves a mark in the directory: this process has reached no region. */
void perfctr_arenas_forget_none(void);

#endif /* PERFCTR_LIB_REGIONS_ARENA_H */
