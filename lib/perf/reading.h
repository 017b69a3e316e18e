/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reading.h - counts and their quality */
#ifndef PERFCTR_LIB_PERF_READING_H
#define PERFCTR_LIB_PERF_READING_H

#include <stdint.h>
#include "libperfctr.h"

/* What the times of a running event say about its count. */
enum perfctr_quality perfctr_quality_of(uint64_t enabled, uint64_t running);

#endif /* PERFCTR_LIB_PERF_READING_H */
