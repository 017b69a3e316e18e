/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regions.h - what was measured of a region, for reports */
#ifndef PERFCTR_LIB_REGIONS_H
#define PERFCTR_LIB_REGIONS_H

#include <stdbool.h>
#include "lib/region_thread.h"

/*
 * One thread's visits, or (NULL) those of all, into memory of perfctr_visits_size(); with the lock
 * held. Whether there are any.
 */
bool perfctr_regions_collect(struct perfctr_visits *sum, struct perfctr_region_thread *only,
			     unsigned int id);

#endif /* PERFCTR_LIB_REGIONS_H */
