/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fast_path.h - begin and end of a region: what a thread has at hand for them, and what a visit
 * adds to. Both are quick if the thread has been in the region before; all else is done by the
 * functions of perfctr_slow_path.
 */
#ifndef PERFCTR_LIB_REGIONS_FAST_PATH_H
#define PERFCTR_LIB_REGIONS_FAST_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "lib/base/word.h"
#include "lib/isa/tsc.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "perfctr/regions.h"

#define PERFCTR_REGION_VALUES	   16	 /* the time and 15 events */
#define PERFCTR_REGION_IDS	   16384 /* 0 is no region's, 1 is that of all that were not visited */
#define PERFCTR_REGION_DEPTH	   1000
#define PERFCTR_REGION_CALIBRATING 8 /* visits of calibration: a root and three deep, and some */
#define PERFCTR_BUCKETS		   (8 + 61 * 8) /* 8 for each power of 2 */

/* What begin and end themselves count, per value. */
struct perfctr_region_cost {
	int64_t inside[PERFCTR_REGION_VALUES]; /* between their reads: what an empty region counts
						*/
	int64_t pair[PERFCTR_REGION_VALUES];   /* in all, which a region around them counts */
	int64_t begin[PERFCTR_REGION_VALUES];  /* of it, begin */
	int64_t branch[PERFCTR_REGION_VALUES]; /* more, if there was a region within them */
	int64_t first[PERFCTR_REGION_VALUES];  /* more, at the thread's first visit */
	int64_t spread[PERFCTR_REGION_VALUES]; /* from these, the least, to the upper quartile */
};

struct perfctr_moments {
	int64_t minimum, maximum;
	double mean, squares; /* Welford's: sum of squared differences from the mean */
};

struct perfctr_sums {
	uint64_t inclusive;
	uint64_t children; /* of it, in regions within */
};

/* Regions within a visit, or within all of a region's. */
struct perfctr_within {
	uint64_t pairs;	   /* of begin and end, however deep */
	uint64_t direct;   /* of these, not within another */
	uint64_t branches; /* of these, with another within */
	uint64_t forks;	   /* of the direct ones, with another within */
};

/* Visits of one region by one thread. Values are raw: with what begin and end counted. */
struct perfctr_visits {
	uint64_t visits;
	struct perfctr_within within;
	uint64_t unfinished, uncounted;
	const struct perfctr_region_cost *cost;
	uint64_t *histogram; /* NULL: none; else PERFCTR_BUCKETS for each value */
	struct perfctr_sums sum[];
	/* Then a struct perfctr_moments for each value, whether they are kept or not. */
};

/*
 * How a thread's visits lie in memory, by the functions that begin and end them. Each has a place
 * of its own for a visit's id: what one has begun before measuring was started again is nothing
 * that another would end.
 */
enum perfctr_visit_layout {
	PERFCTR_VISIT_KERNEL, /* the kernel reads */
	PERFCTR_VISIT_1,      /* so many counters */
	PERFCTR_VISIT_2,
	PERFCTR_VISIT_3,
	PERFCTR_VISIT_4,
	PERFCTR_VISIT_MANY,
	PERFCTR_VISIT_LAYOUTS
};

/* What the thread had counted at some moment. */
struct perfctr_moment {
	uint64_t value[PERFCTR_REGION_VALUES];
};

/*
 * A counter, as its page described it when the page's lock was this. While the lock is that still,
 * so is all else, and nothing else of the page needs to be read; but an index that names no counter
 * any more must not reach the processor.
 */
#define PERFCTR_REGION_NO_INDEX UINT32_MAX /* no page's: a counter's that is not known */
struct perfctr_region_counter {
	const volatile struct perf_event_mmap_page *page;
	uint64_t offset;
	uint32_t lock, index;
	uint32_t shift; /* 64 - width of the hardware counter */
};

/*
 * Where begin and end find that a page has changed, since the thread was off the processor: at the
 * first counter's index, at the first counter's lock, at the second's ... What they have counted
 * until then depends on it.
 */
#define PERFCTR_REGION_EXITS PERFCTR_REGION_VALUES

/* Words that begin and end have changed for them, so that they find this: for calibration. */
struct perfctr_region_pretence {
	uint32_t *before_begin, *before_end;
};

/* A region that the thread is in. */
struct perfctr_visit {
	unsigned int id[PERFCTR_VISIT_LAYOUTS];
	struct perfctr_visits *visits;
	struct perfctr_within within;
	uint64_t value[]; /* what regions within counted, per value; then, what there was at the
			     start */
};

/* Memory for a thread or for all, of what is measured at a time: see arena.h. */
struct perfctr_arena {
	struct perfctr_chunk *first;
	int32_t tid; /* 0: of all threads */
	uint32_t generation;
};

