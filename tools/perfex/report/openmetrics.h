/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * openmetrics.h - results as OpenMetrics, in words that Prometheus' older text format has, too, as
 * the node exporter reads it: counts since the beginning, whatever the interval.
 */
#ifndef PERFCTR_TOOLS_OPENMETRICS_H
#define PERFCTR_TOOLS_OPENMETRICS_H

#include "tools/perfex/report/results.h"

void openmetrics_print(FILE *file, const struct results *results);

#endif /* PERFCTR_TOOLS_OPENMETRICS_H */
