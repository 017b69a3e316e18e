/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region_first.h - begin and end of a region where there is no quick way: above all, at first */
#ifndef PERFCTR_LIB_REGION_FIRST_H
#define PERFCTR_LIB_REGION_FIRST_H

#include "lib/region_visit.h"

/* perfctr_visit_else, from now on. */
void perfctr_region_first_init(void);

#endif /* PERFCTR_LIB_REGION_FIRST_H */
