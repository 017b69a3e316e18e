/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* totals.h - visits of a region, added up over threads, and what they come to */
#ifndef PERFCTR_LIB_REGIONS_TOTALS_H
#define PERFCTR_LIB_REGIONS_TOTALS_H

#include "lib/regions/fast_path.h"

/* What is kept of each visit. */
struct perfctr_region_kept {
	unsigned int nvalues;
	bool moments, histogram;
	uint32_t mult, shift; /* ns = ticks * mult >> shift */
	uint32_t clocks;      /* bit i: value i is a time; bit 0 is set */
};

size_t perfctr_totals_size(const struct perfctr_region_kept *kept);

/* Make zeroed memory of that size visits. */
void perfctr_totals_init(struct perfctr_visits *visits, const struct perfctr_region_kept *kept,
			 const struct perfctr_region_cost *cost);

/* Make a copy of visits of another process its own: with another cost, and its own histogram. */
void perfctr_totals_adopt(struct perfctr_visits *copy, const struct perfctr_region_kept *kept,
			  const struct perfctr_region_cost *cost);

/* Back to none; by the thread itself. */
void perfctr_totals_reset(struct perfctr_visits *visits, const struct perfctr_region_kept *kept);

/* Add those of a thread, which may go on meanwhile, to a sum. */
void perfctr_totals_add(struct perfctr_visits *sum, const struct perfctr_visits *visits,
			const struct perfctr_region_here *here,
			const struct perfctr_region_kept *kept);

/* The values, without what begin and end have counted themselves. */
void perfctr_totals_read(const struct perfctr_visits *visits,
			 const struct perfctr_region_kept *kept,
			 struct perfctr_region_reading *reading);

#endif /* PERFCTR_LIB_REGIONS_TOTALS_H */
