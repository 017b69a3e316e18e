/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * resume.h - begin and end, once more, after the thread was off the processor; and what they
 * have in common with first visits: what such a way costs is no region's.
 */
#ifndef PERFCTR_LIB_REGIONS_RESUME_H
#define PERFCTR_LIB_REGIONS_RESUME_H

#include "lib/regions/fast_path.h"

/*
 * The thread's values now; as many instructions after the call, whether it is off the processor
 * meanwhile or not. False: its counters can't be read any more.
 */
bool perfctr_resume_moment(struct perfctr_region_thread *thread, struct perfctr_moment *moment);

/*
 * The open visits, from top outwards, are put off by what was counted from a moment to the end of
 * this, and by more.
 */
void perfctr_resume_put_off(struct perfctr_region_thread *thread, struct perfctr_visit *top,
			    const struct perfctr_moment *from, const int64_t *more);

/* For perfctr_slow_path. */
void perfctr_resume_begin(unsigned int *id, struct perfctr_visit *top, unsigned int exit);
void perfctr_resume_end(unsigned int *id, struct perfctr_visit *top, unsigned int exit);

#endif /* PERFCTR_LIB_REGIONS_RESUME_H */
