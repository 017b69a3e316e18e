/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region_overlap.h - visits that end before others that were begun within them, and go on */
#ifndef PERFCTR_LIB_REGION_OVERLAP_H
#define PERFCTR_LIB_REGION_OVERLAP_H

#include "lib/region_visit.h"

/*
 * Before the visit ends: put it on top of those that were begun within it, as if it had been begun
 * in the innermost one, and what both have in common was in it alone. Its end then adds to each
 * what is left to add. The caller keeps signals' handlers away from the visits.
 */
void perfctr_region_overlap(struct perfctr_region_thread *thread, struct perfctr_visit *visit,
			    struct perfctr_visit *top);

#endif /* PERFCTR_LIB_REGION_OVERLAP_H */