/*
 * In memory that a child of fork() finds cleared, after the visits: that they reach the thread
 * itself means that there is no room for more.
 */
struct perfctr_region_thread {
	unsigned int none[PERFCTR_VISIT_LAYOUTS]; /* 0, no region's id: as a visit it is none */
	unsigned int nvalues;			  /* the time and events */
	enum perfctr_visit_layout layout;
	struct perfctr_region_here *here;
	struct perfctr_visit *root;	   /* around the outermost visit */
	struct perfctr_visit *calibration; /* calibration's root */
	struct perfctr_visit
		*saved;	 /* the top, while more regions are open than there is room for */
	uint64_t missed; /* visits that are open, and not counted */
	unsigned int generation;
	uint32_t mult, shift;	  /* ns = ticks * mult >> shift; of the kernel's reads 1, 0 */
	struct perfctr_rate rate; /* the same */
	pid_t tid;
	const struct perfctr_region_pretence *pretence;
	bool ended, lost; /* lost: its counters can't be read any more */
	bool released;	  /* they have been stopped, when measuring was */
	struct perfctr_set *set;
	struct perfctr_region_thread *next, *previous;
	struct perfctr_arena arena; /* with what the table points to */
	uint64_t stray;		    /* ends without a begin */
	uint64_t stopped; /* ticks while it did not run: negative, for the first page's lock */
	struct perfctr_region_counter counter[PERFCTR_REGION_VALUES];
	struct perfctr_visits *table[PERFCTR_REGION_IDS];
	uint32_t refused[PERFCTR_REGION_IDS]; /* those missed, by region; [0]: it had no id yet */
};

/* The calling thread's; not cleared in a child of fork(). */
struct perfctr_region_here {
	struct perfctr_region_thread *thread;
	struct perfctr_visit *top; /* the innermost visit; the thread itself: don't touch them */
};

/* A thread that has none has one in which no region is known. */
extern PERFCTR_THREAD struct perfctr_region_here perfctr_region_here
	__attribute__((visibility("hidden")));
extern struct perfctr_region_thread perfctr_region_nothing __attribute__((visibility("hidden")));

/*
 * Called where there is no quick way. resume_begin, resume_end: a page has changed; the top is the
 * thread itself and has to be this one again.
 */
struct perfctr_slow_path {
	void (*begin)(unsigned int *id);
	void (*end)(unsigned int *id);
	void (*resume_begin)(unsigned int *id, struct perfctr_visit *top, unsigned int exit);
	void (*resume_end)(unsigned int *id, struct perfctr_visit *top, unsigned int exit);
};
extern struct perfctr_slow_path perfctr_slow_path __attribute__((visibility("hidden")));

/* Set them, before a thread finds its way to them. */
void perfctr_slow_path_init(void);

static inline size_t perfctr_visit_stride(unsigned int nvalues)
{
	return sizeof(struct perfctr_visit) + 2 * nvalues * sizeof(uint64_t);
}

/* The visit so many strides further out, or further in. */
static inline struct perfctr_visit *perfctr_visit_at(struct perfctr_visit *visit, ptrdiff_t offset)
{
	return (struct perfctr_visit *)(void *)((char *)visit + offset);
}

static inline struct perfctr_moments *perfctr_visits_moments(struct perfctr_visits *visits,
							     unsigned int nvalues)
{
	return (struct perfctr_moments *)(void *)&visits->sum[nvalues];
}

/* What is kept of each visit beside the sums. */
enum perfctr_visit_keep { PERFCTR_KEEP_SUMS, PERFCTR_KEEP_MOMENTS, PERFCTR_KEEP_HISTOGRAM };

/* The region that a visit of the calling thread is of. */
static inline unsigned int perfctr_visit_id(const struct perfctr_region_thread *thread,
					    const struct perfctr_visit *visit)
{
	return visit->id[thread->layout];
}

/* The layout for a thread whose counters user space can read. */
enum perfctr_visit_layout perfctr_fast_path_layout(const struct perfctr_region_thread *thread);

/* The functions for a thread of this layout whose counters are like this one's. */
struct perfctr_region_ways perfctr_fast_path_ways(const struct perfctr_region_thread *thread,
						  enum perfctr_visit_keep keep);

/*
 * Read the thread's values, and keep what the pages say. False: its counters can't be read any
 * more. Not steady: it was off the processor meanwhile, and the values mean nothing. That takes as
 * many instructions in any case.
 */
bool perfctr_fast_path_read(struct perfctr_region_thread *thread, struct perfctr_moment *moment,
			    bool *steady);

/* The bucket of a value, and the largest value of a bucket. */
unsigned int perfctr_bucket(int64_t value);
uint64_t perfctr_bucket_last(unsigned int bucket);

#endif /* PERFCTR_LIB_REGIONS_FAST_PATH_H */
