/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics.h - metrics, and the events that they use */
#ifndef PERFCTR_LIB_METRICS_METRICS_H
#define PERFCTR_LIB_METRICS_METRICS_H

#include "libperfctr.h"

/*
 * Returns the indices of metric i's events among those of perfctr_metrics_events(), and in *n their
 * number; some may occur twice. NULL after perfctr_fail(EINVAL) for the call of this name: there is
 * no metric i.
 */
const unsigned int *perfctr_metrics_places(const struct perfctr_metrics *metrics, unsigned int i,
					   unsigned int *n, const char *call);

#endif /* PERFCTR_LIB_METRICS_METRICS_H */
