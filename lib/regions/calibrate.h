/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calibrate.h - what begin and end count by themselves, in the code of each file that has regions
 */
#ifndef PERFCTR_LIB_REGIONS_CALIBRATE_H
#define PERFCTR_LIB_REGIONS_CALIBRATE_H

#include "lib/regions/fast_path.h"

#define PERFCTR_REGION_CALIBRATED 31 /* odd, so that there is a median */

/* What the three regions of calibration count, and from OUTER's begin to MIDDLE's, per value. */
struct perfctr_samples {
	int64_t inner[PERFCTR_REGION_VALUES][PERFCTR_REGION_CALIBRATED],
		middle[PERFCTR_REGION_VALUES][PERFCTR_REGION_CALIBRATED],
		outer[PERFCTR_REGION_VALUES][PERFCTR_REGION_CALIBRATED],
		begin[PERFCTR_REGION_VALUES][PERFCTR_REGION_CALIBRATED];
};

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

/*
 * A region that has this cost is visited: visits of an interpreter's and of others may be in one
 * another from now on. The lock is held.
 */
void perfctr_calibration_note_use(const struct perfctr_region_cost *cost);

/* ---- code that the library can't call ---- */

/* Takes sample "at" of visits that have ended; OUTER's was begun in this one. */
void perfctr_samples_take(struct perfctr_samples *samples, struct perfctr_region_thread *thread,
			  struct perfctr_visit *around, unsigned int at);

/*
 * Marks the key as that of code which perfctr_calibration_find() must not call. 0, or -1 after
 * perfctr_fail(ENOMEM). Signals are blocked.
 */
int perfctr_calibration_mark(void (*key)(void));

/* Whether the key has a cost in this measurement. */
bool perfctr_calibration_has(void (*key)(void));

/*
 * Makes the key's cost of the samples. False: measuring has ended meanwhile, or another thread was
 * first. Signals are blocked.
 */
bool perfctr_calibration_add(struct perfctr_region_thread *thread, void (*key)(void),
			     const struct perfctr_samples *samples);

/* Has the library's own part calibrated, which all others need. Signals are blocked. */
void perfctr_calibration_prepare(struct perfctr_region_thread *thread);

#endif /* PERFCTR_LIB_REGIONS_CALIBRATE_H */
