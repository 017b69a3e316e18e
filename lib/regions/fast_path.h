/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fast_path.h - the fast path of a region's begin and end, the data of a thread that it needs, and
 * the sums to which a visit adds. It is taken if the thread has been in the region before; the
 * functions of perfctr_slow_path do everything else.
 */
#ifndef PERFCTR_LIB_REGIONS_FAST_PATH_H
#define PERFCTR_LIB_REGIONS_FAST_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "lib/base/word.h"
#include "lib/isa/tsc.h"
#include "lib/perf/core_types.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "perfctr/regions.h"

#define PERFCTR_REGION_VALUES	   16	 /* the time and 15 events */
#define PERFCTR_REGION_IDS	   16384 /* 0 is no region's, 1 means "not known yet" */
#define PERFCTR_REGION_DEPTH	   1000
#define PERFCTR_REGION_CALIBRATING 8		/* visits: a root, three nested ones, and spare */
#define PERFCTR_BUCKETS		   (8 + 61 * 8) /* 8 for each power of 2 */

/* What begin and end count by themselves, per value. */
struct perfctr_region_cost {
	int64_t inside[PERFCTR_REGION_VALUES]; /* between their reads: an empty region's count */
	int64_t pair[PERFCTR_REGION_VALUES];   /* in all: what they add to a region around them */
	int64_t begin[PERFCTR_REGION_VALUES];  /* the part of "pair" that begin has */
	int64_t branch[PERFCTR_REGION_VALUES]; /* added to "pair" if there was a region within */
	int64_t first[PERFCTR_REGION_VALUES];  /* added at a thread's first visit */
	int64_t spread[PERFCTR_REGION_VALUES]; /* from the least, which these are, to the upper
						  quartile */
	int64_t loose[PERFCTR_REGION_VALUES];  /* how far an interpreter's "pair" may be off */
	uint64_t interpreted; /* 1: of perfctr_regions_calibrate(); it never repeats exactly */
};

struct perfctr_moments {
	int64_t minimum, maximum;
	double mean, squares; /* squares: the sum of squared differences from the mean (Welford's
				 algorithm) */
};

struct perfctr_sums {
	uint64_t inclusive;
	uint64_t children; /* the part that regions within have counted */
};

/* How many regions ended within a visit, or within all visits of a region. */
struct perfctr_within {
	uint64_t pairs;	   /* of begin and end, at any depth */
	uint64_t direct;   /* directly within, not within another */
	uint64_t branches; /* those of "pairs" that had others within */
	uint64_t forks;	   /* those of "direct" that had others within */
};

/* What a program tells about its visits: perfctr_region_add_bytes(), _communication(). */
enum { PERFCTR_BYTES, PERFCTR_COMMUNICATION, PERFCTR_TOLD };
struct perfctr_told {
	uint64_t own, within; /* within: of regions within */
};

/* Visits of one region by one thread. Values are raw: they include the cost of begin and end. */
struct perfctr_visits {
	uint64_t visits;
	struct perfctr_within within;
	uint64_t unfinished, uncounted;
	uint64_t interrupted; /* reads within, of unknown cost: see PERFCTR_ABORTED */
	const struct perfctr_region_cost *cost;
	uint64_t *histogram; /* PERFCTR_BUCKETS for each value, or NULL */
	struct perfctr_told told[PERFCTR_TOLD];
	struct perfctr_sums sum[];
	/* A struct perfctr_moments for each value follows, whether moments are kept or not. */
};

/*
 * The layout of a thread's visits, which depends on the functions that begin and end them. Each
 * layout has a place of its own for a visit's id, so that functions of another one never end a
 * visit that was begun before measuring was started again.
 */
enum perfctr_visit_layout {
	PERFCTR_VISIT_KERNEL, /* the kernel reads the counters */
	PERFCTR_VISIT_1,      /* one counter in user space */
	PERFCTR_VISIT_2,
	PERFCTR_VISIT_3,
	PERFCTR_VISIT_4,
	PERFCTR_VISIT_MANY,
	PERFCTR_VISIT_TYPES, /* counters of several core types in user space */
	PERFCTR_VISIT_LAYOUTS
};

/* The thread's values at one moment. */
struct perfctr_moment {
	uint64_t value[PERFCTR_REGION_VALUES];
};

/*
 * A counter, as its page described it when the page's lock had this value. While the lock is
 * unchanged, all else on the page is, too, and need not be read. The index is compared by itself
 * before RDPMC, since an index that names no counter faults.
 */
#define PERFCTR_REGION_NO_INDEX UINT32_MAX /* the index is not known: no page has this one */
struct perfctr_region_counter {
	const volatile struct perf_event_mmap_page *page;
	uint64_t offset;
	uint32_t lock, index;
	uint32_t shift; /* 64 - width of the hardware counter */
};

/* One of several core types: "page" is NULL, "lock" the sum of these pages' locks. */
struct perfctr_region_types {
	const struct perf_event_mmap_page *page[PERFCTR_CORE_TYPES];
};

/*
 * The places at which begin and end may find that a page has changed, since the thread was off the
 * processor: at the first counter's index (0), its lock (1), the second's lock (2), and so on. What
 * begin or end have counted by then depends on the place.
 */
#define PERFCTR_REGION_EXITS PERFCTR_REGION_VALUES

/* Calibration changes these words so that begin and end find a page changed. */
struct perfctr_region_pretence {
	uint32_t *before_begin, *before_end;
};

/* A visit that the thread is in. */
struct perfctr_visit {
	unsigned int id[PERFCTR_VISIT_LAYOUTS];
	struct perfctr_visits *visits;
	struct perfctr_within within;
	uint64_t value[]; /* what regions within counted, per value; then the values at begin */
};

