/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics.h - what metrics are made of */
#ifndef PERFCTR_LIB_METRICS_METRICS_H
#define PERFCTR_LIB_METRICS_METRICS_H

#include "libperfctr.h"

/*
 * Where the events of metric i are among those of perfctr_metrics_events(), and in *n how many they
 * are, some perhaps twice. NULL after perfctr_fail(EINVAL) for the call of this name: there is no
 * such metric.
 */
const unsigned int *perfctr_metrics_places(const struct perfctr_metrics *metrics, unsigned int i,
					   unsigned int *n, const char *call);

#endif /* PERFCTR_LIB_METRICS_METRICS_H */
