/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics.h - formulas over what regions have counted */
#ifndef PERFCTR_LIB_REGIONS_METRICS_H
#define PERFCTR_LIB_REGIONS_METRICS_H

#include <stdbool.h>
#include "lib/base/text.h"
#include "perfctr/regions.h"

/* All zero: none. */
struct perfctr_region_metrics {
	struct perfctr_metrics *metrics;
	char *names;			  /* as they were given */
	struct perfctr_reading *readings; /* one for each of their events; under the lock */
	unsigned int *place;		  /* of each among the values of a region */
};

/* 0, or -1 after perfctr_fail(); nothing is to be closed then. */
int perfctr_region_metrics_open(struct perfctr_region_metrics *metrics, const char *names);
void perfctr_region_metrics_close(struct perfctr_region_metrics *metrics);

/*
 * The events of both: after those of the list the metrics', each once; what leads a group of
 * slots stays with it. Check text->failed. 0, or -1 after perfctr_fail().
 */
int perfctr_region_metrics_list(const struct perfctr_region_metrics *metrics, const char *events,
				struct perfctr_text *text);

/* Find the metrics' events in such a list, of so many values. 0; -1: one is not there. */
int perfctr_region_metrics_find(struct perfctr_region_metrics *metrics, const char *list,
				unsigned int nvalues);

/* Metric i of a region's inclusive or exclusive sums. */
struct perfctr_metric_value
perfctr_region_metrics_value(const struct perfctr_region_metrics *metrics, unsigned int i,
			     const struct perfctr_region_reading *reading, bool exclusive);

#endif /* PERFCTR_LIB_REGIONS_METRICS_H */
