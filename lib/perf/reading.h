/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reading.h - the quality of counts */
#ifndef PERFCTR_LIB_PERF_READING_H
#define PERFCTR_LIB_PERF_READING_H

#include <stdint.h>
#include "libperfctr.h"

/* Returns the quality of a running event's count, by its times. */
enum perfctr_quality perfctr_quality_of(uint64_t enabled, uint64_t running);

#endif /* PERFCTR_LIB_PERF_READING_H */
