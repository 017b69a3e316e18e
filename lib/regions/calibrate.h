/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calibrate.h - what begin and end count themselves, in the code of each file that has regions
 */
#ifndef PERFCTR_LIB_REGIONS_CALIBRATE_H
#define PERFCTR_LIB_REGIONS_CALIBRATE_H

#include "lib/regions/fast_path.h"

/* Nothing at all. */
extern const struct perfctr_region_cost perfctr_region_no_cost
	__attribute__((visibility("hidden")));

/*
 * Of the region's file; calibrated by the calling thread, if none has done it before. With signals
 * blocked, and without the lock: to calibrate is to visit regions.
 */
const struct perfctr_region_cost *perfctr_calibration_find(struct perfctr_region_thread *thread,
							   const struct perfctr_region *region);

/*
 * What a begin or an end adds that was interrupted for another thread, by where it found that,
 * beside what perfctr_resume_put_off() subtracts. It is the library's own code, for all files.
 */
struct perfctr_resume_cost {
	int64_t begin[PERFCTR_REGION_EXITS][PERFCTR_REGION_VALUES],
		end[PERFCTR_REGION_EXITS][PERFCTR_REGION_VALUES];
};
extern struct perfctr_resume_cost perfctr_resume_cost __attribute__((visibility("hidden")));

/* The same of an end after which regions go on that were begun within. */
extern int64_t perfctr_region_overlap_cost[PERFCTR_REGION_VALUES]
	__attribute__((visibility("hidden")));

/* The first that was found, which stands for all in a report: they hardly differ. With the lock. */
const struct perfctr_region_cost *perfctr_calibration_oldest(void);

/*
 * No thread is amid this from now on, or one may be again; before the lock is taken, and after it,
 * with signals blocked.
 */
void perfctr_calibration_hold(void);
void perfctr_calibration_let_go(void);

/* Find them again from now on; with the lock held. */
void perfctr_calibration_forget(void);

#endif /* PERFCTR_LIB_REGIONS_CALIBRATE_H */
