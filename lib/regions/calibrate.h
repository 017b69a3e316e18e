/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calibrate.h - what begin and end count by themselves, in the code of each file that has regions
 */
#ifndef PERFCTR_LIB_REGIONS_CALIBRATE_H
#define PERFCTR_LIB_REGIONS_CALIBRATE_H

#include "lib/regions/fast_path.h"

/* All costs are 0. */
extern const struct perfctr_region_cost perfctr_region_no_cost
	__attribute__((visibility("hidden")));

/*
 * Returns the cost in the region's file; the calling thread calibrates it if no thread has done so
 * before. Signals are blocked, and the lock is not held, since calibration visits regions.
 */
const struct perfctr_region_cost *perfctr_calibration_find(struct perfctr_region_thread *thread,
							   const struct perfctr_region *region);

/*
 * What a resumed begin or end adds for each exit, beside the part that perfctr_resume_put_off()
 * subtracts. It is the library's own code, so that one calibration serves all files.
 */
struct perfctr_resume_cost {
	int64_t begin[PERFCTR_REGION_EXITS][PERFCTR_REGION_VALUES],
		end[PERFCTR_REGION_EXITS][PERFCTR_REGION_VALUES];
};
extern struct perfctr_resume_cost perfctr_resume_cost __attribute__((visibility("hidden")));

/* What an end adds that overlaps: regions that were begun within the visit go on after it. */
extern int64_t perfctr_region_overlap_cost[PERFCTR_REGION_VALUES]
	__attribute__((visibility("hidden")));

/*
 * Returns the first calibration, which stands for all of them in a report, since they hardly
 * differ. The lock is held.
 */
const struct perfctr_region_cost *perfctr_calibration_oldest(void);

/*
 * Keep other threads from calibrating until the second is called. Signals are blocked; the lock is
 * taken after the first, and released before the second.
 */
void perfctr_calibration_hold(void);
void perfctr_calibration_let_go(void);

/* Retires all calibrations: costs are measured again. The lock is held. */
void perfctr_calibration_forget(void);

#endif /* PERFCTR_LIB_REGIONS_CALIBRATE_H */
