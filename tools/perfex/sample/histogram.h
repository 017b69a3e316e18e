/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * histogram.h - counts samples by place: by file, function or address, in the mappings of their
 * time; and by the calls that led there. The functions are called in the order of the records.
 */
#ifndef PERFCTR_TOOLS_HISTOGRAM_H
#define PERFCTR_TOOLS_HISTOGRAM_H

#include <libperfctr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct histogram;

struct map {
	uint64_t start, length, offset;
	size_t file;
};

/* The kinds of rows. PLACE_SOURCE is no place: see sources.h. */
enum place_kind {
	PLACE_FUNCTION,
	PLACE_FILE,
	PLACE_ADDRESS,
	PLACE_LINE,
	PLACE_BRANCH,
	PLACE_SOURCE
};

struct histogram *histogram_new(void);

/*
 * Returns the number of the file of a record of a mapping, for struct map of its process. It is
 * opened when something of it is needed, and stays open.
 */
size_t histogram_file(struct histogram *histogram, const struct perfctr_record_mmap *mmap);

/*
 * Returns the name of a file with samples whose names of functions are not known; NULL: there is
 * none. *replaced: it is another one now, or has other contents, than when it was mapped; else it
 * is not seen from here.
 */
const char *histogram_missing(const struct histogram *histogram, bool *replaced);

/* Calls back with each file that has samples and a build ID. */
void histogram_build_ids(const struct histogram *histogram,
			 void (*each)(void *arg, const char *name, const uint8_t *id,
				      uint32_t size),
			 void *arg);

/* How many samples are in code that a compiler has written over other code during the run. */
uint64_t histogram_rewritten(struct histogram *histogram);

/*
 * Processes, threads and their mappings are those of two times: of the present, and of a past whose
 * records are looked at once more, in the same order. Files are opened in the present; only counts
 * and chains may be of the past alone.
 */
void histogram_set_past(struct histogram *histogram, bool past);

/* Opens what a process has mapped up to now, before it ends. */
void histogram_open(struct histogram *histogram, uint32_t pid);

/* A process maps a file, is created with its parent's mappings, executes a program, has a name. */
void histogram_map(struct histogram *histogram, uint32_t pid, const struct map *map);
void histogram_fork(struct histogram *histogram, uint32_t pid, uint32_t parent);
void histogram_exec(struct histogram *histogram, uint32_t pid);
void histogram_name(struct histogram *histogram, uint32_t pid, const char *name);

/* A thread has a name of its own, or its parent's: others have their processes' names. */
void histogram_thread(struct histogram *histogram, uint32_t tid, const char *name);
void histogram_thread_fork(struct histogram *histogram, uint32_t tid, uint32_t parent);

/* It is in a mount namespace, by the inode of that. */
void histogram_namespace(struct histogram *histogram, uint32_t pid, uint64_t inode);

/*
 * Whether nothing is known to be at a process' address, and it has not been asked for in this turn:
 * it may have been mapped before there were records.
 */
int histogram_is_new(struct histogram *histogram, uint32_t pid, uint64_t address);
void histogram_turn(struct histogram *histogram);

/*
 * The files, and the kernel's part, [vdso], that a process has mapped, later ones over earlier
 * ones, with their descriptors, or -1; and a number that becomes another one when it has mapped
 * others.
 */
void histogram_each_file(struct histogram *histogram, uint32_t pid,
			 void (*each)(void *arg, const struct map *map, const char *file, int fd),
			 void *arg);
uint64_t histogram_version(const struct histogram *histogram, uint32_t pid);

/* Counts a sample at an address, or in the kernel, and the events that it stands for. */
void histogram_count(struct histogram *histogram, uint32_t pid, uint64_t address, uint64_t events);
void histogram_count_kernel(struct histogram *histogram, uint64_t address, uint64_t events);

/* A branch in place of a sample, by the address that it comes from. */
void histogram_branch(struct histogram *histogram, uint32_t pid, uint64_t from, bool kernel,
		      bool mispredicted);

/* The calls that led to one, as perf_events write them: the innermost first. */
void histogram_chain(struct histogram *histogram, uint32_t pid, uint32_t tid, const uint64_t *chain,
		     uint64_t n, uint64_t events);

/*
 * Returns how many samples of processes' first threads have chains without the program's beginning,
 * as code without frame pointers makes them; chains that can't be judged for want of names are not
 * among them.
 */
uint64_t histogram_cut(struct histogram *histogram);

uint64_t histogram_samples(const struct histogram *histogram);

/* Whether samples stand for different numbers of events. */
bool histogram_is_weighted(const struct histogram *histogram);

/*
 * The places with most events, or branches that were most often mispredicted, one by one, and the
 * rest in a row; nothing if there are none.
 */
void histogram_print(struct histogram *histogram, FILE *file, enum place_kind kind);

/* A function with samples; in the file is the place where most of its events are. */
struct histogram_top {
	char *function;	  /* to be freed; NULL: unknown */
	const char *file; /* valid until histogram_free() */
	int fd;		  /* of the file, as long; -1: there is none */
	uint64_t offset, count;
	double share; /* of all events */
};

/* Finds at most n functions with the most events, in that order; returns how many. */
size_t histogram_top(struct histogram *histogram, struct histogram_top *top, size_t n);

/*
 * Calls back with each chain of calls by names, "process;outer;inner", or of threads
 * "process;thread;outer;inner", which it may change, its samples and their events. Functions
 * that were inlined follow the one that they are in, with "_[i]".
 */
void histogram_ways(struct histogram *histogram, bool threads,
		    void (*each)(void *arg, char *way, uint64_t samples, uint64_t events),
		    void *arg);

/*
 * Returns the name of a file whose debugging information takes too long to read, so that it may
 * lack inlined functions; NULL: each was read.
 */
const char *histogram_slow(struct histogram *histogram);

/* Prints each, with its events. */
void histogram_fold(struct histogram *histogram, bool threads, FILE *file);

void histogram_free(struct histogram *histogram);

#endif /* PERFCTR_TOOLS_HISTOGRAM_H */
