/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* totals.h - sums of a region's visits over threads, and the results of these */
#ifndef PERFCTR_LIB_REGIONS_TOTALS_H
#define PERFCTR_LIB_REGIONS_TOTALS_H

#include "lib/regions/fast_path.h"

/* What is kept of each visit. */
struct perfctr_region_kept {
	unsigned int nvalues;
	bool moments, histogram;
	uint32_t mult, shift; /* ns = ticks * mult >> shift */
	uint32_t clocks;      /* bit i: value i is a time; bit 0 is set */
	uint32_t unverified;  /* bit i: value i is PERFCTR_UNVERIFIED at best */
	/*
	 * An interpreter's regions and others were visited. Any may have been within any, and have
	 * added so much more to it than its own would; 0 otherwise.
	 */
	bool has_interpreted, has_compiled;
	uint64_t foreign[PERFCTR_REGION_VALUES];
};

size_t perfctr_totals_size(const struct perfctr_region_kept *kept);

/* Initializes visits in zeroed memory of that size. */
void perfctr_totals_init(struct perfctr_visits *visits, const struct perfctr_region_kept *kept,
			 const struct perfctr_region_cost *cost);

/*
 * Makes a copy of another process's visits usable here: with a cost of this process, and the copy's
 * own histogram.
 */
void perfctr_totals_adopt(struct perfctr_visits *copy, const struct perfctr_region_kept *kept,
			  const struct perfctr_region_cost *cost);

/* Resets the visits to none. Only their own thread calls this. */
void perfctr_totals_reset(struct perfctr_visits *visits, const struct perfctr_region_kept *kept);

/* Adds the visits of a thread, which may be running, to a sum. */
void perfctr_totals_add(struct perfctr_visits *sum, const struct perfctr_visits *visits,
			const struct perfctr_region_here *here,
			const struct perfctr_region_kept *kept);

/* Returns the values, less what begin and end have counted by themselves. */
void perfctr_totals_read(const struct perfctr_visits *visits,
			 const struct perfctr_region_kept *kept,
			 struct perfctr_region_reading *reading);

/* An interval of a histogram, and the visits whose value is within, in the value's unit. */
struct perfctr_region_bucket {
	uint64_t least, most, visits;
};

/*
 * Finds the first bucket of a value's histogram from *next on that has visits, and moves *next past
 * it. "value" has the visits' extremes, which limit the bucket. Returns false if none is left.
 */
bool perfctr_totals_bucket(const struct perfctr_visits *visits,
			   const struct perfctr_region_kept *kept, unsigned int i,
			   const struct perfctr_region_value *value, unsigned int *next,
			   struct perfctr_region_bucket *bucket);

#endif /* PERFCTR_LIB_REGIONS_TOTALS_H */
