/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * resume.h - resumes a begin or an end after the thread was off the processor. As after first
 * visits, all open visits are put off by what that has cost, so that no region counts it.
 */
#ifndef PERFCTR_LIB_REGIONS_RESUME_H
#define PERFCTR_LIB_REGIONS_RESUME_H

#include "lib/regions/fast_path.h"

/*
 * Returns the thread's values at the call, by the same number of instructions whether the thread is
 * off the processor meanwhile or not. False: its counters can't be read any more, or a debugger
 * stops it at each instruction.
 */
bool perfctr_resume_moment(struct perfctr_region_thread *thread, struct perfctr_moment *moment);

/*
 * Moves the begin of all open visits, from top outwards, by what was counted from a moment to the
 * end of this function, and by "more".
 */
void perfctr_resume_put_off(struct perfctr_region_thread *thread, struct perfctr_visit *top,
			    const struct perfctr_moment *from, const int64_t *more);

/* These are functions of perfctr_slow_path. */
void perfctr_resume_begin(unsigned int *id, struct perfctr_visit *top, unsigned int exit);
void perfctr_resume_end(unsigned int *id, struct perfctr_visit *top, unsigned int exit);

#endif /* PERFCTR_LIB_REGIONS_RESUME_H */