/* The memory for the records of one thread, or of all threads: see arena.h. */
struct perfctr_arena {
	struct perfctr_chunk *first;
	int32_t tid; /* 0: of all threads */
	uint32_t generation;
};

/*
 * The thread's data stands after its visits, so that a visit beyond the last one has the thread's
 * own address. A child of fork() finds this memory cleared.
 */
struct perfctr_region_thread {
	unsigned int none[PERFCTR_VISIT_LAYOUTS]; /* 0: read as a visit, this has no region's id */
	unsigned int nvalues;			  /* the time and the events */
	enum perfctr_visit_layout layout;
	struct perfctr_region_here *here;
	struct perfctr_visit *root;	   /* is around the outermost visit */
	struct perfctr_visit *calibration; /* the root of calibration's visits */
	struct perfctr_visit *saved;	   /* the top, while visits are refused for lack of room */
	uint64_t missed;		   /* number of open visits that were refused */
	unsigned int generation;
	uint32_t mult, shift;	  /* ns = ticks * mult >> shift; 1 and 0 if the kernel reads */
	struct perfctr_rate rate; /* says the same as mult and shift */
	pid_t tid;
	const struct perfctr_region_pretence *pretence;
	bool ended, lost; /* lost: its counters can no longer be read */
	bool released;	  /* its counters were stopped when measuring ended */
	struct perfctr_set *set;
	struct perfctr_region_thread *next, *previous;
	struct perfctr_arena arena; /* has the rows to which the table points */
	uint64_t stray;		    /* number of ends without a begin */
	uint64_t stopped; /* ticks for which the thread did not run, negative; valid for the first
			     page's lock */
	struct perfctr_region_counter counter[PERFCTR_REGION_VALUES];
	struct perfctr_region_types types[PERFCTR_REGION_VALUES];
	volatile struct perfctr_rseq *rseq; /* the thread's, if there are types */
	bool interrupted;		    /* since the open visits were last told */
	struct perfctr_visits *table[PERFCTR_REGION_IDS];
	uint32_t refused[PERFCTR_REGION_IDS]; /* number of refused visits, by region; [0]: their
						 region had no id yet */
};

/* The calling thread's state. A child of fork() does not find it cleared. */
struct perfctr_region_here {
	struct perfctr_region_thread *thread;
	struct perfctr_visit *top; /* the innermost visit; the thread itself during a change */
};

/* A thread that takes no part points to perfctr_region_nothing, whose table is empty. */
extern PERFCTR_THREAD struct perfctr_region_here perfctr_region_here
	__attribute__((visibility("hidden")));
extern struct perfctr_region_thread perfctr_region_nothing __attribute__((visibility("hidden")));

/*
 * The fast path jumps to these functions. resume_begin, resume_end: a page has changed; the top is
 * the thread itself, and "top" must be restored.
 */
struct perfctr_slow_path {
	void (*begin)(unsigned int *id);
	void (*end)(unsigned int *id);
	void (*resume_begin)(unsigned int *id, struct perfctr_visit *top, unsigned int exit);
	void (*resume_end)(unsigned int *id, struct perfctr_visit *top, unsigned int exit);
};
extern struct perfctr_slow_path perfctr_slow_path __attribute__((visibility("hidden")));

/* Sets these functions. It is called before regions are first measured. */
void perfctr_slow_path_init(void);

static inline size_t perfctr_visit_stride(unsigned int nvalues)
{
	return sizeof(struct perfctr_visit) + 2 * nvalues * sizeof(uint64_t);
}

/* The visit that is this many bytes further in, or out if the offset is negative. */
static inline struct perfctr_visit *perfctr_visit_at(struct perfctr_visit *visit, ptrdiff_t offset)
{
	return (struct perfctr_visit *)(void *)((char *)visit + offset);
}

static inline struct perfctr_moments *perfctr_visits_moments(struct perfctr_visits *visits,
							     unsigned int nvalues)
{
	return (struct perfctr_moments *)(void *)&visits->sum[nvalues];
}

/*
 * What is kept of single visits: nothing; minimum, maximum, mean and deviation; these and a
 * histogram.
 */
enum perfctr_visit_keep { PERFCTR_KEEP_SUMS, PERFCTR_KEEP_MOMENTS, PERFCTR_KEEP_HISTOGRAM };

/* The id of the region that this visit of the calling thread belongs to. */
static inline unsigned int perfctr_visit_id(const struct perfctr_region_thread *thread,
					    const struct perfctr_visit *visit)
{
	return visit->id[thread->layout];
}

/* The layout for a thread with counters that user space can read. */
enum perfctr_visit_layout perfctr_fast_path_layout(const struct perfctr_region_thread *thread);

/* The functions for threads with the layout and the counter widths of this one. */
struct perfctr_region_ways perfctr_fast_path_ways(const struct perfctr_region_thread *thread,
						  enum perfctr_visit_keep keep);

/*
 * Reads the thread's values, and keeps what the pages say. False: its counters can't be read any
 * more. Not steady: it was off the processor meanwhile, and the values mean nothing. This takes the
 * same number of instructions in any case.
 */
bool perfctr_fast_path_read(struct perfctr_region_thread *thread, struct perfctr_moment *moment,
			    bool *steady);

/* The bucket that has the value, and the largest value that a bucket has. */
unsigned int perfctr_bucket(int64_t value);
uint64_t perfctr_bucket_last(unsigned int bucket);

#endif /* PERFCTR_LIB_REGIONS_FAST_PATH_H */
